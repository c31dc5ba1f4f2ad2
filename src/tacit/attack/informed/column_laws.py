"""Was a column added to or multiplied? The likelihood of its values under both, links unknown.

If z came from one of the originals x_1 .. x_n, and nobody says from which, then its density is
the mean of f(z | x_i). So the release has a likelihood under each law of disturbance before a
single record is linked, and the law that makes it largest is the intruder's guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit.base.scipy_parts import logsumexp
from tacit.base.typing import Floats

Law = Literal["added", "lognormal", "normal"]
"""z = x + e, z = x f with f lognormal of mean 1, or z = x f with f normal about 1 in (0, 2)."""

LAWS: tuple[Law, ...] = ("added", "lognormal", "normal")

# Sizes that are tried: standard deviation over that of the column, or of the factor
SIZES = np.geomspace(0.02, 4.0, 14)
# Released values that are looked at, evenly over their order
LOOKED_AT = 150
# Originals that are averaged over at the most, evenly over their order
AVERAGED = 1_000
# Share of records whose sign may differ: small values are rounded to zero
ROUNDED = 0.02
# Nats by which a law must lead in its own column to be taken against the other columns
CLEARLY = 8.0
# Half of the usual unit of integer columns: a value of less was rounded to zero
LEAST = 0.5


@dataclass(frozen=True)
class Fit:
    """How a column fits each law: best size, and log likelihood above that of added noise."""

    size: dict[Law, float]
    lead: dict[Law, float]

    @property
    def best(self) -> Law:
        """The law that fits best; the plainer one where they fit alike."""
        return max(self.lead, key=lambda law: self.lead[law])


def column_fit(x: Floats, z: Floats) -> Fit:
    """How likely the released column is under each law that is possible.

    Parameters
    ----------
    x, z : arrays
        The column in both files; row order is not looked at, missing values are left out.
    """
    signs_kept = _signs_kept(x, z)
    x = _evenly(x, AVERAGED)
    z = _evenly(z, LOOKED_AT)
    laws: tuple[Law, ...] = ("added",)
    if signs_kept:
        laws = ("added", "lognormal", "normal")
    fits = {law: _best(x, z, law) for law in laws}
    plain = fits["added"][0]
    return Fit(
        {law: size for law, (_, size) in fits.items()},
        {law: fit - plain for law, (fit, _) in fits.items()},
    )


def column_laws(x: Floats, z: Floats) -> tuple[list[Law], list[float], float]:
    """The law of each column and its size, and the lead of multiplying over all columns.

    Columns are mostly treated alike: the law that fits best over all is taken where a column
    does not clearly say otherwise.

    Parameters
    ----------
    x, z : arrays
        Records x columns of both files.
    """
    fits = [column_fit(x[:, c], z[:, c]) for c in range(x.shape[1])]
    together = dict.fromkeys(LAWS, 0.0)
    for fit in fits:
        for law, lead in fit.lead.items():
            together[law] += lead
    common = max(LAWS, key=lambda law: together[law])
    laws: list[Law] = []
    for fit in fits:
        behind = fit.lead[fit.best] - fit.lead.get(common, -np.inf)
        laws.append(fit.best if behind > CLEARLY else common)
    sizes = [fit.size[law] for fit, law in zip(fits, laws, strict=True)]
    return laws, sizes, together[common]


def _evenly(values: Floats, most: int) -> Floats:
    """The sorted values present, or so many of them evenly over the order."""
    ordered = np.sort(values[np.isfinite(values)])
    if len(ordered) <= most:
        return ordered
    place = (np.arange(most) + 0.5) * len(ordered) / most
    return np.asarray(ordered[place.astype(np.int64)])


def _signs_kept(x: Floats, z: Floats) -> bool:
    """Multiplication changes no sign and leaves zeros; a few values are rounded to zero."""
    x = x[np.isfinite(x)]
    z = z[np.isfinite(z)]
    if not len(x) or not len(z) or not (x != 0).any() or not (z != 0).any():
        return False
    negative = abs(float((x < 0).mean() - (z < 0).mean()))
    lost_zeros = float((x == 0).mean() - (z == 0).mean())
    new_zeros = -lost_zeros
    return negative <= ROUNDED and lost_zeros <= ROUNDED and new_zeros <= 5 * ROUNDED


def _best(
    x: Floats,
    z: Floats,
    law: Law,
) -> tuple[float, float]:
    """Largest log likelihood over the sizes, and its size."""
    fits = [_log_likelihood(x, z, law, float(size)) for size in SIZES]
    place = int(np.argmax(fits))
    return fits[place], float(SIZES[place])


def _log_likelihood(
    x: Floats,
    z: Floats,
    law: Law,
    size: float,
) -> float:
    """sum_j log mean_i f(z_j | x_i)."""
    if law == "added":
        sd = max(float(x.std()), 1e-300) * size
        return _mixture(-0.5 * ((z[:, None] - x) / sd) ** 2 - np.log(sd))
    # a zero stays zero with certainty, so that zeros count by their share alone
    share = max(float((x == 0).mean()), 1e-3)
    total = float((z == 0).sum() * np.log(share))
    unit = _unit(x)
    for sign in (1.0, -1.0):
        before = sign * x[sign * x > 0]
        after = sign * z[sign * z > 0]
        if not len(after):
            continue
        if not len(before):
            return -np.inf
        part = _factor(np.maximum(before, unit), np.maximum(after, unit), law, size)
        total += part + len(after) * float(np.log(len(before) / len(x)))
    return total


def _factor(
    x: Floats,
    z: Floats,
    law: Law,
    size: float,
) -> float:
    """Log likelihood of positive values that were multiplied."""
    if law == "lognormal":
        variance = np.log1p(size * size)
        apart = np.log(z)[:, None] - np.log(x) + variance / 2
        density = -0.5 * apart**2 / variance - 0.5 * np.log(variance)
        return _mixture(density - np.log(z)[:, None])
    ratio = z[:, None] / x
    density = -0.5 * ((ratio - 1) / size) ** 2 - np.log(size * x)
    # factors outside (0, 2) are drawn again
    return _mixture(np.where(ratio < 2.0, density, -np.inf))


def _mixture(density: Floats) -> float:
    """sum over rows of the log of the mean density; constants that all laws share are left out."""
    mean = logsumexp(density, axis=1) - np.log(density.shape[1])
    # what is impossible under every original counts as very unlikely: outliers exist
    return float(np.maximum(mean, -60.0).sum())


def _unit(x: Floats) -> float:
    """Half a unit for whole numbers, nothing otherwise."""
    whole = bool((x == np.rint(x)).all())
    return LEAST if whole else 0.0
