"""A release from a cluster is a folder of Parquet files: whole at once, in place of no other files.

Spark writes a folder file by file; a driver that was killed meanwhile left half a release under its
final name, and a second run took that for somebody's folder and refused it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from tacit.base.errors import InputError

# what Spark writes: parts, the mark of success, their checksums, and what it has not finished
OURS = re.compile(r"part-.*|_SUCCESS|\.part-.*\.crc|\._SUCCESS\.crc|_temporary")


def refuse_folder(out: Path, *, force: bool) -> None:
    """Say now, before any work, that a folder cannot be written here."""
    if not out.parent.is_dir():
        raise InputError(f"{out}: there is no directory {out.parent}")
    if not os.access(out.parent, os.W_OK):
        raise InputError(
            f"{out}: the folder {out.parent} cannot be written; name another place"
        )
    refuse_strange(out)
    if out.exists() and not force and not (out.is_dir() and not any(out.iterdir())):
        raise InputError(
            f"{out}: exists already; choose another name, or overwrite it with --force"
        )


def refuse_strange(out: Path) -> None:
    """A folder with anything in it that is no release of a cluster is never replaced."""
    if not out.is_dir():
        return
    for inside in sorted(out.iterdir()):
        if not OURS.fullmatch(inside.name):
            raise InputError(
                f"{out}: is a folder with files that are no release ('{inside.name}'); "
                "name another"
            )


def put_in_place(new: Path, out: Path, old: Path) -> None:
    """Give a folder that is whole its final name; what was there goes to ``old`` meanwhile.

    A folder cannot be replaced in one step. Who is killed between the two leaves nothing under the
    final name, and both folders beside it, which the resumed run makes again.
    """
    refuse_strange(out)
    if out.exists():
        os.rename(out, old)
    os.rename(new, out)
