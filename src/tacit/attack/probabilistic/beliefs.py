"""Link probabilities on a graph of candidates: arrays in, arrays out.

For every original the posterior probability of each candidate when exactly one matching of the
whole files is the true one, P(matching) proportional to the product of exp(-cost). The exact
answer needs permanents, and Rodriguez Fernandez (2013, section 3.3) calls it infeasible;
belief propagation gives the Bethe approximation of it in time linear in the edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.attack.probabilistic import propagation
from tacit.attack.probabilistic.propagation import Side
from tacit.attack.solver.csr import pointers_of
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment.bethe import propagate

# Of the fractional family (``kernels.assignment.bethe``); docs/informed.md says how it
# was chosen.
FRACTION = 0.85
SMALL = 300_000
"""Edges up to which rounds are accelerated in numpy; a larger graph goes to the kernel, in which
most rows and columns rest after a few rounds. The number of edges alone decides, so that a file
is judged alike whatever was compiled before."""


@dataclass(frozen=True)
class Beliefs:
    """Probability of each edge (rows[e], columns[e]), sorted by row and column.

    Attributes
    ----------
    rounds
        Rounds of the iteration.
    restless
        Rows and columns still moving after the rounds.
    """

    rows: Ints
    columns: Ints
    probability: Floats
    rounds: int
    restless: int

    @property
    def settled(self) -> bool:
        """No belief moved by more than the tolerance in the last round."""
        return self.restless == 0


def link_probabilities(
    rows: Ints,
    columns: Ints,
    cost: Floats,
    shape: tuple[int, int],
    *,
    row_copies: Floats | None = None,
    column_copies: Floats | None = None,
    row_free: Floats | None = None,
    column_free: Floats | None = None,
    row_left: Floats | None = None,
    column_left: Floats | None = None,
    fraction: float = FRACTION,
    damping: float = 0.3,
    rounds: int = 500,
    tolerance: float = 1e-6,
) -> Beliefs:
    """Bethe marginals of the matching with weights exp(-cost) on the given edges.

    Parameters
    ----------
    rows, columns, cost : arrays
        The edges.
    shape : (int, int)
        Numbers of rows and columns.
    row_copies, column_copies : arrays, optional
        Numbers of identical records that a row or column stands for; the probability is
        then that of one copy with one copy, so the sum over columns of copies times
        probability is 1.
    row_free, column_free : arrays, optional
        Cost of staying unmatched; unless given, it is not allowed.
    row_left, column_left : arrays, optional
        Minus the log likelihood of all candidates that the edges leave out; unless given,
        there are none.
    fraction : float
        Exponent of the fractional family: 1 is Bethe, 0 Sinkhorn.
    damping : float
        Share of the old message that stays in each round.
    rounds : int
        Most rounds.
    tolerance : float
        Change of a belief below which it rests.
    """
    n, m = shape
    order = np.lexsort((columns, rows))
    rows = rows[order]
    columns = columns[order]
    cost = np.asarray(cost, float)[order]
    # costs are taken from the best of their row, so that exp neither overflows nor vanishes
    best = np.full(n, np.inf)
    np.minimum.at(best, rows, cost)
    best[~np.isfinite(best)] = 0.0
    log_phi = best[rows] - cost
    row_copies = _or_all(row_copies, 1.0, n)
    column_copies = _or_all(column_copies, 1.0, m)
    row_free = best - _or_all(row_free, np.inf, n)
    column_free = -_or_all(column_free, np.inf, m)
    row_left = best - _or_all(row_left, np.inf, n)
    column_left = -_or_all(column_left, np.inf, m)
    if 0 < len(rows) <= SMALL:
        belief, used, moving = propagation.propagate(
            Side.of(
                rows,
                column_copies[columns],
                row_free,
                row_left,
                np.zeros(len(rows)),
                is_sorted=True,
            ),
            Side.of(
                columns,
                row_copies[rows],
                column_free,
                column_left,
                best[rows],
                is_sorted=False,
            ),
            log_phi,
            fraction=fraction,
            damping=damping,
            rounds=rounds,
            tolerance=tolerance,
        )
        restless = len(np.unique(rows[moving])) + len(np.unique(columns[moving]))
        return Beliefs(rows, columns, belief, used, restless)
    belief, used, restless = propagate(
        pointers_of(rows, n),
        columns.astype(np.int64),
        log_phi,
        pointers_of(columns, m),
        # the same edges seen from the columns
        np.lexsort((rows, columns)).astype(np.int64),
        row_copies,
        column_copies,
        row_free,
        column_free,
        row_left,
        column_left,
        best,
        fraction,
        damping,
        rounds,
        tolerance,
    )
    return Beliefs(
        rows,
        columns,
        belief,
        int(used),
        int(restless),
    )


def _or_all(
    given: Floats | None,
    value: float,
    size: int,
) -> Floats:
    """What was given, or the same value for all."""
    if given is None:
        return np.full(size, value)
    return np.asarray(given, float)


def dense_probabilities(cost: Floats, **options: float) -> Floats:
    """The same for a dense square cost matrix; returns the matrix of probabilities.

    Parameters
    ----------
    cost : array
        Rows x columns.
    options : float
        ``fraction``, ``damping``, ``rounds`` and ``tolerance`` of ``link_probabilities``.
    """
    n, m = cost.shape
    rows, columns = np.divmod(np.arange(n * m), m)
    beliefs = link_probabilities(
        rows,
        columns,
        cost.ravel(),
        (n, m),
        **options,  # type: ignore[arg-type]  # the options that are numbers
    )
    return beliefs.probability.reshape(n, m)


def record_by_record(cost: Floats) -> Floats:
    """Each row normalised on its own: beliefs of one who forgets that the link is a bijection."""
    likelihood = np.exp(cost.min(1, keepdims=True) - cost)
    return np.asarray(likelihood / likelihood.sum(1, keepdims=True), float)


@dataclass(frozen=True)
class Reliability:
    """Mean stated probability against the share that was true, per bin.

    Attributes
    ----------
    stated, true, count
        Of each bin that has members.
    error
        The weighted mean gap between the two (expected calibration error).
    """

    stated: Floats
    true: Floats
    count: Ints
    error: float


def reliability(
    probability: Floats,
    outcome: Floats,
    bins: int = 10,
) -> Reliability:
    """How well stated probabilities agree with what was true.

    Parameters
    ----------
    probability, outcome : arrays
        What was stated, and 0 or 1 (or a share under ties).
    bins : int
        Bins of equal width on [0, 1]; bins without members are dropped.
    """
    place = (np.asarray(probability) * bins).astype(np.int64)
    place = np.minimum(place, bins - 1)  # a probability of 1 belongs to the last bin
    count = np.bincount(place, minlength=bins)
    seen = count > 0
    count = count[seen]
    stated = np.bincount(place, probability, bins)[seen] / count
    true = np.bincount(place, np.asarray(outcome, float), bins)[seen] / count
    error = float((np.abs(stated - true) * count).sum() / max(1, count.sum()))
    return Reliability(
        stated,
        true,
        count.astype(np.int64),
        error,
    )
