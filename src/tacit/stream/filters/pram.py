"""Post-randomisation of categories on a stream."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from tacit.base.errors import ParameterError
from tacit.base.facts import Strength
from tacit.base.parameters import Seed
from tacit.base.typing import Floats, Ints
from tacit.kernels.stream.coding import pram, state
from tacit.stream import sound
from tacit.stream.base import Filter, Kernel
from tacit.stream.batches import Categories
from tacit.stream.kinds import NOMINAL


class PRAM(Filter):
    """Change categories at random with known probabilities.

    Parameters
    ----------
    diagonal : float
        The probability that a value stays.
    categories : dict
        Columns to mask, each with all categories that may occur and be drawn.
    random_state : int, Generator or None
        Seed: the same seed gives the same bytes.

    Notes
    -----
    **Definition.** P(c' = c) = diagonal; P(c' = other) = (1 - diagonal) / (m - 1) for each of the
    m - 1 other ``categories`` of the column (the ``uniform`` matrix of `tacit.protect.PRAM`). They
    are declared, so that no category of the data gives itself away; one that was not is refused.

    **Guarantee.** With m categories it is randomised response, that is epsilon-DP for each value
    with exp(epsilon) = diagonal (m - 1) / (1 - diagonal). Missing stays missing. The delay is 0.

    **Cost.** Constant per value.

    **Known attacks.** Bayes with the known matrix; several columns together.

    References
    ----------
    Gouweleeuw, Kooiman, Willenborg and De Wolf (1998).

    Examples
    --------
    >>> rows = [{"sex": "f"}, {"sex": "m"}]
    >>> masked = PRAM(categories={"sex": ["f", "m"]}, random_state=1)(rows)
    >>> [release.record["sex"] in "fm" for release in masked]
    [True, True]
    """

    title = "PRAM"
    family = "noise"
    purpose = "change categories at random, with known probabilities"
    goal = "exchange values between people"
    plain = {"diagonal": "share of values that stay as they are"}
    strength = Strength("diagonal", 0.99, 0.0)
    renamed = {"keep": "diagonal"}

    zero_delay = True
    handles = frozenset({NOMINAL})

    def __init__(
        self,
        diagonal: Annotated[float, Ge(0), Le(1)] = 0.8,
        categories: Categories | None = None,
        random_state: Seed = None,
    ) -> None:
        self.diagonal = diagonal
        self.categories = categories
        self.random_state = random_state
        self._ready()

    def _check(self) -> None:
        for name, values in (self.categories or {}).items():
            # there must be another category to change to
            if len(set(values)) < 2:
                raise ParameterError(
                    f"PRAM: column '{name}' needs at least two distinct categories"
                )
        self.columns = None if self.categories is None else list(self.categories)
        self.nominal = self.columns
        self.ordinal = None

    def _state(self, kinds: Ints) -> tuple[Floats, Ints]:
        records = self._records
        if self.categories is None or records is None:
            raise ParameterError(
                "PRAM needs categories={column: [values, ...]} for the columns that it masks"
            )
        for j, name in enumerate(records.names):
            # a restored stream keeps its codes: new ones go behind those known
            known = list(records.categories[j] or [])
            declared = self.categories[name]
            new = [value for value in declared if value not in known]
            records.categories[j] = known + new
        records.closed()
        sizes = [len(known or ()) for known in records.categories]
        counts = np.array(sizes, dtype=np.float64)
        return state(kinds, self._keys, self.diagonal, counts)

    def _refuse_unsound(self, ints: Ints, fresh: Ints) -> None:
        sound.of_coding(ints, fresh)

    def _kernel(self) -> Kernel:
        return pram
