"""Interval disclosure that counts only what the release adds, after the noise is filtered out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.attack.linkage import Linkage
from tacit.base import facts
from tacit.base.errors import ParameterError
from tacit.base.measure import Measure
from tacit.base.typing import Floats, Ints
from tacit.data.pair import Pair
from tacit.risk.interval import WIDTHS

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
    holds="a guess of a value is made of all columns of its record, for many sizes of noise",
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
    released = own_row >= 0
    if not released.any():
        why = "it is not known which masked record is whose"
        return Measure.absent("interval_excess", why)

    x, z = pair.numbers(names)
    x = x[released]
    own = own_row[released]
    # files whose rows stand in the same order are not copied
    in_order = np.array_equal(own, np.arange(len(z)))
    guesses = _Guesses.of(z if in_order else z[own], z, noise)
    with_release: dict[str, float] = {}
    without: dict[str, float] = {}
    best_guess: dict[str, str] = {}
    for j, name in enumerate(names):
        known = ~np.isnan(x[:, j])
        # in rising order all look-ups walk through memory
        order = np.flatnonzero(known)[np.argsort(x[known, j], kind="stable")]
        ranked = _Ranked.of(x[order, j], widths)
        titles = [RELEASED]
        share = _share_close(ranked, [guesses.released[order, j]])
        # where the value as released is right everywhere, no other guess is better
        if share[0] < 1.0:
            titles += guesses.filtered
            others = [guess[order, j] for guess in guesses.filtered.values()]
            share += _share_close(ranked, others)
        with_release[name], best_guess[name] = max(zip(share, titles, strict=True))
        without[name] = _best_constant(ranked)
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


@dataclass(frozen=True)
class _Guesses:
    """What an intruder makes of each masked row, from the moments of the release alone."""

    centred: Floats
    mean: Floats
    unit: Floats
    correlations: Floats
    noises: Sequence[float]

    @classmethod
    def of(cls, rows: Floats, z: Floats, noise: float | None) -> _Guesses:
        """Of masked ``rows`` of the release z."""
        # an empty column has no mean: its guesses are 0
        known = ~np.isnan(z)
        number = np.maximum(known.sum(axis=0), 1)
        mean = np.where(known, z, 0.0).sum(axis=0) / number
        # a gap is the mean, as far as the other columns are concerned
        centred = np.where(known, z - mean, 0.0)
        sd = np.sqrt((centred**2).sum(axis=0) / number)
        unit = np.where(sd > 0, sd, 1.0)
        scaled = centred / unit
        correlations = scaled.T @ scaled / len(scaled)
        if rows is not z:
            centred = np.where(np.isnan(rows), 0.0, rows - mean)
        sizes = NOISES if noise is None else (noise,)
        return cls(centred, mean, unit, correlations, sizes)

    @cached_property
    def released(self) -> Floats:
        """The values as they were released."""
        return self.centred + self.mean

    @cached_property
    def filtered(self) -> dict[str, Floats]:
        """The values less noise of every size."""
        values, vectors = np.linalg.eigh(self.correlations)
        rows = self.centred / self.unit
        guesses = {}
        for size in self.noises:
            variance = size**2 / (1 + size**2)
            # directions with less variance than the noise alone carry nothing but noise
            kept = np.maximum(1 - variance / np.maximum(values, 1e-12), 0.0)
            filtered = rows @ (vectors * kept) @ vectors.T
            guesses[f"less independent noise of {size:g} sd"] = (
                filtered * self.unit + self.mean
            )
            guesses[f"less correlated noise of {size:g} sd"] = (
                1 - variance
            ) * self.centred + self.mean
        return guesses


@dataclass(frozen=True)
class _Reach:
    """Of each distinct value the values whose mean rank is within one width of its own."""

    low: Ints  # the first of them
    high: Ints  # the last of them


@dataclass(frozen=True)
class _Ranked:
    """Original values of a column in rising order, and which are near enough to each."""

    support: Floats  # the distinct values
    counts: Ints  # the records that share each of them
    reaches: list[_Reach]  # one for each width

    @classmethod
    def of(cls, values: Floats, widths: Sequence[float]) -> _Ranked:
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


def _share_close(values: _Ranked, guesses: list[Floats]) -> list[float]:
    """For each way to guess the share of guesses that are near enough, over widths.

    A guess stands for the nearest value: where 0 and 1 are all there is, 0.8 means 1, and a guess
    half-way goes to the lower one. It is near enough where it stands for none below the first
    value that is, and for none above the last: two comparisons with values beside them, and no
    look-up.
    """
    n = int(values.counts.sum())
    if not n:
        return [0.0 for _ in guesses]
    enough = [0 for _ in guesses]
    # beyond both ends there is nothing else to stand for
    padded = np.concatenate([[-np.inf], values.support, [np.inf]])
    own = np.repeat(np.arange(len(values.support)), values.counts)
    # some thousands of records at a time stay in the processor's cache
    for start in range(0, n, BLOCK):
        some = slice(start, start + BLOCK)
        here = own[some]
        for reach in values.reaches:
            low, high = reach.low[here], reach.high[here]
            below, first = padded[low], padded[low + 1]
            final, above = padded[high + 1], padded[high + 2]
            for place, guess in enumerate(guesses):
                made = guess[some]
                near = first - made < made - below
                near &= above - made >= made - final
                enough[place] += int(np.count_nonzero(near))
    return [hits / n / len(values.reaches) for hits in enough]


def _best_constant(values: _Ranked) -> float:
    """The largest share that one and the same guess for everybody can have."""
    n = int(values.counts.sum())
    if not n:
        return 0.0
    start = np.concatenate([[0], np.cumsum(values.counts)])
    inside = np.zeros(len(values.support))
    for reach in values.reaches:
        inside += start[reach.high + 1] - start[reach.low]
    return float(inside.max()) / (len(values.reaches) * n)
