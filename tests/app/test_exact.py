"""What is taken away makes the release again, byte for byte: for every method, with every role."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tacit as tc
from contract.examples import frame
from tacit.app import exports, figures
from tacit.base.parameters import model_of
from tacit.cli import app
from tacit.data.microdata import Kind, Microdata
from tacit.plan.plan import Plan, Step

# the name of a column is whatever the owner of the file wrote
ODD = 'net, "pay"'
ROLES = {
    "identifier": ["name"],
    "person": ["who"],
    "household": ["home"],
    "weight": ["weight"],
    "confidential": [ODD],
    "other": ["note"],
}


def table(one_row_each: bool) -> pd.DataFrame:
    """The table of the contract suite with a column for every role that a file can have."""
    in_person, in_home = (1, 1) if one_row_each else (2, 6)
    rng = np.random.default_rng(1)
    made = frame().reset_index(drop=True)
    n = len(made)
    # a household lives in one region
    made["region"] = [made["region"][i - i % in_home] for i in range(n)]
    more = pd.DataFrame(
        {
            "name": [f"Person {i}" for i in range(n)],
            "weight": rng.uniform(1, 9, n).round(2),
            ODD: rng.integers(1, 900, n),
            # leading zeros: read as a number it is another column
            "note": [f"{i % 7:03d}" for i in range(n)],
            "who": [f"p{i // in_person}" for i in range(n)],
            "home": [f"h{i // in_home}" for i in range(n)],
        }
    )
    return pd.concat([made, more], axis=1)


def roles_of(names: list[str], method: str) -> dict[str, list[str]]:
    """The roles as a person decides them on the page; what is not named is a key."""
    said = ROLES
    # it covers whole records: nothing may leave beside its classes
    if method == "dp_generalisation":
        said = {"identifier": [name for those in ROLES.values() for name in those]}
    named = {name for those in said.values() for name in those}
    return said | {"quasi": [name for name in names if name not in named]}


def plan_of(method: str, data: Microdata) -> Plan:
    """One step that runs on this file, with a seed where it may have one."""
    kind = tc.protect.registry[method]
    given = dict(kind.example)
    fields = model_of(kind).model_fields
    if "columns" in fields:
        able = [n for n in data.quasi if data.schema[n].kind in kind.kinds]
        given.setdefault("columns", able)
    seed = None
    if "test_seed" in fields:
        given["test_seed"] = True
        seed = 7
    return Plan((Step(method, given, seed),)).seeded()


def done(
    folder: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[Plan, Path, dict[str, str]]:
    """A run as the page does it, without its attacks, which touch no byte of the release."""
    source = folder / "survey 1.csv"
    once = bool(tc.protect.registry[method].one_row_each)
    table(once).to_csv(source, index=False)
    data = tc.read(source)
    said = roles_of(list(data.names), method)
    columns = tuple(
        replace(
            column,
            role=next(word for word, names in said.items() if column.name in names),
            # corrected on the page, after the file was read
            kind=Kind.code if column.name == "note" else column.kind,
        )
        for column in data.schema
    )
    data = data.with_schema(tc.Schema(columns))
    light = figures.Settings(
        attackers=("nearest",), risks=(), losses=("IL",), informed=False
    )
    monkeypatch.setattr(figures, "quick", lambda _: light)
    order = figures.Order(source, folder, source.name, 0.05, {}, "quick")
    plan = plan_of(method, data)
    summary, files = figures.finish(data, plan, order, lambda *_: None)
    held = [one["column"] for one in summary["leaving"] if one["refused"]]
    shown = replace(summary["plan"], release_as_is=tuple(held))
    private = replace(Plan.load(files["private"]), release_as_is=tuple(held))
    private.save(folder / "survey 1-plan-private.toml")
    return shown, source, files


@pytest.mark.few(2)
@pytest.mark.parametrize("method", list(tc.protect.registry))
def test_plan_command_and_script_make_the_same_bytes(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The three of them, from the files that are downloaded and nothing else."""
    monkeypatch.chdir(tmp_path)
    plan, source, files = done(tmp_path, method, monkeypatch)
    expected = Path(files["masked"]).read_bytes()
    release = tmp_path / "survey 1-release.csv"
    beside = Path(f"{release}.manifest.json")

    def same() -> None:
        assert release.read_bytes() == expected
        release.unlink()
        beside.unlink()

    # the plan
    tc.release(Plan.load("survey 1-plan-private.toml"), source, release)
    same()
    # the command line, as it is shown
    first = exports.command(plan, source.name, release.name).splitlines()
    command = next(line for line in first if line.startswith("tacit protect"))
    answer = CliRunner().invoke(app, shlex.split(command)[1:])
    assert answer.exit_code == 0, answer.output
    same()
    # the script, up to the attacks
    script = exports.python(plan, source.name, release.name, plan.release_as_is)
    exec(compile(script.partition("\ndata =")[0], "shown", "exec"), {})
    same()
    unseeded = getattr(tc.protect.registry[method], "unseeded", False)
    assert exports.repeats(plan) is not unseeded
