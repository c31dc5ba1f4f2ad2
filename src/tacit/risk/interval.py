"""Interval disclosure: how often the original value lies close to the masked one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tacit.base import facts
from tacit.base.errors import ParameterError
from tacit.base.measure import Measure
from tacit.base.typing import Floats, Ints
from tacit.data.pair import Pair

# Half-widths of the interval: 1 % to 10 %, as published (Domingo-Ferrer and Torra 2001);
# the measure is the average over them.
WIDTHS = tuple(percent / 100 for percent in range(1, 11))
# values whose sum is taken at once
BLOCK = 1 << 16


# No threshold: values that anybody guesses count too, and so do unchanged categories. The
# verdict uses ``interval_excess``.
@facts.measure("Interval disclosure", passes="pieces")
def interval(
    original: object,
    masked: object,
    *,
    by: Literal["rank", "sd"] = "rank",
    widths: Sequence[float] = WIDTHS,
    columns: Sequence[str] | None = None,
) -> Measure:
    """Share of original values inside an interval around their masked value.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    by : {'rank', 'sd'}
        What widths are shares of: the n ranks of the masked column, or the original's sd.
    widths : list of float
        How far the interval reaches to either side; the shares inside are averaged.
    columns : list of str, optional
        Columns that are judged; the common quasi-identifiers unless given.

    Notes
    -----
    **Definition.** Mean over widths, columns and records of [the original lies inside].
    ``by="rank"``: the interval reaches ``width`` x n ranks of the masked column to either
    side; ``by="sd"``: ``width`` x the original's standard deviation. Nominal columns: the
    value is the same.
    **Range.** [0, 1]. 0: no original value can be guessed that closely. Higher: more can.
    ``chance`` in the details: the same share when originals and masked values are paired
    at random.

    References
    ----------
    Domingo-Ferrer and Torra (2001); Mateo-Sanz, Sebe and Domingo-Ferrer (2004) for the sd.
    """
    pair = Pair.of(original, masked, columns)
    if by not in ("rank", "sd"):
        raise ParameterError(f"by={by!r} must be 'rank' or 'sd'")
    if not widths or min(widths) < 0:
        raise ParameterError(
            "widths must be one or more shares of 0 or more, such as 0.05"
        )
    if not pair.columns or not pair.aligned:
        why = "the files have no common column, or differ in length"
        return Measure.absent("interval", why)
    if pair.held:
        found, of_record = _in_memory(pair, by, widths)
    else:
        # measured: what reads files is not loaded where they are in memory
        from tacit.risk.interval_by_pieces import inside_by_column

        found, of_record = inside_by_column(pair, by, widths), None
    per_column = {name: inside.share for name, inside in found.items()}
    chances = [inside.chance for inside in found.values()]
    return Measure(
        "interval",
        float(np.mean(list(per_column.values()))),
        (0.0, 1.0),
        "no original value lies in the interval around its masked value",
        "more original values can be guessed closely from the masked ones",
        {"by": by, "widths": list(widths), "chance": float(np.mean(chances))},
        of_record,
        per_column,
    )


@dataclass(frozen=True)
class Inside:
    """What was counted of one column; whole numbers, which add up to the same in any order."""

    there: int
    """Originals that have a value."""
    known: int
    """Those of them whose masked cell has one, too: a suppressed cell discloses nothing."""
    hits: int
    """How often, over records and widths, the original lies inside."""
    held: int
    """How often it would if every original were paired with every masked value."""
    widths: int = 1
    """How many widths were tried; of categories there is one."""

    @property
    def share(self) -> float:
        """Share of originals inside, averaged over widths."""
        return self.hits / self.widths / max(self.there, 1)

    @property
    def chance(self) -> float:
        """The same of random pairs."""
        pairs = self.known * self.known * self.widths
        return self.held / pairs if pairs else 0.0


def _in_memory(
    pair: Pair, by: str, widths: Sequence[float]
) -> tuple[dict[str, Inside], Floats]:
    """What was counted of each column, and the share of each record's values inside."""
    hits_of_record = np.zeros(pair.original.n)
    values_of_record = np.zeros(pair.original.n)
    found: dict[str, Inside] = {}
    for name in pair.columns:
        x, z = pair.column(name)
        there = ~np.isnan(x)
        known = there & ~np.isnan(z)
        numeric = name in pair.numeric
        if numeric:
            inside, held = _close(x[known], z[known], by, widths)
        else:
            inside, held = _same(x[known], z[known])
        tried = len(widths) if numeric else 1
        found[name] = Inside(
            int(there.sum()), len(inside), int(inside.sum()), held, tried
        )
        hits_of_record[known] += inside / tried
        values_of_record += there
    return found, hits_of_record / np.maximum(values_of_record, 1)


