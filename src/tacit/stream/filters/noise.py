"""Noise addition on a stream."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Gt, Le

from tacit.base.facts import Strength
from tacit.base.parameters import Seed
from tacit.base.typing import Floats, Ints
from tacit.kernels.stream.noise import additive, state
from tacit.stream import sound
from tacit.stream.base import Filter, Kernel
from tacit.stream.batches import Columns, Ordered


class Noise(Filter):
    """Add Gaussian noise in proportion to the running standard deviation of each column.

    Parameters
    ----------
    percent : float
        Standard deviation of the noise, in percent of the column's.
    replace : float
        Probability that a nominal value is drawn again among the categories seen so far.
    forget : float
        Weight that a record keeps with each later one: below 1 the noise follows drift.
    warmup : int
        How many first records wait for each other until there is a standard deviation.
    columns : list of names or places, optional
        Columns to mask; all that can be masked unless given.
    nominal : list of names or places, optional
        Columns that hold categories without an order; text is nominal in any case.
    ordinal : dict, optional
        Columns that hold ordered categories, each with its categories from lowest to highest.
    random_state : int, Generator or None
        Seed: the same seed gives the same bytes.

    Notes
    -----
    **Definition.** ``x' = x + percent / 100 * sd * N(0, 1)``, sd (ddof 1) of the column over all
    records so far, the record itself included, by Welford's recurrence; a record that is t records
    old weighs ``forget ** t``. An ordinal category moves by noise on its rank. A nominal one that
    is drawn again may be the same (on a file, `tacit.protect.Noise` draws among the others).

    **Guarantee.** None. No record leaves with the variance of a single value, that is raw: the
    first ``warmup`` records leave together, and a stream of one record is withheld. Missing values
    stay missing. The delay is 0 after the warm-up.

    **Cost.** Constant per value.

    **Known attacks.** Nearest record, optimal assignment.

    References
    ----------
    Martinez Rodriguez (2015), section 6.4.

    Examples
    --------
    >>> import numpy as np
    >>> Noise(percent=50, random_state=1).apply(np.arange(100.0).reshape(50, 2)).shape
    (50, 2)
    """

    title = "Noise"
    family = "noise"
    purpose = "hide exact values as they pass"
    goal = "blur numbers"
    plain = {
        "percent": "amount of noise, in % of each column's spread",
        "replace": "share of categories that are replaced",
    }
    strength = Strength("percent", 1.0, 1000.0)
    renamed = {"amount": "percent (amount=0.1 is percent=10)", "flip": "replace"}

    zero_delay = True

    def __init__(
        self,
        percent: Annotated[float, Ge(0)] = 10.0,
        replace: Annotated[float, Ge(0), Le(1)] = 0.1,
        forget: Annotated[float, Gt(0), Le(1)] = 1.0,
        warmup: Annotated[int, Ge(2)] = 20,
        columns: Columns = None,
        nominal: Columns = None,
        ordinal: Ordered = None,
        random_state: Seed = None,
    ) -> None:
        self.percent = percent
        self.replace = replace
        self.forget = forget
        self.warmup = warmup
        self.columns = columns
        self.nominal = nominal
        self.ordinal = ordinal
        self.random_state = random_state
        self._ready()

    def _state(self, kinds: Ints) -> tuple[Floats, Ints]:
        share = self.percent / 100
        return state(
            share,
            self.replace,
            self.forget,
            self.warmup,
            kinds,
            self._keys,
        )

    def _refuse_unsound(self, ints: Ints, fresh: Ints) -> None:
        sound.of_noise(ints, fresh)

    def _kernel(self) -> Kernel:
        return additive

    def _burst(self) -> int:
        # the records of the warm-up leave together
        return self.warmup
