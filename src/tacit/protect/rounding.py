"""Rounding to multiples of a base."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Gt

from tacit.base.errors import ColumnError
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata
from tacit.protect import by_address
from tacit.protect.base import Protector, Seed

Base = Annotated[float, Gt(0)]


class Rounding(Protector):
    """Round values to multiples of a base.

    Parameters
    ----------
    base : float or dict of float, optional
        The base, one number or one per column; unless given, a tenth of each column's standard
        deviation, rounded to 1, 2 or 5 times a power of ten.
    kind : {'random', 'nearest'}
        Round up or down at random without bias, or to the nearest multiple.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers unless given.
    random_state : int, optional
        Seed: the same seed gives the same bytes; drawn from the system unless given.

    Attributes
    ----------
    base_ : dict
        The base of each column.

    Notes
    -----
    **Definition.** With ``q = floor(x / base)`` and ``f = x / base - q``, the random
    (unbiased) form gives ``base (q + 1)`` with probability f and ``base q`` otherwise, so that
    the expectation is x; the nearest form gives the nearest multiple (half to even). Missing
    values stay missing.

    **Guarantee.** Every masked value is a multiple of the base; random: no bias.

    **Cost.** Linear.

    **Known attacks.** A value is known to within base / 2 (nearest) or base (random).

    References
    ----------
    Willenborg and De Waal (2001).

    Examples
    --------
    >>> import numpy as np
    >>> Rounding(base=5, kind="nearest").fit_transform(np.array([[3.0], [7.4]])).tolist()
    [[5.0], [5.0]]
    """

    title = "Rounding"
    family = "coding"
    purpose = "publish values at a coarser grain"
    goal = "blur numbers"
    plain = {"base": "round to multiples of"}
    attacker = "informed.rounding:AwareRounding"

    # a multiple of a category means nothing
    kinds = frozenset({Kind.continuous})

    # with a base given, a value is rounded by itself
    scales = "records"
    passes = "records"

    def __init__(
        self,
        base: Base | dict[str, Base] | None = None,
        kind: Literal["random", "nearest"] = "random",
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.base = base
        self.kind = kind
        self.columns = columns
        self.random_state = random_state

    def needs_whole_file(self) -> str | None:
        """A base that is not given comes from the file's standard deviations."""
        if isinstance(self.base, int | float):
            return None
        return (
            "a base that is not given is a tenth of the column's standard deviation, "
            "and a block has its own; give one"
        )

    def _fit(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> None:
        if isinstance(self.base, dict):
            unknown = [name for name in self.base if name not in columns]
            if unknown:
                raise ColumnError(
                    f"base names '{unknown[0]}', which is not a column to protect"
                )
        self.base_ = {name: self._base(data, name) for name in columns}

    def _base(
        self,
        data: Microdata,
        name: str,
    ) -> float:
        """The base asked for, or one that suits the column."""
        asked = self.base.get(name) if isinstance(self.base, dict) else self.base
        if asked is not None:
            return float(asked)
        sd = population_sd(data, name)
        # a constant column has no scale of its own: whole numbers
        return nice(sd / 10) if sd > 0 else 1.0

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        source = rng if self.kind == "random" else None
        values = data.numbers(columns)
        for j, name in enumerate(columns):
            base = self.base_[name]
            values[:, j] = round_to(values[:, j], base, source)
        return data.with_numbers(columns, values)


def round_to(
    values: Floats,
    base: float,
    rng: np.random.Generator | None,
) -> Floats:
    """Multiples of the base: at random without bias, or the nearest without a generator."""
    with np.errstate(over="ignore"):
        units = values / base
        # doubles beyond it lie farther apart than the base: each is a multiple
        huge = np.isinf(units)
        if huge.any():
            nearest = round_to(np.where(huge, 0.0, values), base, rng)
            return np.where(huge, values, nearest)
    if rng is None:
        return np.asarray(np.rint(units) * base)
    below = np.floor(units)
    # up with the probability of the fraction that was cut off: the expectation is the value
    goes_up = rng.random(values.shape) < units - below
    return np.asarray((below + goes_up) * base)


def nice(size: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above size.

    >>> nice(0.7), nice(34.0)
    (0.5, 20.0)
    """
    # the largest power of ten that is not above size, then its multiples from above
    power = 10.0 ** np.floor(np.log10(size))
    for step in (5.0, 2.0):
        if step * power <= size:
            return float(step * power)
    return float(power)


def population_sd(data: Microdata, name: str) -> float:
    """Standard deviation (ddof 0) of the values that are there; 0 where none is.

    Two passes over the file, summed block by block, wherever the file is.
    """
    number, total, squares = 0, 0.0, 0.0
    for values in data.in_turn([name], by_address.BLOCK):
        number += int((~np.isnan(values)).sum())
        total += float(np.nansum(values))
    if not number:
        return 0.0
    mean = total / number
    for values in data.in_turn([name], by_address.BLOCK):
        squares += float(np.nansum((values - mean) ** 2))
    return float(np.sqrt(squares / number))
