"""Interval disclosure that counts only what the release adds, after the noise is filtered out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.attack.linkage import Linkage
from tacit.base import facts
from tacit.base.errors import ParameterError
from tacit.base.measure import Measure
from tacit.base.typing import Floats
from tacit.data.pair import Pair
from tacit.risk.interval import WIDTHS

# Sizes of noise that the intruder tries, as multiples of a column's standard deviation:
# from hardly any to four times, each about half as large again as the one before.
NOISES = (0.05, 0.1, 0.15, 0.25, 0.4, 0.6, 1.0, 1.5, 2.5, 4.0)


@facts.measure(
    "Interval disclosure beyond guessing",
    threshold=0.4,
    why="at most half of the values guessed closely, a tenth of which needs no release",
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
    guesses = _guesses(z, noise)
    own = own_row[released]
    # files whose rows stand in the same order are not copied
    if not np.array_equal(own, np.arange(len(z))):
        guesses = {title: guess[own] for title, guess in guesses.items()}
    with_release: dict[str, float] = {}
    without: dict[str, float] = {}
    best_guess: dict[str, str] = {}
    for j, name in enumerate(names):
        known = ~np.isnan(x[:, j])
        # in rising order all look-ups walk through memory
        order = np.argsort(x[known, j], kind="stable")
        ranked = _Ranked.of(x[known, j][order])
        shares = {
            title: _share_close(ranked, guess[known, j][order], widths)
            for title, guess in guesses.items()
        }
        best = max(shares, key=lambda title: (shares[title], title))
        best_guess[name] = best
        with_release[name] = shares[best]
        without[name] = _best_constant(ranked, widths)
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


def _guesses(z: Floats, noise: float | None) -> dict[str, Floats]:
    """What an intruder makes of each masked row, from the moments of the release alone."""
    # an empty column has no mean, and all its guesses are NaN
    known = ~np.isnan(z)
    number = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, z, 0.0).sum(axis=0) / number
    # a gap is the mean, as far as the other columns are concerned
    centred = np.where(known, z - mean, 0.0)
    sd = np.sqrt((centred**2).sum(axis=0) / number)
    unit = np.where(sd > 0, sd, 1.0)
    rows = centred / unit
    values, vectors = np.linalg.eigh(rows.T @ rows / len(rows))
    guesses = {"as released": centred + mean}
    for size in NOISES if noise is None else (noise,):
        variance = size**2 / (1 + size**2)
        # directions with less variance than the noise alone carry nothing but noise
        kept = np.maximum(1 - variance / np.maximum(values, 1e-12), 0.0)
        filtered = rows @ (vectors * kept) @ vectors.T
        guesses[f"less independent noise of {size:g} sd"] = filtered * unit + mean
        guesses[f"less correlated noise of {size:g} sd"] = (
            1 - variance
        ) * centred + mean
    return guesses


@dataclass(frozen=True)
class _Ranked:
    """Original values of a column in rising order."""

    support: Floats  # the distinct values
    rank: Floats  # the mean rank of the records that share each of them
    own: Floats  # the mean rank of each record

    @classmethod
    def of(cls, values: Floats) -> _Ranked:
        """``values`` rise."""
        support, counts = np.unique(values, return_counts=True)
        rank = np.cumsum(counts) - (counts - 1) / 2
        return cls(support, rank, np.repeat(rank, counts))


def _share_close(
    values: _Ranked,
    guess: Floats,
    widths: Sequence[float],
) -> float:
    """Share of guesses whose mean rank is within `width` x n of the value's, over widths."""
    n = len(values.own)
    if not n:
        return 0.0
    support = values.support
    # Where 0 and 1 are all there is, 0.8 means 1; a guess half-way goes to the lower value.
    upper = np.clip(np.searchsorted(support, guess), 1, max(len(support) - 1, 1))
    upper = np.minimum(upper, len(support) - 1)
    lower = np.maximum(upper - 1, 0)
    goes_up = support[upper] - guess < guess - support[lower]
    named = np.where(goes_up, upper, lower)
    off = np.abs(values.rank[named] - values.own)
    # comparing with every width is five times as fast as looking each difference up among them
    enough = sum(int(np.count_nonzero(off <= width * n + 1e-9)) for width in widths)
    return enough / n / len(widths)


def _best_constant(values: _Ranked, widths: Sequence[float]) -> float:
    """The largest share that one and the same guess for everybody can have."""
    n = len(values.own)
    if not n:
        return 0.0
    inside = np.zeros(len(values.support))
    for width in widths:
        reach = width * n + 1e-9
        high = np.searchsorted(values.own, values.rank + reach, side="right")
        low = np.searchsorted(values.own, values.rank - reach, side="left")
        inside += high - low
    return float(inside.max()) / (len(widths) * n)
