"""Lines of text from a pipe or a file, also one that grows: encoding, line ends, broken lines."""

from __future__ import annotations

import codecs
import io
import os
import select
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from tacit.base.errors import InputError
from tacit.data.io.csv import SAMPLE_BYTES
from tacit.stream.refused import LONG, UNREADABLE, Refused

# characters of a line; memory is bounded, and nobody's record is longer
LONGEST = 1 << 20
# bytes that are read at once: what a pipe of Linux holds
READ_BYTES = 1 << 16
# seconds that a slow pipe may take to show more than its first record
PATIENCE = 1.0
# how files begin that hold no lines of text
MAGIC = {
    b"PAR1": "a Parquet",
    b"ARROW1": "an Arrow",
    b"FEA1": "a Feather",
    b"<stata_dta>": "a Stata",
    b"$FL2": "an SPSS",
    b"$FL3": "an SPSS",
    b"PK\x03\x04": "an Excel or zip",
    b"\xd0\xcf\x11\xe0": "an Excel",
    b"\x1f\x8b": "a compressed",
    b"ORC": "an ORC",
}
# byte order marks, the longest first: a mark of UTF-32 begins like one of UTF-16
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}


class Lines:
    """Complete lines of text; one that is no text, or too long, is given as `Refused`.

    A line is given out only when its end has been written, so a half-written record is never read.

    Parameters
    ----------
    source : binary file
        A pipe or a file.
    follow : bool
        At the end of the file wait for more.
    stop : callable
        Asked all the time; true ends the lines.
    wait : float
        Seconds after which nothing has come.
    idle : callable
        Called whenever nothing has come.
    encoding : str, optional
        Else that of the byte order mark, or UTF-8 (Windows text if the beginning is not).
    name : str
        What messages call the source.
    """

    def __init__(
        self,
        source: BinaryIO,
        follow: bool = False,
        stop: Callable[[], bool] = lambda: False,
        wait: float = 0.2,
        idle: Callable[[], None] = lambda: None,
        encoding: str | None = None,
        name: str = "the stream",
    ) -> None:
        self.source = source
        self.follow = follow
        self.stop = stop
        self.wait = wait
        self.idle = idle
        self.encoding = encoding
        self.name = name
        # of the line that was given last
        self.number = 0
        self._decoder: io.IncrementalNewlineDecoder | None = None
        # lines that were read and not given; the line whose end has not come; its beginning if too
        # long
        self._ahead: deque[str] = deque()
        self._rest = ""
        self._cut = ""
        self._ended = False

    def sample(self, least: int = 2) -> list[str | Refused]:
        """Read ahead: what is there, at least so many lines (fewer only at the end).

        Nothing is taken away: iterating gives these lines again.
        """
        raw = bytearray()
        began = time.monotonic()
        while len(raw) < SAMPLE_BYTES and not self.stop():
            enough = raw.count(b"\n") >= least
            # a slow pipe may go on for ever: decide with what it has shown
            if enough and time.monotonic() - began > PATIENCE:
                break
            block = _read(self.source, self.wait)
            if block:
                raw += block
            elif block == b"" and not self.follow:
                self._ended = True
                break
            elif enough:
                break
            else:
                self._rest_a_while(block)
        self._begin(bytes(raw))
        room = SAMPLE_BYTES
        seen: list[str | Refused] = []
        for line in self._ahead:
            seen.append(self._fit(line))
            room -= len(line)
            if room < 0:
                break
        return seen

    @property
    def ended(self) -> bool:
        """Everything that will come has been read."""
        return self._ended

    def _begin(self, raw: bytes) -> None:
        """Decide about the encoding, and cut what was read ahead into lines."""
        self.encoding = self.encoding or _encoding(raw, self.name)
        plain_name = self.encoding.replace("_", "-").lower()
        # bytes that are no text become half characters, which `_fit` finds; wide encodings cannot
        wide = plain_name.startswith(("utf-16", "utf-32"))
        errors = "replace" if wide else "surrogateescape"
        try:
            if not codecs.lookup(self.encoding)._is_text_encoding:
                raise LookupError
            plain = codecs.getincrementaldecoder(self.encoding)(errors)
            self._decoder = io.IncrementalNewlineDecoder(plain, translate=True)
            self._ahead.extend(self._lines(raw))
        except LookupError:
            raise InputError(
                f"there is no encoding '{self.encoding}'; try utf8, cp1252 or latin-1"
            ) from None
        except UnicodeError:
            raise InputError(
                f"{self.name}: is not {self.encoding} text; say what it is with --encoding"
            ) from None
        self._replaced = wide

    def _lines(self, raw: bytes) -> list[str]:
        """The lines that these bytes complete."""
        if self._decoder is None:
            return []
        return self._split(self._decoder.decode(raw, final=self._ended))

    def __iter__(self) -> Iterator[str | Refused]:
        if self._decoder is None:
            self.sample()
        while not self.stop():
            while self._ahead:
                self.number += 1
                yield self._fit(self._ahead.popleft())
                if self.stop():
                    return
            if self._ended:
                break
            block = _read(self.source, self.wait)
            if block or (block == b"" and not self.follow):
                self._ended = not block
                self._ahead.extend(self._lines(block))
            else:
                self._rest_a_while(block)
        # the last line of a file may have no end
        if (self._cut or self._rest) and not self.stop():
            self.number += 1
            yield self._fit(self._cut or self._rest)

    def _rest_a_while(self, block: bytes | None) -> None:
        self.idle()
        # the end of a file that grows; a pipe has waited already
        if block == b"":
            time.sleep(self.wait)

    def _split(self, text: str) -> list[str]:
        """Complete lines; of a line that is too long the beginning is kept."""
        # the last piece is a line whose end has not come
        *whole, rest = (self._rest + text).split("\n")
        if self._cut and whole:
            whole[0], self._cut = self._cut, ""
        if len(rest) > LONGEST or self._cut:
            self._cut, rest = self._cut or rest[: LONGEST + 1], ""
        self._rest = rest
        return whole

    def _fit(self, line: str) -> str | Refused:
        """The line, or why it is no text."""
        # files that were put one after the other bring their marks along
        line = line.lstrip("\ufeff")
        if len(line) > LONGEST:
            reason = f"a line of more than {LONGEST} characters (its beginning is kept)"
            return Refused(LONG, reason, line)
        if not line.isascii():
            try:
                line.encode()
            except UnicodeEncodeError:
                reason = f"bytes that are no {self.encoding} text"
                return Refused(UNREADABLE, reason, line)
        if "\x00" in line or (self._replaced and "\ufffd" in line):
            return Refused(UNREADABLE, "bytes that no text has", line)
        return line


