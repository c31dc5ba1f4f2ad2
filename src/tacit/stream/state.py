"""Save and restore the state of a filter: numpy arrays and JSON, never pickled objects."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Protocol, TypeVar
from zipfile import BadZipFile

import numpy as np

from tacit.base.errors import InputError
from tacit.stream.base import Filter
from tacit.stream.kinds import Plain

AnyFilter = TypeVar("AnyFilter", bound=Filter)


class StateStore(Protocol):
    """Where the state of a filter is kept between two runs."""

    def exists(self) -> bool:
        """Was a state saved?"""

    def read(self) -> tuple[Plain, Plain]:
        """The state and what was saved beside it."""

    def save(self, filter: Filter, **also: object) -> None:
        """Keep the state, with whatever else belongs to that moment."""


class FileState:
    """A state in a file, which is replaced in one step."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def exists(self) -> bool:
        """Was a state saved?"""
        return self.path.exists()

    def read(self) -> tuple[Plain, Plain]:
        """The state and what was saved beside it."""
        return read(self.path)

    def save(self, filter: Filter, **also: object) -> None:
        """Replace the file."""
        save(filter, self.path, **also)


def packed(filter: Filter, **also: object) -> bytes:
    """The state of a filter, and what belongs to that moment, as the content of a file."""
    state = filter.state_dict()
    arrays = {
        name: value for name, value in state.items() if isinstance(value, np.ndarray)
    }
    rest = {name: value for name, value in state.items() if name not in arrays}
    text = json.dumps({"state": rest, "also": also}, default=_plain)
    room = io.BytesIO()
    arrays["text"] = np.frombuffer(text.encode(), dtype=np.uint8)
    np.savez(room, allow_pickle=False, **arrays)
    return room.getvalue()


def unpacked(content: bytes, name: str) -> tuple[Plain, Plain]:
    """The inverse of `packed`; ``name`` is what an error names."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as saved:
            arrays = {part: saved[part] for part in saved.files}
        known = json.loads(arrays.pop("text").tobytes())
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise InputError(
            f"{name}: is not a saved state of a stream filter ({error})"
        ) from None
    return known["state"] | arrays, known["also"]


def save(filter: Filter, path: Path | str, **also: object) -> None:
    """Write the state of a filter.

    The file is replaced in one step after it has reached the disk: a crash leaves the old state or
    the new one.

    Parameters
    ----------
    filter : Filter
        The filter whose state is saved.
    path : path
        The file.
    **also
        Whatever else belongs to that moment: the position in the source.
    """
    # in memory first, so that the file is written at once
    content = packed(filter, **also)
    path = Path(path)
    beside = path.with_name(path.name + ".new")
    # for its owner only: it holds the key of the noise, and originals
    number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(number, "wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    # one step: readers see the old file or the new one
    os.replace(beside, path)


def read(path: Path | str) -> tuple[Plain, Plain]:
    """The state and what was saved beside it."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    return unpacked(content, str(path))


def load(filter: AnyFilter, path: Path | str) -> AnyFilter:
    """Let a filter built with the same parameters go on where the saved one stood."""
    return restored(filter, read(path)[0])


def restored(filter: AnyFilter, state: Plain) -> AnyFilter:
    """The filter, going on from a state."""
    filter.load_state_dict(_like(state, filter.get_params()))
    return filter


def _like(state: Plain, parameters: Plain) -> Plain:
    """The state with the parameters in the form in which the filter has them.

    JSON turns tuples into lists and number keys into text: compare after the same treatment.
    """
    mine = {name: value for name, value in parameters.items() if name != "random_state"}
    if json.loads(json.dumps(mine, default=_plain)) == state["parameters"]:
        state["parameters"] = mine
    return state


def _plain(value: object) -> object:
    """Values of numpy as plain ones, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(
        f"{type(value).__name__} cannot be saved as JSON; push records of plain values"
    )
