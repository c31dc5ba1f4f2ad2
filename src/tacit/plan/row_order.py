"""The order of rows in a file that leaves: random, because order is a quasi-identifier.

A file that is sorted as the original was (by name, by address, by arrival) says whose record the
i-th one is to whoever has a list in that order. So rows are shuffled when a file is written for
release. The order is drawn from the plan's key; the private manifest keeps it and says which
released row is whose, so that the release can be attacked and repeated by its owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.base import seeds
from tacit.base.errors import InputError
from tacit.base.typing import Ints
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core.row_keys import BLOCK, RowKeys

if TYPE_CHECKING:
    from tacit.plan.plan import Plan

# the place of the row order below a plan's key; columns have the places from 0 on
PLACE = 2**32 - 1

LISTED = "released_row_of_each_original"
"""Where a manifest says whose record each released row is."""
BY_RECORD = "by record"
"""What a manifest says of an order in which each record drew its place."""
# a longer list is left out: the key gives it again
MOST_LISTED = 1_000_000

KEPT = (
    "the rows keep the order of the original file: whoever has a list in that order knows "
    "whose record each one is; leave --keep-order out unless this is a test"
)


@dataclass(frozen=True)
class RowOrder:
    """Where the rows of a release come from."""

    seed: int | None
    """None: rows stay as the plan gives them."""
    aligned: bool
    """Before the shuffle, row i of the masked file is row i of the original."""
    by_record: bool = True
    """Each record draws its place (``RowKeys``); False: versions before 2 drew one permutation."""

    @classmethod
    def of(
        cls,
        plan: Plan,
        *,
        keep: bool = False,
    ) -> RowOrder:
        """The order of a release of this plan, which must hold its key (``Plan.seeded``)."""
        protectors = plan.protectors()
        aligned = not any(one.changes_length or one.shuffles_rows for one in protectors)
        if keep:
            return cls(None, aligned)
        key = seeds.draw() if plan.key is None else plan.key
        return cls(seeds.child(key, PLACE), aligned)

    def rows(self, n: int) -> Ints:
        """The masked row that stands at each place of the file."""
        if self.seed is None:
            return np.arange(n, dtype=np.int64)
        if self.by_record and n > BLOCK:
            order = np.argsort(RowKeys(self.seed)(0, n), kind="stable")
        else:
            order = seeds.generator(self.seed).permutation(n)
        return np.asarray(order, dtype=np.int64)

    def arranged(self, masked: Microdata) -> Microdata:
        """The release as the file holds it."""
        if self.seed is None:
            return masked
        if isinstance(masked, OnDisk) and self.by_record and masked.n > BLOCK:
            return masked.in_order_of(RowKeys(self.seed))
        return masked.take(self.rows(masked.n))

    def truth(self, n: int) -> Ints | None:
        """The released row of each original; None where the plan itself leaves it open."""
        if not self.aligned:
            return None
        truth = np.empty(n, dtype=np.int64)
        truth[self.rows(n)] = np.arange(n)
        return truth

    def to_dict(self, n: int) -> dict[str, object]:
        """As the manifest keeps it: the seed, and whose record each released row is.

        The list of a file of more than a million records is left out.
        """
        truth = self.truth(n) if n <= MOST_LISTED else None
        entry: dict[str, object] = {"shuffled": self.seed is not None}
        if self.seed is not None:
            entry["key"] = self.seed
            if self.by_record:
                entry["drawn"] = BY_RECORD
        if truth is not None and self.seed is not None:
            # one line, however many records
            entry[LISTED] = " ".join(map(str, truth + 1))
        return entry


def hidden(entry: Mapping[str, object]) -> dict[str, object]:
    """The order as it may be printed: neither its seed nor whose row is whose."""
    return {"shuffled": entry["shuffled"]}


def read(entry: Mapping[str, object], plan: Plan, source: object) -> RowOrder:
    """From a manifest; ``source`` is what errors name."""
    seed = entry.get("key")
    if seed is not None and (not isinstance(seed, int) or seed < 0):
        raise InputError(f"{source}: the key of its row order is not a number from 0")
    by_record = entry.get("drawn") == BY_RECORD
    return replace(RowOrder.of(plan, keep=True), seed=seed, by_record=by_record)


def read_truth(entry: Mapping[str, object], n: int, source: object) -> Ints | None:
    """The released row of each original, from 0, as a manifest says it; None if it does not."""
    text = entry.get(LISTED)
    if text is None:
        return None
    try:
        rows = np.array(str(text).split(), dtype=np.int64)
        # a manifest counts rows from 1, as a person does
        truth = rows - 1
    except (ValueError, OverflowError):
        truth = np.empty(0, dtype=np.int64)
    if len(truth) != n or not np.array_equal(np.sort(truth), np.arange(n)):
        raise InputError(
            f"{source}: its row order does not name each of the {n} records once; "
            "take the manifest that was written with this release"
        )
    return truth
