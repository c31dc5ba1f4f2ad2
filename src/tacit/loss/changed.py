"""How many cells were changed, recoded or suppressed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.typing import Bools, Floats
from tacit.data.pair import Pair


@facts.measure("Changed cells", passes="pieces")
def changed(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
) -> Measure:
    """Share of cells that are not what they were: changed, recoded or suppressed.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that are compared; the common quasi-identifiers unless given.

    Notes
    -----
    **Definition.** #{cells with x != z} / (n d); a cell missing in both files is as it was.
    **Range.** [0, 1]. 0: every cell is as it was. Higher: more cells are not. The details
    count suppressed cells.
    """
    pair = Pair.of(original, masked, columns)
    names = [*pair.columns, *pair.incomparable]
    if not pair.aligned or not names:
        why = "the files have no column in common, or differ in length"
        return Measure.absent("changed", why)
    n = pair.original.n
    by_record = np.zeros(n) if pair.held else None
    counted = _by_pieces(pair) if by_record is None else _by_column(pair, by_record)
    hidden = sum(suppressed for _, suppressed in counted)
    shares = [cells / n if n else 0.0 for cells, _ in counted]
    # a column recoded to something else has no cell that is as it was
    shares += [1.0] * len(pair.incomparable)
    if by_record is not None:
        by_record = (by_record + len(pair.incomparable)) / len(names)
    return Measure(
        "changed",
        float(np.mean(shares)) if n else 0.0,
        (0.0, 1.0),
        "every cell is as it was",
        "more cells are changed or suppressed",
        {
            "suppressed cells": hidden,
            "recoded columns": pair.incomparable,
        },
        by_record,
        dict(zip(names, shares, strict=True)),
    )


def changed_and_suppressed(x: Floats, z: Floats) -> tuple[Bools, Bools]:
    """Which cells are not what they were, and which of them are missing now."""
    no_original, no_masked = np.isnan(x), np.isnan(z)
    suppressed = no_masked & ~no_original
    # NaN differs from itself, so cells missing in both files are taken out
    return suppressed | ((x != z) & ~(no_original & no_masked)), suppressed


def _by_column(pair: Pair, by_record: Floats) -> list[tuple[int, int]]:
    """Cells changed and suppressed of each column; those changed are added to their records."""
    found: list[tuple[int, int]] = []
    for name in pair.columns:
        cells, suppressed = changed_and_suppressed(*pair.column(name))
        by_record += cells
        found.append((int(cells.sum()), int(suppressed.sum())))
    return found


def _by_pieces(pair: Pair) -> list[tuple[int, int]]:
    """The same of files on the disk; nothing is kept of records."""
    # measured: what reads files is not loaded where they are in memory
    from tacit.data.out_of_core.disk_rows import DiskRows
    from tacit.loss.by_pieces import changed_cells

    x, z = pair.rows(pair.columns)
    assert isinstance(x, DiskRows)
    assert isinstance(z, DiskRows)
    return [changed_cells(x.source(j), z.source(j)) for j, _ in enumerate(pair.columns)]
