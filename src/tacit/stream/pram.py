"""Post-randomisation of categories on a stream."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le

from tacit.errors import ParameterError
from tacit.parameters import Seed
from tacit.stream.base import Filter, FloatArray, IntArray, Kernel
from tacit.stream.records import NOMINAL


class PRAM(Filter):
    """Keep each category with probability ``keep``, else put one of the others in its place.

    Definition: P(c' = c) = keep; P(c' = other) = (1 - keep) / (m - 1) for each of the m - 1 other ``categories``
    of the column, which are declared, so that no category of the data gives itself away.
    Source: Gouweleeuw and others (1998). Guarantee: with m categories it is randomised response, that is
    epsilon-DP for each value with exp(epsilon) = keep (m - 1) / (1 - keep). Cost: constant a value.
    Known attacks: Bayes with the known matrix; several columns together. Delay: 0. Missing stays missing.

    >>> rows = [{"sex": "f"}, {"sex": "m"}]
    >>> [r.record["sex"] in "fm" for r in PRAM(categories={"sex": ["f", "m"]}, random_state=1)(rows)]
    [True, True]
    """

    zero_delay = True
    handles = frozenset({NOMINAL})

    def __init__(
        self,
        keep: Annotated[float, Ge(0), Le(1)] = 0.8,
        categories: dict[str | int, list[Any]] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.keep = keep
        self.categories = categories
        self.random_state = random_state
        self._ready()

    def _check(self) -> None:
        for name, values in (self.categories or {}).items():
            if len(set(values)) < 2:
                raise ParameterError(f"PRAM: column '{name}' needs at least two distinct categories")
        self.columns = None if self.categories is None else list(self.categories)
        self.nominal = self.columns
        self.ordinal = None

    def _state(self, kinds: IntArray) -> tuple[FloatArray, IntArray]:
        from tacit.kernels.stream_coding import state

        records = self._records
        if self.categories is None or records is None:
            raise ParameterError("PRAM needs categories={column: [values, ...]} for the columns that it masks")
        for j, name in enumerate(records.names):
            declared = self.categories[name]
            known = records.categories[j] or []
            records.categories[j] = list(known) + [v for v in declared if v not in known]
        records._prepare()
        counts = np.array([len(c or ()) for c in records.categories], dtype=np.float64)
        return state(kinds, self._keys, self.keep, counts)

    def _kernel(self) -> Kernel:
        from tacit.kernels.stream_coding import pram

        return pram
