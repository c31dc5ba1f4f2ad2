"""The Laplace mechanism on values."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Gt, Le

from tacit.dp import Accountant, discrete_laplace, split
from tacit.microdata import Kind, Microdata
from tacit.protect.base import Seed
from tacit.protect.dp_bounds import PrivateProtector, announce, grids, secret_or
from tacit.protect.randomised import randomised_response


class Laplace(PrivateProtector):
    """Differentially private values: Laplace noise on every value of every record.

    Definition: a value is clamped to its bounds, put on a grid, and gets discrete Laplace noise of scale
    ``(high - low) m / epsilon``, m the number of columns (epsilon is split evenly). A nominal or ordinal value is
    replaced by randomised response: it stays with probability ``e^e / (e^e + c - 1)``, e = epsilon / m, c categories.
    Source: Dwork, McSherry, Nissim and Smith (2006); Warner (1965).
    Guarantee: epsilon-differential privacy of the masked columns of the whole file, neighbours: change one record
    (n public; the categories of a column are taken to be public). Changing a record moves one entry of each column by
    at most high - low. Columns that are not protected are not covered. The noise is drawn exactly (integers, no
    floating point; see ``tacit.dp``). Missing values are refused. Integer columns are rounded afterwards.
    Cost: linear. Known attacks: none within the guarantee. With epsilon near 1 single values are useless; the method
    is here as a baseline.

    Parameters: ``bounds``: [low, high] of each continuous column, required; values outside are clamped and counted.

    Fitted: ``accountant_``, ``clamped_`` (values outside the bounds, by column; private itself: do not release).

    >>> import numpy as np
    >>> Laplace(epsilon=1.0, bounds={"x0": [0, 9]}).fit_transform(np.arange(10.0).reshape(10, 1)).shape
    (10, 1)
    """

    def __init__(
        self,
        epsilon: Annotated[float, Gt(0), Le(1e6)] = 1.0,
        bounds: dict[str, tuple[float, float]] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.columns = columns
        self.random_state = random_state

    def _release(self, data: Microdata, columns: list[str], rng: np.random.Generator, *, keep: bool) -> Microdata:
        numeric = [name for name in columns if data.schema[name].kind is Kind.continuous]
        domain = dict(zip(numeric, grids(data, numeric, self.bounds, "Laplace"), strict=True))
        accountant = Accountant(self.epsilon)
        share = split(self.epsilon, len(columns))
        source = secret_or(rng, self.random_state)
        clamped: dict[str, int] = {}
        masked = np.empty((data.n, len(columns)))
        for j, name in enumerate(columns):
            if name in domain:
                grid = domain[name]
                places, clamped[name] = grid.place(data.column(name))
                scale = announce(accountant, f"values of {name}", share, grid, grid.steps, 1)
                masked[:, j] = grid.value((places + discrete_laplace(scale, data.n, source)).astype(np.float64))
            else:
                accountant.spend(f"categories of {name}", share)
                masked[:, j] = randomised_response(data, name, share, source)
        if keep:
            self.accountant_, self.clamped_ = accountant, clamped
        return data.with_numbers(columns, masked)
