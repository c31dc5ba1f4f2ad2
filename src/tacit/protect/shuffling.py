"""Data shuffling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from tacit.errors import ColumnError
from tacit.microdata import FloatArray, Kind, Microdata, Role
from tacit.protect.base import Protector, Seed
from tacit.protect.moments import root


class Shuffling(Protector):
    """Give each record the values of other records, so that rank correlations stay as they were.

    Definition: every column becomes normal scores of its ranks, ``ndtri((rank - 1/2) / n)``. With correlations
    ``2 sin(pi r / 6)`` made from the rank correlations r, scores ``y = s B + e`` are drawn from the normal
    distribution of the masked columns given the columns s in ``given``. The record whose new score ranks j-th in a
    column takes the j-th smallest original value. Source: Muralidhar and Sarathy (2006).
    Guarantee: the multiset of each column is kept exactly; given ``given``, the release does not depend on a
    record's own masked values. Missing values stay where they are. Cost: n log n a column.
    Known attacks: those on the ``given`` columns themselves.

    Parameters: ``given``: columns that stay (default: the confidential columns that can be ranked).

    >>> import numpy as np
    >>> masked = Shuffling(random_state=1).fit_transform(np.arange(8.0).reshape(4, 2))
    >>> np.sort(masked, axis=0).tolist() == np.arange(8.0).reshape(4, 2).tolist()
    True
    """

    kinds = frozenset({Kind.continuous, Kind.ordinal})

    def __init__(
        self, columns: list[str] | None = None, given: list[str] | None = None, random_state: Seed = None
    ) -> None:
        self.columns = columns
        self.given = given
        self.random_state = random_state

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        if self.given is None:
            given = [n for n in data.schema.names(role=Role.confidential) if n not in columns]
            given = [n for n in given if data.schema[n].kind is not Kind.nominal]
        else:
            given = list(self.given)
            for name in given:
                if name in columns:
                    raise ColumnError(f"'{name}' is both shuffled and given; leave it out of one")
                if data.schema[name].kind is Kind.nominal:
                    raise ColumnError(f"'{name}' is nominal and has no ranks; leave it out of given=[...]")
        return data.with_numbers(columns, shuffle(data.numbers(columns), data.numbers(given), rng))


def scores(values: FloatArray) -> FloatArray:
    """Normal scores of the ranks of each column (equal values share a rank); a missing value scores 0."""
    out = np.zeros(values.shape)
    for j in range(values.shape[1]):
        present = ~np.isnan(values[:, j])
        m = int(present.sum())
        out[present, j] = ndtri((rankdata(values[present, j]) - 0.5) / max(m, 1))
    return out


def shuffle(values: FloatArray, given: FloatArray, rng: np.random.Generator) -> FloatArray:
    """The masked columns; see ``Shuffling``."""
    n, d = values.shape
    both = scores(np.hstack([values, given]))
    ranks = np.column_stack([rankdata(column) for column in both.T])
    ranks -= ranks.mean(axis=0)
    size = np.sqrt((ranks**2).sum(axis=0))
    size[size == 0] = 1.0
    correlation = 2 * np.sin(np.pi / 6 * (ranks / size).T @ (ranks / size))
    np.fill_diagonal(correlation, 1.0)
    xx, xs, ss = correlation[:d, :d], correlation[:d, d:], correlation[d:, d:]
    weights = np.linalg.pinv(ss, rcond=1e-10, hermitian=True) @ xs.T if given.shape[1] else np.zeros((0, d))
    drawn = both[:, d:] @ weights + rng.standard_normal((n, d)) @ root(xx - xs @ weights)
    out = values.copy()
    for j in range(d):
        present: NDArray[np.intp] = np.flatnonzero(~np.isnan(values[:, j]))
        order = present[np.argsort(drawn[present, j], kind="stable")]
        out[order, j] = np.sort(values[present, j])
    return out
