"""Both files as the numbers that numeric losses compare, classes of numbers among them.

A release may have classes where the original has numbers: '[20, 30)' for an age, '*' for
everybody, 'primary or less' for a rank. With x_i the original's number and c(i) the label of
record i, whoever works with the release can put in its place at best

    z_i = mean of x_j over the records j with c(j) = c(i)

which has the least squared error of all numbers that could stand for a label (the mean of a
class is nearest to its members). So a label costs what it hides inside its class and nothing
more, and '*' everywhere costs what a suppressed column does: the mean for everybody. Without
this a plan that only coarsens numbers would lose nothing by these measures. A label that says
a number or a date itself, or a rank that the original knows, is that number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tacit.base.typing import Floats
from tacit.data.column import Category, Column
from tacit.data.dates import moments
from tacit.data.microdata import Kind
from tacit.data.pair import Pair
from tacit.data.runs import runs
from tacit.loss.moments import NO_NUMBERS

if TYPE_CHECKING:
    from tacit.data.io.on_disk import OnDisk
    from tacit.data.out_of_core.disk_rows import DiskRows, Rows


def why_not(pair: Pair) -> str:
    """Why nothing can be said of the numbers of these files; empty where something can."""
    classed = _numbers_that_became_classes(pair)
    if classed and not pair.aligned:
        return (
            f"{', '.join(classed)}: classes where there were numbers, and the files differ "
            "in length, so nobody knows which numbers a class stands for"
        )
    return "" if compared(pair) else NO_NUMBERS


def compared(pair: Pair) -> list[str]:
    """Columns of numbers and ranks, and those that were numbers and are classes now."""
    names = {*pair.numeric, *_numbers_that_became_classes(pair)}
    return [name for name in pair.asked if name in names]


def classes(pair: Pair) -> list[str]:
    """Of the compared columns those whose release holds labels that the original does not."""
    if not pair.aligned:
        return []
    ranks = [
        name
        for name in pair.names(Kind.ordinal)
        if not set(pair.masked.categories(name)) <= set(pair.original.categories(name))
    ]
    return [*ranks, *_numbers_that_became_classes(pair)]


def rows(pair: Pair) -> tuple[Rows, Rows]:
    """The compared columns of both files (n, d), NaN where missing."""
    names, labelled = compared(pair), classes(pair)
    if not labelled:
        return pair.rows(names)
    if pair.held:
        both = [column(pair, name) for name in names]
        x, z = (np.array(side).T.copy("F") for side in zip(*both, strict=True))
        return x, z
    return _rows_on_disk(pair, names, labelled)


def column(pair: Pair, name: str) -> tuple[Floats, Floats]:
    """One compared column of both files."""
    if name not in classes(pair):
        return pair.column(name)
    x, codes = pair.original.column(name), pair.masked.column(name)
    return x, _put(codes, _worth(pair, name, x[:, None], codes[:, None]))


def _numbers_that_became_classes(pair: Pair) -> list[str]:
    schema = pair.original.schema
    return [
        name for name in pair.incomparable if schema[name].scale is not Kind.nominal
    ]


def _worth(pair: Pair, name: str, x: Rows, codes: Rows) -> Floats:
    """The number of each label, in the order of codes; NaN where no number is known."""
    labels = pair.masked.categories(name)
    total, known = np.zeros(len(labels)), np.zeros(len(labels))
    # run by run, so that the sums have the same bits in memory and from the disk
    for numbers, carried in zip(runs(x), runs(codes), strict=True):
        seen = ~np.isnan(numbers[:, 0]) & ~np.isnan(carried[:, 0])
        at = carried[seen, 0].astype(np.int64)
        total += np.bincount(at, numbers[seen, 0], len(labels))
        known += np.bincount(at, minlength=len(labels))
    mean = np.where(known > 0, total / np.maximum(known, 1), np.nan)
    said = _said(pair, name, labels)
    return np.where(np.isnan(said), mean, said)


def _said(pair: Pair, name: str, labels: list[Category]) -> Floats:
    """The number that a label says itself, NaN for the name of a class."""
    if pair.original.schema[name].scale is Kind.continuous:
        return np.array([_number(label) for label in labels], float)
    known = pair.original.categories(name)
    ours = _in_order(pair.original.schema[name], known)
    theirs = _in_order(pair.masked.schema[name], labels)
    if ours is not None and theirs is not None:
        return _places(ours, theirs)
    ranks = {value: rank for rank, value in enumerate(known)}
    return np.array([ranks.get(label, np.nan) for label in labels], float)


def _number(label: Category) -> float:
    try:
        number = float(label)
    except ValueError:
        return float("nan")
    return number if np.isfinite(number) else float("nan")


def _in_order(column: Column, values: list[Category]) -> Floats | None:
    """Dates as seconds, and ranks that are numbers; None where order is only declared."""
    if column.kind is Kind.date:
        if any(isinstance(value, str) for value in values):
            read = moments(column, pa.chunked_array([pa.array(values)]))
            values = [read[str(value)] for value in values]
        return np.array(values, "datetime64[us]").astype(float)
    if all(isinstance(value, int | float) for value in values):
        return np.array(values, float)
    return None


def _places(known: Floats, values: Floats) -> Floats:
    """The rank of each value among the known ones; halfway between two that it lies between."""
    order = np.argsort(known, kind="stable")
    below = np.searchsorted(known[order], values, side="left")
    not_above = np.searchsorted(known[order], values, side="right")
    # a known value has itself between both, so that the mean of the two is half above its rank
    between = (below + not_above - 1) / 2
    at = np.minimum(below, len(known) - 1)
    return np.where(not_above > below, order[at].astype(float), between)


def _put(codes: Floats, worth: Floats) -> Floats:
    """Each code's number; a missing cell stays missing."""
    # the last entry is what missing cells become
    table = np.append(worth, np.nan)
    at = np.where(np.isnan(codes), len(worth), codes).astype(np.int64)
    return np.asarray(table[at])


