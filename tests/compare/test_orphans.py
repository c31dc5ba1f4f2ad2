"""A comparison that is killed: its workers end, and the data that was shipped to them goes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

WORDS = ["in.csv", "--plans", "plans.toml", "--workers", "2", "--attackers", "nearest"]


def _wait(until: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if until():
            return True
        time.sleep(0.05)
    return False


def _children(parent: int) -> list[int]:
    listed = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(word) for word in listed.read_text().split()] if listed.exists() else []


def _watching(process: int) -> bool:
    """It has begun with a run."""
    try:
        return len(list(Path(f"/proc/{process}/task").iterdir())) > 1
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_workers_of_a_killed_comparison_end_and_take_the_data_along(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(50, 9, (3000, 6)).round(3)
    lines = [",".join("abcdef"), *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "plans.toml").write_text(
        '[[plans]]\nmethod = "noise"\npercent = { values = [1, 2, 3, 4, 5, 6, 7, 8, 9] }\n'
    )
    command = subprocess.Popen(
        [sys.executable, "-m", "tacit", "compare", *WORDS],
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    shipped = lambda: list(tmp_path.glob("tacit-compare-*/data.npz"))  # noqa: E731
    workers: list[int] = []
    try:
        assert _wait(lambda: bool(shipped()), 60)
        assert _wait(lambda: len(_children(command.pid)) >= 3, 60)
        # loky has a process of its own beside the workers, which tracks what they share
        assert _wait(lambda: sum(map(_watching, _children(command.pid))) >= 2, 60)
        workers = _children(command.pid)
    finally:
        command.send_signal(signal.SIGKILL)
        command.wait()
    gone = lambda: not any(Path(f"/proc/{one}").exists() for one in workers)  # noqa: E731
    assert _wait(gone, 20)
    assert not shipped()
