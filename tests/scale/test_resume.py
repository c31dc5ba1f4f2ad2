"""A run on a large file that is stopped or killed goes on from its finished pieces."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import tacit
from scale.test_any_size import ROLES, run, table
from tacit.base.errors import ParameterError
from tacit.data.out_of_core import pieces
from tacit.protect import by_address, on_disk_pieces
from tacit.scale import any_size, kept_pieces

METHODS = {
    "sort-based": ["--method", "rank_swapping", "--set", "p=5"],
    "group-based": ["--method", "local_suppression", "--set", "k=3"],
    "record-wise": ["--method", "noise", "--set", "percent=5"],
}
COLUMNS = {
    "sort-based": ["--set", "columns=income,age"],
    "group-based": ["--set", "columns=age,sex"],
    "record-wise": ["--set", "columns=income,age"],
}
# small pieces, so that a small file has many of them
PROGRAM = """
from tacit.cli import main
from tacit.data.out_of_core import pieces
from tacit.protect import by_address, on_disk_pieces
from tacit.scale import any_size
on_disk_pieces.BLOCKS = 4
pieces.PIECE, by_address.BLOCK, any_size.COPIES = 4096, 1024, 10**6
main()
"""


def words(kind: str) -> list[str]:
    how = [*METHODS[kind], *COLUMNS[kind], *ROLES, "--allow-unprotected"]
    return ["protect", "in.parquet", *how, "--seed", "4"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(table(20_000), "in.parquet", row_group_size=5000)
    return tmp_path


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 4096)
    monkeypatch.setattr(by_address, "BLOCK", 1024)
    monkeypatch.setattr(on_disk_pieces, "BLOCKS", 4)
    monkeypatch.setattr(any_size, "COPIES", 10**6)


class Stopped(Exception):
    """The run was stopped here."""


def stopping_after(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Pieces are done up to this one."""
    keep = kept_pieces.Kept._keep
    done = []

    def first_ones(self: Any, *what: Any) -> None:
        keep(self, *what)
        done.append(1)
        if len(done) == count:
            raise Stopped

    monkeypatch.setattr(kept_pieces.Kept, "_keep", first_ones)


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["sort-based", "record-wise"])
@pytest.mark.usefixtures("small_pieces")
def test_a_stopped_run_goes_on_with_the_same_bytes(
    kind: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    run(monkeypatch, *words(kind), "a.parquet")
    for _ in range(2):
        with monkeypatch.context() as inner:
            stopping_after(inner, 1)
            inner.setattr("sys.argv", ["tacit", *words(kind), "b.parquet", "--resume"])
            with pytest.raises((Stopped, SystemExit)):
                tacit_main()
    assert (here / "b.parquet.work").stat().st_mode & 0o77 == 0
    assert not (here / "b.parquet").exists()
    kept = len(list((here / "b.parquet.work").glob("pass-*.done")))
    assert kept == 2
    capsys.readouterr()
    run(monkeypatch, *words(kind), "b.parquet", "--resume")
    said = capsys.readouterr()
    assert "b.parquet.work" in said.err
    assert "2 finished pieces of an earlier run were kept" in said.out
    assert Path("b.parquet").read_bytes() == Path("a.parquet").read_bytes()
    assert not (here / "b.parquet.work").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        ["microaggregation", "partition=individual", "columns=income,age"],
        # what differs are the passes, which take seconds
        *(
            pytest.param(how, marks=pytest.mark.slow)
            for how in (
                ["generalisation", "suppression_limit=0.5", "columns=age,sex"],
                ["sampling", "fraction=0.3", "strata=['sex']"],
                ["rank_swapping", "by=['sex']", "columns=income,age"],
                ["massc", "k=4", "columns=age,sex"],
            )
        ),
    ],
    ids=lambda how: how[0],
)
@pytest.mark.usefixtures("small_pieces")
def test_passes_of_every_form_go_on_where_they_were(
    how: list[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method, *settings = how
    given = [word for one in settings for word in ("--set", one)]
    asked = ["protect", "in.parquet", "--method", method, *given, *ROLES]
    asked += ["--allow-unprotected", "--seed", "4"]
    run(monkeypatch, *asked, "a.parquet")
    for pieces_done in (17, 23):
        with monkeypatch.context() as inner:
            stopping_after(inner, pieces_done)
            inner.setattr("sys.argv", ["tacit", *asked, "b.parquet", "--resume"])
            with pytest.raises((Stopped, SystemExit)):
                tacit_main()
    run(monkeypatch, *asked, "b.parquet", "--resume")
    assert Path("b.parquet").read_bytes() == Path("a.parquet").read_bytes()


def tacit_main() -> None:
    from tacit.cli import main

    main()


@pytest.mark.usefixtures("small_pieces")
def test_drawn_seeds_are_those_of_the_first_run_and_nobody_else_may_look(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [*words("sort-based")[:-2], "b.parquet", "--resume"]
    with monkeypatch.context() as inner:
        stopping_after(inner, 1)
        inner.setattr("sys.argv", ["tacit", *asked])
        with pytest.raises((Stopped, SystemExit)):
            tacit_main()
    state = json.loads((here / "b.parquet.work" / "run.json").read_text())
    run(monkeypatch, *asked)
    manifest = json.loads(Path("b.parquet.manifest.json").read_text())
    assert manifest["plan"] == state["secret"]["plan"]
    run(monkeypatch, "verify", "b.parquet.manifest.json")


@pytest.mark.usefixtures("small_pieces")
def test_another_run_does_not_go_on_from_it(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    with monkeypatch.context() as inner:
        stopping_after(inner, 1)
        inner.setattr(
            "sys.argv", ["tacit", *words("sort-based"), "b.parquet", "--resume"]
        )
        with pytest.raises((Stopped, SystemExit)):
            tacit_main()
    capsys.readouterr()
    run(monkeypatch, *words("record-wise"), "b.parquet", "--resume", code=2)
    assert "another input or other parameters" in capsys.readouterr().err
    pq.write_table(table(20_000, seed=1), "in.parquet")
    run(monkeypatch, *words("sort-based"), "b.parquet", "--resume", code=2)
    assert "another input or other parameters" in capsys.readouterr().err
    (here / "b.parquet.work").chmod(0o755)
    run(monkeypatch, *words("sort-based"), "b.parquet", "--resume", code=2)
    assert "others may write there" in capsys.readouterr().err


@pytest.mark.usefixtures("small_pieces")
def test_what_is_refused_leaves_no_folder(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    asked = ["protect", "in.parquet", "b.parquet", "--method", "noise", "--resume"]
    run(monkeypatch, *asked, "--quasi", "nobody", code=2)
    private = ["protect", "in.parquet", "b.parquet", "--resume", "--method"]
    private += ["dp_microaggregation", "--set", "bounds={age=[0,120]}", *ROLES]
    capsys.readouterr()
    run(monkeypatch, *private, "--set", 'columns=["age"]', code=2)
    assert "would draw it twice" in capsys.readouterr().err
    assert [path.name for path in here.iterdir()] == ["in.parquet"]
    (here / "b.parquet.work").mkdir()
    (here / "b.parquet.work" / "mine.txt").touch()
    capsys.readouterr()
    run(monkeypatch, *words("sort-based"), "b.parquet", "--resume", code=2)
    assert "holds files that are not of a run of tacit" in capsys.readouterr().err
    assert (here / "b.parquet.work" / "mine.txt").exists()


def test_a_piece_is_known_by_its_pass_its_place_and_its_item(tmp_path: Path) -> None:
    done: list[int] = []

    def work(item: tuple[int, Path]) -> int:
        done.append(item[0])
        item[1].touch()
        return item[0]

    folder = tmp_path / "work"
    items = [(number, folder / str(number)) for number in range(3)]

    def results(wanted: list[tuple[int, Path]]) -> list[int]:
        with kept_pieces.kept_in(folder, {}, secret={}) as kept:
            found = dict(kept.mapper(pieces.one_by_one)(work, wanted))
            return [found[place] for place in range(len(wanted))]

    assert results(items) == [0, 1, 2]
    assert done == [0, 1, 2]
    assert results(items) == [0, 1, 2]
    assert done == [0, 1, 2]
    # what it wrote is gone: it is done again
    items[1][1].unlink()
    assert results(items) == [0, 1, 2]
    assert done == [0, 1, 2, 1]
    others = [(number + 5, path) for number, path in items]
    assert results(others) == [5, 6, 7]
    assert done[-3:] == [5, 6, 7]


def test_a_run_that_was_killed_at_its_very_beginning_begins_anew(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "work"
    folder.mkdir(mode=0o700)
    for left in ("lock", "run.new"):
        (folder / left).touch()
        with kept_pieces.kept_in(folder, {}, secret={"plan": 1}) as kept:
            assert not kept.goes_on
            assert kept.run == {"plan": 1}
        folder.mkdir(mode=0o700, exist_ok=True)


def test_the_state_of_a_run_is_removed_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is killed while the folder is removed leaves one that the next run knows."""
    gone: list[str] = []
    unlink = Path.unlink

    def noted(path: Path, missing_ok: bool = False) -> None:
        gone.append(path.name)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", noted)
    with kept_pieces.kept_in(tmp_path / "work", {}, secret={}) as kept:
        for name in ("a.arrow", "pass-00000-000000.done", "z.arrow"):
            (kept.folder / name).touch()
        kept.finished = True
    assert gone[-1] == "run.json"
    assert len(gone) == 4
    assert not (tmp_path / "work").exists()


def test_two_runs_do_not_work_in_one_folder(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    with kept_pieces.kept_in(folder, {}, secret={}):
        second = kept_pieces.kept_in(folder, {}, secret={})
        with pytest.raises(ParameterError, match="another run works there"), second:
            pass


def begin(*asked: str) -> subprocess.Popen[bytes]:
    source = str(Path(tacit.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *asked],
        env=os.environ | {"PYTHONPATH": source},
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def killed_after(work: Path, count: int, *asked: str) -> bool:
    """Kill a run, and what it started, when it has kept so many pieces.

    What goes through a file in one piece is killed when it has written a column.
    """
    files = "columns-*" if "local_suppression" in asked else "pass-*.done"
    process = begin(*asked)
    while process.poll() is None and len(list(work.glob(files))) < count:
        time.sleep(0.005)
    ended = process.poll() is not None
    if not ended:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return not ended


@pytest.mark.slow
@pytest.mark.parametrize("kind", METHODS)
def test_killed_twice_and_left_to_finish_gives_the_same_bytes(
    kind: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With SIGKILL, which nobody can answer."""
    assert begin(*words(kind), "a.parquet").wait() == 0
    asked = [*words(kind), "b.parquet", "--resume"]
    for count in (1, 2):
        killed_after(here / "b.parquet.work", count, *asked)
        assert not Path("b.parquet").exists()
    assert begin(*asked).wait() == 0
    assert Path("b.parquet").read_bytes() == Path("a.parquet").read_bytes()
    assert sorted(path.name for path in here.iterdir()) == [
        "a.parquet",
        "a.parquet.manifest.json",
        "b.parquet",
        "b.parquet.manifest.json",
        "in.parquet",
    ]


@pytest.mark.slow
def test_killed_once_and_left_to_finish(here: Path) -> None:
    assert begin(*words("sort-based"), "a.parquet").wait() == 0
    asked = [*words("sort-based"), "b.parquet", "--resume"]
    assert killed_after(here / "b.parquet.work", 1, *asked)
    assert begin(*asked).wait() == 0
    assert Path("b.parquet").read_bytes() == Path("a.parquet").read_bytes()
