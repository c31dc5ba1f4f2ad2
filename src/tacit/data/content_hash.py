"""The hash of a frame's records, in their order: what a manifest keeps where there is no file.

For each column SHA-256 of its name and type, and of its values 65,536 at a time: numbers by their
bytes, all else by its text with the length of each; and of where values are missing. It is the same
in memory and from the disk, and another one if a value, a type or the order of rows is another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.data.io.disk_table import DiskTable
from tacit.data.microdata import Microdata

PIECE = 65_536


def content_hash(data: Microdata) -> str:
    """As 64 hexadecimal digits.

    >>> one, other = ({"a": [1.5, 2.5], "b": ["x", None]}, {"a": [2.5, 1.5], "b": [None, "x"]})
    >>> content_hash(Microdata.of(one)) == content_hash(Microdata.of(one))
    True
    >>> content_hash(Microdata.of(one)) == content_hash(Microdata.of(other))
    False
    """
    table = data.written()
    columns = {name: hashlib.sha256() for name in table.column_names}
    for piece in _pieces(table):
        for name, hasher in columns.items():
            for part in _bytes_of(piece.column(name)):
                hasher.update(part)
    whole = hashlib.sha256()
    for name, hasher in columns.items():
        kind = table.schema.field(name).type
        whole.update(f"{name}\x1f{_plain(kind)}\x1f{hasher.hexdigest()}\n".encode())
    return whole.hexdigest()


def _pieces(table: pa.Table | DiskTable) -> Iterator[pa.Table]:
    if isinstance(table, DiskTable):
        yield from table.in_turn(PIECE)
        return
    for first in range(0, table.num_rows, PIECE):
        yield table.slice(first, PIECE)


def _plain(kind: pa.DataType) -> pa.DataType:
    """Text is text, however long, and however often it is written."""
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if pa.types.is_large_string(inner) else inner


def _bytes_of(column: pa.ChunkedArray) -> Iterator[bytes]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    # what lies below a gap is nobody's: gaps are counted apart
    yield np.packbits(np.asarray(column.is_null())).tobytes()
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        yield np.ascontiguousarray(column.fill_null(0).to_numpy()).tobytes()
        return
    texts = column.cast(pa.large_string()).fill_null("").combine_chunks()
    yield np.asarray(pc.binary_length(texts)).tobytes()
    yield "".join(texts.to_pylist()).encode()
