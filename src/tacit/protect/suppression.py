"""Local suppression to k-anonymity."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Gt
from numpy.typing import NDArray

from tacit.errors import ColumnError, ParameterError
from tacit.microdata import Kind, Microdata
from tacit.protect.anonymity import class_frequencies, compress, suppress
from tacit.protect.base import Protector, Seed


class LocalSuppression(Protector):
    """Blank out a few cells so that every combination of keys occurs at least k times.

    Definition: f(r) counts the records that share the keys of r, under the reading named by ``missing``: ``any`` (a
    missing value matches anything; what most tools mean) or ``value`` (it is a value of its own; stronger, and costs
    more). Cells are chosen greedily by records helped per unit of cost, then superfluous ones are restored. Under
    ``any`` one suppressed record counts for every class that it may belong to, which saves many cells.
    Source: De Waal and Willenborg (1998); Sweeney (2002). Guarantee: f(r) >= k for every record and every key
    combination under the reading named; ``value`` implies ``any``. Not claimed: the smallest number (NP-hard).
    Cost: a few passes over the classes for each subset of the keys.
    Known attacks: under ``any``, an intruder who takes a gap for a value of its own sees smaller classes.

    Parameters: ``k``: smallest class. ``keys``: lists of columns, each list a combination that must be k-anonymous
    (default: all protected columns together). ``importance``: cost of a cell by column (default 1); a column with a
    high one is suppressed less.

    Fitted: ``suppressed_`` (cells by column), ``suppressions_`` (their sum) and ``violations_``: for each reading,
    how many records of the release are below k in some combination.

    >>> import numpy as np
    >>> import tacit as tc
    >>> data = tc.Microdata.of({"a": ["x", "x", "y", "y", "z"], "b": ["p", "p", "p", "p", "p"]}, quasi=["a", "b"])
    >>> LocalSuppression(k=2).fit(data).suppressions_
    1
    """

    def __init__(
        self,
        k: Annotated[int, Ge(2)] = 3,
        keys: list[list[str]] | None = None,
        missing: Literal["any", "value"] = "any",
        importance: dict[str, Annotated[float, Gt(0)]] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = 0,
    ) -> None:
        self.k = k
        self.keys = keys
        self.missing = missing
        self.importance = importance
        self.columns = columns
        self.random_state = random_state

    def _targets(self, data: Microdata) -> list[str]:
        if self.keys is not None and self.columns is None:
            names = list(dict.fromkeys(name for key in self.keys for name in key))
            for name in names:
                data.schema[name]
            return names
        names = super()._targets(data)
        outside = [name for key in self.keys or [] for name in key if name not in names]
        if outside:
            raise ColumnError(f"keys names '{outside[0]}', which is not a column to protect; add it to columns=[...]")
        return names

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        self._keep(data, columns, self._cells(data, columns, rng))

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        return self._blank(data, columns, self._cells(data, columns, rng))

    def _fit_apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        cells = self._cells(data, columns, rng)
        self._keep(data, columns, cells)
        return self._blank(data, columns, cells)

    def _cells(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> NDArray[np.bool_]:
        if data.n < self.k:
            raise ParameterError(f"k={self.k} is larger than the number of records ({data.n}): suppression cannot help")
        unknown = [name for name in self.importance or {} if name not in columns]
        if unknown:
            raise ColumnError(f"importance names '{unknown[0]}', which is not a column to protect")
        codes = coded(data, columns)
        cells = np.zeros(codes.shape, dtype=np.bool_)
        sets = self._sets(columns)
        for _ in range(100):
            # a suppression for one combination never hurts another under 'any'; under 'value' it may: go round
            before = cells.sum()
            for places in sets:
                price = np.array([(self.importance or {}).get(columns[j], 1.0) for j in places])
                part = np.where(cells[:, places], -1, codes[:, places])
                cells[:, places] |= suppress(part, self.k, price, self.missing, rng)
            if cells.sum() == before or len(sets) == 1:
                break
        return cells

    def _sets(self, columns: list[str]) -> list[list[int]]:
        if self.keys is None:
            return [list(range(len(columns)))]
        return [[columns.index(name) for name in key] for key in self.keys if key]

    def _keep(self, data: Microdata, columns: list[str], cells: NDArray[np.bool_]) -> None:
        self.suppressed_ = {name: int(cells[:, j].sum()) for j, name in enumerate(columns)}
        self.suppressions_ = int(cells.sum())
        left = np.where(cells, -1, coded(data, columns))
        below = {"any": np.zeros(data.n, dtype=np.bool_), "value": np.zeros(data.n, dtype=np.bool_)}
        for places in self._sets(columns):
            distinct, label, count = compress(left[:, places])
            for reading, found in below.items():
                found |= (class_frequencies(distinct, count, reading) < self.k)[label]  # type: ignore[arg-type]
        self.violations_ = {reading: int(found.sum()) for reading, found in below.items()}

    def _blank(self, data: Microdata, columns: list[str], cells: NDArray[np.bool_]) -> Microdata:
        return data.with_numbers(columns, np.where(cells, np.nan, data.numbers(columns)))


def coded(data: Microdata, columns: list[str]) -> NDArray[np.int64]:
    """Distinct values of each column as 0, 1, ...; -1 where missing."""
    out = np.empty((data.n, len(columns)), dtype=np.int64)
    for j, name in enumerate(columns):
        values = data.column(name)
        gaps = np.isnan(values)
        if data.schema[name].kind is Kind.continuous:
            values = np.unique(values, return_inverse=True)[1].ravel().astype(np.float64)
        out[:, j] = np.where(gaps, -1, values)
    return out
