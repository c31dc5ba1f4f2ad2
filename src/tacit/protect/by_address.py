"""Random numbers by address: the same release in memory, out of core and on a cluster.

A file of more than ``BLOCK`` records is masked piece by piece, and each piece draws from a
generator of its own, ``seeds.child(key, address)``. The address is the number of the block of
8,192 records (a method with ``passes = "records"``), or the place of the column among those
that are masked (``passes = "ranks"``). It depends neither on how much memory there
was, nor on who treated the piece, nor on what was treated before it. The key is drawn from the
method's own generator. A smaller file is one piece and draws from that generator itself.

``masked`` is what ``Protector.transform`` calls. What is larger than memory (``tacit.scale``)
takes the same pieces from the disk and calls the same ``_apply`` on each with the same ``Draws``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tacit.base import seeds
from tacit.data.frames import NativeFrame
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata, Schema
from tacit.protect import on_disk_pieces

if TYPE_CHECKING:
    from tacit.protect.base import Protector

# enough that a generator for each is cheap (20 microseconds), few enough to stay in a cache
BLOCK = 8192


@dataclass(frozen=True)
class Draws:
    """The generators of the pieces of one release; small enough to be sent to a worker."""

    key: int

    @classmethod
    def of(cls, rng: np.random.Generator) -> Draws:
        """The generators below that of the method."""
        return cls(root(rng))

    def at(self, address: int) -> np.random.Generator:
        """The generator of one piece."""
        return seeds.generator(seeds.child(self.key, address))


def root(rng: np.random.Generator) -> int:
    """A key for pieces or parts of a file, as good as the generator's own."""
    return seeds.DRAWN | int.from_bytes(rng.bytes(seeds.BITS // 8), "little")


def masked(
    method: Protector,
    data: Microdata,
    columns: list[str],
    rng: np.random.Generator,
) -> Microdata:
    """What a fitted method makes of a file, in memory or on the disk."""
    way = method.passes_of(data)
    if data.n <= BLOCK or way in ("keys", "sorts", "sums", "together"):
        return method._apply(data, columns, rng)
    if way == "values" and not isinstance(data, OnDisk):
        return method._apply(data, columns, rng)
    draws = Draws.of(rng)
    if isinstance(data, OnDisk):
        return on_disk_pieces.masked(method, data, columns, draws, way)
    if way != "records":
        for place, name in enumerate(columns):
            data = method._apply(data, [name], draws.at(place))
        return data
    schema = data.closed(columns)
    table = data.table.select(columns)
    pieces = (table.slice(first, BLOCK) for first in range(0, table.num_rows, BLOCK))
    return together(data, columns, treated(method, pieces, schema, draws))


def treated(
    method: Protector,
    pieces: Iterable[pa.Table],
    schema: Schema,
    draws: Draws,
    first: int = 0,
) -> Iterator[Microdata]:
    """Consecutive blocks, masked; ``first`` is the number of the first one."""
    for address, piece in enumerate(pieces, start=first):
        names = piece.column_names
        block = Microdata(piece, schema.select(names), NativeFrame.of(piece))
        yield method._apply(block, names, draws.at(address))


def opened(schema: Schema, before: Schema) -> Schema:
    """The schema without the categories and steps that ``Microdata.closed`` has put into it."""
    for column in schema:
        known = before[column.name]
        # the step of a file in memory is that of its values, whatever they will be
        column = replace(column, missing=known.missing)
        schema = schema.put(column)
        if column.kind is known.kind and column.categories != known.categories:
            schema = schema.put(replace(column, categories=known.categories))
    return schema


def together(
    data: Microdata,
    columns: Sequence[str],
    blocks: Iterable[Microdata],
) -> Microdata:
    """The file with the masked columns of its blocks, one after the other."""
    tables = []
    before = after = data.schema
    for block in blocks:
        tables.append(block.table.select(list(columns)))
        after = block.schema
    stacked = pa.concat_tables(tables)
    for name in columns:
        values = stacked.column(name).combine_chunks()
        data = data.with_column(name, values, kind=after[name].kind)
        data = data.with_schema(data.schema.put(after[name]))
    return data.with_schema(opened(data.schema, before))
