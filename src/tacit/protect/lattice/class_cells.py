"""Records counted by class: once from the file, then rolled up from finer nodes.

A cell is a class of equal generalised keys, together with whatever else a constraint asks of its
records (whose they are, their confidential values). Generalising merges cells and never splits
one, so the cells of a node are made from those of any node below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.kernels import grouping
from tacit.kernels.compiler import NUMPY_STEP
from tacit.protect.lattice.level_codes import KeyColumn, Levels

LARGEST = 2**62
"""Keys are packed into whole numbers below this; above it they are numbered anew first."""
# passes of numpy over an array that sorting and numbering it takes, about
SORTING = 40


@dataclass(frozen=True)
class Cells:
    """The cells of a node, and the class that each belongs to."""

    levels: Levels
    codes: Ints
    """One row for each column: its class at the node's level."""
    extra: Ints | None
    """What else is the same for all records of a cell, as a number; None: nothing is asked."""
    rows: Ints
    """How many records there are."""
    weight: Floats | None
    """The sum of their weights."""
    population: Ints | None
    """How many records of the population there are."""
    label: Ints
    number: int
    """How many classes there are."""

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.rows)


def grouped(keys: Ints) -> tuple[Ints, Ints]:
    """Labels by first occurrence, and the first position of each; in plain numpy where few."""
    # the compiled kernel takes time to load; for few keys numpy is done before
    if grouping.group.pays(len(keys) * SORTING * NUMPY_STEP):
        labels, first = grouping.group(keys)
        return labels, first
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    # unique numbers by key, the kernel by first occurrence: both must give the same labels, or a
    # release would depend on how large the file is
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    labels = rank[inverse.ravel()]
    return labels, first[order].astype(np.int64)


def part_of(
    cells: Cells,
    at: Ints,
) -> Cells:
    """Some of the cells, in this order; their classes keep their labels."""
    return Cells(
        cells.levels,
        cells.codes[:, at],
        None if cells.extra is None else cells.extra[at],
        cells.rows[at],
        None if cells.weight is None else cells.weight[at],
        None if cells.population is None else cells.population[at],
        cells.label[at],
        cells.number,
    )


def labelled(
    parts: Sequence[tuple[Ints, int]],
    n: int,
) -> tuple[Ints, Ints]:
    """Labels of the combinations of several codes, each below its size."""
    key = np.zeros(n, dtype=np.int64)
    base = 1
    for codes, size in parts:
        # equal keys stay equal under new numbers, so that the labels are as if they had fitted
        if base * size >= LARGEST:
            key, first = grouped(key)
            base = max(len(first), 1)
        key = key + codes * base
        base *= size
    return grouped(key)


def rolled(
    cells: Cells,
    columns: Sequence[KeyColumn],
    levels: Levels,
) -> tuple[Cells, Ints]:
    """The cells of a node above, and where each of the old ones went."""
    codes, parts = _mapped(cells, columns, levels)
    label, first = labelled(parts, cells.size)
    if cells.extra is None:
        # without extras a class is one cell
        summed = _summed(cells, label, len(first))
        own = np.arange(len(first), dtype=np.int64)
        at = codes[:, first]
        made = Cells(levels, at, None, *summed, own, len(first))
        return made, label
    # a class may hold several cells: those that differ in what else is asked
    most = int(cells.extra.max(initial=0)) + 1
    pairs = [(label, len(first)), (cells.extra, most)]
    place, start = labelled(pairs, cells.size)
    summed = _summed(cells, place, len(start))
    extra = cells.extra[start]
    of_class = label[start]
    at = codes[:, start]
    made = Cells(levels, at, extra, *summed, of_class, len(first))
    return made, place


def _mapped(
    cells: Cells,
    columns: Sequence[KeyColumn],
    levels: Levels,
) -> tuple[Ints, list[tuple[Ints, int]]]:
    codes = np.empty_like(cells.codes)
    parts = []
    for j, column in enumerate(columns):
        # from a node to its neighbour most columns keep their level, and need no lookup
        if levels[j] == cells.levels[j]:
            codes[j] = cells.codes[j]
        else:
            up = column.between(cells.levels[j], levels[j])
            codes[j] = up[cells.codes[j]]
        # a column of one class tells nothing apart
        size = column.sizes[levels[j]]
        if size > 1:
            parts.append((codes[j], size))
    return codes, parts


def _summed(
    cells: Cells,
    place: Ints,
    number: int,
) -> tuple[Ints, Floats | None, Ints | None]:
    """Records, weights and population of the new cells."""
    rows = _total(place, cells.rows, number)
    weight = None
    if cells.weight is not None:
        # weights are no whole numbers, and are not rounded as counts are
        summed = np.bincount(place, weights=cells.weight, minlength=number)
        weight = summed.astype(np.float64)
    population = None
    if cells.population is not None:
        population = _total(place, cells.population, number)
    return rows, weight, population


def _total(
    place: Ints,
    counts: Ints,
    number: int,
) -> Ints:
    # sums of whole numbers below 2^53 are exact in floats
    summed = np.bincount(place, weights=counts, minlength=number)
    return np.rint(summed).astype(np.int64)


def counted(
    columns: Sequence[KeyColumn],
    extra: Ints | None,
    sampled: Ints,
    weight: Floats | None,
    population: Ints | None,
) -> tuple[Cells, Ints]:
    """The cells of the file at level 0 of every column, and the cell of each record.

    Parameters
    ----------
    columns : list of KeyColumn
        The keys.
    extra : array or None
        What else is asked of each record, as a number.
    sampled : array
        1 for each record of the file, 0 for one of the population only.
    weight : array or None
        Sampling weights.
    population : array or None
        1 for each record of the population.
    """
    n = len(sampled)
    bottom = (0,) * len(columns)
    codes = np.empty((len(columns), n), dtype=np.int64)
    for j, column in enumerate(columns):
        codes[j] = column.codes
    # in the order of their keys: nothing may depend on that of the rows
    keys = [*codes[::-1]]
    if extra is not None:
        keys = [extra, *keys]
    order = np.lexsort(keys) if n else np.zeros(0, dtype=np.int64)
    # every record a cell of its own: rolled up to the node where it is, equal ones are counted
    whole = Cells(
        bottom,
        codes,
        extra,
        sampled,
        weight,
        population,
        np.arange(n, dtype=np.int64),
        n,
    )
    cells, place = rolled(part_of(whole, order), columns, bottom)
    # from the order of keys back to that of the rows
    cell_of_row = np.empty(n, dtype=np.int64)
    cell_of_row[order] = place
    return cells, cell_of_row
