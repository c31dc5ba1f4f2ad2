"""Release a sample."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Gt, Le

from tacit.microdata import Microdata, Role
from tacit.protect.base import Protector, Seed


class Sampling(Protector):
    """Release a simple random sample of the records instead of all of them.

    Definition: ``m = max(1, round(fraction n))`` records drawn without replacement, in file order; a weight column
    is multiplied by n / m. With ``strata``, m is drawn in each combination of their values.
    Source: Willenborg and De Waal (2001). Guarantee: each record is released with probability m / n; values are
    untouched. Cost: linear. Known attacks: a sample unique that is also a population unique is as exposed as before.

    Parameters: ``fraction``: share of the records that is released. Fitted: ``rows_``, the positions released.

    >>> import numpy as np
    >>> Sampling(fraction=0.5, random_state=1).fit_transform(np.arange(8.0).reshape(4, 2)).shape
    (2, 2)
    """

    def __init__(
        self,
        fraction: Annotated[float, Gt(0), Le(1)] = 0.5,
        strata: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.fraction = fraction
        self.strata = strata
        self.random_state = random_state

    def _targets(self, data: Microdata) -> list[str]:
        return []

    def _fit(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> None:
        self.rows_, _ = self._draw(data, rng)

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        rows, factor = self._draw(data, rng)
        sample = data.take(rows)
        for name in data.schema.names(role=Role.weight):
            sample = sample.with_column(name, sample.column(name) * factor, kind=data.schema[name].kind)
        return sample

    def _draw(self, data: Microdata, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        if self.strata:
            codes = np.nan_to_num(data.numbers(self.strata), nan=np.inf)
            _, stratum = np.unique(codes, axis=0, return_inverse=True)
            stratum = stratum.ravel()
        else:
            stratum = np.zeros(data.n, dtype=np.int64)
        shuffled = rng.permutation(data.n)
        order = shuffled[np.argsort(stratum[shuffled], kind="stable")]
        size = np.bincount(stratum)
        wanted = np.maximum(1, np.rint(self.fraction * size)).astype(np.int64)
        place = np.arange(data.n) - np.repeat(np.cumsum(size) - size, size)
        rows = np.sort(order[place < wanted[stratum[order]]])
        return rows, (size / wanted)[stratum[rows]]
