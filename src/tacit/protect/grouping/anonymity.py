"""The search for few cells to blank, so that every combination of keys occurs k times.

Records with the same codes are one *class*; everything is counted by class. A *bucket* is the
classes that agree on all keys outside a set of columns: blanking these columns in a record
makes it agree with all of them. What a missing value counts for is the reading named; see
``key_classes``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.kernels.suppression import cover, gather
from tacit.protect import by_address, by_rank
from tacit.protect.grouping.buckets import Buckets, Columns, buckets
from tacit.protect.grouping.class_blanks import ClassBlanks
from tacit.protect.grouping.key_classes import (
    Reading,
    class_frequencies,
    compress,
    frequencies,
    ranks,
)

FORCED_SHARE = 0.05
"""In a column where more records have a value that occurs fewer than k times, these go at once."""
MANY_COLUMNS = 12
"""Above this, sets of columns are tried by their number and not by their price.

2^13 sets and more are too many to sort.
"""
MOST_SETS = 2**14
"""Sets of columns that are tried at most, all of 14 columns; the rest goes column by column.

Each costs a pass over the classes, and there are 2^d of them: 20 columns would not end.
"""
SAME_PRICE = 1.25
"""Sets of columns up to this many times as dear as the cheapest are tried together."""
FINER = 0.8
"""Ratio of one level of gain per cost to the next."""


def suppress(
    codes: Ints,
    k: int,
    importance: Floats,
    missing: Reading,
    rng: np.random.Generator,
) -> Bools:
    """True where a cell is to be suppressed, so that every f(r) >= k (n >= k).

    The cheapest sets of cells first (one cell, then two, ...), until nothing is left to do; see
    the kernels for how cells are chosen. Which of several equal records of a class is
    suppressed is drawn at random (they differ only in columns that are not keys).
    """
    distinct, label, count = compress(codes)
    rows = random_rows(label, rng)
    every = list(range(codes.shape[1]))
    classes = ClassBlanks.of(distinct, count)
    found = suppress_classes(classes, every, k, importance, missing, rng)
    return found.of_records(rows)


def random_rows(label: Ints, rng: np.random.Generator) -> Ints:
    """The records class after class, in random order within each."""
    n = label.size
    if n <= by_address.BLOCK:
        shuffled = rng.permutation(n)
        return np.asarray(shuffled[np.argsort(label[shuffled], kind="stable")])
    return np.lexsort((by_rank.ties_of(rng)(0, n), label))


def suppress_classes(
    state: ClassBlanks,
    places: list[int],
    k: int,
    importance: Floats,
    missing: Reading,
    rng: np.random.Generator,
) -> ClassBlanks:
    """As ``suppress``, of classes: more cells of these columns, so that every f(r) >= k."""

    def below(left: Ints, records: Ints) -> Bools:
        return np.asarray(frequencies(left, missing, records) < k)

    codes = state.shown[:, places]
    few = below(codes, state.count)
    if not few.any():
        return state
    hopeless = _hopeless(codes, k, missing, state.count) & few[:, None]
    state = state.with_cells(_wide(hopeless, places, state))
    for _ in range(len(places) + 1):
        # under 'value' a record may be left that only a class made in this round can take in:
        # go round again
        distinct, label, count = compress(state.shown[:, places], state.count)
        who, cells = _round(distinct, count, k, importance, missing)
        blank = _number(state)
        state = state.taking(label, who, _wide(cells, places, state), rng)
        if not below(state.shown[:, places], state.count).any():
            return state
        # the sets that were tried do not help: another round would find the same
        if _number(state) == blank:
            break
    more = column_by_column(
        state.keys[state.origin][:, places],
        state.blank[:, places],
        importance,
        below=lambda left: below(left, state.count),
        records=state.count,
    )
    return state.with_cells(_wide(more, places, state))


def _wide(cells: Bools, places: list[int], state: ClassBlanks) -> Bools:
    """Cells of some columns among all."""
    out = np.zeros((len(cells), state.keys.shape[1]), dtype=np.bool_)
    out[:, places] = cells
    return out


def _number(state: ClassBlanks) -> int:
    """How many cells are blank."""
    return int(state.count @ state.blank.sum(axis=1))


def column_by_column(
    codes: Ints,
    blank: Bools,
    importance: Floats,
    below: Callable[[Ints], Bools],
    people: Ints | None = None,
    everywhere: Callable[[Bools], Bools] = lambda cells: cells,
    records: Ints | None = None,
) -> Bools:
    """Blank one more column of every record below k, round by round, until none is.

    In each round the column whose absence lets most persons per unit of cost share the rest. It
    ends after as many rounds as there are columns, and costs as many counts in each.

    Parameters
    ----------
    codes, blank, importance
        As in ``suppress``, and what is blank already.
    below : callable
        Which records of such codes are below k.
    people : array of int, optional
        The person of every record; each its own unless given.
    everywhere : callable
        Adds the cells that must go with these.
    records : array of int, optional
        How many records, each a person, a row stands for; one unless given.
    """
    width = codes.shape[1]
    for _ in range(width):
        left = np.where(blank, -1, codes)
        few = below(left)
        if not few.any():
            return np.asarray(blank & (codes >= 0))
        persons = [_persons_without(left, j, people, records) for j in range(width)]
        worst = worst_cells(left, persons, importance)
        blank = everywhere(blank | (worst & few[:, None]))
    # what is blank everywhere matches everything, but under 'value' only what is blank, too: the
    # smallest classes join, until nobody is left below
    while True:
        left = np.where(blank, -1, codes)
        few = below(left)
        if not few.any():
            return np.asarray(blank & (codes >= 0))
        present = left >= 0
        shown = np.asarray(present.any(axis=1))
        if not (few & shown).any():
            few = _smallest_class(left, shown, records)
        blank = everywhere(blank | few[:, None])


def _smallest_class(codes: Ints, among: Bools, records: Ints | None) -> Bools:
    """The records of the smallest class of these (all, where there are none)."""
    if not among.any():
        return np.ones(len(codes), dtype=np.bool_)
    _, label, count = compress(codes, records)
    size = np.where(among, count[label], count.sum() + 1)
    smallest = size.argmin()
    return np.asarray(label == label[smallest])


def _persons_without(
    codes: Ints, place: int, people: Ints | None, records: Ints | None
) -> Ints:
    """How many persons each record shares its keys with if one column is left out."""
    _, label, number = compress(np.delete(codes, place, axis=1), records)
    if people is not None:
        who = np.unique(np.column_stack([label, people]), axis=0)
        number = np.bincount(who[:, 0])
    return np.asarray(number[label])


def worst_cells(codes: Ints, persons: Sequence[Ints], importance: Floats) -> Bools:
    """For each record the one shown cell without which most persons per cost share the rest.

    ``persons`` are those who share the rest, for each column that is left out.
    """
    n, width = codes.shape
    # below every gain: a blank cell is chosen last
    gain = np.full((n, width), -1.0)
    for j in range(width):
        shown = codes[:, j] >= 0
        gain[shown, j] = persons[j][shown] / importance[j]
    best = np.argmax(gain, axis=1)
    out = np.zeros((n, width), dtype=np.bool_)
    out[np.arange(n), best] = True
    return out & (codes >= 0)


def largest_set(width: int) -> int:
    """How many columns the largest sets have that are tried together."""
    size, tried = 0, 0
    while size < width and tried + math.comb(width, size + 1) <= MOST_SETS:
        size += 1
        tried += math.comb(width, size)
    return size


def _round(
    distinct: Ints,
    count: Ints,
    k: int,
    importance: Floats,
    missing: Reading,
) -> tuple[Ints, Bools]:
    """One pass over all sets of columns, cheapest first.

    Of each action: the class that it takes a record of, and the cells that this one loses.
    """
    width = distinct.shape[1]
    need = k - class_frequencies(distinct, count, missing)
    left, small = count.copy(), need > 0
    who: list[Ints] = []
    cells: list[Bools] = []
    for subsets in _stages(importance):
        wanted = (need > 0) & (left > 0) if missing == "any" else small
        if not wanted.any():
            break
        found = buckets(distinct, subsets, wanted, missing)
        table = np.zeros((len(subsets), width), dtype=np.bool_)
        for number, subset in enumerate(subsets):
            table[number, list(subset)] = True
        price = table @ importance
        # the kernels take what they use from left, need and small
        if missing == "any":
            chosen, where = _cover(found, price, count, left, need, k)
        else:
            shown = (distinct >= 0)[found.member]
            blank = ~(shown & _cells_of(found, table))
            free = blank.all(axis=1) & ~small[found.member]
            chosen, where = _gather(found, price, free, left, small, k)
        who.append(chosen)
        cells.append(table[found.which[where]])
    if not who:
        return np.empty(0, dtype=np.int64), np.empty((0, width), dtype=np.bool_)
    return np.concatenate(who), np.concatenate(cells)


def _cells_of(found: Buckets, table: Bools) -> Bools:
    """For each member of each bucket the columns that its bucket would blank."""
    which = np.repeat(found.which, found.size)
    return np.asarray(table[which])


def _cover(
    found: Buckets,
    price: Floats,
    count: Ints,
    left: Ints,
    need: Ints,
    k: int,
) -> tuple[Ints, Ints]:
    """Under ``any``: the classes to blank a record of, and the bucket of each."""
    total = np.empty(0, dtype=np.int64)
    if found.member.size:
        first = found.start[:-1]
        total = np.add.reduceat(count[found.member], first)
    cost = price[found.which]
    levels = _levels(price, found.size)
    chosen, where = cover(
        found.start,
        found.member,
        cost,
        total,
        left,
        need,
        k,
        levels,
    )
    return chosen, where


def _gather(
    found: Buckets,
    price: Floats,
    free: Bools,
    left: Ints,
    small: Bools,
    k: int,
) -> tuple[Ints, Ints]:
    """Under ``value``: the same; members that are ``free`` have the suppressed form already."""
    number = found.size.size
    bucket = np.repeat(np.arange(number), found.size)
    records = free * left[found.member]
    held = np.bincount(bucket, weights=records, minlength=number)
    # levels of cost per record helped: k-th parts of each price, up to five times the price,
    # and in the end whatever it costs
    prices = [price * (1 + i / k) for i in range(4 * k)]
    every_price = np.unique(np.concatenate(prices))
    steps = np.append(every_price, np.inf)
    chosen, where, many = gather(
        found.start,
        found.member,
        price[found.which],
        held.astype(np.int64),
        left,
        small,
        k,
        steps,
    )
    return np.repeat(chosen, many), np.repeat(where, many)


def _stages(importance: Floats) -> Iterator[list[Columns]]:
    """Sets of columns, cheapest first, sets of about the same price together."""
    width = importance.size
    if width > MANY_COLUMNS or (importance == importance[0]).all():
        for size in range(1, largest_set(width) + 1):
            yield list(combinations(range(width), size))
        return

    def price(subset: Columns) -> float:
        return float(importance[list(subset)].sum())

    every = [
        subset
        for size in range(1, width + 1)
        for subset in combinations(range(width), size)
    ]
    every.sort(key=price)
    stage: list[Columns] = []
    for subset in every:
        if stage and price(subset) > SAME_PRICE * price(stage[0]):
            yield stage
            stage = []
        stage.append(subset)
    yield stage


def _hopeless(
    codes: Ints,
    k: int,
    missing: Reading,
    records: Ints,
) -> Bools:
    """Cells whose value occurs fewer than k times in its column.

    Under ``value`` such a cell can never stay. Under ``any`` it could (others may be suppressed
    in its favour), but in a column of many such values (a continuous one) looking for that is
    hopeless.
    """
    out = np.zeros(codes.shape, dtype=np.bool_)
    for j, column in enumerate(codes.T):
        place = ranks(column)
        count = np.bincount(place, weights=records)[place]
        scarce = (count < k) & (column >= 0)
        share = float(scarce @ records) / float(records.sum())
        if missing == "value" or share > FORCED_SHARE:
            out[:, j] = scarce
    return out


def _levels(price: Floats, size: Ints) -> Floats:
    """Gains per unit of cost, highest first, down to the lowest that is still a gain."""
    lowest = 1 / float(price.max())
    most_helped = max(2.0, float(size.max(initial=2)))
    top = most_helped / float(price.min())
    # the small gains exactly, because most choices are among them
    small_gains = (1.0, 2.0, 3.0)
    costs = np.unique(price)
    levels = [gain / cost for cost in costs for gain in small_gains]
    while top > lowest:
        levels.append(top)
        top *= FINER
    # one unit of gain at the highest price must not be lost
    smallest = lowest * (1 - 1e-12)
    useful = [level for level in levels if level >= smallest]
    rising = np.unique(useful)
    return rising[::-1].copy()
