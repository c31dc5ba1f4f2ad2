"""Which columns of the EIA file are quasi-identifiers in the study of IPSO? The slides do not say.

Ten columns are amounts. All 1,022 ways to mask some of them given the others are tried, and three
figures of each are compared with the slides: the links of the modified distance under IPSO-C
(3,206), of the Mahalanobis distance (773) and of the Euclidean distance (65). The first does not
depend on the draw: IPSO-C keeps means and covariances exactly, and the modified distance uses
nothing else of the masked columns. One split of the 1,022 gives 3,206. Over twelve draws its other
figures are 785 (sd 13) and 57 (sd 6), so that the published 773 and 65 are draws that happen. The
eleven other splits that come within six of 3,206 give at least 839 and 117, in one draw each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.spatial import cKDTree

from tacit.attack.whiten import spread, whitener
from tacit.base.typing import Floats, Ints
from tacit.data.datasets.casc import reference
from tacit.data.microdata import Microdata

AMOUNTS = (
    "RESREVENUE",
    "RESSALES",
    "COMREVENUE",
    "COMSALES",
    "INDREVENUE",
    "INDSALES",
    "OTHREVENUE",
    "OTHRSALES",
    "TOTREVENUE",
    "TOTSALES",
)
# What the search finds.
QUASI = ("RESREVENUE", "RESSALES", "OTHREVENUE", "OTHRSALES", "TOTREVENUE")
CONFIDENTIAL = tuple(name for name in AMOUNTS if name not in QUASI)
RECORDS = 4092
# Slide 'Record Linkage Results', the row of IPSO-C.
PUBLISHED = {"aware": 3206.0, "naive": 773.0, "euclidean": 65.0}
# Two distances that differ by less are equal: amounts are whole numbers of five digits.
SAME = 1e-12


@dataclass(frozen=True)
class Split:
    """Quasi-identifiers, and the links of the three distances."""

    quasi: tuple[str, ...]
    links: dict[str, float]

    @property
    def distance(self) -> float:
        """How far from the slides: sum of (links - published)^2 / (n p (1 - p)), p their share."""
        total = 0.0
        for name, published in PUBLISHED.items():
            gap = self.links[name] - published
            total += gap**2 / (published * (1.0 - published / RECORDS))
        return total


def eia(folder: str | None = None) -> Microdata:
    """The EIA file in the roles that the search finds."""
    table = reference("eia", folder).select(list(AMOUNTS))
    columns = {name: table[name].to_numpy().astype(float) for name in AMOUNTS}
    return Microdata.of(
        columns,
        quasi=list(QUASI),
        confidential=list(CONFIDENTIAL),
        continuous=list(AMOUNTS),
    )


def search(folder: str | None = None, seed: int = 0) -> list[Split]:
    """Every split of the ten amounts, the nearest to the slides first (two minutes)."""
    data = eia(folder)
    values = data.numbers(AMOUNTS)
    # one unit for all columns: the links do not depend on it, their digits do
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    found = [
        Split(tuple(AMOUNTS[k] for k in places), split_links(values, places, seed))
        for places in _splits(len(AMOUNTS))
    ]
    return sorted(found, key=lambda split: split.distance)


def _splits(columns: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, columns):
        yield from combinations(range(columns), size)


def split_links(
    values: Floats, places: tuple[int, ...], seed: int = 0
) -> dict[str, float]:
    """Correct links under IPSO-C when these columns are masked given the others."""
    y = values[:, list(places)]
    others = [k for k in range(values.shape[1]) if k not in places]
    x = np.column_stack([np.ones(len(values)), values[:, others]])
    expected = x @ np.linalg.lstsq(x, y, rcond=None)[0]
    residual = y - expected
    masked = expected + _like(residual, x, np.random.default_rng(seed))
    unlike = spread(residual)
    turn = whitener(unlike, unlike)
    return {
        "aware": nearest_links(y @ turn, expected @ turn),
        # the covariance of the differences is twice that of the residuals: the same links
        "naive": nearest_links(y @ turn, masked @ turn),
        "euclidean": nearest_links(y, masked),
    }


def _like(residual: Floats, x: Floats, rng: np.random.Generator) -> Floats:
    """Noise that is orthogonal to x and has the covariance of the residuals exactly (IPSO-C)."""
    noise = rng.normal(size=residual.shape)
    noise = noise - x @ np.linalg.lstsq(x, noise, rcond=None)[0]
    noise = noise @ _inverse_root(noise.T @ noise)
    return noise @ _root(residual.T @ residual)


def _root(square: Floats) -> Floats:
    values, axes = np.linalg.eigh(square)
    # rounding may make the smallest eigenvalue negative
    lengths = np.sqrt(np.maximum(values, 0.0))
    return np.asarray((axes * lengths) @ axes.T)


def _inverse_root(square: Floats) -> Floats:
    values, axes = np.linalg.eigh(square)
    return np.asarray((axes / np.sqrt(values)) @ axes.T)


def nearest_links(a: Floats, b: Floats) -> float:
    """Expected correct links of each row of a to its nearest row of b, ties shared."""
    tree = cKDTree(b)
    nearest, _ = tree.query(a)
    own = np.linalg.norm(a - b, axis=1)
    reach = own * (1.0 + SAME) + SAME
    right: Ints = np.flatnonzero(own <= nearest * (1.0 + SAME) + SAME)
    if not len(right):
        return 0.0
    tied = tree.query_ball_point(a[right], reach[right], return_length=True)
    return float((1.0 / tied).sum())
