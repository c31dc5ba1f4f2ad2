"""PRAM: the post-randomisation method."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le

from tacit.base.errors import ColumnError, ParameterError, TacitWarning
from tacit.base.facts import Strength
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata
from tacit.protect.base import Protector, Seed
from tacit.protect.by_rank import code_counts

ROUNDS = 20_000
"""Most rounds of iterative proportional fitting.

It converges at a geometric rate that is slow only when one category holds almost half.
"""
FLOW_TOLERANCE = 1e-15
"""Fitting ends when no category's flow (a share of the records) is off by more than this."""


class PRAM(Protector):
    """Change categories at random with known probabilities.

    Parameters
    ----------
    diagonal : float
        Probability that a value stays what it is.
    matrix : {'invariant', 'uniform'}
        How the rest is spread: so that expected frequencies stay the file's, or evenly.
    matrices : dict of list of list of float, optional
        Your own matrix for a column, rows and columns in category order.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers unless given.
    by : list of str, optional
        Columns whose strata are masked apart: within a region, within a year.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Attributes
    ----------
    matrices_, diagonal_ : dict
        The matrix of each column that was used, and its diagonal.
    categories_ : dict
        The categories of each column, in the order of its matrix.

    Notes
    -----
    **Definition.** A value of category i becomes category j with probability ``P[i, j]``,
    independently for each record.

    - ``uniform``: ``P[i, i] = diagonal``, the rest spread evenly over the other categories;
    - ``invariant``: ``P[i, i] = diagonal`` and ``t P = t`` for the frequencies t of the file,
      so that the expected frequencies of the release are the original's and need no
      correction. It is the matrix whose flows between categories are nearest to proportional
      (iterative proportional fitting). Such a matrix exists only when no category holds more
      than half of the records; a category that does is kept with the smallest probability
      that is possible, 1 - (1 - t)(1 - diagonal) / t, and a warning says so.

    Missing values stay missing. Continuous columns are refused.

    **Guarantee.** The diagonal applied is the one asked for (``diagonal_`` and ``matrices_``
    hold what was used).

    **Cost.** Linear, after fitting one matrix per column.

    **Known attacks.** Bayes with the published matrix.

    References
    ----------
    Gouweleeuw, Kooiman, Willenborg and De Wolf (1998).

    Examples
    --------
    >>> import numpy as np
    >>> invariant(np.array([0.5, 0.3, 0.2]), 0.8).diagonal().tolist()
    [0.8, 0.8, 0.8]
    """

    title = "PRAM"
    family = "noise"
    purpose = "change categories at random, with known probabilities"
    goal = "exchange values between people"
    plain = {"diagonal": "share of values that stay as they are"}
    strength = Strength("diagonal", 0.99, 0.0)
    attacker = "informed.pram:AwarePRAM"

    # a matrix has one row per category
    kinds = frozenset({Kind.nominal, Kind.ordinal})

    whole_file = (
        "its matrices come from the categories and frequencies of the file, "
        "and a block has its own"
    )
    passes = "records"

    def __init__(
        self,
        diagonal: Annotated[float, Ge(0), Le(1)] = 0.8,
        matrix: Literal["invariant", "uniform"] = "invariant",
        matrices: dict[str, list[list[float]]] | None = None,
        columns: list[str] | None = None,
        by: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.diagonal = diagonal
        self.matrix = matrix
        self.matrices = matrices
        self.columns = columns
        self.by = by
        self.random_state = random_state

    def _fit(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        unknown = [name for name in self.matrices or {} if name not in columns]
        if unknown:
            raise ColumnError(
                f"matrices names '{unknown[0]}', which is not a column to protect"
            )
        self.categories_ = {name: data.categories(name) for name in columns}
        self.matrices_ = {name: self._matrix(data, name) for name in columns}
        self.diagonal_ = {
            name: matrix.diagonal().copy() for name, matrix in self.matrices_.items()
        }

    def _matrix(
        self,
        data: Microdata,
        name: str,
    ) -> Floats:
        """The matrix of one column: the user's, or the one asked for."""
        # a matrix that was given goes before the parameter matrix
        size = len(data.categories(name))
        given = (self.matrices or {}).get(name)
        if given is not None:
            return _checked(given, size, name)
        if self.matrix == "uniform" or size < 2:
            return uniform(size, self.diagonal)
        share = code_counts(data, name) / max(data.n, 1)
        matrix = invariant(share, self.diagonal)
        self._warn_of_largest(data, name, share, matrix)
        return matrix

    def _warn_of_largest(
        self,
        data: Microdata,
        name: str,
        share: Floats,
        matrix: Floats,
    ) -> None:
        """Say so when the largest category stays more often than was asked for."""
        largest = int(np.argmax(share))
        stays = matrix[largest, largest]
        # only rounding may separate the two
        if stays <= self.diagonal + 1e-12:
            return
        warnings.warn(
            f"column '{name}': category {data.categories(name)[largest]!r} holds "
            f"{share[largest]:.0%} of the records and stays with probability {stays:.4f}, "
            f"not {self.diagonal:g}: no invariant matrix has less; "
            "use matrix='uniform' for the diagonal asked for",
            TacitWarning,
            stacklevel=2,
        )

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        schema = data.schema
        # codes in the order of the fit; a category that the fit did not see is refused there
        for name in columns:
            fitted = tuple(self.categories_[name])
            column = replace(data.schema[name], categories=fitted)
            data = data.with_schema(data.schema.put(column))
        values = data.numbers(columns)
        for j, name in enumerate(columns):
            matrix = self.matrices_[name]
            values[:, j] = change(values[:, j], matrix, rng)
        return data.with_numbers(columns, values).with_schema(schema)


def change(
    codes: Floats,
    matrix: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Draw the new code of each record from its row of the matrix, by inversion."""
    out = codes.copy()
    # one number per record, whatever its category
    drawn = rng.random(codes.size)
    for code in range(len(matrix)):
        rows = np.flatnonzero(codes == code)
        edges = np.cumsum(matrix[code])
        edges[-1] = np.inf  # rounding of the sum must not fall off the end
        out[rows] = np.searchsorted(edges, drawn[rows], side="right")
    return out


def uniform(size: int, diagonal: float) -> Floats:
    """The diagonal asked for, the rest spread evenly."""
    # a value of the only category has nowhere to go
    if size < 2:
        return np.ones((size, size))
    matrix = np.full((size, size), (1 - diagonal) / (size - 1))
    np.fill_diagonal(matrix, diagonal)
    return matrix


def invariant(share: Floats, diagonal: float) -> Floats:
    """P with ``P[i, i] = diagonal`` and ``share P = share``.

    See ``PRAM`` for a share above one half. The flow from i to j is ``F[i, j] = t_i P[i, j]``;
    P is invariant if what flows out of each category also flows in, ``t_i (1 - diagonal)``.
    """
    size = share.size
    total = share.sum()
    flow_out = share / total * (1 - diagonal) if total > 0 else np.zeros(size)
    largest = int(np.argmax(flow_out))
    others = flow_out.sum() - flow_out[largest]
    if flow_out[largest] >= others:
        flow = _star(flow_out, largest)
    else:
        flow = _balanced(flow_out)
    # from flows back to probabilities; a category without records has no row of its own
    has_records = share > 0
    nothing = np.zeros((size, size))
    probabilities = (share / total)[:, None]
    matrix = np.divide(flow, probabilities, out=nothing, where=has_records[:, None])
    # what stays: the diagonal, but for a category that is too large to give as much
    kept = np.full(size, diagonal)
    if flow_out[largest] > others and has_records[largest]:
        kept[largest] = 1 - matrix[largest].sum()
    kept[~has_records] = 1.0
    # rows sum to exactly 1 once what rounding left over is spread in proportion
    rest = matrix.sum(axis=1)
    factor = np.divide(1 - kept, rest, out=np.zeros(size), where=rest > 0)
    matrix *= factor[:, None]
    np.fill_diagonal(matrix, kept)
    return np.asarray(matrix)


def _star(flow_out: Floats, largest: int) -> Floats:
    """Flows when one category holds half or more: all flow to and from it."""
    flow = np.zeros((flow_out.size, flow_out.size))
    flow[largest] = flow[:, largest] = flow_out
    flow[largest, largest] = 0.0
    return flow


def _balanced(flow_out: Floats) -> Floats:
    """Flows with these row and column sums and no flow to oneself.

    Iterative proportional fitting: rows and columns are scaled in turn, from proportional
    flows, until both sums fit.
    """
    size = flow_out.size
    flow = np.outer(flow_out, flow_out)
    np.fill_diagonal(flow, 0.0)
    for _ in range(ROUNDS):
        rows = flow.sum(axis=1)
        by_row = np.divide(flow_out, rows, out=np.ones(size), where=rows > 0)
        flow *= by_row[:, None]
        columns = flow.sum(axis=0)
        by_column = np.divide(flow_out, columns, out=np.ones(size), where=columns > 0)
        flow *= by_column
        if np.abs(flow.sum(axis=1) - flow_out).max() < FLOW_TOLERANCE:
            break
    # the limit is symmetric; so is what is used
    return np.asarray((flow + flow.T) / 2)


def _checked(
    given: list[list[float]],
    size: int,
    name: str,
) -> Floats:
    """The user's matrix, if it is one of probabilities."""
    matrix = np.asarray(given, dtype=np.float64)
    if matrix.shape != (size, size):
        raise ParameterError(
            f"the matrix of '{name}' must be {size} x {size}, "
            "one row and one column per category"
        )
    # a matrix typed with nine digits is meant to sum to 1
    sums_to_one = np.allclose(matrix.sum(axis=1), 1.0, atol=1e-9)
    if (matrix < 0).any() or not sums_to_one:
        raise ParameterError(
            f"the matrix of '{name}' must hold probabilities whose rows sum to 1"
        )
    return matrix
