"""The state of a search in a file: which problem it is of, what is open, the best so far."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from tacit.base.errors import InputError
from tacit.base.typing import Bools
from tacit.data.io import replacing
from tacit.protect.lattice.problem import Problem

FORM = 1
"""The form of the file; another one is refused."""


def fingerprint(problem: Problem) -> str:
    """What tells one problem from another: the file as codes, the models, what is made small."""
    whole = hashlib.sha256()
    setting = problem.utility.setting
    words = [
        *(str(one) for one in problem.constraints),
        type(problem.utility).__name__,
        repr(setting.weights.tolist()),
        repr(setting.tables),
        str(setting.k),
        str(problem.limit),
        repr(list(problem.levels)),
        *(f"{column.name} {column.sizes}" for column in problem.columns),
    ]
    whole.update("\n".join(words).encode())
    cells = problem.bottom
    arrays = [cells.codes, cells.extra, cells.rows, cells.weight, cells.population]
    arrays += [step for column in problem.columns for step in column.tree.up]
    for array in arrays:
        if array is not None:
            whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()


def save(
    path: Path,
    problem: Problem,
    state: dict[str, Any],
) -> None:
    """Write a state, for its owner alone."""
    held = {"form": FORM, "problem": fingerprint(problem), **state}
    with replacing(path, force=True, private=True) as temporary:
        temporary.write_text(json.dumps(held), encoding="utf-8")


def load(
    path: Path,
    problem: Problem,
    sort: str,
) -> dict[str, Any] | None:
    """The state in a file; None where there is no file yet."""
    if not path.exists():
        return None
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        form, of_problem, own = held["form"], held["problem"], held["sort"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not the state of a search ({error!r})") from None
    if form != FORM or own != sort or of_problem != fingerprint(problem):
        raise InputError(
            f"{path}: the state is of another search (other data, hierarchies or settings); "
            "name another file, or remove it"
        )
    found: dict[str, Any] = held
    return found


def packed(flags: Bools) -> str:
    """Flags as text."""
    return base64.b64encode(np.packbits(flags.ravel()).tobytes()).decode()


def unpacked(
    text: str,
    shape: tuple[int, ...],
) -> Bools:
    """Flags from text."""
    bits = np.frombuffer(base64.b64decode(text), dtype=np.uint8)
    size = int(np.prod(shape))
    return np.unpackbits(bits, count=size).astype(bool).reshape(shape)
