"""PRAM: the post-randomisation method."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le

from tacit.errors import ColumnError, ParameterError, TacitWarning
from tacit.microdata import FloatArray, Kind, Microdata
from tacit.protect.base import Protector, Seed


class PRAM(Protector):
    """Change categories at random with known probabilities.

    Definition: a value of category i becomes category j with probability ``P[i, j]``, independently for each record.

    - ``uniform``: ``P[i, i] = diagonal``, the rest spread evenly over the other categories;
    - ``invariant``: ``P[i, i] = diagonal`` and ``t P = t`` for the frequencies t of the file, so that the expected
      frequencies of the release are the original's and need no correction. It is the matrix whose flows between
      categories are nearest to proportional (iterative proportional fitting). Such a matrix exists only when no
      category holds more than half of the records; a category that does is kept with the smallest probability that
      is possible, 1 - (1 - t)(1 - diagonal) / t, and a warning says so;
    - ``matrices``: your own matrix for a column, rows and columns in category order.

    Source: Gouweleeuw, Kooiman, Willenborg and De Wolf (1998). Guarantee: the diagonal applied is the one asked for
    (``diagonal_`` and ``matrices_`` hold what was used). Missing values stay missing. Continuous columns are refused.
    Cost: linear, after fitting a matrix a column. Known attacks: Bayes with the published matrix.

    Parameters: ``diagonal``: the probability that a value stays.

    >>> import numpy as np
    >>> invariant(np.array([0.5, 0.3, 0.2]), 0.8).diagonal().tolist()
    [0.8, 0.8, 0.8]
    """

    kinds = frozenset({Kind.nominal, Kind.ordinal})

    def __init__(
        self,
        diagonal: Annotated[float, Ge(0), Le(1)] = 0.8,
        matrix: Literal["invariant", "uniform"] = "invariant",
        matrices: dict[str, list[list[float]]] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.diagonal = diagonal
        self.matrix = matrix
        self.matrices = matrices
        self.columns = columns
        self.random_state = random_state

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        unknown = [name for name in self.matrices or {} if name not in columns]
        if unknown:
            raise ColumnError(f"matrices names '{unknown[0]}', which is not a column to protect")
        self.categories_ = {name: data.categories(name) for name in columns}
        self.matrices_ = {name: self._matrix(data, name) for name in columns}
        self.diagonal_ = {name: matrix.diagonal().copy() for name, matrix in self.matrices_.items()}

    def _matrix(self, data: Microdata, name: str) -> FloatArray:
        size = len(data.categories(name))
        given = (self.matrices or {}).get(name)
        if given is not None:
            return _checked(given, size, name)
        if self.matrix == "uniform" or size < 2:
            return uniform(size, self.diagonal)
        codes = data.column(name)
        share = np.bincount(codes[~np.isnan(codes)].astype(np.int64), minlength=size) / max(codes.size, 1)
        found = invariant(share, self.diagonal)
        largest = int(np.argmax(share))
        if found[largest, largest] > self.diagonal + 1e-12:
            warnings.warn(
                f"column '{name}': category {data.categories(name)[largest]!r} holds {share[largest]:.0%} of the "
                f"records and stays with probability {found[largest, largest]:.4f}, not {self.diagonal:g}: no "
                "invariant matrix has less; use matrix='uniform' for the diagonal asked for",
                TacitWarning,
                stacklevel=2,
            )
        return found

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        before = data.schema
        for name in columns:  # codes in the order of the fit; a category that the fit did not see is refused there
            column = replace(data.schema[name], categories=tuple(self.categories_[name]))
            data = data.with_schema(data.schema.put(column))
        values = data.numbers(columns)
        for j, name in enumerate(columns):
            values[:, j] = change(values[:, j], self.matrices_[name], rng)
        return data.with_numbers(columns, values).with_schema(before)


def change(codes: FloatArray, matrix: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw the new code of each record from its row of the matrix."""
    out = codes.copy()
    u = rng.random(codes.size)
    for code in range(len(matrix)):
        rows = np.flatnonzero(codes == code)
        edges = np.cumsum(matrix[code])
        edges[-1] = np.inf  # rounding of the sum must not fall off the end
        out[rows] = np.searchsorted(edges, u[rows], side="right")
    return out


def uniform(size: int, diagonal: float) -> FloatArray:
    """The diagonal asked for, the rest spread evenly."""
    if size < 2:
        return np.ones((size, size))
    matrix = np.full((size, size), (1 - diagonal) / (size - 1))
    np.fill_diagonal(matrix, diagonal)
    return matrix


def invariant(share: FloatArray, diagonal: float) -> FloatArray:
    """P with ``P[i, i] = diagonal`` and ``share P = share``; see ``PRAM`` for a share above one half."""
    size = share.size
    total = share.sum()
    flow_out = share / total * (1 - diagonal) if total > 0 else np.zeros(size)
    largest = int(np.argmax(flow_out))
    others = flow_out.sum() - flow_out[largest]
    if flow_out[largest] >= others:  # everything flows to and from the largest category
        flow = np.zeros((size, size))
        flow[largest] = flow[:, largest] = flow_out
        flow[largest, largest] = 0.0
    else:
        flow = np.outer(flow_out, flow_out)
        np.fill_diagonal(flow, 0.0)
        for _ in range(20_000):
            rows = flow.sum(axis=1)
            flow *= np.divide(flow_out, rows, out=np.ones(size), where=rows > 0)[:, None]
            columns = flow.sum(axis=0)
            flow *= np.divide(flow_out, columns, out=np.ones(size), where=columns > 0)
            if np.abs(flow.sum(axis=1) - flow_out).max() < 1e-15:
                break
        flow = (flow + flow.T) / 2  # the limit is symmetric; so is what is used
    matrix = np.divide(flow, (share / total)[:, None], out=np.zeros((size, size)), where=share[:, None] > 0)
    kept = np.full(size, diagonal)
    if flow_out[largest] > others and share[largest] > 0:
        kept[largest] = 1 - matrix[largest].sum()
    kept[share == 0] = 1.0
    rest = matrix.sum(axis=1)
    matrix *= np.divide(1 - kept, rest, out=np.zeros(size), where=rest > 0)[:, None]
    np.fill_diagonal(matrix, kept)
    return np.asarray(matrix)


def _checked(given: list[list[float]], size: int, name: str) -> FloatArray:
    matrix = np.asarray(given, dtype=np.float64)
    if matrix.shape != (size, size):
        raise ParameterError(f"the matrix of '{name}' must be {size} x {size}, one row and column a category")
    if (matrix < 0).any() or not np.allclose(matrix.sum(axis=1), 1.0, atol=1e-9):
        raise ParameterError(f"the matrix of '{name}' must hold probabilities whose rows sum to 1")
    return matrix
