"""A census-like file of 13 skewed, correlated income attributes, drawn from a copula.

The reference file of the literature ("Census": 1,080 records of the 1995 Current Population Survey,
published by the CASC project) is not ours to ship. This generator resembles it from a smooth summary only:
25 quantiles a column rounded to two digits, and a matrix of normal-score correlations of two
decimals, shifted a little so that the sums below correlate as they should.

Definition. z ~ Normal(0, R) over nine base attributes; u = Phi(z); x_j = Q_j(u_j), with Q_j the monotone
interpolation (PCHIP) of the quantiles. The other attributes follow from these as they do for a real taxpayer:

* POTHVAL  = INTVAL + OTHER                    (28 % of records have interest as their only other income)
* PEARNVAL = WSALVAL, or a little more          (6 % have earnings besides wages)
* ERNVAL   = WSALVAL, or a part of it           (15 %: the longest job is not the only one)
* FICA     = 6.2 % of earnings up to 60,600 plus 1.45 % of earnings (the law of 1994), 5 % of records deviate
* PTOTVAL  = POTHVAL + PEARNVAL                 (exactly: the file has rank 12, as the reference has)

Amounts are integers, and wages are heaped on round figures. Sizes 1,080, 13,500 and 149,642 stand for the
files called C, LC and VLC (Rodriguez Fernandez 2013, Table 4.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]

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

# fmt: off
_PROBABILITIES = np.array([0, .01, .025, .05, .10, .15, .20, .25, .30, .35, .40, .45, .50, .55, .60, .65, .70,
                           .75, .80, .85, .90, .95, .975, .99, 1])
_QUANTILES = {
    "AFNLWGT": [
        14000, 36000, 45000, 56000, 76000, 99000, 110000, 130000, 140000, 150000, 160000, 170000, 180000,
        190000, 200000, 210000, 220000, 240000, 270000, 300000, 350000, 400000, 430000, 500000, 690000,
    ],
    "AGI": [
        6500, 8400, 12000, 15000, 21000, 26000, 31000, 36000, 41000, 46000, 51000, 55000, 58000,
        62000, 66000, 69000, 73000, 76000, 79000, 84000, 89000, 95000, 97000, 99000, 100000,
    ],
    "EMCONTRB": [
        16, 300, 540, 870, 1300, 1600, 1800, 2100, 2300, 2600, 2800, 3000, 3200,
        3400, 3600, 3800, 4000, 4200, 4500, 4600, 5000, 5400, 5800, 6300, 7100,
    ],
    "FEDTAX": [
        1, 94, 260, 630, 1200, 2000, 2800, 3400, 4000, 4800, 5500, 6200, 7100,
        7900, 8700, 9400, 10000, 11000, 12000, 13000, 14000, 16000, 18000, 19000, 21000,
    ],
    "STATETAX": [
        2, 44, 110, 250, 460, 720, 940, 1200, 1400, 1600, 1800, 2100, 2300,
        2600, 2800, 3100, 3400, 3700, 4100, 4600, 5000, 5700, 6600, 8100, 11000,
    ],
    "TAXINC": [
        8, 630, 1800, 4400, 8900, 14000, 19000, 23000, 27000, 31000, 34000, 38000, 41000,
        44000, 47000, 50000, 53000, 56000, 59000, 64000, 68000, 73000, 76000, 80000, 83000,
    ],
    "INTVAL": [
        1, 2, 5, 10, 23, 40, 62, 96, 120, 170, 200, 260, 350,
        430, 510, 670, 850, 1100, 1500, 2100, 3400, 5800, 10000, 18000, 49000,
    ],
    "OTHER": [
        0, 0, 0, 0, 0, 0, 0, 0, 2, 45, 150, 250, 500,
        800, 1000, 1500, 2400, 3500, 5000, 7600, 11000, 18000, 28000, 41000, 94000,
    ],
    "WSALVAL": [
        80, 2700, 5000, 8000, 13000, 18000, 21000, 24000, 26000, 30000, 32000, 35000, 38000,
        41000, 44000, 48000, 50000, 54000, 58000, 62000, 67000, 75000, 84000, 90000, 98000,
    ],
}
_CORRELATIONS = np.array([
    [1.00, -.00, .06, -.00, -.11, -.01, -.05, -.07, .04],
    [-.00, 1.00, .49, .96, .83, .98, .33, .10, .74],
    [.06, .49, 1.00, .40, .33, .44, .03, -.05, .58],
    [-.00, .96, .40, 1.00, .84, .99, .39, .11, .75],
    [-.11, .83, .33, .84, 1.00, .84, .34, .10, .65],
    [-.01, .98, .44, .99, .84, 1.00, .36, .10, .73],
    [-.05, .33, .03, .39, .34, .36, 1.00, -.02, .20],
    [-.07, .10, -.05, .11, .10, .10, -.02, 1.00, -.20],
    [.04, .74, .58, .75, .65, .73, .20, -.20, 1.00],
])
# fmt: on

_FICA_BASE = 60600.0


def _base(n: int, rng: np.random.Generator) -> dict[str, Floats]:
    """The nine attributes of the copula, as real amounts."""
    from scipy.interpolate import PchipInterpolator
    from scipy.special import ndtr

    # rounding may leave the matrix a hair short of positive definite: clip, then restore the unit diagonal
    values, vectors = np.linalg.eigh(_CORRELATIONS)
    factor = vectors * np.sqrt(np.clip(values, 1e-4, None))
    factor /= np.sqrt((factor**2).sum(axis=1, keepdims=True))
    uniform = ndtr(rng.standard_normal((n, len(factor))) @ factor.T)
    return {
        name: np.asarray(PchipInterpolator(_PROBABILITIES, quantiles)(uniform[:, j]), dtype=np.float64)
        for j, (name, quantiles) in enumerate(_QUANTILES.items())
    }


def _heap(amounts: Floats, steps: Floats) -> Floats:
    """People report round figures: round each amount to its step, but never to nothing."""
    rounded = np.round(amounts / steps) * steps
    return np.where(rounded > 0, rounded, np.maximum(np.round(amounts), 1.0))


def _wages(amounts: Floats, rng: np.random.Generator) -> Floats:
    steps = rng.choice([1000.0, 500.0, 100.0, 1.0], size=len(amounts), p=[0.70, 0.07, 0.09, 0.14])
    return _heap(amounts, steps)


def _interest(amounts: Floats, rng: np.random.Generator) -> Floats:
    digits = rng.choice([0.0, 1.0, 2.0, 9.0], size=len(amounts), p=[0.20, 0.27, 0.33, 0.20])
    steps = 10.0 ** np.maximum(np.floor(np.log10(np.maximum(amounts, 1.0))) - digits, 0.0)
    return _heap(amounts, steps)


def make_census(n: int = 1080, seed: int | None = 0) -> pa.Table:
    """Draw ``n`` census-like records as a pyarrow table of 13 integer columns.

    Definition and source: the module's docstring. Guarantee: the same ``n`` and ``seed`` give the same bytes.
    Cost: O(n).

    >>> table = make_census(5, seed=1)
    >>> table.num_rows, table.num_columns
    (5, 13)
    >>> total, other, earned = (table[c].to_numpy() for c in ("PTOTVAL", "POTHVAL", "PEARNVAL"))
    >>> bool((total == other + earned).all())
    True
    """
    import pyarrow as pa

    if n < 1:
        from tacit.errors import ParameterError

        raise ParameterError(f"make_census: n must be at least 1, not {n}.")
    rng = np.random.default_rng(seed)
    data = _base(n, rng)
    wage = _wages(data.pop("WSALVAL"), rng)
    interest = _interest(data.pop("INTVAL"), rng)
    other = np.round(data.pop("OTHER"))

    more = np.where(rng.random(n) < 0.056, rng.exponential(4000.0, n), 0.0)
    earned = wage + np.round(more)
    less = np.where(rng.random(n) < 0.155, np.exp(-0.16 * rng.exponential(1.6, n)), 1.0)
    longest = np.maximum(np.round(wage * less), 1.0)

    fica = np.floor(0.062 * np.minimum(earned, _FICA_BASE) + 0.0145 * earned)
    fica *= np.where(rng.random(n) < 0.05, np.exp(0.3 * np.abs(rng.standard_normal(n))), 1.0)

    data |= {
        "WSALVAL": wage,
        "INTVAL": interest,
        "PEARNVAL": earned,
        "ERNVAL": longest,
        "FICA": np.maximum(np.round(fica), 1.0),
        "POTHVAL": interest + other,
        "PTOTVAL": interest + other + earned,
    }
    columns = {name: np.maximum(np.round(data[name]), 1.0).astype(np.int64) for name in COLUMNS}
    return pa.table(columns)
