"""A command that can be resumed: killed several times in a row, then left to finish."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from tools.kills import forked
from tools.kills.tally import Tally

ROW = 5
"""Kills in a row before a run may come to its end."""


def resumed(
    what: str,
    folder: Path,
    words: list[str],
    out: Path,
    kills: int,
    draw: random.Random,
    content: Callable[[Path], object],
) -> Tally:
    """Killed several times in a row, then finished: the same as never killed."""
    tally = Tally(what)

    def clean() -> None:
        for left in folder.glob("*"):
            if left.name.startswith(("out.", "runs.", "state")):
                shutil.rmtree(left) if left.is_dir() else left.unlink()

    clean()
    began = time.monotonic()
    code = forked.finish(words, folder)
    seconds = time.monotonic() - began
    assert code == 0, forked.said()
    wanted = content(out)
    while tally.times < kills:
        clean()
        for _ in range(min(ROW, kills - tally.times)):
            tally.times += 1
            child = forked.start(words, folder)
            tally.killed += forked.kill_within(child, seconds, draw)
        code = forked.finish(words, folder)
        if code == 0 and content(out) == wanted:
            tally.new += 1
        else:
            tally.fault(f"{what}: exit {code}; {forked.said()}")
    return tally
