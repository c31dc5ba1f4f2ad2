"""Nothing leaves by accident: each column is protected, declared, or named and refused."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.base.errors import ColumnError, TacitWarning
from tacit.cli import app
from tacit.plan.leaving import leaving, refuse
from tacit.plan.manifest import verify
from tacit.plan.plan import Plan
from tacit.plan.release import look

N = 120
AGE = tc.Plan((tc.Step("microaggregation", {"k": 4, "columns": ["age"]}),))


def survey() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    age = rng.integers(18, 90, N)
    return pd.DataFrame(
        {
            "name": [f"n{i:04d}" for i in rng.permutation(N)],
            "age": age,
            "region": rng.choice(["north", "south", "east", "west"], N),
            "illness": rng.choice(["none", "flu"], N),
            "months": 12 * age,
            # with gaps: without them it would be taken for an identifier
            "turn": rng.choice(np.arange(2, 240), N, replace=False),
        }
    )


def found(data: tc.Microdata, plan: Plan = AGE, **more: bool) -> dict[str, str]:
    return {
        one.column: one.reason
        for one in leaving(plan, data, **more)
        if not one.accepted
    }


def test_every_reason_is_named() -> None:
    data = tc.Microdata.of(survey(), identifier=["name"])
    assert found(data) == {
        "region": "untouched",
        "illness": "untouched",
        "months": "encoding",
        "turn": "encoding",
    }
    declared = tc.Microdata.of(
        survey(), identifier=["name"], confidential=["illness", "months", "turn"]
    )
    # a declaration says that the column is known, not that it says nothing else
    assert found(declared) == {
        "region": "untouched",
        "months": "encoding",
        "turn": "encoding",
    }


def test_a_key_in_no_combination_of_local_suppression_is_untouched() -> None:
    data = tc.Microdata.of(survey()[["age", "region"]], quasi=["age", "region"])
    some = tc.Step("local_suppression", {"keys": [["region"]]})
    assert found(data, tc.Plan((some,))) == {"age": "untouched"}
    both = tc.Step("local_suppression", {"keys": [["region"], ["age"]]})
    assert found(data, tc.Plan((both,))) == {}


def test_text_is_named_whatever_its_role() -> None:
    frame = survey().assign(note=[f"Mrs Smith, room {i}" for i in range(N)])
    data = tc.Microdata.of(
        frame,
        identifier=["name", "months", "turn"],
        confidential=["region", "illness", "note"],
        text=["note"],
    )
    assert found(data) == {"note": "text"}


def test_a_column_that_the_schema_does_not_know() -> None:
    data = tc.Microdata.of(survey(), identifier=["name", "months", "turn"])
    frame = survey().assign(village=np.arange(N) % 7)
    grown = tc.Microdata.of(frame, data.schema)
    everything = tc.Plan((tc.Step("rounding", {"base": 5.0, "columns": ["village"]}),))
    # also where a step happens to touch it: nobody has said what it is
    assert found(grown, everything)["village"] == "unknown"
    said = tc.Microdata.of(frame, data.schema, confidential=["village"])
    assert "village" not in found(said)


def test_an_identifier_stays_where_the_only_step_makes_pseudonyms() -> None:
    data = tc.Microdata.of(survey(), identifier=["name", "turn"])
    plan = tc.Plan((tc.Step("pseudonyms", {"columns": ["name"]}),))
    assert found(data, plan)["turn"] == "identifier"
    assert "name" not in found(data, plan)


def test_columns_not_named_are_a_warning_and_not_a_refusal() -> None:
    data = tc.Microdata.of(
        survey().drop(columns=["months", "turn", "name"]), quasi=["age"]
    )
    assert found(data) == {"region": "undeclared", "illness": "undeclared"}
    refuse(leaving(AGE, data))
    assert found(data, allow_unprotected=True) == {}


def test_a_weight_that_follows_the_strata_is_a_warning() -> None:
    frame = survey()[["age", "region"]]
    weights = {"north": 10.5, "south": 20.0, "east": 31.25, "west": 44.0}
    frame = frame.assign(weight=frame["region"].map(weights))
    data = tc.Microdata.of(frame, weight=["weight"])
    plan = tc.Plan((tc.Step("pram", {"columns": ["region"]}, 1), *AGE.steps))
    (one,) = leaving(plan, data)
    assert str(one) == "'weight' (it determines 'region')"
    refuse([one])


def test_accepted_by_name_and_by_flag() -> None:
    data = tc.Microdata.of(survey(), identifier=["name"])
    by_name = tc.Plan(AGE.steps, release_as_is=("region", "turn"))
    assert set(found(data, by_name)) == {"illness", "months"}
    # the flag is about protection: what encodes another column must be named
    assert set(found(data, allow_unprotected=True)) == {"months", "turn"}
    with pytest.raises(ColumnError, match="--release-as-is months,turn"):
        refuse(leaving(AGE, data, allow_unprotected=True))


def test_the_plan_file_keeps_what_was_accepted(tmp_path: Path) -> None:
    plan = tc.Plan(AGE.steps, release_as_is=("region",))
    plan.save(tmp_path / "plan.toml")
    assert tc.Plan.load(tmp_path / "plan.toml") == plan
    with pytest.raises(tc.TacitError, match="list of names"):
        tc.Plan.from_toml('release_as_is = 3\n[[steps]]\nmethod = "noise"')


def test_python_warns_and_masks() -> None:
    data = tc.Microdata.of(survey(), identifier=["name"])
    with pytest.warns(TacitWarning, match=r"'turn' \(it numbers the records\)"):
        masked = AGE.apply(data)
    assert "turn" in masked.names
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tc.Plan.of(tc.protect.Noise(random_state=1)).apply(survey()[["age"]])


# -- the face that writes a file -------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    survey().to_csv("in.csv", index=False)
    return tmp_path


def protect(*words: str) -> tuple[int, str]:
    start = ["protect", "in.csv", "out.csv", "--method", "microaggregation"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = CliRunner().invoke(app, [*start, *words])
    return done.exit_code, str(done.exception or done.output)


@pytest.mark.parametrize(
    ("roles", "named"),
    [
        (["--set", "columns=age,months"], "'region' (a quasi-identifier that no step"),
        (["--quasi", "age"], "'months' (it has, in other units, the values of 'age')"),
        (["--quasi", "age,months"], "'turn' (it numbers the records)"),
        (
            ["--quasi", "age,months", "--confidential", "illness", "--text", "illness"],
            "'illness' (free text",
        ),
        (["--schema", "old.toml"], "'turn' (the schema does not know it)"),
    ],
)
def test_refusals_write_nothing(folder: Path, roles: list[str], named: str) -> None:
    old = tc.Microdata.of(survey().drop(columns=["turn"]), identifier=["name"])
    (folder / "old.toml").write_text(old.schema.to_toml())
    before = sorted(path.name for path in folder.iterdir())
    code, said = protect(*roles)
    assert code != 0
    assert named in said
    assert said.startswith("in.csv: nothing was written")
    assert "--release-as-is" in said
    assert sorted(path.name for path in folder.iterdir()) == before


def test_accepted_columns_leave_and_stand_in_the_manifest(folder: Path) -> None:
    roles = ["--quasi", "age", "--identifier", "name", "--confidential", "illness"]
    code, said = protect(*roles, "--release-as-is", "months,turn")
    assert code == 0, said
    manifest = json.loads((folder / "out.csv.manifest.json").read_text())
    assert [(one["column"], one["accepted"]) for one in manifest["leaving"]] == [
        ("region", False),
        ("months", True),
        ("turn", True),
    ]
    assert manifest["plan"]["release_as_is"] == ["months", "turn"]


def test_what_cannot_be_accepted(folder: Path) -> None:
    assert "there is no column 'nmae'" in protect("--release-as-is", "nmae")[1]
    assert "an identifier is dropped" in protect("--release-as-is", "name")[1]


# -- the same in Python ----------------------------------------------------------------


def test_a_release_in_python_is_that_of_the_command(folder: Path) -> None:
    roles = {"identifier": ["name", "turn"], "confidential": ["illness", "region"]}
    with pytest.raises(ColumnError, match=r"'months' .it has, in"):
        tc.release(AGE, "in.csv", "out.csv", **roles)
    assert not (folder / "out.csv").exists()
    made = tc.release(AGE, "in.csv", "out.csv", release_as_is=["months"], **roles)
    assert made["plan"]["release_as_is"] == ["months"]
    assert made["order"]["shuffled"]
    assert verify("out.csv.manifest.json")["verified"]
    with pytest.raises(tc.TacitError, match="exists already"):
        tc.release(AGE, "in.csv", "out.csv", release_as_is=["months"], **roles)
    with pytest.raises(tc.TacitError, match="the input itself"):
        tc.release(AGE, "in.csv", "in.csv", force=True, **roles)


def test_text_that_is_kept_on_request_is_a_warning() -> None:
    frame = survey()[["age"]].assign(note=[f"Mrs Smith, room {i}" for i in range(N)])
    data = tc.Microdata.of(frame, confidential=["note"], text=["note"])
    plan = tc.Plan(AGE.steps, release_as_is=("note",))
    with pytest.warns(TacitWarning, match="names found in it are not protected"):
        look(plan, data)
