"""Save and restore the state of a filter in one file: numpy arrays and JSON, never pickled objects."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tacit.errors import InputError
from tacit.stream.base import Filter

AnyFilter = TypeVar("AnyFilter", bound=Filter)


def save(filter: Filter, path: Path | str, **also: Any) -> None:
    """Write the state, and whatever else belongs to that moment (``also``: the position in the source).

    The file is replaced in one step after it has reached the disk: a crash leaves the old state or the new one.
    """
    state = filter.state_dict()
    arrays = {k: v for k, v in state.items() if isinstance(v, np.ndarray)}
    rest = {k: v for k, v in state.items() if k not in arrays}
    text = json.dumps({"state": rest, "also": also}, default=_plain)
    room = io.BytesIO()
    arrays["text"] = np.frombuffer(text.encode(), dtype=np.uint8)
    np.savez(room, allow_pickle=False, **arrays)
    path = Path(path)
    beside = path.with_name(path.name + ".new")
    with beside.open("wb") as out:
        out.write(room.getbuffer())
        out.flush()
        os.fsync(out.fileno())
    os.replace(beside, path)


def read(path: Path | str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The state and what was saved beside it."""
    try:
        with np.load(path, allow_pickle=False) as saved:
            arrays = {name: saved[name] for name in saved.files}
        known = json.loads(arrays.pop("text").tobytes())
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path}: is not a saved state of a stream filter ({error})") from None
    return known["state"] | arrays, known["also"]


def load(filter: AnyFilter, path: Path | str) -> AnyFilter:
    """Let a filter built with the same parameters go on where the saved one stood."""
    filter.load_state_dict(_like(read(path)[0], filter.get_params()))
    return filter


def _like(state: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """JSON turns tuples into lists and number keys into text: compare parameters after the same treatment."""
    mine = {k: v for k, v in parameters.items() if k != "random_state"}
    if json.loads(json.dumps(mine, default=_plain)) == state["parameters"]:
        state["parameters"] = mine
    return state


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be saved as JSON; push records of plain values")
