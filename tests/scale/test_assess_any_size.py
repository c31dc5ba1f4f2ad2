"""One face: ``tacit assess`` and ``tacit risk`` on files larger than memory."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

from tacit.assess import held
from tacit.assess.held import Allowed
from tacit.attack import nearest, registry
from tacit.attack.assignment import Assignment
from tacit.attack.base import Attacker
from tacit.attack.holding import Holding
from tacit.attack.over_blocks import blocked_files
from tacit.attack.panel import made_by
from tacit.base.errors import InputError
from tacit.cli import assess_costs, main
from tacit.data.microdata import Microdata
from tacit.protect import Noise
from tacit.scale import any_size

ROLES = ["--quasi", "income,age,sex", "--confidential", "debt"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 300
    income = np.round(rng.lognormal(10, 0.5, n), 2)
    table = pa.table(
        {
            "income": income,
            "age": rng.integers(18, 90, n),
            "debt": rng.gamma(2.0, 1000.0, n),
            "sex": rng.choice(["f", "m", "x"], n, p=[0.45, 0.45, 0.1]),
        }
    )
    pq.write_table(table, "in.parquet", row_group_size=250)
    noisy = pa.array(np.round(income * rng.lognormal(0, 0.1, n), 2))
    (tmp_path / "out").mkdir()
    masked = table.set_column(0, "income", noisy)
    for part, rows in enumerate((masked.slice(0, 200), masked.slice(200))):
        pq.write_table(rows, f"out/part-{part}.parquet")
    # of both ways no margins, and links over blocks
    monkeypatch.setattr(nearest, "MARGINS", 50)
    monkeypatch.setattr(blocked_files, "BLOCK", 100)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *words: object, code: int = 0) -> None:
    monkeypatch.setattr("sys.argv", ["tacit", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code or 0) == code


def hold_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """All attackers but nearest record hold 70 MB for each record."""
    much = Holding(6 * 10**7, 2 * 10**6, "much")
    monkeypatch.setattr(Attacker, "held", much)
    monkeypatch.setattr(Assignment, "held_over_blocks", Holding(7 * 10**7, 0, "much"))


def without_time(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {k: without_time(v) for k, v in answer.items() if k != "seconds"}
    return [without_time(v) for v in answer] if isinstance(answer, list) else answer


def test_assess_from_the_disk_says_what_it_says_in_memory(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    how = ["in.parquet", "out", "--aligned", "--attackers", "nearest", *ROLES]
    run(monkeypatch, "assess", *how, "--json", "memory.json")
    monkeypatch.setattr(any_size, "COPIES", 10**7)
    more = ["--memory", "4GB", "--html", "disk.html"]
    run(monkeypatch, "assess", *how, "--json", "disk.json", *more)
    assert "Out of core, on this machine" in capsys.readouterr().err
    memory, disk = (
        without_time(json.loads((files / f"{name}.json").read_text()))
        for name in ("memory", "disk")
    )
    assert disk == memory
    assert (files / "disk.html").stat().st_size > 10_000
    # nothing of the original is left beside the release
    assert not list(files.glob(".tacit-*"))


def test_what_holds_too_much_does_not_run_and_the_verdict_says_so(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(any_size, "COPIES", 10**7)
    # as if there were far more than 300 records
    hold_more(monkeypatch)
    monkeypatch.setattr(held, "COMBINATION", 10**9)
    how = ["in.parquet", "out", "--aligned", *ROLES, "--memory", "1GB"]
    run(monkeypatch, "assess", *how, "--json", "a.json", "--fail-above", "1", code=1)
    capsys.readouterr()
    found = json.loads((files / "a.json").read_text())
    assert "rate" in found["attacks"]["nearest"]
    reason = found["attacks"]["assignment"]["error"]
    assert "it holds much in memory, about 21.7 GB, and 1.0 GB are allowed" in reason
    groups = found["risk"]["k_anonymity"]
    assert list(groups) == ["error"]
    assert "combinations of keys" in groups["error"]
    # sums over runs of records and pieces of columns hold nothing
    assert "value" in found["loss"]["IL"]
    assert "value" in found["risk"]["interval_excess"]
    assert "assignment" in str(found["verdict"])


def test_what_holds_too_much_in_memory_does_not_run_either(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files that are in memory, because nobody knew before that they are too large for it."""
    hold_more(monkeypatch)
    monkeypatch.setattr(held, "SMALL", 100)
    # short as text: its records are counted when it has been read
    monkeypatch.setattr(assess_costs, "SHORT", 10**6)
    for name, source in (("in", "in.parquet"), ("out", "out")):
        csv.write_csv(pq.read_table(source), f"{name}.csv")
    how = ["in.csv", "out.csv", "--aligned", *ROLES, "--memory", "1GB"]
    run(monkeypatch, "assess", *how, "--json", "a.json")
    found = json.loads((files / "a.json").read_text())
    assert "rate" in found["attacks"]["nearest"]
    assert "1.0 GB are allowed" in found["attacks"]["assignment"]["error"]
    assert found["verdict"]["safe"] is not True
    # in memory measures hold little more than the file does
    assert "value" in found["risk"]["k_anonymity"]


