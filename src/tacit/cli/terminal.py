"""Standard output that works in odd places: a reader who leaves, letters that cannot be shown.

A reader who leaves (``tacit methods | head -1``) ends the command with the code by which shells
know it from other programs, 141. Left to itself, the command line library ends it with 1, which
here means that a release is not safe; and 0 would say that it is, although the verdict was never
reached.
"""

from __future__ import annotations

import io
import os
import sys
from typing import IO, TYPE_CHECKING, TextIO

from tacit.base.visible import visible, visible_but_colours

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

READER_GONE = 141
"""128 + SIGPIPE."""


class ReaderGoneError(Exception):
    """Nobody reads what we write. Not an OSError: libraries have their own answers to those."""


class _Pipe(io.FileIO):
    """Standard output whose reader may leave."""

    def write(self, text: ReadableBuffer, /) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            raise ReaderGoneError from None


class _Sentences(io.TextIOWrapper):
    """Standard error: what is written there names files and columns, and never steers it."""

    def __init__(self, usual: io.TextIOWrapper) -> None:
        # the descriptor stays that of the usual one
        super().__init__(
            io.BufferedWriter(io.FileIO(usual.fileno(), "w", closefd=False)),
            encoding=usual.encoding,
            errors=usual.errors,
            line_buffering=True,
        )
        self.usual = usual

    def write(self, text: str, /) -> int:
        # libraries show their words in colours, on a terminal only
        clean = visible_but_colours if self.isatty() else visible
        return super().write(clean(text))


def unfiltered(stream: IO[str]) -> IO[str]:
    """The stream on which a program may steer the terminal."""
    return stream.usual if isinstance(stream, _Sentences) else stream


def prepare() -> None:
    """Make standard output and error fit for what follows.

    Letters that the terminal's encoding lacks are written as ``\\xe9``: the names of files and
    columns may hold any. Only Python's own streams are touched, never those of a test or notebook.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    error = sys.stderr
    if error is sys.__stderr__ and isinstance(error, io.TextIOWrapper):
        sys.stderr = _Sentences(error)
    out = sys.stdout
    if out is sys.__stdout__ and isinstance(out, io.TextIOWrapper):
        out.flush()
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_Pipe(out.fileno(), "w", closefd=False)),
            encoding=out.encoding,
            errors=out.errors,
            line_buffering=out.line_buffering,
        )


def finish() -> None:
    """Write what is still in the buffer, here, where a reader who is gone has an answer."""
    sys.stdout.flush()


def hang_up() -> None:
    """What is left in the buffers goes nowhere, so that Python does not complain at exit."""
    # the descriptor is exchanged: Python flushes it once more at exit
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def shows_unicode(stream: TextIO) -> bool:
    """Can every letter be written there?"""
    encoding = (stream.encoding or "utf-8").lower()
    return encoding.replace("-", "") == "utf8"
