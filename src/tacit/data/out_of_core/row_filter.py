"""Some records of a file, in file order: what is kept is asked of each span of rows.

Every item writes those of its records that stay, so that files differ in length; columns are read
some at a time, as in ``row_sort``. Memory: an item.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from tacit.base.typing import Bools
from tacit.data.io.disk_table import DiskTable, Reader, SpilledColumns, write_columns
from tacit.data.out_of_core.pieces import mapped, spans
from tacit.data.out_of_core.row_sort import COLUMNS, Dictionaries

KeptOf = Callable[[int, int], Bools]
"""Which of the records from the first up to the second row stay; can be sent to a worker."""


@dataclass(frozen=True)
class _Keep:
    """Item: (names, first, stop, file). The records that stay, written; how many they are."""

    table: DiskTable
    kept_of: KeptOf
    words: Dictionaries

    def __call__(self, item: tuple[list[str], int, int, Path]) -> int:
        names, first, stop, path = item
        whole = next(self.table.in_turn(stop - first, names, first, stop))
        some = self.words.plain(whole).filter(pa.array(self.kept_of(first, stop)))
        write_columns(path, [self.words.typed(some.combine_chunks())])
        return int(some.num_rows)


def kept_rows(table: DiskTable, kept_of: KeptOf) -> DiskTable:
    """The records that stay.

    Parameters
    ----------
    table : DiskTable
        All records.
    kept_of : function
        Whether each record of a span stays.
    """
    folder, names = table.folder, table.column_names
    readers: dict[str, Reader] = {}
    number = 0
    for begin in range(0, len(names), COLUMNS):
        some = names[begin : begin + COLUMNS]
        items = [(some, *span, folder.next_file()) for span in spans(table.num_rows)]
        schema = pa.schema([table.schema.field(name) for name in some])
        number = sum(
            mapped(_Keep(table, kept_of, Dictionaries.of(table, schema)), items)
        )
        reader = SpilledColumns(tuple(item[-1] for item in items))
        readers |= dict.fromkeys(some, reader)
    return DiskTable(readers, table.schema, number, folder)
