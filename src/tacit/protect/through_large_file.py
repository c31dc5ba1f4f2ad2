"""How a method goes through a file that is larger than memory, and what it holds of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

import numpy as np

from tacit.base.estimator import clone
from tacit.data.microdata import Microdata, Role
from tacit.protect.parted import strata_columns

if TYPE_CHECKING:
    from tacit.data.io.disk_table import SpillFolder
    from tacit.data.io.on_disk import OnDisk
    from tacit.data.out_of_core.placing import RowsAndNumbers
    from tacit.data.out_of_core.sorting import SortedNumbers

Passes = Literal["records", "values", "ranks", "sorts", "sums", "keys", "together"]
"""Ways through a file that is larger than memory; see ``Protector.passes``."""

# bytes per record of one of several columns that are held: values, scores, order, result
EACH_OF_SEVERAL = 80.0


class ThroughLargeFile:
    """The way of a protector through a large file; every ``Protector`` is one."""

    passes: ClassVar[Passes] = "together"
    """How the method goes through a file that is larger than memory, with the same bytes.

    ``records``: what it learns it asks for column by column (``Microdata.column``) or in
    turn (``Microdata.in_turn``), and then each block of 8,192 records is masked on its own.
    ``values``: nothing is drawn, and each value is masked by what was learned (``settled``).
    ``ranks``: each column is masked by the ranks of its values (``in_rank_order``), which are
    sorted on the disk. ``sorts``: its columns are sorted on the disk and masked by their ranks
    together. ``sums``: it goes through the blocks itself, and learns from sums over them.
    ``keys``: its combinations of keys are counted on the disk, and the distinct ones held.
    ``together``: the columns that it looks at (``reads``) are held at the same time, and no
    others. See ``tacit.protect.by_address``.
    """

    if TYPE_CHECKING:
        # what it asks of the protector that it is part of
        def _targets(self, data: Microdata) -> list[str]: ...
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...

    def passes_of(self, data: Microdata) -> Passes:
        """How the method, with these parameters, goes through a file larger than memory."""
        return self.passes

    def holds(self, data: Microdata) -> tuple[float, str]:
        """Bytes per record that it holds of a file larger than memory, and what that is."""
        if strata_columns(self):
            # a stratum is gone through as a file is
            alone: ThroughLargeFile = clone(cast("Any", self)).set_params(by=None)
            return alone.holds(data)
        # a table of households or persons is gone through as a file is, too
        if self.passes_of(data) == "together":
            columns = len(self.reads(data))
            return EACH_OF_SEVERAL * columns, f"the {columns} columns that it looks at"
        return 0.0, "a piece at a time"

    def settled(self, data: OnDisk, columns: list[str]) -> Self:
        """Of a method with ``passes = "values"``: the method that knows what it must of the file.

        It masks any span of records as it would mask them among all.
        """
        return self

    def by_code(self, data: Microdata, name: str) -> bool:
        """Of a method with ``passes = "values"``: does it look at this column's categories?

        They are then found in the whole file before its pieces are masked.
        """
        return True

    def by_frequency(self, data: Microdata, name: str) -> bool:
        """Are the values of this column ranked by how often they occur (rarest first)?"""
        return False

    def in_rank_order(
        self, ordered: SortedNumbers, rng: np.random.Generator, folder: SpillFolder
    ) -> Callable[[tuple[int, int]], RowsAndNumbers]:
        """Of a method with ``passes = "ranks"``: the new values of a sorted column.

        What is returned gives the rows and new values of a span of the order, and can be sent
        to a worker; draws beyond the ties come from ``rng``.
        """
        raise NotImplementedError

    def reads(self, data: Microdata) -> list[str]:
        """The columns that the method looks at: those with a role, those masked or named."""
        named = set(self._targets(data))
        for value in self.get_params(deep=False).values():
            named.update(_names_in(value))
        unused = (Role.identifier, Role.other)
        return [
            column.name
            for column in data.schema
            if column.name in named or column.role not in unused
        ]


def _names_in(value: object) -> Iterator[str]:
    """Every text in a parameter, however deep: some of them are names of columns."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        # what stands under a column's name are its values
        yield from (key for key in value if isinstance(key, str))
    elif isinstance(value, list | tuple):
        for held in value:
            yield from _names_in(held)