def test_files_that_fit_but_for_their_attacks_are_worked_on_from_the_disk(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Assignment over blocks holds less than in memory: there it runs."""
    monkeypatch.setattr(held, "SMALL", 100)
    monkeypatch.setattr(Assignment, "held", Holding(10**7, 0, "much"))
    how = ["in.parquet", "out", "--aligned", "--attackers", "nearest,assignment"]
    run(monkeypatch, "assess", *how, *ROLES, "--memory", "2GB", "--json", "a.json")
    assert "Out of core, on this machine: in memory it would take about 3.7 GB" in (
        capsys.readouterr().err
    )
    found = json.loads((files / "a.json").read_text())
    assert "rate" in found["attacks"]["assignment"]
    # who names other attackers needs no such room
    how = ["in.parquet", "out", "--aligned", "--attackers", "nearest", *ROLES]
    run(monkeypatch, "assess", *how, "--memory", "2GB", "--json", "b.json")
    assert "In memory: about" in capsys.readouterr().err
    how = ["in.parquet", "out", "--aligned", "--dry-run", *ROLES]
    run(monkeypatch, "assess", *how, "--memory", "2GB")
    assert "Out of core: 300 records" in capsys.readouterr().out


def test_small_files_in_memory_are_never_refused_an_attack() -> None:
    file = Microdata.of({"a": np.arange(50_000.0)}, quasi=["a"])
    assert Allowed.of(file, file, 1) is None
    larger = Microdata.of({"a": np.arange(50_001.0)}, quasi=["a"])
    allowed = Allowed.of(larger, larger, 1)
    assert allowed is not None
    with pytest.raises(InputError, match=r"0\.9 GB, and 0\.0 GB are allowed"):
        allowed.refuse_attack(Attacker())


def test_what_attacks_hold_counts_categories_files_and_earlier_links() -> None:
    """Bytes by hand: in memory and on the disk."""
    n = 60_000
    kinds = np.array(["a", "b", "c"])[np.arange(n) % 3]
    values = {"x": np.arange(n) / 7, "kind": kinds}
    file = Microdata.of(values, quasi=["x", "kind"], continuous=["x"])

    class Own(Attacker):
        held = Holding(1000, 10, "much")
        held_over_blocks = Holding(100, 0, "little")

    there = Allowed(file, file, 1)
    assert there.of_attack(Own(), ran=2) == n * (100 + 2 * held.KEPT)
    here = Allowed(file, file, 1, on_disk=False)
    # a number is one coordinate, three categories and what is missing are four
    by_hand = n * (1000 + 10 * 5 + 2 * held.KEPT_IN_MEMORY)
    assert here.of_attack(Own(), ran=2) == by_hand + 2 * 2 * file.table.nbytes
    assert here.most_of([Own(), Own()]) == held.BASE + here.of_attack(Own(), ran=1)


def test_every_attacker_says_what_it_holds_and_never_more_from_the_disk() -> None:
    file = Microdata.of({"a": np.arange(60) / 7, "b": np.arange(60) / 3})
    for name in registry:
        attacker = made_by(registry[name], {"plan": Noise(percent=5)})
        here, there = (attacker.holding(file, on_disk=disk) for disk in (False, True))
        assert 0 < there.bytes_of(1, 2) <= here.bytes_of(1, 2), name
        assert there.what
        # who says nothing is taken for the dearest
        assert here.bytes_of(1, 2) <= Attacker.held.bytes_of(1, 2), name
    # who goes on until something is proven holds more arcs
    usual, longer = Assignment(), Assignment(exact=10**7)
    both = (attacker.holding(file, on_disk=True) for attacker in (usual, longer))
    assert next(both).each < next(both).each


def test_risk_from_the_disk_says_what_it_says_in_memory(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "risk", "out", "--quasi", "age,sex", "--json")
    memory = json.loads(capsys.readouterr().out)
    monkeypatch.setattr(any_size, "COPIES", 10**7)
    run(monkeypatch, "risk", "out", "--quasi", "age,sex", "--json", "--memory", "4GB")
    said = capsys.readouterr()
    assert "Out of core" in said.err
    assert without_time(json.loads(said.out)) == without_time(memory)
    words = ["risk", "out", "--quasi", "age,sex", "--memory", "300MB"]
    run(monkeypatch, *words, code=2)
    assert "and 0.3 GB are allowed" in capsys.readouterr().err


def test_a_dry_run_says_what_it_would_cost_and_what_would_not_run(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    how = ["in.parquet", "out", "--aligned", *ROLES, "--dry-run"]
    run(monkeypatch, "assess", *how)
    said = capsys.readouterr().out
    assert "In memory: 300 records of 4 columns" in said
    assert "CPU seconds" in said
    assert "would not run" not in said
    monkeypatch.setattr(any_size, "COPIES", 10**7)
    hold_more(monkeypatch)
    run(monkeypatch, "assess", *how, "--memory", "1GB")
    # lines are folded by the width of the terminal
    said = " ".join(capsys.readouterr().out.split())
    assert "Out of core: 300 records" in said
    assert "assignment would not run: it holds much in memory" in said
    assert "combinations of keys, which are counted first" in said
    run(monkeypatch, "assess", *how, "--memory", "1GB", "--json", "-")
    found = json.loads(capsys.readouterr().out)
    assert found["records"] == 300
    assert set(found["not_run"]).isdisjoint(found["parts"])
    assert "nearest" in found["parts"]
    # nothing is attacked and nothing is left
    assert not list(files.glob(".tacit-*"))


def test_a_run_from_the_disk_says_how_far_off_its_prediction_was(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(any_size, "COPIES", 10**7)
    how = ["in.parquet", "out", "--aligned", "--attackers", "nearest", *ROLES]
    run(monkeypatch, "assess", *how, "--memory", "4GB", "--json", "-")
    said = capsys.readouterr()
    assert "CPU seconds, took" in said.err
    json.loads(said.out)


def test_stopped_from_the_disk_it_says_what_is_known(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C while a piece is done: what ran is in the tables, the rest is named."""
    monkeypatch.setattr(any_size, "COPIES", 10**7)
    from tacit.risk import interval_by_pieces

    def interrupted(*_: object) -> object:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
        raise AssertionError("the signal came too late")

    monkeypatch.setattr(interval_by_pieces, "_by_rank", interrupted)
    how = ["in.parquet", "out", "--aligned", "--attackers", "nearest", *ROLES]
    run(monkeypatch, "assess", *how, "--memory", "4GB", "--json", "a.json", code=130)
    said = capsys.readouterr()
    assert "Stopped: the tables above are what was known by then." in said.err
    found = json.loads((files / "a.json").read_text())
    assert "rate" in found["attacks"]["nearest"]
    for name in ("interval", "k_anonymity"):
        assert found["risk"][name] == {"error": "stopped by Ctrl-C"}
    assert not list(files.glob(".tacit-*"))
