"""An assessment that is stopped or killed goes on from its finished attacks and measures."""

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
from scale.test_any_size import table
from scale.test_in_blocks import run
from tacit.attack.nearest import Nearest
from tacit.base.data_only import from_bytes
from tacit.cli import main
from tacit.scale import any_size, kept_parts

ROLES = ["--quasi", "income,age", "--confidential", "debt,sex", "--identifier", "name"]
PROGRAM = """
import time
from tacit.cli import main
from tacit.scale import any_size, kept_parts
any_size.COPIES = 10**6
keep = kept_parts.KeptParts.keep
kept_parts.KeptParts.keep = lambda *a: (keep(*a), time.sleep(0.1))[0]
main()
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    pq.write_table(table(3000), "in.parquet", row_group_size=700)
    how = ["--method", "noise", "--set", "percent=20", "--seed", "3"]
    more = ["--set", "columns=income,age", "--allow-unprotected"]
    run(monkeypatch, "protect", "in.parquet", "out.parquet", *how, *more, *ROLES)
    words = ["assess", "in.parquet", "out.parquet", "--memory", "2GB"]
    words += ["--plan", "out.parquet.manifest.json", "--attackers", "nearest"]
    return words


def timeless(path: str) -> Any:
    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: without(v) for k, v in value.items() if "seconds" not in k}
        return [without(one) for one in value] if isinstance(value, list) else value

    return without(json.loads(Path(path).read_text()))


class Stopped(Exception):
    """The run was stopped here."""


def stopping_after(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    keep, done = kept_parts.KeptParts.keep, []

    def first_ones(self: Any, *what: Any) -> None:
        keep(self, *what)
        done.append(what[0])
        if len(done) == count:
            raise Stopped

    monkeypatch.setattr(kept_parts.KeptParts, "keep", first_ones)


@pytest.mark.slow
def test_it_goes_on_with_the_same_result(
    asked: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    run(monkeypatch, *asked, "--json", "a.json", code=None)
    words = [*asked, "--json", "b.json", "--html", "b.html", "--resume"]
    with monkeypatch.context() as inner:
        stopping_after(inner, 5)
        inner.setattr("sys.argv", ["tacit", *words])
        with pytest.raises((Stopped, SystemExit)):
            main()
    work = Path("b.json.work")
    assert work.stat().st_mode & 0o77 == 0
    assert len(list(work.glob("part-*.done"))) == 5
    assert not Path("b.json").exists()
    # another question is not answered from there, and nor is one about another release
    run(
        monkeypatch, *words[:-4], "--html", "b.html", "--aligned", "--resume", code=None
    )
    capsys.readouterr()
    other = [*asked, "--json", "b.json", "--aligned", "--resume"]
    run(monkeypatch, *other, code=2)
    assert "another input or other parameters" in capsys.readouterr().err
    before = {path.stem.removeprefix("part-") for path in work.glob("part-*.done")}
    assert "attack-nearest" in before
    keep, done = kept_parts.KeptParts.keep, []
    monkeypatch.setattr(
        kept_parts.KeptParts,
        "keep",
        lambda self, name, result: (done.append(name), keep(self, name, result))[1],
    )
    run(monkeypatch, *words, "--force", code=None)
    said = capsys.readouterr().err
    assert "Going on from" in said
    assert "5 parts of an earlier run were kept." in said
    assert done
    assert not before & set(done)
    assert timeless("a.json") == timeless("b.json")
    assert Path("b.html").exists()
    assert not work.exists()


def test_what_was_changed_meanwhile_is_another_run(
    asked: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    words = [*asked, "--json", "b.json", "--resume"]
    with monkeypatch.context() as inner:
        stopping_after(inner, 1)
        inner.setattr("sys.argv", ["tacit", *words])
        with pytest.raises((Stopped, SystemExit)):
            main()
    os.utime("out.parquet", (1, 1))
    capsys.readouterr()
    run(monkeypatch, *words, code=2)
    assert "another input or other parameters" in capsys.readouterr().err
    run(monkeypatch, *asked, "--resume", code=2)
    assert "name it (--json FILE or --html FILE)" in capsys.readouterr().err


@pytest.mark.slow
def test_what_failed_is_tried_again(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What did not run is not kept, and what sums attacks up is not either."""
    words = [*asked, "--json", "b.json", "--resume"]

    def fails(*_: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as inner:
        inner.setattr(Nearest, "_link", fails)
        stopping_after(inner, 3)
        inner.setattr("sys.argv", ["tacit", *words])
        with pytest.raises((Stopped, SystemExit)):
            main()
    kept = [path.name for path in Path("b.json.work").glob("part-*.done")]
    assert "part-attack-nearest.done" not in kept
    run(monkeypatch, *words, code=None)
    run(monkeypatch, *asked, "--json", "a.json", code=None)
    assert timeless("a.json") == timeless("b.json")


@pytest.mark.slow
def test_killed_twice_and_left_to_finish_gives_the_same_result(
    asked: list[str], tmp_path: Path
) -> None:
    """With SIGKILL, which nobody can answer; what is half written is not there."""
    environment = os.environ | {"PYTHONPATH": str(Path(tacit.__file__).parents[1])}

    def begin(*words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *words],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    code = begin(*asked, "--json", "a.json").wait()
    words = [*asked, "--json", "b.json", "--resume"]
    for count in (2, 9):
        process = begin(*words)
        while (
            process.poll() is None
            and len(list(tmp_path.glob("b.json.work/*.done"))) < count
        ):
            time.sleep(0.005)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for path in tmp_path.glob("b.json.work/part-*.done"):
            from_bytes(path.read_bytes())
    assert begin(*words).wait() == code
    assert timeless("a.json") == timeless("b.json")
    assert not Path("b.json.work").exists()
