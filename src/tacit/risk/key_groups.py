"""Groups of records with equal keys in a file on the disk: their sizes, and no record held.

Distinct combinations of keys are counted on the disk (``data.out_of_core.key_counts``). Where a
value may be missing and agrees with every other, the distinct combinations are compared, which are
few beside the records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Ints
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata, Role
from tacit.data.out_of_core.key_counts import KeyColumns, KeyCounts, count_keys
from tacit.risk.counting import count

MISSING = -1


@dataclass(frozen=True)
class KeyGroups:
    """How many groups of records there are, and how many records share the keys of each."""

    size: Ints
    """Of a group: the records that agree with it."""
    records: Ints
    """Records of groups of that size."""
    classes: int
    """Different combinations of keys, a missing value being one."""

    @classmethod
    def of(
        cls, data: OnDisk, names: Sequence[str], *, any_matches: bool = True
    ) -> KeyGroups:
        """Count the records of a file by these columns."""
        counts = count_keys(KeyColumns.of(data, list(names)), data.disk.folder)
        try:
            if any_matches and _has_gaps(counts):
                return cls._with_gaps(counts)
            sizes = np.array(list(counts.sizes), np.int64)
            groups = np.array(list(counts.sizes.values()), np.int64)
            return cls(sizes, sizes * groups, counts.keys)
        finally:
            counts.remove()

    @classmethod
    def _with_gaps(cls, counts: KeyCounts) -> KeyGroups:
        """Distinct combinations of which some have gaps agree with several others."""
        parts = list(counts.in_turn())
        keys = np.concatenate([keys for keys, _ in parts])
        records = np.concatenate([size for _, size in parts])
        coded = np.empty_like(keys)
        for j, column in enumerate(keys.T):
            there = column != MISSING
            coded[:, j] = MISSING
            # keys of numbers are their bits, which may be negative
            coded[there, j] = np.unique(column[there], return_inverse=True)[1]
        _, shared = count(coded, records.astype(np.float64), any_matches=True)
        return cls(shared.astype(np.int64), records, len(keys))

    def below(self, k: int) -> int:
        """Records whose keys fewer than k share."""
        return int(self.records[self.size < k].sum())


def _has_gaps(counts: KeyCounts) -> bool:
    """Has any record a missing key?"""
    return any(bool((keys == MISSING).any()) for keys, _ in counts.in_turn())


def counted_on_disk(original: Microdata, masked: Microdata) -> bool:
    """Are the files on the disk, and records counted there, because nobody has several?"""
    units = [
        name
        for file in (original, masked)
        for role in (Role.person, Role.household)
        for name in file.schema.names(role=role)
    ]
    return isinstance(masked, OnDisk) and not original.in_memory and not units
