"""Total variation: how far the shares of each column's categories moved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Floats, Ints
from tacit.data.pair import Pair


def total_variation(x: Floats, z: Floats) -> float:
    """1/2 sum over categories of |share before - share after|; NaN is a category."""
    return _between(_counted(x), _counted(z))


def _between(x: tuple[Ints, int], z: tuple[Ints, int]) -> float:
    """The same of two files' counts by code, and of their gaps."""
    codes = max(len(x[0]), len(z[0]), 1)
    gap = _shares(*x, codes) - _shares(*z, codes)
    return float(np.abs(gap).sum() / 2)


def _shares(counts: Ints, gaps: int, codes: int) -> Floats:
    """Share of each code, missing values having the one after the last."""
    every = np.append(np.pad(counts, (0, codes - len(counts))), gaps)
    return np.asarray(every / max(every.sum(), 1))


def _counted(codes: Floats) -> tuple[Ints, int]:
    """How many records have each code, and how many have none."""
    there = codes[~np.isnan(codes)].astype(np.int64)
    return np.bincount(there), len(codes) - len(there)


@facts.measure("Total variation", passes="pieces")
def tv(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
) -> Measure:
    """Total variation: mean over columns of 1/2 sum of |share before - share after|.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that are compared; the common quasi-identifiers unless given.

    Notes
    -----
    **Definition.** The sum is over the values of a nominal or ordinal column; a missing
    value is a value of its own.
    **Range.** [0, 1]. 0: the shares are the same. Higher: a larger share of records would
    have to change category to get them back.
    """
    pair = Pair.of(original, masked, columns)
    names = pair.categorical
    if not names:
        return Measure.absent("TV", "no compared column is nominal or ordinal")
    moved = _moved(pair, names)
    return Measure(
        "TV",
        float(np.mean(list(moved.values()))),
        (0.0, 1.0),
        "the shares of every category are what they were",
        "more records would have to change category to restore the shares",
        {"largest": max(moved.values())},
        None,
        moved,
    )


def _moved(pair: Pair, names: list[str]) -> dict[str, float]:
    """How far each column's shares moved."""
    if pair.held:
        return {name: total_variation(*pair.column(name)) for name in names}
    # measured: what reads files is not loaded where they are in memory
    from tacit.data.out_of_core.disk_rows import DiskRows
    from tacit.loss.by_pieces import code_counts

    x, z = pair.rows(names)
    assert isinstance(x, DiskRows)
    assert isinstance(z, DiskRows)
    return {
        name: _between(code_counts(x.source(j)), code_counts(z.source(j)))
        for j, name in enumerate(names)
    }
