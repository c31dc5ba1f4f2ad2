"""The final path holds the old or the whole new file: a full disk, and two at once."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

import tacit as tc
from cli.test_bad_input import GOOD, run
from tacit.base.errors import InputError
from tacit.data import io


@contextmanager
def room(size: int) -> Iterator[None]:
    """Files end at so many bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


ENDINGS = ["csv", "parquet", "feather", "arff", "xlsx", "sav", "dta", "xpt", "por"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk_leaves_the_old_release(tmp_path: Path, ending: str) -> None:
    if ending in ("sav", "dta", "xpt", "por"):
        pytest.importorskip("pyreadstat")
    source, out = tmp_path / "in.csv", tmp_path / f"out.{ending}"
    source.write_text(GOOD * 1 + "".join(f"{i},{i}.25\n" for i in range(400)))
    out.write_text("precious")
    words = ["protect", source, out, "--method", "noise", "--quasi", "age,income"]
    with room(1500):
        done = run(*words, "--force")
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("Error: ") == 1
    assert out.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", out.name]


def test_a_full_disk_and_a_stream(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(GOOD + "".join(f"{i},{i}.25\n" for i in range(400)))
    out.write_text("precious")
    words = ["stream", "--filter", "noise", "--in", source, "--out", out, "--force"]
    with room(1500):
        done = run(*words, "--no-monitors")
    assert done.returncode == 2, done.stderr
    assert out.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv"]


def test_who_comes_second_overwrites_nothing(tmp_path: Path) -> None:
    """Both saw that the name was free; without force the first one keeps it."""
    path = tmp_path / "out.csv"
    table = pa.table({"a": [1, 2]})

    def second() -> None:
        with io.replacing(path) as later:
            tc.write(table, path)
            later.write_text("second")

    with pytest.raises(InputError, match="exists already"):
        second()
    assert path.read_text() == "a\n1\n2\n"
    with io.replacing(path, force=True) as later:
        later.write_text("second")
    assert path.read_text() == "second"
    assert [one.name for one in tmp_path.iterdir()] == ["out.csv"]


def test_without_second_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some file systems have no hard links."""

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(1, "not here")

    monkeypatch.setattr(os, "link", refused)
    tc.write(pa.table({"a": [1, 2]}), tmp_path / "out.csv")
    assert [one.name for one in tmp_path.iterdir()] == ["out.csv"]
