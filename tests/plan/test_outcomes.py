"""What a step did stands in the manifest, in the command's answer, and in Python."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.cli import app
from tacit.plan.outcomes import sentences, sentences_of
from tacit.report.internal import facts

pytestmark = pytest.mark.filterwarnings("ignore::tacit.base.errors.TacitWarning")


def frame(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["m", "f"], n),
            "town": rng.choice(["a", "b", "c", "d"], n),
            "income": rng.lognormal(9, 1, n).round(),
        }
    )


KEYS = {"quasi": ["age", "sex", "town"], "confidential": ["income"]}
AVERAGES = {"quasi": ["age", "income"]}


def done(method: str, roles: Any, **parameters: Any) -> tuple[Any, dict[str, Any]]:
    data = tc.Microdata.of(frame(), **roles)
    protector = tc.protect.registry[method](**parameters)
    release = protector.fit_transform(data)
    [outcome] = _outcomes(data, method, parameters)
    assert {**protector.outcome_, **outcome} == outcome
    return release, outcome


def _outcomes(data: Any, method: str, parameters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    tc.Plan((tc.Step(method, parameters, None),)).mask(data, found)
    return found


def test_generalisation_says_levels_blanked_loss_and_proof() -> None:
    release, outcome = done("generalisation", KEYS, k=5, suppression_limit=0.05)
    assert set(outcome["levels"]) == set(outcome["highest"]) == set(KEYS["quasi"])
    blank = release.missing("age") & release.missing("sex") & release.missing("town")
    assert outcome["blanked"] == blank.sum() <= 10
    assert (outcome["of"], outcome["word"], outcome["proven"]) == (200, "records", True)
    [line] = sentences([outcome])
    assert line.startswith("Step 1 (generalisation): levels age ")
    assert f"{outcome['blanked']} of 200 records blanked" in line
    assert line.endswith("no other levels lose less.")
    ended = {**outcome, "proven": False, "at_least": 0.125, "counted": 3, "nodes": 1000}
    [line] = sentences([ended])
    assert line.endswith(
        "not proven least: others could lose 0.125 (3 of 1,000 were counted)."
    )


def test_local_suppression_says_cells_by_column_and_who_is_alone() -> None:
    release, outcome = done("local_suppression", KEYS, k=3)
    cells = {name: int(release.missing(name).sum()) for name in KEYS["quasi"]}
    assert outcome["suppressed"] == cells
    shown = release.to_native()[KEYS["quasi"]].astype(object).fillna("*")
    size = shown.groupby(KEYS["quasi"])["age"].transform("size")
    assert outcome["below_k"] == {"any": 0, "value": int((size < 3).sum())}
    [line] = sentences([outcome])
    assert f"{sum(cells.values())} cells blanked (age {cells['age']}" in line
    assert f"{(size < 3).sum()} records are in groups below k for whoever" in line


@pytest.mark.parametrize("groups", [None, 1])
def test_microaggregation_says_groups_and_their_sizes(groups: int | None) -> None:
    release, outcome = done("microaggregation", AVERAGES, k=4, groups=groups)
    columns = [["age", "income"]] if groups is None else [["age"], ["income"]]
    assert [block["columns"] for block in outcome["groups"]] == columns
    for block in outcome["groups"]:
        same = release.to_native().groupby(block["columns"]).size()
        # two groups may have the same average
        assert len(same) <= block["groups"]
        assert 4 <= block["smallest"] <= block["largest"] <= same.max()
    [line] = sentences([outcome])
    number = sum(block["groups"] for block in outcome["groups"])
    assert line.startswith(f"Step 1 (microaggregation): {number} groups of 4 to ")
    assert line.endswith(" % of the variance is lost.")


def test_who_was_not_fitted_did_nothing() -> None:
    method = tc.protect.Generalisation(k=2)
    assert not hasattr(method, "outcome_")
    noise = tc.protect.Noise(percent=5, columns=["income"]).fit(frame())
    assert noise.outcome_ == {}


def test_the_command_and_the_manifest_say_it(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    frame().to_csv(source, index=False)
    command = ["protect", str(source), str(out), "--method", "generalisation"]
    command += ["--set", "k=5", "--quasi", "age,sex,town", "--confidential", "income"]
    said = " ".join(CliRunner().invoke(app, command).output.split())
    assert "Step 1 (generalisation): levels age" in said
    [kept] = json.loads(Path(f"{out}.manifest.json").read_text())["outcomes"]
    assert kept["proven"] is True
    assert list(kept["levels"]) == ["age", "sex", "town"]


def test_the_internal_report_says_it_and_a_strange_manifest_says_nothing() -> None:
    _, outcome = done("microaggregation", AVERAGES, k=4)
    assessment: Any = SimpleNamespace(original=tc.Microdata.of(frame()), seconds=1.0)
    told = dict(facts(assessment, {"outcomes": [outcome]}))
    assert " groups of 4 to " in told["Outcome"]
    for strange in ([{"step": 1}], [{"method": "generalisation", "levels": 3}], "x"):
        assert sentences_of({"outcomes": strange}) == []
        assert "Outcome" not in dict(facts(assessment, {"outcomes": strange}))
