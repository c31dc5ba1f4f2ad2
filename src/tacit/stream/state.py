"""Save and restore the state of a filter: numpy arrays and JSON, never pickled objects."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar
from zipfile import ZIP_STORED, ZipFile

import numpy as np
import numpy.typing as npt

from tacit.base.errors import InputError, TacitError
from tacit.stream.base import Filter
from tacit.stream.kinds import Plain
from tacit.stream.private_file import write_whole

AnyFilter = TypeVar("AnyFilter", bound=Filter)
# the array that holds the hash of all others
SEAL = "seal"
# no stream is longer
LARGEST_COUNT = 2**62


class StateStore(Protocol):
    """Where the state of a filter is kept between two runs."""

    @property
    def name(self) -> str:
        """What messages call it."""

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

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.path)

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
    arrays["text"] = np.frombuffer(text.encode(), dtype=np.uint8)
    arrays[SEAL] = _seal(arrays)
    room = io.BytesIO()
    np.savez(room, allow_pickle=False, **arrays)
    return room.getvalue()


def unpacked(content: bytes, name: str) -> tuple[Plain, Plain]:
    """The inverse of `packed`; ``name`` is what an error names."""
    # a damaged archive can fail in any way that zip, numpy and JSON know
    try:
        arrays = _arrays(content)
        seal = arrays.pop(SEAL)
        whole = seal.tobytes() == _seal(arrays).tobytes()
        known = json.loads(arrays.pop("text").tobytes())
        state, also = known["state"] | arrays, known["also"]
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"{name}: is not a saved state of a stream filter ({reason})"
        ) from None
    if not whole:
        raise InputError(
            f"{name}: was changed after it was saved; begin again with a new --state"
        )
    return state, also


def _arrays(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an archive in which nothing is packed: it is no larger than it looks."""
    with ZipFile(io.BytesIO(content)) as archive:
        if any(part.compress_type != ZIP_STORED for part in archive.infolist()):
            raise ValueError("it is packed")
    with np.load(io.BytesIO(content), allow_pickle=False) as saved:
        return {part: saved[part] for part in saved.files}


def _seal(arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.uint8]:
    """A hash of everything: it finds damage, not somebody who may write the file and hashes anew.

    Compiled code takes a state at its word.
    """
    hashed = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        head = json.dumps([name, array.dtype.str, array.shape])
        hashed.update(head.encode() + b"\n")
        hashed.update(array.tobytes())
    return np.frombuffer(hashed.digest(), dtype=np.uint8)


@contextmanager
def taken_up(name: str) -> Iterator[None]:
    """Whatever goes wrong while a state is taken up is said in one sentence that names it."""
    try:
        yield
    except TacitError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"{name}: does not fit this version of tacit, or was changed ({reason}); begin again "
            "with a new --state"
        ) from None


def count_of(also: Plain, name: str, otherwise: int = 0) -> int:
    """A number of records or bytes that was saved beside a state."""
    count = also.get(name, otherwise)
    if not isinstance(count, int) or not 0 <= count <= LARGEST_COUNT:
        raise ValueError(f"{name} is no number of records or bytes")
    return count


def save(filter: Filter, path: Path | str, **also: object) -> None:
    """Write the state of a filter.

    The file is replaced in one step after it has reached the disk: a crash leaves the old state or
    the new one. Only its owner can read it: it holds the key of the noise, and originals.

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
    try:
        write_whole(path, content)
    except OSError as error:
        raise InputError(
            f"{path}: the state cannot be written there ({error.strerror})"
        ) from None


def read(path: Path | str) -> tuple[Plain, Plain]:
    """The state and what was saved beside it."""
    path = Path(path)
    # reading from a pipe would wait for ever
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is not a regular file; name another --state")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    return unpacked(content, str(path))


def load(filter: AnyFilter, path: Path | str) -> AnyFilter:
    """Let a filter built with the same parameters go on where the saved one stood."""
    return restored(filter, read(path)[0])


def restored(filter: AnyFilter, state: Plain) -> AnyFilter:
    """The filter, going on from a state."""
    with taken_up("the saved state"):
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
