"""Rounding on a stream."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Gt

from tacit.base.parameters import Seed
from tacit.base.typing import Floats, Ints
from tacit.kernels.stream.coding import rounding, state
from tacit.stream import sound
from tacit.stream.base import Filter, Kernel
from tacit.stream.batches import Columns
from tacit.stream.kinds import CONTINUOUS


class Rounding(Filter):
    """Round values to multiples of a base.

    Parameters
    ----------
    base : float
        The unit of which every released value is a multiple.
    kind : {"nearest", "random"}
        The nearest multiple, or up or down at random such that the expected value is kept.
    columns : list of names or places, optional
        Columns to mask; all that hold numbers unless given.
    nominal : list of names or places, optional
        Columns that hold categories, which are carried along as they are.
    random_state : int, Generator or None
        Seed: the same seed gives the same bytes.

    Notes
    -----
    **Definition.** With ``u = x / base``: ``base * floor(u + 1/2)`` (nearest, half goes up), or
    ``base * floor(u + U)`` with U uniform on (0, 1), whose expectation is x (random).

    **Guarantee.** None alone; values already multiples stay as they are. Missing stays missing. The
    delay is 0.

    **Cost.** Constant per value.

    **Known attacks.** A value is known to within base (half of it when not random).

    References
    ----------
    Willenborg and De Waal (2001).

    Examples
    --------
    >>> import numpy as np
    >>> Rounding(base=10).apply(np.array([[12.0, 15.0]])).tolist()
    [[10.0, 20.0]]
    """

    title = "Rounding"
    family = "coding"
    purpose = "publish values at a coarser grain"
    goal = "blur numbers"
    plain = {
        "base": "round to multiples of",
        "kind": "how it is rounded",
    }
    renamed = {"random": 'kind (random=True is kind="random")'}

    zero_delay = True
    handles = frozenset({CONTINUOUS})

    def __init__(
        self,
        base: Annotated[float, Gt(0)] = 1.0,
        kind: Literal["nearest", "random"] = "nearest",
        columns: Columns = None,
        nominal: Columns = None,
        random_state: Seed = None,
    ) -> None:
        self.base = base
        self.kind = kind
        self.columns = columns
        self.nominal = nominal
        self.ordinal = None
        self.random_state = random_state
        self._ready()

    def _state(self, kinds: Ints) -> tuple[Floats, Ints]:
        random = int(self.kind == "random")
        return state(kinds, self._keys, self.base, 0.0, random=random)

    def _refuse_unsound(self, ints: Ints, fresh: Ints) -> None:
        sound.of_coding(ints, fresh)

    def _kernel(self) -> Kernel:
        return rounding
