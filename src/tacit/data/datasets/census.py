"""A census-like file of 13 skewed, correlated income attributes, drawn from a copula.

The reference file of the literature ("Census": 1,080 records of the 1995 Current Population
Survey, published by the CASC project) is not ours to ship. This generator resembles it from a
smooth summary only (``census_summary``).

Definition. z ~ Normal(0, R) over nine base attributes; u = Phi(z); x_j = Q_j(u_j), with Q_j the
monotone interpolation (PCHIP) of the quantiles. The other attributes follow from these as they
do for a real taxpayer:

* POTHVAL  = INTVAL + OTHER               (28 % of records have interest as their only other income)
* PEARNVAL = WSALVAL, or a little more     (6 % have earnings besides wages)
* ERNVAL   = WSALVAL, or a part of it      (15 %: the longest job is not the only one)
* FICA     = 6.2 % of earnings up to 60,600 plus 1.45 % of earnings (the law of 1994), 5 % deviate
* PTOTVAL  = POTHVAL + PEARNVAL            (exactly: the file has rank 12, as the reference has)

Amounts are integers, and wages are heaped on round figures. Sizes 1,080, 13,500 and 149,642
stand for the files called C, LC and VLC (Rodriguez Fernandez 2013, Table 4.1).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.base.errors import ParameterError
from tacit.base.scipy_parts import ndtr
from tacit.base.typing import Floats
from tacit.data.buffers import array_of
from tacit.data.datasets.census_summary import (
    CORRELATIONS,
    PROBABILITIES,
    QUANTILES,
)
from tacit.data.datasets.monotone import monotone

#: columns in the order of the published file
COLUMNS = [
    "AFNLWGT",
    "AGI",
    "EMCONTRB",
    "FEDTAX",
    "PTOTVAL",
    "STATETAX",
    "TAXINC",
    "POTHVAL",
    "INTVAL",
    "PEARNVAL",
    "FICA",
    "WSALVAL",
    "ERNVAL",
]

#: the papers' V1..V13
PAPER_ORDER = [
    "AFNLWGT",
    "AGI",
    "EMCONTRB",
    "ERNVAL",
    "FEDTAX",
    "FICA",
    "INTVAL",
    "PEARNVAL",
    "POTHVAL",
    "PTOTVAL",
    "STATETAX",
    "TAXINC",
    "WSALVAL",
]

#: the three sizes used in the literature
SIZES = {"C": 1080, "LC": 13500, "VLC": 149642}

# Old-age insurance is paid on earnings up to this base, at this rate; medical insurance on
# all earnings (the law of 1994).
_FICA_BASE = 60600.0
_FICA_OLD_AGE = 0.062
_FICA_MEDICAL = 0.0145

# How people round what they report: to a step in dollars, or to so many digits after the
# leading one (9: not at all), and the share of people who do so.
_WAGE_STEPS = [1000.0, 500.0, 100.0, 1.0]
_WAGE_SHARES = [0.70, 0.07, 0.09, 0.14]
_INTEREST_DIGITS = [0.0, 1.0, 2.0, 9.0]
_INTEREST_SHARES = [0.20, 0.27, 0.33, 0.20]


def _base(n: int, rng: np.random.Generator) -> dict[str, Floats]:
    """The nine attributes of the copula, as real amounts."""
    # Rounding may leave the matrix a hair short of positive definite: clip, then restore the
    # unit diagonal.
    values, vectors = np.linalg.eigh(CORRELATIONS)
    factor = vectors * np.sqrt(np.clip(values, 1e-4, None))
    factor /= np.sqrt((factor**2).sum(axis=1, keepdims=True))
    normal = rng.standard_normal((n, len(factor)))
    uniform = ndtr(normal @ factor.T)
    amounts: dict[str, Floats] = {}
    for j, (name, quantiles) in enumerate(QUANTILES.items()):
        amounts[name] = monotone(PROBABILITIES, quantiles, uniform[:, j])
    return amounts


def _heap(amounts: Floats, steps: Floats) -> Floats:
    """People report round figures: round each amount to its step, never to nothing."""
    rounded = np.round(amounts / steps) * steps
    at_least_one = np.maximum(np.round(amounts), 1.0)
    return np.where(rounded > 0, rounded, at_least_one)


def _wages(amounts: Floats, rng: np.random.Generator) -> Floats:
    """Wages, most of them reported in whole thousands."""
    steps = rng.choice(_WAGE_STEPS, size=len(amounts), p=_WAGE_SHARES)
    return _heap(amounts, steps)


def _interest(amounts: Floats, rng: np.random.Generator) -> Floats:
    """Interest, reported to one, two, three or all digits."""
    digits = rng.choice(_INTEREST_DIGITS, size=len(amounts), p=_INTEREST_SHARES)
    leading = np.floor(np.log10(np.maximum(amounts, 1.0)))
    steps = 10.0 ** np.maximum(leading - digits, 0.0)
    return _heap(amounts, steps)


def _earnings(wage: Floats, rng: np.random.Generator) -> Floats:
    """Wages, and for 5.6 % of people earnings besides them, 4,000 on average."""
    n = len(wage)
    has_more = rng.random(n) < 0.056
    more = np.where(has_more, rng.exponential(4000.0, n), 0.0)
    return np.asarray(wage + np.round(more))


def _longest_job(wage: Floats, rng: np.random.Generator) -> Floats:
    """What the longest job paid: less than all wages for 15.5 % of people."""
    n = len(wage)
    has_others = rng.random(n) < 0.155
    part = np.exp(-0.16 * rng.exponential(1.6, n))
    share = np.where(has_others, part, 1.0)
    return np.maximum(np.round(wage * share), 1.0)


def _fica(earned: Floats, rng: np.random.Generator) -> Floats:
    """Contributions by the law; 5 % of people pay more."""
    n = len(earned)
    old_age = _FICA_OLD_AGE * np.minimum(earned, _FICA_BASE)
    fica = np.floor(old_age + _FICA_MEDICAL * earned)
    deviates = rng.random(n) < 0.05
    factor = np.exp(0.3 * np.abs(rng.standard_normal(n)))
    fica *= np.where(deviates, factor, 1.0)
    return np.maximum(np.round(fica), 1.0)


def make_census(n: int = 1080, seed: int | None = 0) -> pa.Table:
    """Draw ``n`` census-like records as a pyarrow table of 13 integer columns.

    Parameters
    ----------
    n : int
        Number of records, 1 or more.
    seed : int, optional
        Seed of the draw; None draws other records with each call.

    Notes
    -----
    **Definition.** See the module's docstring.
    **Guarantee.** The same ``n`` and ``seed`` give the same bytes.
    **Cost.** O(n).

    Examples
    --------
    >>> table = make_census(5, seed=1)
    >>> table.num_rows, table.num_columns
    (5, 13)
    >>> names = ("PTOTVAL", "POTHVAL", "PEARNVAL")
    >>> total, other, earned = (table[name].to_numpy() for name in names)
    >>> bool((total == other + earned).all())
    True
    """
    if n < 1:
        raise ParameterError(f"make_census: n must be at least 1, not {n}.")
    rng = np.random.default_rng(seed)
    data = _base(n, rng)
    # The order of the draws is part of the seed's meaning: keep it.
    wage = _wages(data.pop("WSALVAL"), rng)
    interest = _interest(data.pop("INTVAL"), rng)
    other = np.round(data.pop("OTHER"))
    earned = _earnings(wage, rng)
    longest = _longest_job(wage, rng)
    data |= {
        "WSALVAL": wage,
        "INTVAL": interest,
        "PEARNVAL": earned,
        "ERNVAL": longest,
        "FICA": _fica(earned, rng),
        "POTHVAL": interest + other,
        "PTOTVAL": interest + other + earned,
    }
    columns = {}
    for name in COLUMNS:
        # amounts are whole dollars, at least one
        amounts = np.maximum(np.round(data[name]), 1.0)
        columns[name] = array_of(amounts.astype(np.int64))
    return pa.table(columns)
