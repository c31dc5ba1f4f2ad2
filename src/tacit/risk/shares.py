"""How the values of a confidential column are shared out inside each class of records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.risk.keys import FloatArray, IntArray


@dataclass(frozen=True)
class Shares:
    """Cells (class, value) that occur, sorted by class and, inside a class, by falling count."""

    label: IntArray
    value: IntArray
    count: IntArray
    start: IntArray  # first cell of each class; one more entry at the end
    size: IntArray  # records of each class with the value present


def shares(labels: IntArray, number: int, values: IntArray) -> Shares:
    """Count each value in each class. Records whose value is missing (-1) are left out."""
    present = values >= 0
    top = int(values.max()) + 1 if len(values) else 1
    top = max(top, 1)
    cell, count = np.unique(labels[present] * top + values[present], return_counts=True)
    label, value = cell // top, cell % top
    order = np.lexsort((value, -count, label))
    label, value, count = label[order], value[order], count[order].astype(np.int64)
    start = np.searchsorted(label, np.arange(number + 1)).astype(np.int64)
    size = np.bincount(label, weights=count, minlength=number).astype(np.int64)
    return Shares(label, value, count, start, size)


def distinct(cells: Shares) -> FloatArray:
    """Number of different values in each class."""
    return np.diff(cells.start).astype(np.float64)


def entropy(cells: Shares) -> FloatArray:
    """exp(H) with H = - sum of s ln s over the shares s of a class: the effective number of values."""
    share = cells.count / cells.size[cells.label]
    number = len(cells.start) - 1
    return np.exp(-np.bincount(cells.label, weights=share * np.log(share), minlength=number))


def recursive(cells: Shares, c: float) -> FloatArray:
    """Largest l with r_1 < c (r_l + ... + r_m), r_1 >= r_2 >= ... the counts of a class; 1 if there is none.

    A class in which one value only occurs has l = 1.
    """
    number = len(cells.start) - 1
    first = cells.start[:-1]
    has = np.diff(cells.start) > 0
    before = np.concatenate([[0], np.cumsum(cells.count)])
    end = before[cells.start[1:]]
    tail = end[cells.label] - before[:-1]  # r_l + ... + r_m at every cell
    biggest = np.zeros(number, np.int64)
    biggest[has] = cells.count[first[has]]
    holds = biggest[cells.label] < c * tail
    holds[first[has]] = False  # l = 1 is the floor, counted below
    out = np.where(has, 1.0, 0.0)
    # tails only shrink, so the l that hold are the first ones
    return np.asarray(out + np.bincount(cells.label, weights=holds, minlength=number))


def distances(cells: Shares, values: IntArray, *, ordered: bool) -> FloatArray:
    """Earth mover's distance between each class and the whole file.

    equal: 1/2 sum |p_v - q_v| ; ordered: sum over v of |P_v - Q_v| / (m - 1), P and Q cumulative, m values.
    """
    present = values[values >= 0]
    whole = np.bincount(present).astype(np.float64)
    whole /= max(whole.sum(), 1)
    m = len(whole)
    number = len(cells.start) - 1
    share = cells.count / cells.size[cells.label]
    if not ordered:
        overlap = np.minimum(share, whole[cells.value])
        apart = 1.0 - np.bincount(cells.label, weights=overlap, minlength=number)
        return np.where(np.diff(cells.start) > 0, np.maximum(apart, 0.0), 0.0)
    if m < 2:
        return np.zeros(number)
    # P is a step function, constant between the values that the class has; Q is monotone, so on each such stretch
    # |P - Q| changes sign once, at the place where Q passes the height of P
    cumulative = np.cumsum(whole)
    area = np.concatenate([[0.0], np.cumsum(cumulative)])
    order = np.lexsort((cells.value, cells.label))
    label, value, part = cells.label[order], cells.value[order], share[order]
    before = np.concatenate([[0.0], np.cumsum(part)])
    height = before[1:] - before[cells.start[label]]
    last = cells.start[1:][label] - 1 == np.arange(len(label))
    end = np.where(last, m, np.append(value[1:], m))
    first = cells.start[label] == np.arange(len(label))
    cross = np.clip(np.searchsorted(cumulative, height), value, end)
    stretch = (
        height * (cross - value) - (area[cross] - area[value]) + (area[end] - area[cross]) - height * (end - cross)
    )
    out = np.bincount(label, weights=stretch + np.where(first, area[value], 0.0), minlength=number)
    return np.asarray(np.maximum(out, 0.0) / (m - 1), np.float64)
