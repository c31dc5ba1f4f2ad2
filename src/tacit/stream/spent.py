"""What has left a differentially private stream, written down before it leaves.

A state says what a filter knew when it was saved. What left since then, or whether somebody put an
older state back, it cannot say. A small file beside the output can: one line for each window, on
the disk before the window leaves, so that it is never behind what left.
"""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path
from typing import NamedTuple

from tacit.base.errors import InputError
from tacit.stream.private_file import append_to, sweep, write_whole

FORM = "tacit-spent-1"


class Spent(NamedTuple):
    """How far the releases of a private stream have come."""

    stream: str
    """Which stream: a hash of its key."""
    windows: int
    """Windows that have left, each with the whole epsilon of its records."""
    arrived: int
    """Records that were in them, or were withheld: the next window begins here."""
    chain: str
    """A keyed hash of all records that were in them, in order."""


def spent_beside(path: Path) -> Path:
    """Where it lies, beside an output or a state."""
    return path.with_name(path.name + ".spent")


class SpentFile:
    """The file: a line for the last save of the state, and one for each window since.

    `resume` compares it with a state that goes on. A state that is not the last one that was saved
    is refused. Windows that left after the save are in `ahead`: a source that brings the same
    records again must give the same windows again, byte for byte, and `note` refuses others before
    they leave; of a source that cannot, what left is passed over (`pass_over`).

    Parameters
    ----------
    path : path
        Where it lies: beside the output, or beside the state if that is a pipe.
    force : bool
        Begin a new stream where another one has left something.
    """

    def __init__(self, path: Path, force: bool = False) -> None:
        self.path = path
        self.force = force
        self.ahead: deque[Spent] = deque()
        self._file: int | None = None
        # bytes that this process knows of: others were written by another one
        self._length = 0
        # made by this process, and not gone on with
        self._is_new = False

    # -- at the beginning --------------------------------------------------------------

    def begin(self, now: Spent) -> None:
        """A new stream. One whose state is gone would spend its budget again."""
        if not self.force and self.path.exists():
            _, at, windows = self._read()
            if at.windows or windows:
                raise InputError(
                    f"{self.path}: says that a private stream has left here, and its state is "
                    "gone: a new one would spend the budget again; put the state back, or, if "
                    "that is meant, say --force"
                )
        self.saved(0, now)
        self._is_new = True

    def resume(self, saves: int, now: Spent) -> Spent:
        """What has left, for a filter that goes on from the state of save number ``saves``."""
        sweep(self.path)
        if not self.path.exists():
            raise InputError(
                f"{self.path}: is not there, so nobody knows what left after the state was saved; "
                "put it back (it belongs to the output), or begin a new stream with a new --state"
            )
        last, at, windows = self._read()
        if at.stream != now.stream:
            raise InputError(
                f"{self.path}: belongs to another private stream; name its --state"
            )
        # a crash may come between the save of the state and that of this file, and no later
        if not last <= saves <= last + 1 or (saves == last and at != now):
            older = "the state" if saves < last else "this file"
            raise InputError(
                f"{self.path}: {older} was put back: it is older than what left, which would "
                "leave a second time with other noise; put the newest ones back, or begin a new "
                "stream with a new --state"
            )
        self.ahead = deque(one for one in windows if one.windows > now.windows)
        # without the line that was being written when the process died
        self.saved(saves, now)
        return self.ahead[-1] if self.ahead else now

    def _read(self) -> tuple[int, Spent, list[Spent]]:
        """Number of the last save, what had left by then, and each window since."""
        try:
            # a line without its end was being written when the process died: nothing left then
            *lines, _ = self.path.read_text("ascii").split("\n")
            form, saves, *at = lines[0].split()
            found = [_parsed(line.split()) for line in lines[1:]]
            if form != FORM:
                raise ValueError(form)
            return int(saves), _parsed(at), found
        except OSError as error:
            raise InputError(
                f"{self.path}: cannot be read ({error.strerror})"
            ) from None
        except (ValueError, TypeError, IndexError):
            raise InputError(
                f"{self.path}: is damaged: it should say what left a private stream"
            ) from None

    # -- while it runs -----------------------------------------------------------------

    def note(self, now: Spent) -> None:
        """A window is about to leave; refused if another one has left in its place."""
        if self.ahead:
            if now != self.ahead[0]:
                raise InputError(
                    f"{self.path}: other records were released as window {now.windows} than those "
                    "that came now; give the same input again, or begin a new stream with a new "
                    "--state"
                )
            self.ahead.popleft()
            return
        if self._file is None:
            self._file = append_to(self.path)
        there = os.fstat(self._file)
        if there.st_size != self._length or there.st_nlink == 0:
            raise InputError(
                f"{self.path}: another process goes on from the same state; end one of them"
            )
        self._length += os.write(self._file, _line(now))
        os.fsync(self._file)

    def pass_over(self) -> Spent:
        """All of it has left and does not come again."""
        last = self.ahead[-1]
        self.ahead.clear()
        return last

    def saved(self, saves: int, now: Spent) -> None:
        """The state was saved: earlier windows are its own, and the file is short again."""
        self.close()
        head = f"{FORM} {saves} ".encode() + _line(now)
        content = head + b"".join(map(_line, self.ahead))
        write_whole(self.path, content)
        self._length = len(content)

    def forget(self) -> None:
        """The stream failed before its first record: nothing left, and nothing stays."""
        self.close()
        if self._is_new:
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _line(spent: Spent) -> bytes:
    return (" ".join(map(str, spent)) + "\n").encode("ascii")


def _parsed(words: list[str]) -> Spent:
    stream, windows, arrived, chain = words
    return Spent(stream, int(windows), int(arrived), chain)
