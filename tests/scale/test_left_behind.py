"""The folder of a run out of core holds columns of the file: it goes however the run ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.scale import any_size

PROGRAM = """
import sys
from tacit.scale import any_size
any_size.COPIES = 10**6
with any_size.place_of("in.parquet", "out.parquet", memory="1GB") as place:
    assert place.on_disk
    (place.folder / "column").write_text("originals")
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(pa.table({"a": list(range(2000))}), tmp_path / "in.parquet")
    return tmp_path


def ended(folder: Path, number: signal.Signals) -> int:
    """A run that is at its work, ended by this signal; its exit code."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    assert left(folder)
    process.send_signal(number)
    process.communicate()
    return process.returncode


def left(folder: Path) -> list[Path]:
    return list(folder.glob(".tacit-*"))


@pytest.mark.few(1)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_can_be_caught_leaves_nothing(
    folder: Path, number: signal.Signals
) -> None:
    assert ended(folder, number) == 128 + number
    assert left(folder) == []


def test_what_a_killed_run_left_is_private_and_goes_with_the_next_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ended(folder, signal.SIGKILL) == -signal.SIGKILL
    (place,) = left(folder)
    assert place.stat().st_mode & 0o077 == 0
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    source, out = folder / "in.parquet", folder / "out.parquet"
    with any_size.place_of(source, out, memory="1GB") as here:
        # that of a run which lives is not touched
        with any_size.place_of(source, out, memory="1GB") as second:
            assert {here.folder, second.folder} == set(left(folder))
        assert left(folder) == [here.folder]
    assert left(folder) == []
