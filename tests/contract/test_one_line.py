"""A new method is one file and one registry line: each sort is added here in a temporary file and
one line, and must
then be everywhere that people meet methods.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit import attack, loss, protect, risk, stream
from tacit.app import forms, work
from tacit.base.parameters import model_of
from tacit.cli import app
from tacit.compare.until import protect_until
from tacit.plan.plan import json_schema
from tacit.report import parts, words
from tacit.report.measured import measure_rows

PROTECTOR = '''
"""A throw-away protector."""
from __future__ import annotations
from typing import Annotated
from annotated_types import Ge
from tacit.base.facts import Strength
from tacit.protect.base import NumericProtector, Seed


class Throwaway(NumericProtector):
    """Add uniform noise.

    Parameters
    ----------
    amount : float
        Half the width of the noise.
    """

    title = "Throw-away noise"
    family = "noise"
    purpose = "nothing but this test"
    strength = Strength("amount", 1.0, 1e6)
    attacker = "throwaway:Throwaway"

    def __init__(self, amount: Annotated[float, Ge(0)] = 1.0, columns: list[str] | None = None,
                 random_state: Seed = None) -> None:
        self.amount = amount
        self.columns = columns
        self.random_state = random_state

    def _mask(self, values, rng):
        return values + rng.uniform(-self.amount, self.amount, values.shape)
'''
ATTACKER = '''
"""A throw-away attacker."""
from __future__ import annotations
from tacit.attack.informed.base import Informed
from tacit.attack.informed.estimated import AwareEstimated


class Throwaway(AwareEstimated):
    """Takes the disturbance for what it seems."""

    title = "Throw-away intruder"
    asked: list[float] = []

    @classmethod
    def knowing(cls, protector, original):
        cls.asked.append(protector.amount)
        return cls()
'''
MEASURE = '''
"""A throw-away measure."""
from __future__ import annotations
from tacit.base import facts
from tacit.base.measure import Measure


@facts.measure("Throw-away figure", threshold=0.25, why="because the test says so")
def throwaway(original, masked):
    """Always a half."""
    return Measure("throwaway", 0.5, (0.0, 1.0), "nothing", "more of nothing")
'''
FILTER = '''
"""A throw-away filter."""
from __future__ import annotations
from tacit.stream.filters.rounding import Rounding


class Throwaway(Rounding):
    """Rounds, under another name."""

    title = "Throw-away filter"
'''


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write one file into a room and one line into its registry."""

    def put(room: ModuleType, text: str, target: str = "") -> None:
        folder = tmp_path / room.__name__
        folder.mkdir()
        folder.joinpath("throwaway.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr(room, "__path__", [*room.__path__, str(folder)])
        if target:
            monkeypatch.setitem(
                room.registry._entries, "throwaway", f"throwaway:{target}"
            )
        monkeypatch.delitem(sys.modules, f"{room.__name__}.throwaway", raising=False)

    yield put
    for name in [name for name in sys.modules if name.endswith(".throwaway")]:
        del sys.modules[name]


@pytest.fixture
def table() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {"income": rng.normal(100, 20, 80), "debt": rng.normal(50, 10, 80)}
    )


def test_a_protector_is_in_every_face(add, table, tmp_path) -> None:
    add(protect, PROTECTOR, "Throwaway")
    add(attack, ATTACKER)  # named by the protector: it needs no line of its own
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    table.to_csv(source, index=False)
    # command line
    listed = CliRunner().invoke(app, ["methods", "throwaway"])
    assert listed.exit_code == 0
    assert "Half the width of the noise." in listed.output
    words_ = [
        "protect",
        str(source),
        str(out),
        "--method",
        "throwaway",
        "--set",
        "amount=3",
    ]
    done = CliRunner().invoke(app, words_)
    assert done.exit_code == 0, done.output
    assert out.exists()
    # plan and its published schema
    plan = tc.Plan.from_toml('[[steps]]\nmethod = "throwaway"\namount = 2\nseed = 1\n')
    assert plan.apply(table).shape == table.shape
    assert "ThrowawayStep" in json_schema()["$defs"]
    # --until turns the parameter that the method names
    safe = protect_until(table, "throwaway", "risk<=0.5", seed=1)
    assert safe.parameter == "amount"
    assert safe.value > 1
    # comparison
    frontier = tc.compare(
        table, [tc.Step("throwaway", {"amount": 5.0})], seeds=1, seed=1, workers=1
    )
    assert len(frontier.finished) == 1
    # the intruder who knows the method is the one that the method names
    from tacit.attack.throwaway import Throwaway as Intruder

    tc.assess(table, plan.apply(table), plan=plan, risks=(), losses=())
    assert 2.0 in Intruder.asked
    # titles, form, docs
    assert words.title("throwaway") == "Throw-away noise"
    entry = work.catalogue(lambda *_: None)["protect"]["throwaway"]
    fields = {
        field.name: field for field in forms.fields(entry["schema"], about=entry["doc"])
    }
    assert fields["amount"].help == "Half the width of the noise."
    assert entry["title"] == "Throw-away noise"
    assert "tacit.protect.throwaway.Throwaway" in cards("protect")


def test_an_attacker_is_run_by_name_and_shown(add, table) -> None:
    add(attack, ATTACKER, "Throwaway")
    result = tc.assess(table, table + 0.5, attackers=["throwaway"], risks=(), losses=())
    assert "throwaway" in result.linkages
    assert "Throw-away intruder" in str(parts.attack_rows(result))
    assert words.title("throwaway") == "Throw-away intruder"
    assert "tacit.attack.throwaway.Throwaway" in cards("attack")


@pytest.mark.parametrize("room", [risk, loss], ids=["risk", "loss"])
def test_a_measure_is_assessed_judged_and_shown(add, table, room) -> None:
    add(room, MEASURE, "throwaway")
    kind = "risks" if room is risk else "losses"
    result = tc.assess(
        table,
        table + 0.5,
        attackers=(),
        **{"risks": (), "losses": (), kind: ["throwaway"]},
    )
    measures = result.risk if room is risk else result.loss
    assert measures["throwaway"].value == 0.5
    assert "Throw-away figure" in str(measure_rows(measures))
    assert f"{room.__name__}.throwaway.throwaway" in cards(
        room.__name__.rpartition(".")[2]
    )
    if room is risk:
        row = next(row for row in result.verdict.rows if row.name == "throwaway")
        assert (row.threshold, row.standing, row.why) == (
            0.25,
            "fails",
            "because the test says so",
        )


def test_a_filter_runs_on_the_command_line_and_on_the_page(add, table) -> None:
    add(stream, FILTER, "Throwaway")
    text = table.round(3).to_csv(index=False)
    done = CliRunner().invoke(
        app, ["stream", "--filter", "throwaway", "--set", "base=10"], input=text
    )
    assert done.exit_code == 0, done.output
    assert "throwaway" in work.catalogue(lambda *_: None)["stream"]
    assert model_of(stream.registry["throwaway"]).model_fields["base"] is not None
    assert words.title("throwaway") == "Throw-away filter"
    assert "tacit.stream.throwaway.Throwaway" in cards("stream")


def cards(room: str) -> str:
    """What the docs show of a room."""
    folder = Path(__file__).parents[2] / "docs"
    scope: dict[str, object] = {}
    exec(folder.joinpath("registry_hook.py").read_text(encoding="utf-8"), scope)
    made = scope["_cards"](room)  # type: ignore[operator]
    assert isinstance(made, str)
    return made
