"""Multiplicative noise on a stream."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Gt

from tacit.base.facts import Strength
from tacit.base.parameters import Seed
from tacit.base.typing import Floats, Ints
from tacit.kernels.stream.noise import multiplicative, state
from tacit.stream import sound
from tacit.stream.base import Filter, Kernel
from tacit.stream.batches import Columns
from tacit.stream.kinds import CONTINUOUS


class MultiplicativeNoise(Filter):
    """Multiply each value by a random factor with mean 1.

    Parameters
    ----------
    percent : float
        Standard deviation of the factor, in percent of 1.
    columns : list of names or places, optional
        Columns to mask; all that hold numbers unless given.
    nominal : list of names or places, optional
        Columns that hold categories, which are carried along as they are.
    random_state : int, Generator or None
        Seed: the same seed gives the same bytes.

    Notes
    -----
    **Definition.** ``x' = x (1 + percent / 100 * N(0, 1))``, continuous columns only; large values
    move more, in proportion. (On a file, ``Noise(kind="multiplicative")`` also keeps the factor
    above 0.)

    **Guarantee.** None. A zero stays zero: use `Noise` where zeros identify. Missing values stay
    missing. The delay is 0.

    **Cost.** Constant per value.

    **Known attacks.** Nearest record on logarithms.

    References
    ----------
    Kim and Winkler (2003).

    Examples
    --------
    >>> import numpy as np
    >>> MultiplicativeNoise(percent=10, random_state=1).apply(np.ones((3, 2))).shape
    (3, 2)
    """

    title = "Multiplicative noise"
    family = "noise"
    purpose = "hide values in proportion to their size"
    goal = "blur numbers"
    plain = {"percent": "amount of noise, in % of each value"}
    strength = Strength("percent", 1.0, 1000.0)
    renamed = {"amount": "percent (amount=0.1 is percent=10)"}

    zero_delay = True
    handles = frozenset({CONTINUOUS})

    def __init__(
        self,
        percent: Annotated[float, Gt(0)] = 10.0,
        columns: Columns = None,
        nominal: Columns = None,
        random_state: Seed = None,
    ) -> None:
        self.percent = percent
        self.columns = columns
        self.nominal = nominal
        self.ordinal = None
        self.random_state = random_state
        self._ready()

    def _state(self, kinds: Ints) -> tuple[Floats, Ints]:
        share = self.percent / 100
        # no categories to replace, nothing to forget, no warm-up: no moments are needed
        return state(
            share,
            0.0,
            1.0,
            0,
            kinds,
            self._keys,
        )

    def _refuse_unsound(self, ints: Ints, fresh: Ints) -> None:
        sound.of_noise(ints, fresh)

    def _kernel(self) -> Kernel:
        return multiplicative
