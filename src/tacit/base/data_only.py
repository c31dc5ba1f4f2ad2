"""Values as bytes that can hold nothing but data: reading them runs nothing that they name.

Python's own way (pickle) runs what a file asks for. Here a tree of JSON says what the values are,
and its numbers lie beside it as arrays (``npz`` without pickled objects). A class is known by its
name, must be a dataclass of this package, and gets its fields set; nothing is called. What is of
another kind is refused, on writing as on reading.

>>> from_bytes(to_bytes({"k": (3, np.array([1.5])), 2: None}))
{'k': (3, array([1.5])), 2: None}
"""

from __future__ import annotations

import base64
import dataclasses
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]
Tree: TypeAlias = Any
"""What JSON holds: a number, a word, a list, or {kind: content} of anything else."""

# module and class; a part that begins with _ (``__main__``) is a program and no module of values
_OURS = re.compile(r"(tacit(?:\.[a-z][a-z0-9_]*)+):([A-Za-z_][A-Za-z0-9_]*)")
_COLLECTIONS = {"tuple": tuple, "set": set, "frozenset": frozenset}
# kinds that one word says: how it is written, and how it is read
_WORDS: dict[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    bytes: (lambda value: base64.b64encode(value).decode(), base64.b64decode),
    date: (date.isoformat, date.fromisoformat),
    time: (time.isoformat, time.fromisoformat),
    Decimal: (str, Decimal),
    timedelta: (lambda v: [v.days, v.seconds, v.microseconds], lambda v: timedelta(*v)),
}
_NAMED = {kind.__name__: kind for kind in _WORDS}
# where the tree lies among the arrays
_TREE = "tree"
_DAMAGED = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    ImportError,
    OSError,
    EOFError,
    MemoryError,
    RecursionError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
    pa.ArrowException,
)


class NotData(ValueError):
    """A value that is no data, or bytes that ``to_bytes`` did not write."""


def to_bytes(value: object) -> bytes:
    """The value as bytes; ``NotData`` if a part of it is of a kind that is not kept."""
    arrays: Arrays = {}
    tree = json.dumps(_tree(value, arrays)).encode()
    room = io.BytesIO()
    np.savez(room, allow_pickle=False, **_numbered(arrays), **{_TREE: _numbers(tree)})
    return room.getvalue()


def from_bytes(content: bytes) -> Any:
    """The value that ``to_bytes`` was given; ``NotData`` if it was not."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as saved:
            arrays = {name: np.asarray(saved[name]) for name in saved.files}
        return _value(json.loads(arrays.pop(_TREE).tobytes()), arrays)
    except _DAMAGED as error:
        raise NotData(str(error)) from None


def _numbered(arrays: Arrays) -> dict[str, Any]:
    # typed so that savez does not take a name for one of its options
    return dict(arrays)


def _numbers(content: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(content, dtype=np.uint8)


def _tree(value: Any, arrays: Arrays) -> Tree:
    """The value as JSON; its numbers go to ``arrays``."""
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.hasobject:
            raise NotData("an array of objects")
        kind = "array" if isinstance(value, np.ndarray) else "number"
        return {kind: _put(np.asarray(value), arrays)}
    if isinstance(value, Enum):
        return {"enum": [_name(type(value)), value.name]}
    # a class derived from one of these is another kind
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in _WORDS:
        return {type(value).__name__: _WORDS[type(value)][0](value)}
    if type(value) is datetime:
        zone = value.tzinfo.key if isinstance(value.tzinfo, ZoneInfo) else None
        local = value if zone is None else value.replace(tzinfo=None)
        return {"datetime": [local.isoformat(), zone, value.fold]}
    if isinstance(value, Path):
        return {"path": str(value)}
    if type(value) is list:
        return [_tree(one, arrays) for one in value]
    if type(value) in _COLLECTIONS.values():
        return {type(value).__name__: [_tree(one, arrays) for one in value]}
    if type(value) is dict:
        pairs = value.items()
        return {"dict": [[_tree(k, arrays), _tree(v, arrays)] for k, v in pairs]}
    if isinstance(value, pa.Table):
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, value.schema) as writer:
            writer.write_table(value)
        return {"table": _put(_numbers(sink.getvalue()), arrays)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return {
            "class": _name(type(value)),
            "fields": {name: _tree(getattr(value, name), arrays) for name in names},
        }
    raise NotData(f"a {type(value).__name__} is not kept as data")


def _put(array: npt.NDArray[Any], arrays: Arrays) -> str:
    name = f"a{len(arrays)}"
    arrays[name] = array
    return name


def _name(kind: type) -> str:
    name = f"{kind.__module__}:{kind.__qualname__}"
    if not _OURS.fullmatch(name):
        raise NotData(f"{name} is no class of this package")
    return name


def _value(tree: Tree, arrays: Arrays) -> Any:
    """What the tree says."""
    if isinstance(tree, list):
        return [_value(one, arrays) for one in tree]
    if not isinstance(tree, dict):
        return tree
    if "class" in tree:
        return _object(tree["class"], tree["fields"], arrays)
    ((kind, content),) = tree.items()
    if kind in _COLLECTIONS:
        return _COLLECTIONS[kind](_value(one, arrays) for one in content)
    if kind == "dict":
        return {_value(k, arrays): _value(v, arrays) for k, v in content}
    if kind == "array":
        return arrays[content]
    if kind == "number":
        return arrays[content][()]
    if kind == "table":
        with pa.ipc.open_stream(arrays[content].tobytes()) as reader:
            return reader.read_all()
    if kind in _NAMED:
        return _WORDS[_NAMED[kind]][1](content)
    if kind == "datetime":
        text, zone, fold = content
        moment = datetime.fromisoformat(text)
        zoned = moment if zone is None else moment.replace(tzinfo=ZoneInfo(zone))
        return zoned.replace(fold=fold)
    if kind == "path":
        return Path(content)
    if kind == "enum":
        name, member = content
        return _class(name, Enum)[member]
    raise NotData(f"{kind} is no kind of value")


def _object(name: str, fields: dict[str, Tree], arrays: Arrays) -> object:
    """An object of ours with these fields; neither ``__init__`` nor anything else is called."""
    kind: type = _class(name, object)
    if not dataclasses.is_dataclass(kind):
        raise NotData(f"{name} is no dataclass")
    if {field.name for field in dataclasses.fields(kind)} != set(fields):
        raise NotData(f"{name} has other fields")
    made: object = object.__new__(kind)
    for field, content in fields.items():
        object.__setattr__(made, field, _value(content, arrays))
    return made


def _class(name: str, base: type) -> Any:
    found = _OURS.fullmatch(name)
    if found is None:
        raise NotData(f"{name} is no class of this package")
    module, own = found.groups()
    kind = vars(import_module(module)).get(own)
    if not isinstance(kind, type) or kind.__module__ != module:
        raise NotData(f"{name} is not there")
    if not issubclass(kind, base):
        raise NotData(f"{name} is of another kind")
    return kind
