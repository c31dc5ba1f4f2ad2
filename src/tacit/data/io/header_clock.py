"""Files of Stata, SPSS and SAS tell when they were written; ours tell the same time always.

The same release has then the same bytes at any time of day, and nobody learns from a release
when it was made.
"""

from __future__ import annotations

import re
from pathlib import Path

# the header of every one of these files ends before
_HEADER = 2000
# 1980 began on the first day that a zip archive, and so an Excel file, can name
_STATA = re.compile(rb"<timestamp>\x11\d\d \w{3} \d{4} \d\d:\d\d</timestamp>")
_STATA_STILL = b"<timestamp>\x1101 Jan 1980 00:00</timestamp>"
_SPSS = re.compile(rb"\d\d \w{3} \d\d\d\d:\d\d:\d\d")
_SPSS_STILL = b"01 Jan 8000:00:00"
# after magic word (4), product (60), layout, size, compression, weight, cases and bias
_SPSS_PLACE = 92
# the portable file breaks its lines after 80 characters, which is within the six digits of the time
_PORTABLE = re.compile(rb"8/\d{8}6/(?:\d|\r\n){7}")
_PORTABLE_STILL = b"8/198001016/"
_SAS = re.compile(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d")
_SAS_STILL = b"01JAN80:00:00:00"
# library and member say when they were created and modified, before anything of the user's
_SAS_TIMES = 4


def stop(path: Path) -> None:
    """Set the time in the header of a file that was just written."""
    with path.open("r+b") as file:
        header = file.read(_HEADER)
        still = _stilled(header, path.suffix.lower())
        # a header that another version of the library writes would go unnoticed
        if still is None or len(still) != len(header):
            raise RuntimeError(f"no time was found in the header of {path.name}")
        file.seek(0)
        file.write(still)


def _stilled(header: bytes, ending: str) -> bytes | None:
    """The header with the time that all our files tell; None: it tells no time."""
    if ending == ".dta":
        still, times = _STATA.subn(_STATA_STILL, header, count=1)
        return still if times else None
    if ending in (".sav", ".zsav"):
        told = _SPSS.match(header, _SPSS_PLACE)
        if told is None:
            return None
        before, after = header[: told.start()], header[told.end() :]
        return before + _SPSS_STILL + after
    if ending == ".por":
        told = _PORTABLE.search(header)
        if told is None:
            return None
        rest = told[0][len(_PORTABLE_STILL) :]
        time = re.sub(rb"\d", b"0", rest)
        before, after = header[: told.start()], header[told.end() :]
        return before + _PORTABLE_STILL + time + after
    still, times = _SAS.subn(_SAS_STILL, header, count=_SAS_TIMES)
    return still if times == _SAS_TIMES else None
