"""Data shuffling."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from tacit.base.errors import ColumnError
from tacit.base.typing import Floats
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Kind, Microdata, Role
from tacit.protect import by_address
from tacit.protect import shuffling_in_blocks as in_blocks
from tacit.protect.base import Passes, Protector, Seed
from tacit.protect.covariance import root

RANK = 1e-10
"""Eigenvalues of the given columns' correlations below this share of the largest are zero."""


class Shuffling(Protector):
    """Give each record the values of other records, so that rank correlations stay as they were.

    Parameters
    ----------
    columns : list of str, optional
        Columns to mask; the quasi-identifiers unless given.
    given : list of str, optional
        Columns that stay and that the masked ones follow; unless given, the confidential
        columns that can be ranked.
    by : list of str, optional
        Columns whose strata are masked apart: within a region, within a year.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Notes
    -----
    **Definition.** Every column becomes normal scores of its ranks,
    ``ndtri((rank - 1/2) / n)``. With correlations ``2 sin(pi r / 6)`` made from the rank
    correlations r, scores ``y = s B + e`` are drawn from the normal distribution of the masked
    columns given the columns s in ``given``. The record whose new score ranks j-th in a column
    takes the j-th smallest original value. Missing values stay where they are.

    **Guarantee.** The multiset of each column is kept exactly; given ``given``, the release
    does not depend on a record's own masked values.

    **Cost.** n log n per column.

    **Known attacks.** Those on the ``given`` columns themselves.

    References
    ----------
    Muralidhar and Sarathy (2006).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(8.0).reshape(4, 2)
    >>> masked = Shuffling(random_state=1).fit_transform(x)
    >>> np.sort(masked, axis=0).tolist() == x.tolist()
    True
    """

    title = "Data shuffling"
    family = "swapping"
    purpose = (
        "release original values of a column in the order that other columns suggest"
    )
    goal = "exchange values between people"
    plain = {"given": "columns that the order follows"}
    attacker = "informed.synthetic:AwareShuffling"

    # only what has an order has ranks
    kinds = frozenset({Kind.continuous, Kind.ordinal})

    whole_file = (
        "it ranks the whole column, and inside a block values would hardly move"
    )

    passes = "sorts"

    def __init__(
        self,
        columns: list[str] | None = None,
        given: list[str] | None = None,
        by: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.columns = columns
        self.given = given
        self.by = by
        self.random_state = random_state

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        if isinstance(data, OnDisk) and self.passes_of(data) == "sorts":
            return self._from_disk(data, columns, rng)
        values = data.numbers(columns)
        given = data.numbers(self._given(data, columns))
        return data.with_numbers(columns, shuffle(values, given, rng))

    def passes_of(self, data: Microdata) -> Passes:
        """Columns of a file of several blocks are sorted on the disk."""
        return "together" if data.n <= by_address.BLOCK else "sorts"

    def _from_disk(
        self, data: OnDisk, columns: list[str], rng: np.random.Generator
    ) -> Microdata:
        """The columns of a file on the disk, a piece at a time."""
        names = [*columns, *self._given(data, columns)]
        folder, d = data.disk.folder, len(columns)
        ranked = [in_blocks.Ranked.of(data, name, folder) for name in names]
        correlation = in_blocks.correlation_from_disk(ranked, data.n)
        weights, left_over = conditional(correlation, d)
        scores = in_blocks.NewScores(weights, left_over, by_address.Draws.of(rng))
        out = in_blocks.shuffled_from_disk(
            data, columns, ranked[:d], ranked[d:], scores
        )
        for one in ranked:
            one.remove()
        return out

    def _given(
        self,
        data: Microdata,
        columns: list[str],
    ) -> list[str]:
        """The columns that stay: those named, or the confidential ones that have ranks."""
        if self.given is None:
            return [
                name
                for name in data.schema.names(role=Role.confidential)
                if name not in columns and data.schema[name].scale is not Kind.nominal
            ]
        for name in self.given:
            if name in columns:
                raise ColumnError(
                    f"'{name}' is both shuffled and given; leave it out of one"
                )
            if data.schema[name].scale is Kind.nominal:
                raise ColumnError(
                    f"'{name}' is nominal and has no ranks; leave it out of given=[...]"
                )
        return list(self.given)


def scores(values: Floats) -> Floats:
    """Normal scores of the ranks of each column: ``ndtri((rank - 1/2) / n)``.

    Equal values share a rank; a missing value scores 0.
    """
    out = np.zeros(values.shape)
    for j in range(values.shape[1]):
        present = ~np.isnan(values[:, j])
        count = int(present.sum())
        rank = rankdata(values[present, j])
        share_below = (rank - 0.5) / max(count, 1)
        out[present, j] = ndtri(share_below)
    return out


def shuffle(
    values: Floats,
    given: Floats,
    rng: np.random.Generator,
) -> Floats:
    """The masked columns; see ``Shuffling``."""
    n, d = values.shape
    # masked columns first, given ones after them
    both = scores(np.hstack([values, given]))
    if n > by_address.BLOCK:
        weights, left_over = conditional(in_blocks.correlation_in_blocks(both), d)
        draws = by_address.Draws.of(rng)
        new = in_blocks.NewScores(weights, left_over, draws)
        drawn = in_blocks.drawn_in_blocks(new, both[:, d:])
    else:
        weights, left_over = conditional(_normal_correlation(both), d)
        noise = rng.standard_normal((n, d)) @ left_over
        drawn = both[:, d:] @ weights + noise
    out = values.copy()
    for j in range(d):
        # original values in the order of the new scores
        present = np.flatnonzero(~np.isnan(values[:, j]))
        order = present[np.argsort(drawn[present, j], kind="stable")]
        out[order, j] = np.sort(values[present, j])
    return out


def conditional(correlation: Floats, d: int) -> tuple[Floats, Floats]:
    """The normal distribution of the first d scores given the others.

    Its mean is s B with weights B; and a root of the covariance that the regression leaves over.
    """
    of_masked = correlation[:d, :d]
    between = correlation[:d, d:]
    if len(correlation) > d:
        of_given = correlation[d:, d:]
        inverse = np.linalg.pinv(of_given, rcond=RANK, hermitian=True)
        weights = inverse @ between.T
    else:
        weights = np.zeros((0, d))
    return weights, root(of_masked - between @ weights)


def _normal_correlation(both: Floats) -> Floats:
    """Correlations of normal variables that have these rank correlations: 2 sin(pi r / 6)."""
    ranks = np.column_stack([rankdata(column) for column in both.T])
    ranks -= ranks.mean(axis=0)
    size = np.sqrt((ranks**2).sum(axis=0))
    # a constant column has no ranks to correlate: 0 with all others
    size[size == 0] = 1.0
    unit = ranks / size
    correlation = 2 * np.sin(np.pi / 6 * unit.T @ unit)
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)