def _encoding(raw: bytes, name: str) -> str:
    """The encoding of text that begins so; a file that is no text is refused."""
    for magic, kind in MAGIC.items():
        if raw.startswith(magic):
            raise InputError(
                f"{name}: is {kind} file; a stream is CSV or JSON lines: "
                "convert or 'tacit protect' it"
            )
    for mark, encoding in MARKS.items():
        if raw.startswith(mark):
            return encoding
    # a few broken lines in UTF-8 text are broken lines and not another encoding
    good = bad = 0
    for line in raw.split(b"\n"):
        if not line.isascii():
            try:
                line.decode()
                good += 1
            except UnicodeDecodeError:
                bad += 1
    return "cp1252" if bad > good else "utf-8"


def _read(source: BinaryIO, wait: float) -> bytes | None:
    """The next block; None when a pipe has nothing for us within `wait` seconds, b"" at the end."""
    try:
        number = source.fileno()
    except (OSError, AttributeError):
        return source.read(READ_BYTES)
    if not select.select([number], [], [], wait)[0]:
        return None
    try:
        return os.read(number, READ_BYTES)
    # of a named pipe: somebody else has read it
    except BlockingIOError:
        return None


def open_source(path: Path | None) -> BinaryIO:
    """A file, or standard input without a path."""
    if path is None or str(path) == "-":
        return sys.stdin.buffer
    try:
        if path.is_fifo():
            # opening a named pipe would wait for its writer, and no signal would end that
            return open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb")
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
