"""``tacit link``: one attack at any size, with rows that are settled and never assumed."""

from __future__ import annotations

import json
import shlex
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from scale.test_in_blocks import run
from tacit.attack import nearest
from tacit.attack.holding import Holding
from tacit.scale import any_size

N = 3000
ROLES = ["--quasi", "a,b,c"]
MANIFEST = ["--plan", "out.parquet.manifest.json"]


def table(seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    columns = {name: rng.normal(size=N).round(4) for name in "abc"}
    return pa.table({"id": np.arange(N)} | columns)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Path:
    """An original and its release, whose rows are shuffled."""
    monkeypatch.chdir(tmp_path)
    pq.write_table(table(), "in.parquet", row_group_size=700)
    words = ["--method", "noise", "--set", "percent=25", *ROLES, "--seed", "3"]
    more = ["--confidential", "id", "--release-as-is", "id"]
    run(monkeypatch, "protect", "in.parquet", "out.parquet", *words, *more)
    capsys.readouterr()
    return tmp_path


def linked(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, *words: object
) -> dict[str, Any]:
    files = ["in.parquet", "out.parquet"]
    run(monkeypatch, "link", *files, *ROLES, *words, "--json")
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    return said


def by_hand(attacker: Any) -> Any:
    """The linkage of the two files in memory, with rows put back by the column id."""
    original, masked = pq.read_table("in.parquet"), pq.read_table("out.parquet")
    masked = masked.sort_by("id")
    names = ["a", "b", "c"]
    return attacker.link(original.select(names), masked.select(names))


@pytest.mark.few(2)
@pytest.mark.parametrize("where", ["memory", "disk"])
@pytest.mark.parametrize("attacker", ["nearest", "assignment", "weighted"])
def test_it_finds_what_the_attacker_finds_in_memory(
    attacker: str,
    where: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    """From the disk over all blocks, or, who cannot, in memory: never less."""
    if where == "disk":
        monkeypatch.setattr(any_size, "COPIES", 10**6)
        monkeypatch.setattr(nearest, "MARGINS", 100)
        monkeypatch.setattr("tacit.attack.assignment.MARGINS", 100, raising=False)
    plain = by_hand(tc.attack.registry[attacker]())
    found = linked(monkeypatch, capsys, *MANIFEST, "--attacker", attacker)
    assert found["correct"] == pytest.approx(plain.correct, abs=1e-6)
    assert found["records"] == N
    by_key = linked(monkeypatch, capsys, "--key", "id", "--attacker", attacker)
    assert by_key["correct"] == pytest.approx(plain.correct, abs=1e-6)


def test_rows_of_another_order_are_refused_unless_somebody_says_so(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Counted row by row nobody would seem to be found."""
    run(monkeypatch, "link", "in.parquet", "out.parquet", *ROLES, code=2)
    said = " ".join(capsys.readouterr().err.split())
    assert "its rows are not in the order of in.parquet" in said
    assert "--plan OUT.manifest.json, --key COLUMN, or --aligned" in said
    insisted = linked(monkeypatch, capsys, "--aligned")
    assert insisted["rate"] < 0.01
    # where rows are in order, the values say so
    masked = pq.read_table("out.parquet").sort_by("id")
    pq.write_table(masked, "out.parquet")
    assert linked(monkeypatch, capsys)["rate"] > 0.1
    pq.write_table(masked.slice(1), "out.parquet")
    run(monkeypatch, "link", "in.parquet", "out.parquet", *ROLES, code=2)
    assert "--key COLUMN" in capsys.readouterr().err


@pytest.mark.parametrize("how", [MANIFEST, ["--key", "id"]], ids=["manifest", "key"])
def test_links_are_written_in_the_rows_of_both_files(
    how: list[str], here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """For their owner alone: they say who is who."""
    found = linked(monkeypatch, capsys, *how, "--out", "links.parquet")
    assert Path("links.parquet").stat().st_mode & 0o77 == 0
    links = pq.read_table("links.parquet").to_pydict()
    original, masked = pq.read_table("in.parquet"), pq.read_table("out.parquet")
    who = np.asarray(masked.column("id"))[links["match"]]
    own = np.asarray(original.column("id"))[links["row"]] == who
    # noise leaves no ties: whoever is named correctly counts one
    assert own.sum() == pytest.approx(found["correct"])
    assert np.array_equal(own, np.asarray(links["success"]) == 1)


def test_a_sample_is_linked_as_among_all(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    every = linked(monkeypatch, capsys, *MANIFEST, "--out", "all.parquet")
    some = linked(
        monkeypatch, capsys, *MANIFEST, "--sample", 600, "--out", "some.parquet"
    )
    assert (some["records"], some["sampled_of"]) == (600, N)
    low, high = some["interval"]
    assert low < every["rate"] < high
    drawn = pq.read_table("some.parquet").to_pydict()
    whole = pq.read_table("all.parquet").to_pydict()
    assert drawn["match"] == [whole["match"][row] for row in drawn["row"]]


def test_inside_blocks_only_for_who_asks_and_it_says_that_it_understates(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    words = ["--attacker", "weighted", "--blocks", "kdtree", "--leaf", 300]
    whole = linked(monkeypatch, capsys, *MANIFEST, "--attacker", "weighted")
    inside = linked(monkeypatch, capsys, *MANIFEST, *words, "--out", "a.parquet")
    by_key = linked(monkeypatch, capsys, "--key", "id", *words, "--out", "b.parquet")
    assert inside["blocks"] > 5
    assert inside["correct"] < whole["correct"]
    assert by_key["correct"] == pytest.approx(inside["correct"])
    assert pq.read_table("a.parquet").equals(pq.read_table("b.parquet"))
    files = ["in.parquet", "out.parquet", *ROLES, *MANIFEST]
    run(monkeypatch, "link", *files, *words)
    assert "This understates:" in capsys.readouterr().out
    run(monkeypatch, "link", *files, "--blocks", "kdtree", code=2)
    assert "nearest goes over all blocks" in capsys.readouterr().err


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--blocks", "octree"], "choose kdtree or orthtree"),
        (["--leaf", "100"], "--leaf goes with --blocks"),
        (["--price", "100"], "--price goes with --blocks"),
        (["--attacker", "nobody"], "nobody"),
        (["--set", "scale=foot"], "scale"),
        (["--attacker", "assignment", "--sample", "9"], "--sample is for nearest"),
        (["--blocks", "kdtree", "--sample", "9"], "give one"),
        (["--out", "in.parquet"], "is the input itself"),
    ],
)
def test_bad_requests_are_one_sentence(
    words: list[str],
    sentence: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    files = ["in.parquet", "out.parquet", *ROLES, *MANIFEST]
    run(monkeypatch, "link", *files, *words, code=2)
    said = " ".join(capsys.readouterr().err.split())
    assert sentence in said
    assert "Traceback" not in said


def test_who_holds_too_much_is_refused_and_not_run_inside_blocks(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    held = Holding(10**6, 0, "what is compared")
    monkeypatch.setattr(tc.attack.registry["weighted"], "held", held)
    files = ["in.parquet", "out.parquet", *ROLES, *MANIFEST, "--memory", "1GB"]
    run(monkeypatch, "link", *files, "--attacker", "weighted", code=2)
    assert "are allowed (--memory)" in " ".join(capsys.readouterr().err.split())


def test_files_that_fit_but_for_the_attack_are_linked_from_the_disk(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Over blocks assignment holds less than in memory, where it would be refused."""
    # the room's public name is the function
    monkeypatch.setattr(import_module("tacit.assess.held"), "SMALL", 0)
    monkeypatch.setattr("tacit.cli.assess_costs._is_short", lambda _: False)
    files = ["in.parquet", "out.parquet", *ROLES, *MANIFEST, "--memory", "1GB"]
    words = [*files, "--attacker", "assignment", "--json"]
    run(monkeypatch, "link", *words)
    said = capsys.readouterr()
    assert "In memory" in said.err
    held = Holding(10**6, 0, "what is compared")
    monkeypatch.setattr(tc.attack.Assignment, "held", held)
    run(monkeypatch, "link", *words)
    again = capsys.readouterr()
    assert "Out of core, on this machine" in again.err
    found, before = json.loads(again.out), json.loads(said.out)
    assert found["correct"] == pytest.approx(before["correct"])


def test_names_of_before_say_what_they_stand_for_and_run_it(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """The sentence holds a command that a shell understands, and gives the same bytes."""
    words = ["--set", "k=4", "--quasi", "a,b,c", "--identifier", "id", "--leaf", "500"]
    pq.write_table(table(), "in put.parquet")
    old = ["large", "protect", "in put.parquet", "old.parquet", *words]
    run(monkeypatch, *old, "--seed", "3", "--split-on", "a,b", "--price", "900")
    said = capsys.readouterr()
    line = said.err.splitlines()[0]
    assert line.startswith(
        "tacit large protect is now: tacit protect 'in put.parquet' "
    )
    command = shlex.split(line.partition(": ")[2])
    assert command[0] == "tacit"
    assert "Price of the blocks on 900 records" in " ".join(said.out.split())
    new = [word.replace("old.parquet", "new.parquet") for word in command[1:]]
    run(monkeypatch, *new)
    assert Path("old.parquet").read_bytes() == Path("new.parquet").read_bytes()
    run(monkeypatch, "verify", "old.parquet.manifest.json")
    capsys.readouterr()
    masked = pq.read_table("out.parquet").sort_by("id")
    pq.write_table(masked, "masked.parquet")
    run(monkeypatch, "large", "link", "in.parquet", "masked.parquet", *ROLES, "--json")
    said = capsys.readouterr()
    assert said.err.startswith("tacit large link is now: tacit link in.parquet ")
    plain = by_hand(tc.attack.Nearest())
    assert json.loads(said.out)["correct"] == pytest.approx(plain.correct)
    # exit codes are those of the command that it stands for
    run(monkeypatch, "large", "link", "in.parquet", "out.parquet", *ROLES, code=2)