def _same(x: Floats, z: Floats) -> tuple[Ints, int]:
    """Categories: 1 where they are the same, and how many of all pairs are."""
    ours, theirs = (np.bincount(codes.astype(np.int64)) for codes in (x, z))
    return (x == z).astype(np.int64), equal_pairs(ours, theirs)


def equal_pairs(ours: Ints, theirs: Ints) -> int:
    """How many pairs of an original and a masked category are equal, from counts by code."""
    common = min(len(ours), len(theirs))
    return int((ours[:common] * theirs[:common]).sum())


def _close(
    x: Floats,
    z: Floats,
    by: str,
    widths: Sequence[float],
) -> tuple[Ints, int]:
    """Numbers: how many widths' intervals hold x, and how many pairs the intervals hold."""
    if not len(x):
        return np.zeros(0, np.int64), 0
    # in the order of z all look-ups walk through memory: eight times faster on a million
    order = np.argsort(z, kind="stable")
    inside, held = _close_in_order(x[order], z[order], by, widths)
    hits = np.empty(len(x), np.int64)
    hits[order] = inside
    return hits, held


def _close_in_order(
    x: Floats,
    z: Floats,
    by: str,
    widths: Sequence[float],
) -> tuple[Ints, int]:
    """``_close`` where z rises."""
    values = np.sort(x)
    inside = np.zeros(len(x), np.int64)
    pairs = 0
    if by == "rank":
        equal = equal_to(z)
        # an interval ends at masked values: count the originals beside each of them once
        below = np.searchsorted(values, z, side="left")
        up_to = np.searchsorted(values, z, side="right")
    else:
        sd = sd_of_rising(lambda: blocks_of(values), len(values))
    for width in widths:
        if by == "rank":
            first, last = ends(equal, width, len(z))
            low, high = z[first], z[last]
            held = up_to[last] - below[first]
        else:
            low, high = z - width * sd, z + width * sd
            held = np.searchsorted(values, high, side="right")
            held -= np.searchsorted(values, low, side="left")
        inside += (x >= low) & (x <= high)
        # how many of all originals each interval holds
        pairs += int(held.sum())
    return inside, pairs


def blocks_of(values: Floats) -> Iterator[Floats]:
    """Some thousand values at a time."""
    for first in range(0, len(values), BLOCK):
        yield values[first : first + BLOCK]


def sd_of_rising(blocks: Callable[[], Iterable[Floats]], n: int) -> float:
    """Standard deviation (ddof 0) of n values, which come in blocks and twice.

    Blocks are summed by themselves and added in order, so that the bits are the same where the
    values are in memory and where they are on the disk.
    """
    mean = sum(float(block.sum()) for block in blocks()) / n
    squares = sum(float(((block - mean) ** 2).sum()) for block in blocks())
    return math.sqrt(squares / n)


def equal_to(z: Floats) -> tuple[Ints, Ints]:
    """The first and the last place of each of the rising values z."""
    first_equal = np.searchsorted(z, z, side="left")
    last_equal = np.searchsorted(z, z, side="right") - 1
    return first_equal, last_equal


def ends(equal: tuple[Ints, Ints], width: float, n: int) -> tuple[Ints, Ints]:
    """Where the interval of `width` x n ranks around each value begins and ends."""
    first_equal, last_equal = equal
    # width * n may fall short of a whole number by rounding: 0.07 * 100 is 7.000..01,
    # 0.29 * 100 is 28.999..96
    steps = int(np.floor(width * n + 1e-9))
    first = np.maximum(first_equal - steps, 0)
    last = np.minimum(last_equal + steps, n - 1)
    return first, last


@facts.measure("Interval disclosure, by sd", passes="pieces")
def interval_sd(
    original: object,
    masked: object,
    *,
    widths: Sequence[float] = WIDTHS,
    columns: Sequence[str] | None = None,
) -> Measure:
    """Interval disclosure with intervals of a share of the standard deviation.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    widths : list of float
        How many standard deviations the interval reaches to either side.
    columns : list of str, optional
        Columns that are judged; the common quasi-identifiers unless given.

    Notes
    -----
    **Definition.** ``interval`` with ``by="sd"``.
    **Range.** [0, 1]. 0: no original value lies so close to its masked one. Higher: more do.

    References
    ----------
    Mateo-Sanz, Sebe and Domingo-Ferrer (2004).
    """
    by_sd = interval(original, masked, by="sd", widths=widths, columns=columns)
    return replace(by_sd, name="interval_sd")
