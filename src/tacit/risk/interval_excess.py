"""Interval disclosure that counts only what the release adds, after the noise is filtered out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tacit.attack.linkage import Linkage
from tacit.base import facts
from tacit.base.errors import ParameterError
from tacit.base.measure import Measure
from tacit.base.typing import Floats, Ints
from tacit.data.pair import Pair
from tacit.data.runs import known_means, runs
from tacit.risk.interval import WIDTHS

if TYPE_CHECKING:
    from tacit.data.out_of_core.disk_rows import Rows

# Sizes of noise that the intruder tries, as multiples of a column's standard deviation:
# from hardly any to four times, each about half as large again as the one before.
NOISES = (0.05, 0.1, 0.15, 0.25, 0.4, 0.6, 1.0, 1.5, 2.5, 4.0)

# The guess of who takes the release as it is
RELEASED = "as released"
# Records that are looked at a time: 64 KB for each array
BLOCK = 8_192


@facts.measure(
    "Interval disclosure beyond guessing",
    threshold=0.4,
    why="at most half of the values guessed closely, a tenth of which needs no release",
    view="somebody who takes each released value for the true one",
    passes="pieces",
)
def interval_excess(
    original: object,
    masked: object,
    *,
    widths: Sequence[float] = WIDTHS,
    noise: float | None = None,
    columns: Sequence[str] | None = None,
    attacks: Mapping[str, Linkage] | None = None,
) -> Measure:
    """How many more values are guessed closely with the release than without it.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    widths : list of float
        How many of the n ranks a guess may be off; the shares are averaged.
    noise : float, optional
        Size of the noise in standard deviations, where the intruder knows it from the
        plan; sizes from 0.05 to 4 are tried unless given.
    columns : list of str, optional
        Columns that are judged; the common quasi-identifiers unless given.
    attacks : mapping of str to Linkage, optional
        Linkages already made; they say which masked record is whose.

    Notes
    -----
    **Definition.** Over continuous and ordinal columns; each column counts the largest
    share over the guesses, minus the share of the best constant (at least 0), and the
    columns are averaged. A guess is moved to the nearest value of the column and is close
    when the mean ranks of the two values differ by at most ``width`` x n. Guesses: the
    masked value z; and the best linear predictor of the row from the moments of the
    release, when noise of variance v per unit variance of z was added: with correlations
    R = V diag(l) V', V diag(max(1 - v / l, 0)) V' z on standardised columns (independent
    noise) and (1 - v) z (noise with the correlations of the data), v = c² / (1 + c²) for
    noise of c standard deviations.
    **Range.** [0, 1]. 0: the release tells no value more closely than a constant guess.
    Higher: more values are told closely. Details: shares with and without the release.

    References
    ----------
    Domingo-Ferrer and Torra (2001) for intervals by rank; Kim (1986) for the moments.
    """
    if not widths or min(widths) < 0:
        raise ParameterError(
            "widths must be one or more shares of 0 or more, such as 0.05"
        )
    if noise is not None and noise < 0:
        raise ParameterError("noise must be 0 or more standard deviations")
    pair = Pair.of(original, masked, columns)
    names = pair.numeric
    if not names:
        why = "no continuous or ordinal column is compared"
        return Measure.absent("interval_excess", why)
    if attacks:
        own_row = next(iter(attacks.values())).truth
    elif pair.aligned:
        own_row = np.arange(pair.original.n)
    else:
        own_row = np.full(pair.original.n, -1)
    if not (own_row >= 0).any():
        why = "it is not known which masked record is whose"
        return Measure.absent("interval_excess", why)

    columns_of = _in_memory if pair.held else _on_disk
    with_release: dict[str, float] = {}
    without: dict[str, float] = {}
    best_guess: dict[str, str] = {}
    judged = columns_of(pair, names, own_row, widths, noise)
    for name, column in zip(names, judged, strict=True):
        titles, share = [RELEASED], column.close_as_released()
        # where the value as released is right everywhere, no other guess is better
        if share[0] < 1.0:
            titles += column.guesses.titles
            share += column.close_if_filtered()
        with_release[name], best_guess[name] = max(zip(share, titles, strict=True))
        without[name] = column.best_constant()
    excess = {name: max(0.0, with_release[name] - without[name]) for name in names}
    return Measure(
        "interval_excess",
        float(np.mean(list(excess.values()))),
        (0.0, 1.0),
        "the release tells no value more closely than a constant guess",
        "more values are told closely by the release",
        {
            "widths": list(widths),
            "with the release": with_release,
            "without": without,
            "guess": best_guess,
        },
        None,
        excess,
    )


class JudgedColumn(Protocol):
    """A column whose guesses are counted, in memory or on the disk."""

    @property
    def guesses(self) -> Guesses:
        """What an intruder makes of each masked row."""
        ...

    def close_as_released(self) -> list[float]:
        """The share of masked values that are near enough."""
        ...

    def close_if_filtered(self) -> list[float]:
        """The same of each filtered guess."""
        ...

    def best_constant(self) -> float:
        """The largest share that one and the same guess for everybody can have."""
        ...


def _on_disk(
    pair: Pair,
    names: list[str],
    own_row: Ints,
    widths: Sequence[float],
    noise: float | None,
) -> Iterator[JudgedColumn]:
    # measured: what reads files is not loaded where they are in memory
    from tacit.risk.interval_excess_by_pieces import judged_columns

    return judged_columns(pair, names, own_row, widths, noise)


def _in_memory(
    pair: Pair,
    names: list[str],
    own_row: Ints,
    widths: Sequence[float],
    noise: float | None,
) -> Iterator[JudgedColumn]:
    """Each column with the originals whose record was released, in the order of their values."""
    x, z = pair.numbers(names)
    guesses = Guesses.of(z, noise)
    for j in range(len(names)):
        known = np.flatnonzero((own_row >= 0) & ~np.isnan(x[:, j]))
        # in rising order all look-ups walk through memory
        order = known[np.argsort(x[known, j], kind="stable")]
        yield _HeldColumn(j, z, own_row[order], Ranked.of(x[order, j], widths), guesses)


@dataclass(frozen=True)
class _HeldColumn:
    """A column in memory."""

    place: int
    z: Floats
    own: Ints
    """Masked rows in the order of the original values."""
    ranked: Ranked
    guesses: Guesses

    def close_as_released(self) -> list[float]:
        """Of the masked values."""
        column = self.z[:, self.place]
        released = self.guesses.as_released(column[self.own], self.place)
        return _share_close(self.ranked, 1, lambda some: [released[some]])

    def close_if_filtered(self) -> list[float]:
        """Of every filtered guess, some records at a time."""
        return _share_close(
            self.ranked,
            len(self.guesses.titles),
            lambda some: self.guesses.filtered(self.z[self.own[some]], self.place),
        )

    def best_constant(self) -> float:
        """Of all constants."""
        return _best_constant(self.ranked)


@dataclass(frozen=True)
class Guesses:
    """What an intruder makes of each masked row, from the moments of the release alone."""

    mean: Floats
    unit: Floats
    correlations: Floats
    noises: Sequence[float]

    @classmethod
    def of(cls, z: Rows, noise: float | None) -> Guesses:
        """From the moments of a release, run by run."""
        # an empty column has no mean: its guesses are 0
        mean = known_means(z)
        number, squares = np.zeros(z.shape[1]), np.zeros(z.shape[1])
        for run in runs(z):
            number += (~np.isnan(run)).sum(axis=0)
            squares += (_centred(run, mean) ** 2).sum(axis=0)
        sd = np.sqrt(squares / np.maximum(number, 1))
        unit = np.where(sd > 0, sd, 1.0)
        product = np.zeros((z.shape[1], z.shape[1]))
        for run in runs(z):
            scaled = _centred(run, mean) / unit
            product += scaled.T @ scaled
        sizes = NOISES if noise is None else (noise,)
        return cls(mean, unit, product / max(len(z), 1), sizes)

    def as_released(self, column: Floats, place: int) -> Floats:
        """The values of a column as they were released; a gap is the mean."""
        return np.where(np.isnan(column), self.mean[place], column)

    @cached_property
    def titles(self) -> list[str]:
        """What the filtered guesses are called."""
        kinds = ("independent", "correlated")
        return [
            f"less {kind} noise of {size:g} sd"
            for size in self.noises
            for kind in kinds
        ]

    @cached_property
    def _filters(self) -> list[tuple[float, Floats]]:
        """Of each size of noise its variance, and what standardised rows are multiplied by."""
        values, vectors = np.linalg.eigh(self.correlations)
        found = []
        for size in self.noises:
            variance = size**2 / (1 + size**2)
            # directions with less variance than the noise alone carry nothing but noise
            kept = np.maximum(1 - variance / np.maximum(values, 1e-12), 0.0)
            found.append((variance, (vectors * kept) @ vectors.T))
        return found

    def filtered(self, rows: Floats, place: int) -> list[Floats]:
        """A column of some masked rows less noise of every size, as ``titles`` says.

        Column by column and not as a product of matrices: the bits of a record must not depend on
        which records it is looked at with.
        """
        centred = _centred(rows, self.mean)
        scaled = centred / self.unit
        found = []
        for variance, matrix in self._filters:
            guess = np.zeros(len(rows))
            for other in range(rows.shape[1]):
                guess += scaled[:, other] * matrix[other, place]
            found.append(guess * self.unit[place] + self.mean[place])
            found.append((1 - variance) * centred[:, place] + self.mean[place])
        return found


def _centred(rows: Floats, mean: Floats) -> Floats:
    """Rows less the mean; a gap is the mean, as far as the other columns are concerned."""
    return np.where(np.isnan(rows), 0.0, rows - mean)


@dataclass(frozen=True)
class _Reach:
    """Of each distinct value the values whose mean rank is within one width of its own."""

    low: Ints  # the first of them
    high: Ints  # the last of them


@dataclass(frozen=True)
class Ranked:
    """Original values of a column in rising order, and which are near enough to each."""

    support: Floats  # the distinct values
    counts: Ints  # the records that share each of them
    reaches: list[_Reach]  # one for each width

    @classmethod
    def of(cls, values: Floats, widths: Sequence[float]) -> Ranked:
        """``values`` rise."""
        support, counts = np.unique(values, return_counts=True)
        rank = np.cumsum(counts) - (counts - 1) / 2
        reaches = []
        for width in widths:
            # less than a record is rounding
            reach = width * len(values) + 1e-9
            low = np.searchsorted(rank, rank - reach, side="left")
            high = np.searchsorted(rank, rank + reach, side="right") - 1
            reaches.append(_Reach(low, high))
        return cls(support, counts, reaches)


def _share_close(
    values: Ranked, ways: int, guesses: Callable[[slice], list[Floats]]
) -> list[float]:
    """For each way to guess the share of guesses that are near enough, over widths.

    ``guesses`` makes those of some records, in the order of the values.
    """
    n = int(values.counts.sum())
    if not n:
        return [0.0] * ways
    enough = np.zeros(ways, np.int64)
    # beyond both ends there is nothing else to stand for
    padded = np.concatenate([[-np.inf], values.support, [np.inf]])
    own = np.repeat(np.arange(len(values.support)), values.counts)
    # some thousands of records at a time stay in the processor's cache
    for start in range(0, n, BLOCK):
        some = slice(start, start + BLOCK)
        here, made = own[some], guesses(some)
        for reach in values.reaches:
            low, high = reach.low[here], reach.high[here]
            ends = padded[low], padded[low + 1], padded[high + 1], padded[high + 2]
            enough += near_enough(ends, made)
    return [int(hits) / n / len(values.reaches) for hits in enough]


def near_enough(
    ends: tuple[Floats, Floats, Floats, Floats], guesses: list[Floats]
) -> Ints:
    """How many guesses of each way are near enough.

    A guess stands for the nearest value: where 0 and 1 are all there is, 0.8 means 1, and a guess
    half-way goes to the lower one. It is near enough where it stands for none below the first
    value that is, and for none above the last: two comparisons with values beside them, and no
    look-up.

    Parameters
    ----------
    ends : four arrays
        Of each record the value before the first that is near enough, that first, the last, and
        the value after it.
    guesses : list of arrays
        The guesses of each way.
    """
    below, first, final, above = ends
    found = np.zeros(len(guesses), np.int64)
    for place, made in enumerate(guesses):
        near = first - made < made - below
        near &= above - made >= made - final
        found[place] = np.count_nonzero(near)
    return found


def _best_constant(values: Ranked) -> float:
    """The largest share that one and the same guess for everybody can have."""
    n = int(values.counts.sum())
    if not n:
        return 0.0
    start = np.concatenate([[0], np.cumsum(values.counts)])
    inside = np.zeros(len(values.support))
    for reach in values.reaches:
        inside += start[reach.high + 1] - start[reach.low]
    return float(inside.max()) / (len(values.reaches) * n)
