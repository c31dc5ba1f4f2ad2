"""The distinct rows of two files on the disk, and how often each occurs: all that EM needs.

EM takes the counts of agreement patterns over all pairs of records. A pair of distinct rows has one
pattern, and a x b pairs of records where a and b records have these rows: no record is held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.attack.base import Distinct
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata
from tacit.data.out_of_core.disk_rows import DiskRows
from tacit.data.out_of_core.key_counts import bits_of, numbers_of
from tacit.data.out_of_core.key_tally import tally_keys
from tacit.data.pair import Pair


def tallied(
    original: Microdata, masked: Microdata, columns: list[str]
) -> tuple[Distinct, Distinct] | None:
    """The distinct rows of both files, on common codes; None where a column cannot be compared."""
    pair = Pair.of(original, masked, columns)
    if pair.incomparable:
        return None
    x, z = pair.rows(columns)
    assert isinstance(x, DiskRows)
    assert isinstance(z, DiskRows)
    return _distinct(x), _distinct(z)


def sd_of(values: Floats, count: Ints) -> float:
    """Standard deviation (ddof 0) of values that occur so often, gaps left out."""
    known = ~np.isnan(values)
    values, each = values[known], count[known].astype(np.float64)
    mean = each @ values / each.sum()
    return float(np.sqrt(each @ (values - mean) ** 2 / each.sum()))


@dataclass(frozen=True)
class _RowKeys:
    """The bits of numbers on the disk, as keys."""

    rows: DiskRows

    @property
    def n(self) -> int:
        """How many records there are."""
        return self.rows.n

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.rows.shape[1]

    def read(self, first: int, stop: int) -> Ints:
        """The keys of a span of rows."""
        numbers = self.rows[first:stop]
        return np.stack([bits_of(np.ascontiguousarray(c)) for c in numbers.T], 1)


def _distinct(rows: DiskRows) -> Distinct:
    """In value order, as ``attack.base.distinct`` has them; whose rows they are is not asked."""
    keys, count, _ = tally_keys(_RowKeys(rows), rows.folder).read()
    values = numbers_of(keys)
    order = np.lexsort(values.T[::-1])
    nobody = np.empty(0, np.int64)
    return Distinct(values[order], nobody, count[order], nobody)
