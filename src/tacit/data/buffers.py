"""numpy and text into Arrow arrays and back by their buffers.

pyarrow's own ``pa.array`` and ``to_numpy`` import pandas wherever it is installed, to recognise its
objects; that costs a third of a second, more than protecting a small file. Here there are none to
recognise: the numbers are copied (or lent) as they stand in memory.

Source: the Arrow columnar format, "Fixed-size primitive layout" and "Variable-size binary layout".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tacit.base.typing import Bools, Floats

Value = TypeVar("Value")


def floats_of(array: pa.Array | pa.ChunkedArray) -> Floats:
    """A float64 array as numpy, NaN where it is null; without nulls a view that cannot be written.

    >>> floats_of(pa.array([1.5, None])).tolist()
    [1.5, nan]
    """
    if not len(array):
        return np.empty(0)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    validity, content = array.buffers()
    rows = slice(array.offset, array.offset + len(array))
    plain = np.frombuffer(content, np.float64)[rows]
    if not array.null_count:
        return plain
    packed = np.frombuffer(validity, np.uint8)
    valid = np.unpackbits(packed, bitorder="little")
    return np.where(valid[rows], plain, np.nan)


def whole_of(array: pa.ChunkedArray) -> npt.NDArray[np.integer[Any]]:
    """Whole numbers without gaps as numpy of their type, a view that cannot be written.

    >>> whole_of(pa.chunked_array([pa.array([3, 1], pa.int16())])).tolist()
    [3, 1]
    """
    if not len(array):
        return np.empty(0, np.int64)
    whole = array.combine_chunks()
    rows = slice(whole.offset, whole.offset + len(whole))
    return np.frombuffer(whole.buffers()[1], numpy_type(whole.type))[rows]


def numpy_type(type_: pa.DataType) -> np.dtype[Any]:
    """The numpy type of an Arrow number; pyarrow's own answer needs pandas in older versions.

    >>> numpy_type(pa.int8()), numpy_type(pa.float32())
    (dtype('int8'), dtype('float32'))
    """
    names = {"double": "float64", "float": "float32", "halffloat": "float16"}
    return np.dtype(names.get(str(type_), str(type_)))


def array_of(numbers: npt.NDArray[np.generic], absent: Bools | None = None) -> pa.Array:
    """Numbers as an Arrow array of their type, null where they are absent.

    >>> array_of(np.array([1, 2]), np.array([False, True])).to_pylist()
    [1, None]
    """
    validity = None
    if absent is not None and absent.any():
        validity = pa.py_buffer(np.packbits(~absent, bitorder="little"))
    # a copy: what the caller does to its array later must not reach the release
    content = pa.py_buffer(np.array(numbers, order="C"))
    type_ = pa.from_numpy_dtype(numbers.dtype)
    parts = [validity, content]
    return pa.Array.from_buffers(type_, len(numbers), parts)


def listed(values: Sequence[Value], type_: pa.DataType) -> pa.Array:
    """A list as an Arrow array: whole numbers and text by their bytes, other types by pyarrow.

    >>> listed(["a", "é"], pa.string()).to_pylist()
    ['a', 'é']
    >>> listed([3, 1], pa.int8()).to_pylist()
    [3, 1]
    """
    if pa.types.is_integer(type_) and all(type(value) is int for value in values):
        return array_of(np.array(values, dtype=numpy_type(type_)))
    if not pa.types.is_string(type_) or not all(isinstance(v, str) for v in values):
        return pa.array(values, type=type_)
    encoded = [str(value).encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    # text of more than 2 GB does not fit the offsets of this type
    if ends[-1] > np.iinfo(np.int32).max:
        return pa.array(values, type=type_)
    offsets = pa.py_buffer(ends.astype(np.int32))
    content = pa.py_buffer(b"".join(encoded))
    return pa.Array.from_buffers(type_, len(values), [None, offsets, content])
