"""A folder that only this user can read, for originals while they are worked on; removed at exit.

A process that is killed cannot remove its folder. Each therefore holds a lock in it as long as it
lives, and the next one to make a folder at the same place removes those of this user whose lock
nobody holds.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import Self

try:
    import fcntl
except ImportError:  # Windows has none; there the folder of a killed process stays
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"


class PrivatePlace:
    """A temporary folder.

    Parameters
    ----------
    parent : path
        Where it is made.
    prefix : str
        How its name begins, by which those that were left are known.
    new : str
        How its name begins until it is locked.
    """

    def __init__(self, parent: str | Path, prefix: str, new: str) -> None:
        remove_abandoned(parent, prefix, new)
        made = Path(tempfile.mkdtemp(prefix=f"{new}{os.getpid()}-", dir=parent))
        # Only the owner may read, write or list it, whatever the umask says.
        made.chmod(0o700)
        # Closed, and so unlocked, by the system however this process ends. It is not inherited
        # by workers, which may live a little longer.
        self._lock = os.open(made / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        if fcntl is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        # It gets the name that others look for when it is locked: a process that starts at the
        # same moment would take it for one that was left. Until then the name says whose it is.
        self.path = made.with_name(prefix + made.name.rpartition("-")[2])
        made.rename(self.path)
        atexit.register(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove everything."""
        _remove(self.path)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        atexit.unregister(self.close)


def remove_abandoned(parent: str | Path, prefix: str, new: str) -> None:
    """Remove the places of this user whose process was killed: nobody holds their lock.

    One that was killed before it held its lock has left an empty place with its process id.
    """
    if fcntl is None:
        return
    for place in Path(parent).glob(f"{new}*-*"):
        maker = place.name.removeprefix(new).partition("-")[0]
        if maker.isdecimal() and _is_own(place) and not _runs(int(maker)):
            shutil.rmtree(place, ignore_errors=True)
    for place in Path(parent).glob(f"{prefix}*"):
        try:
            if not _is_own(place):
                continue
            lock = os.open(place / LOCK, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue  # its process lives
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
