"""The private place for uploads and results: only this user can read it; removed at exit."""

from __future__ import annotations

import html
import os
import secrets
import tempfile
import unicodedata
from pathlib import Path

from tacit.base.private_place import PrivatePlace

PREFIX, NEW = "tacit-app-", "tacit-new-"
# The mask of the server and its workers: what they write is for this user alone.
PRIVATE = 0o077
# Letters of a suffix that are kept: the longest that we read is shorter.
SUFFIX = 12
# Letters of a name that are shown: more than people give, and with the endings of downloads
# still a name that file systems take.
LETTERS = 120
# Unicode's categories of control, format, surrogate and private letters, line and paragraph ends.
UNPRINTED = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


class Workspace(PrivatePlace):
    """A temporary directory. Names inside it are made up here, never taken from the user."""

    def __init__(self) -> None:
        super().__init__(tempfile.gettempdir(), PREFIX, NEW)

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
