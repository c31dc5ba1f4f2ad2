"""The private place for uploads and results: only this user can read it; removed at exit.

A server that is killed cannot remove its place, which holds originals. Each server therefore holds
a lock in its place as long as it lives, and the next one to start removes the places of this user
whose lock nobody holds.
"""

from __future__ import annotations

import atexit
import html
import os
import secrets
import shutil
import tempfile
import unicodedata
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has none; there a place of a killed server stays
    fcntl = None  # type: ignore[assignment]

PREFIX, NEW = "tacit-app-", "tacit-new-"
LOCK = "lock"
# The mask of the server and its workers: what they write is for this user alone.
PRIVATE = 0o077
# Letters of a suffix that are kept: the longest that we read is shorter.
SUFFIX = 12
# Letters of a name that are shown: more than people give, and with the endings of downloads
# still a name that file systems take.
LETTERS = 120
# Unicode's categories of control, format, surrogate and private letters, line and paragraph ends.
UNPRINTED = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


class Workspace:
    """A temporary directory. Names inside it are made up here, never taken from the user."""

    def __init__(self) -> None:
        remove_abandoned()
        made = Path(tempfile.mkdtemp(prefix=f"{NEW}{os.getpid()}-"))
        # Only the owner may read, write or list it, whatever the umask says.
        made.chmod(0o700)
        # Closed, and so unlocked, by the system however this process ends. It is not inherited
        # by workers, which may live a little longer.
        self._lock = os.open(made / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        if fcntl is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        # It gets the name that others look for when it is locked: a server that starts at the
        # same moment would take it for one that was left. Until then the name says whose it is.
        self.path = made.with_name(PREFIX + made.name.rpartition("-")[2])
        made.rename(self.path)
        atexit.register(self.close)

    def new(self, suffix: str = "") -> Path:
        """A path that no one can guess.

        Only a plain suffix such as `.csv` is kept of what the user gave.
        """
        letters = "".join(letter for letter in suffix.lower() if letter.isalnum())
        ending = f".{letters[:SUFFIX]}" if suffix else ""
        return self.path / (secrets.token_hex(12) + ending)

    def door(self, address: str) -> Path:
        """A page that leads to the address, for this user's browser alone.

        The address holds the token, and everybody on the machine can read a browser's command
        line: what stands there is the path of this file, which only its owner can read.
        """
        path = self.path / "open.html"
        target = html.escape(address, quote=True)
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as page:
            page.write(
                '<!doctype html><meta charset="utf-8"><title>tacit</title>'
                f'<meta http-equiv="refresh" content="0; url={target}">'
                f'<a href="{target}">tacit</a>'
            )
        return path

    def close(self) -> None:
        """Remove everything."""
        _remove(self.path)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        atexit.unregister(self.close)


def shown_name(given: str) -> str:
    """The name of an upload as it is shown and given to downloads; never a path.

    Some browsers send the whole path. What is not printed (line ends, marks that turn the
    direction of writing and so let a name look like another) is shown as a replacement mark.
    """
    last = given.replace("\\", "/").rpartition("/")[2]
    letters = [
        "\ufffd" if unicodedata.category(letter) in UNPRINTED else letter
        for letter in last
    ]
    # The ending says the format, so it is the beginning of a long name that stays.
    stem, dot, ending = "".join(letters).rpartition(".")
    name = stem[:LETTERS] + dot + ending[:SUFFIX] if dot else ending[:LETTERS]
    return name if name.strip(". ") else "file"


def remove_abandoned() -> None:
    """Remove the places of this user whose server was killed: nobody holds their lock.

    One that was killed before it held its lock has left an empty place with its process id.
    """
    if fcntl is None:
        return
    for place in Path(tempfile.gettempdir()).glob(f"{NEW}*-*"):
        maker = place.name.removeprefix(NEW).partition("-")[0]
        if maker.isdecimal() and _is_own(place) and not _runs(int(maker)):
            shutil.rmtree(place, ignore_errors=True)
    for place in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            if not _is_own(place):
                continue
            lock = os.open(place / LOCK, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue  # its server lives
        else:
            _remove(place)
        finally:
            os.close(lock)


def _remove(place: Path) -> None:
    """Remove a place, its lock last: whoever is killed meanwhile leaves one that is known."""
    for inner in list(place.glob("*")):
        if inner.is_dir() and not inner.is_symlink():
            shutil.rmtree(inner, ignore_errors=True)
        elif inner.name != LOCK:
            inner.unlink(missing_ok=True)
    shutil.rmtree(place, ignore_errors=True)


def _is_own(place: Path) -> bool:
    """Is it ours? A link, or another user's place, is none of our business."""
    try:
        return not place.is_symlink() and place.stat().st_uid == os.getuid()
    except OSError:
        return False


def _runs(process: int) -> bool:
    """Is there a process with this id?"""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        # another user's, or no number of ours
        return True
    return True
