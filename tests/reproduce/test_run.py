"""The runner: resumes, says loudly what is missing, turns red on surprises, writes its files."""

import csv
import json
import re

import pytest
from typer.testing import CliRunner

from tacit.cli import app
from tacit.reproduce import run as runner
from tacit.reproduce import unit_runs as work
from tacit.reproduce.known import known, surprises
from tacit.reproduce.model import Claim, Context, Experiment, Outcome, Target
from tacit.reproduce.store import Store, code
from tacit.reproduce.targets import experiments, targets

calls = []


def _fake(params, seed, context):
    calls.append((params["data"], seed))
    return Outcome({"nearest": 1080.0 if params["sigma"] == "5" else 100.0 + seed})


def _target(**options):
    defaults = {
        "better": {"nearest": "lower"},
        "seeds": 3,
        "quick": lambda p: p["data"] == "C",
    }
    experiment = options.pop("experiment", Experiment("fake", _fake))
    return Target("assignment-4.2", "000", "a fake", experiment, **(defaults | options))


@pytest.fixture
def fake(monkeypatch):
    def use(target):
        calls.clear()
        monkeypatch.setattr(runner, "targets", lambda: {target.name: target})
        monkeypatch.setattr(
            work, "experiments", lambda: {target.experiment.name: target.experiment}
        )

    return use


def test_resumes_where_it_stopped(fake, tmp_path):
    fake(_target())
    first = runner.reproduce(["assignment-4.2"], quick=True, out=tmp_path, jobs=1)
    done = len(calls)
    assert done == 3 * 5
    again = runner.reproduce(["assignment-4.2"], quick=True, out=tmp_path, jobs=1)
    assert len(calls) == done
    assert [j.verdict for _, _, j in first[0].lines] == [
        j.verdict for _, _, j in again[0].lines
    ]
    runner.reproduce(["assignment-4.2"], quick=True, out=tmp_path, jobs=1, fresh=True)
    assert len(calls) == 2 * done


def test_a_torn_line_is_recomputed_and_nothing_else(tmp_path):
    path = tmp_path / "quick.jsonl"
    store = Store(path)
    store.put("a", Outcome({"x": 1.0}))
    with path.open("a") as file:
        file.write('\n{"key": "b", "val')
    again = Store(path)
    assert again.get("a").values == {"x": 1.0}
    assert again.get("b") is None
    again.put("b", Outcome({"x": 2.0}))
    assert Store(path).get("b").values == {"x": 2.0}


def test_runs_of_other_code_are_named(fake, tmp_path):
    fake(_target())
    runner.reproduce(["assignment-4.2"], quick=True, out=tmp_path, jobs=1)
    assert "other code" not in (tmp_path / "index.md").read_text()
    path = tmp_path / "quick.jsonl"
    path.write_text(path.read_text().replace(code(), "0" * 16))
    assert (
        runner.reproduce(["assignment-4.2"], quick=True, out=tmp_path, jobs=1)[0].older
        == 3 * 5
    )
    assert (
        "15 stored runs were made by other code" in (tmp_path / "index.md").read_text()
    )


def test_verdicts_csv_and_summary(fake, tmp_path):
    fake(_target())
    result = runner.reproduce(["assignment-4.2"], quick=True, out=tmp_path, jobs=1)[0]
    verdicts = {(c, m): j.verdict for c, m, j in result.lines}
    assert verdicts["data=C sigma=5", "nearest"] == "agrees"
    assert verdicts["data=C sigma=25", "nearest"] == "better"
    rows = list(csv.DictReader((tmp_path / "assignment-4.2.csv").open()))
    assert rows[0]["published"] == "1080"
    assert rows[0]["p"] == "1.0"
    assert "[Rodriguez Fernandez (2013)" in (tmp_path / "index.md").read_text()
    page = (tmp_path / "assignment.md").read_text()
    assert "one draw (not said)" in page
    assert "| assignment-4.2 | sigma=5 | nearest | 1080 | 1,080 |" in page
    assert (tmp_path / "assignment.svg").exists()


def test_each_target_is_told_once_when_it_has_all_its_values(fake, tmp_path):
    fake(_target())
    told = []
    for _ in range(2):
        runner.reproduce(
            ["assignment-4.2"],
            quick=True,
            out=tmp_path,
            jobs=1,
            told=lambda result: told.append((result.target.name, len(result.lines))),
        )
    # also when every run was stored
    assert told == [("assignment-4.2", 6)] * 2


def test_a_missing_part_is_never_green(fake, tmp_path):
    fake(_target(experiment=Experiment("absent", _fake, ("tacit.nothing:Here",))))
    result = runner.reproduce(["assignment-4.2"], out=tmp_path, jobs=1)[0]
    assert result.status == "not available"
    assert surprises([result]) == [f"assignment-4.2: not available ({result.missing})"]
    assert "Counted as not reproduced" in (tmp_path / "index.md").read_text()


def test_an_error_and_a_false_claim_are_red(fake, tmp_path):
    def broken(params, seed, context):
        raise RuntimeError("no")

    fake(_target(experiment=Experiment("broken", broken)))
    result = runner.reproduce(["assignment-4.2"], quick=True, out=tmp_path, jobs=1)[0]
    assert result.status == "error"
    assert len(surprises([result])) >= 3

    fake(_target(claims=(Claim("one is two", lambda values: (False, "1 and 2")),)))
    result = runner.reproduce(["assignment-4.2"], quick=True, out=tmp_path, jobs=1)[0]
    assert result.status == "differs"
    assert surprises([result]) == [
        "assignment-4.2: does not hold: one is two (1 and 2)"
    ]


def test_known_differences_name_real_targets_and_say_why():
    for name, entry in known().items():
        assert name in targets()
        assert entry["why"].strip().endswith(".")
        assert isinstance(entry["cells"], list)


def test_every_target_has_cells_in_both_modes_and_unique_experiments():
    assert experiments()
    for target in targets().values():
        assert runner.cells(target, quick=False), target.name
        assert runner.cells(target, quick=True), target.name


def test_the_worked_example_for_real(tmp_path):
    result = runner.reproduce(["assignment-2.3"], out=tmp_path, jobs=1)[0]
    assert result.status == "reproduced"
    assert {m: j.ours for _, m, j in result.lines} == {"value": 26.0, "columns": 1230.0}


def test_keys_tell_quick_from_full_and_data_from_none():
    keys = {
        work.Unit("e", "a=1", 0, quick, data).key
        for quick in (True, False)
        for data in (None, "somewhere")
    }
    assert len(keys) == 4
    assert json.loads(next(iter(keys)))[0] == "e"
    assert Context(data="x").directory() == "x"


def test_all_prints_one_line_per_target(monkeypatch, tmp_path):
    few = {name: targets()[name] for name in ("assignment-2.3", "assignment-3.3")}
    monkeypatch.setattr("tacit.reproduce.targets.targets", lambda: few)
    monkeypatch.setattr(runner, "targets", lambda: few)
    arguments = ["reproduce", "all", "--jobs", "1", "--out", str(tmp_path)]
    printed = CliRunner().invoke(app, arguments)
    assert printed.exit_code == 0, printed.output
    lines = printed.output.splitlines()
    # a resumed or interrupted run has told what it had by then
    assert len(lines) == 3
    assert re.match(
        r"  0\.\d min  assignment-2\.3 +reproduced +2 agrees; 0 CPU s", lines[0]
    )
    assert "assignment-3.3" in lines[1]
    assert lines[2].startswith("2 of 2 targets reproduced")