def _rows_on_disk(
    pair: Pair, names: list[str], labelled: list[str]
) -> tuple[DiskRows, DiskRows]:
    """The same of files on the disk, read and written run by run."""
    # measured: what reads files is not loaded where they are in memory
    from tacit.data.io.on_disk import OnDisk
    from tacit.data.out_of_core.disk_rows import DiskRows, disk_rows

    original, masked = pair.original, pair.masked
    assert isinstance(original, OnDisk)
    assert isinstance(masked, OnDisk)
    plain = [name for name in names if name not in labelled]
    files = {}
    if plain:
        _, kept = pair.rows(plain)
        assert isinstance(kept, DiskRows)
        files = dict(zip(plain, kept.files, strict=True))
    for name in labelled:
        files[name] = _written(pair, name, original, masked).files[0]
    ordered = tuple(files[name] for name in names)
    return disk_rows(original, names), DiskRows(ordered, masked.n, masked.disk.folder)


def _written(pair: Pair, name: str, original: OnDisk, masked: OnDisk) -> DiskRows:
    """The numbers of a column of labels in a file of their own; made once."""
    from tacit.data.out_of_core.disk_rows import DiskRows, disk_rows

    x, codes = disk_rows(original, [name]), disk_rows(masked, [name])
    folder = masked.disk.folder
    # files of numbers are never written again, so their paths say what was compared
    key = ("class means", x.files, codes.files)
    found: DiskRows | None = folder.kept.get(key)
    if found is not None:
        return found
    worth = _worth(pair, name, x, codes)
    made = DiskRows((folder.next_file(),), masked.n, folder)
    with made.files[0].open("wb") as file:
        for run in runs(codes):
            file.write(_put(run[:, 0], worth).tobytes())
    folder.kept[key] = made
    return made
