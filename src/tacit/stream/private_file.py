"""Files that hold secrets: readable by their owner only, and replaced whole or not at all."""

from __future__ import annotations

import glob
import os
import secrets
from pathlib import Path

OWNER_ONLY = 0o600
# no link is followed: somebody else may have put one there
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# bytes of a name that nobody can guess
NAME_BYTES = 8


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file in one step: a crash leaves the old one or the new one, on the disk.

    The content is written beside it first, under a name that nobody can guess and that does not
    exist yet (``O_EXCL``), so that no link leads it elsewhere.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(NAME_BYTES)}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
    number = os.open(beside, flags, OWNER_ONLY)
    try:
        with open(number, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        # one step: readers see the old file or the new one
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path)


def sync_folder(path: Path) -> None:
    """The name of a file is on the disk, too: it lies in its folder."""
    # a folder cannot be opened on Windows, which keeps names safe itself
    if os.name == "nt":
        return
    number = os.open(path.parent, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(number)
    finally:
        os.close(number)


def sweep(path: Path) -> None:
    """Remove what a process that was killed while it wrote left beside a file: it holds secrets."""
    name = glob.escape(f".{path.name}.") + "[0-9a-f]" * 2 * NAME_BYTES + ".new"
    for left in path.parent.glob(name):
        left.unlink(missing_ok=True)


def append_to(path: Path) -> int:
    """Open a file of our own at its end, made if it is not there; never through a link."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK
    number = os.open(path, flags, OWNER_ONLY)
    # it may have been there with an open mode
    os.chmod(number if os.chmod in os.supports_fd else path, OWNER_ONLY)
    return number
