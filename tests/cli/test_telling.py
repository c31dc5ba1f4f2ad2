"""Progress where stderr is a file or a pipe: a line now and then, and none from what is quick."""

from __future__ import annotations

import io
import threading

from tacit.cli import telling


class _Log(io.StringIO):
    """A file that tells when a line with some text has been written."""

    def __init__(self, awaited: str) -> None:
        super().__init__()
        self.awaited = awaited
        self.seen = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if self.awaited in self.getvalue():
            self.seen.set()
        return written


def test_a_step_that_lasts_is_told_again_and_again() -> None:
    log = _Log("3 of 12 done, noise")
    with telling.lines("comparing", log, pause=0.001) as tell:
        tell("noise", 3, 12)
        # nothing more is told by the step: the lines come by themselves
        assert log.seen.wait(timeout=60)
    assert log.getvalue().splitlines()[-1].startswith("comparing")
    assert " s)" in log.getvalue()


def test_what_ends_before_the_first_pause_is_quiet() -> None:
    log = io.StringIO()
    with telling.lines("assessing", log, pause=3600.0) as tell:
        tell("nearest", 0, 5)
    assert log.getvalue() == ""


def test_nothing_is_written_after_the_end() -> None:
    log = _Log("assessing")
    with telling.lines("assessing", log, pause=0.001):
        assert log.seen.wait(timeout=60)
    written = log.getvalue()
    assert not [t for t in threading.enumerate() if t.name == "tacit-progress"]
    assert log.getvalue() == written


def test_a_log_that_is_closed_does_not_stop_the_work() -> None:
    log = _Log("assessing")
    with telling.lines("assessing", log, pause=0.001) as tell:
        assert log.seen.wait(timeout=60)
        log.close()
        tell("nearest", 1, 2)
