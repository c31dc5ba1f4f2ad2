"""A budget counts from when the process began, where the process is the command."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tacit.cli import clock
from tacit.cli.compare import ENDING, LONGEST_ENDING, SHORTEST, _left


def test_a_command_began_with_its_process() -> None:
    code = (
        "import time; time.sleep(0.5); from tacit.cli import clock\n"
        "with clock.from_process_start(): print(time.perf_counter() - clock.began())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    # the system counts in hundredths of a second
    assert float(ran.stdout) > 0.45


def test_called_by_another_program_it_begins_now() -> None:
    with clock.from_process_start():
        assert clock.began() <= time.perf_counter()
    before = time.perf_counter()
    assert clock.began() >= before


def test_time_for_the_ending_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "perf_counter", lambda: 10.0)
    # 4 s of 60 were spent on loading
    assert _left(60.0, 6.0) == pytest.approx(60 - 4 - ENDING * 60)
    # of an hour no minute is given away
    assert _left(3600.0, 6.0) == pytest.approx(3600 - 4 - LONGEST_ENDING)
    assert _left(2.0, 6.0) == SHORTEST
