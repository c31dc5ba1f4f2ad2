"""Dates moved by a secret number of days, one for each person."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from typing import Annotated

import numpy as np
import pyarrow as pa
from annotated_types import Ge

from tacit.base.errors import ColumnError
from tacit.base.facts import Strength
from tacit.base.parameters import Seed
from tacit.base.typing import Floats
from tacit.data.frames import NativeFrame
from tacit.data.io.disk_table import BATCH
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata, Role, Schema
from tacit.protect.base import Passes
from tacit.protect.dated import DateProtector
from tacit.protect.pseudonyms import read_key

DRAWN_KEY = 32
"""Bytes of a key that is drawn: as many as SHA-256 gives."""


class DateShift(DateProtector):
    """Move all dates of a person by the same secret number of days.

    Parameters
    ----------
    days : int
        Most days by which a date is moved, forward or back.
    person : str, optional
        The column that says whose record this is; unless given, the one with the role
        person, and without one each record is a person.
    key : str, optional
        Where the secret is, env:NAME or file:PATH, of at least 16 bytes: the same person is
        then moved by the same number in every file. Unless given, a key is drawn and
        forgotten.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers that are dates unless given.
    random_state : int, optional
        Seed of the key that is drawn.

    Notes
    -----
    **Definition.** t' = t + s(p), where s(p) is HMAC-SHA-256(key, p) modulo 2 days + 1, less
    ``days``: uniform on -days, ..., days for who does not know the key, and the same in every
    row and every masked column of person p. Times of day and missing dates stay.

    **Guarantee.** Intervals between the dates of one person are kept exactly; a date alone is
    one of 2 days + 1. No guarantee against who knows more than one date of a person.

    **Cost.** One hash per person.

    **Known attacks.** The order of a person's dates and the intervals between them are those
    of the original: who knows the intervals between somebody's stays finds them, and then
    knows the shift and every other date (``informed.date_shift``). Where intervals are
    distinctive, which a few stays are enough for, this is not safe. Seasons, weekdays and
    holidays in a long history give the shift away as well.

    References
    ----------
    Hripcsak, Mirhaji, Low and Malin (2016).

    Examples
    --------
    >>> import tacit as tc
    >>> stays = {"id": [1, 1], "day": ["2020-01-01", "2020-01-31"]}
    >>> data = tc.Microdata.of(stays, person="id", date="day", quasi="day")
    >>> moved = DateShift(days=10, random_state=1).fit_transform(data)
    >>> first, last = moved.days("day")
    >>> last - first
    np.float64(30.0)
    """

    title = "Date shift"
    purpose = "hide when, and keep how long between"
    goal = "blur dates"
    plain = {"days": "days that a date may move"}
    strength = Strength("days", 1, 3650, whole=True)
    attacker = "informed.date_shift:AwareDateShift"
    # all rows of a person move together
    keeps_levels = True
    whole_file = "the rows of a person may stand in several blocks"
    passes = "sums"

    def __init__(
        self,
        days: Annotated[int, Ge(1)] = 182,
        person: str | None = None,
        key: str | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.days = days
        self.person = person
        self.key = key
        self.columns = columns
        self.random_state = random_state

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        secret = rng.bytes(DRAWN_KEY) if self.key is None else read_key(self.key)
        if isinstance(data, OnDisk) and self.passes_of(data) == "sums":
            return self._from_disk(data, columns, secret)
        return self._shifted(data, columns, secret)

    def passes_of(self, data: Microdata) -> Passes:
        """Rows are moved by whose they are."""
        return "sums"

    def _from_disk(self, data: OnDisk, columns: list[str], secret: bytes) -> Microdata:
        """The dates of a file on the disk, some records at a time."""
        owner = person_column(data, self.person)
        names = list(dict.fromkeys([*columns, *([] if owner is None else [owner])]))
        schema = data.with_date_formats(data.schema, columns).select(names)
        after: list[Schema] = []

        def written() -> Iterator[pa.Table]:
            row = 0
            for table in data.disk.in_turn(BATCH, names):
                some = Microdata(table, schema, NativeFrame.of(table))
                moved = self._shifted(some, columns, secret, row)
                row += some.n
                after[:] = [moved.schema]
                yield moved.table.select(columns)

        spilled = data.disk.folder.write(written())
        return data.with_spilled(columns, spilled, after[0])

    def _shifted(
        self, data: Microdata, columns: list[str], secret: bytes, first: int = 0
    ) -> Microdata:
        """These records moved; ``first`` is the row of the first one in the file."""
        shift = self._shifts(data, secret, first)
        for name in columns:
            data = data.with_days(name, data.days(name) + shift)
        return data

    def _shifts(self, data: Microdata, secret: bytes, first: int) -> Floats:
        """Days by which each row is moved."""
        name = person_column(data, self.person)
        rows = range(first, first + data.n)
        if name is None:
            owners: list[object] = list(rows)
        else:
            owners = data.table.column(name).to_pylist()
            # a row of nobody is a person of its own
            owners = [
                f"row {row}" if owner is None else owner
                for row, owner in zip(rows, owners, strict=True)
            ]
        width = 2 * self.days + 1
        known: dict[object, int] = {}
        for owner in owners:
            if owner not in known:
                # a hash without a key could be tried for every number of a person
                digest = hmac.digest(secret, str(owner).encode(), "sha256")
                drawn = int.from_bytes(digest) % width
                known[owner] = drawn - self.days
        return np.array([known[owner] for owner in owners], dtype=np.float64)


def person_column(data: Microdata, asked: str | None) -> str | None:
    """The column that says whose record this is, or None."""
    if asked is not None:
        data.schema[asked]  # raises if there is no such column
        return asked
    persons = data.schema.names(role=Role.person)
    if len(persons) > 1:
        raise ColumnError(
            f"'{persons[0]}' and '{persons[1]}' are both said to be the person; "
            "name one (person=...)"
        )
    return persons[0] if persons else None
