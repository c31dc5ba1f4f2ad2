"""Combinations of keys that are few enough to be searched in memory."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.base.errors import ParameterError
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core.key_counts import KeyColumns, KeyCounts, count_keys

MOST_CLASSES = 1 << 24
"""Distinct combinations that are held; more are refused: nearly every record is then alone."""


def counted_combinations(data: OnDisk, columns: Sequence[str]) -> KeyCounts:
    """The combinations of these columns, counted on the disk; too many are refused."""
    source = KeyColumns.of(data, list(columns))
    counts = count_keys(source, data.disk.folder)
    if counts.keys > MOST_CLASSES:
        raise ParameterError(
            f"the {data.n:,} records have {counts.keys:,} different combinations of "
            f"{', '.join(columns)}, and at most {MOST_CLASSES:,} are searched: recode them "
            "first (recoding, rounding), or name fewer columns"
        )
    return counts
