"""What a filter lets out: one Release per record, or a Batch of arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.stream.kinds import AnyRecord

BOOKS = ("index", "delay", "group", "size")
"""What is known of a release beside its record."""


class Release(NamedTuple):
    """One record that leaves a filter."""

    record: AnyRecord
    """The masked record, of the form that was pushed (dict, array, list, or pair with label)."""
    index: int  # type: ignore[assignment]  # tuple.index is not needed
    """Its arrival number, from 0. After a restart the same index carries the same record."""
    delay: int
    """How many records arrived after it before it left."""
    group: int
    """The group whose value it carries; -1 where the method has no groups."""
    size: int
    """Members of the group when it left; 1 where there are no groups."""


RELEASE: Callable[[tuple[Any, ...]], Release] = partial(tuple.__new__, Release)
"""A release of its parts, in half the time of ``Release(...)``."""


@dataclass(frozen=True)
class Batch:
    """Many releases as arrays; row i of each belongs together."""

    values: Floats
    index: Ints
    delay: Ints
    group: Ints
    size: Ints
    withheld: list[int] = field(default_factory=list)
    """Arrival numbers of the records that could not be protected and therefore did not leave."""

    def __len__(self) -> int:
        return len(self.index)

    def in_order(self) -> Batch:
        """The same releases in order of arrival."""
        if len(self) < 2 or bool((np.diff(self.index) > 0).all()):
            return self
        order = np.argsort(self.index, kind="stable")
        return Batch(
            self.values[order],
            self.index[order],
            self.delay[order],
            self.group[order],
            self.size[order],
            self.withheld,
        )
