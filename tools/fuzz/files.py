"""Odd tables through every format: what was written is read back, or refused in a sentence."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from tacit.base.errors import TacitError
from tacit.data import io
from tacit.data.io.legal_names import legal
from tacit.data.microdata import Microdata
from tools.fuzz import formats, tables
from tools.fuzz.same import difference

#: a fixed-width file needs a layout of its own; the commands are tried with one
ENDINGS = [ending for ending in formats.ENDINGS if ending != "dat"]


def one(seed: int, number: int, folder: Path) -> dict[str, Any]:
    """Write and read one table; the format goes round with the number."""
    ending = ENDINGS[number % len(ENDINGS)]
    rng = np.random.default_rng([seed, 1, number])
    table = tables.table(rng, oddity=0.5)
    path = folder / f"out.{ending}"
    code, wrong, said = 0, [], ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            data = Microdata.of(table)
            io.write(data, path)
        except TacitError as error:
            code, said = 2, str(error)
            if path.exists():
                wrong.append("left")
        except Exception as error:  # whatever it is, it is a defect
            code, said = 3, repr(error)
            wrong.append("exception")
        if code == 0:
            wrong += _read_back(data, path)
    for left in folder.iterdir():
        left.unlink()
    return {
        "number": number, "command": "write, read", "form": ending, "code": code, "wrong": wrong,
        "noise": [], "err": said, "words": [], "seconds": 0,
    }  # fmt: skip


def _read_back(data: Microdata, path: Path) -> list[str]:
    try:
        back = io.read_table(path)
    except TacitError as error:
        # a file without records is written in Python only, and is read by nobody
        nothing = data.n == 0 and "no records" in str(error)
        return [] if nothing else [f"cannot be read back: {error!r:.200}"]
    except Exception as error:  # what was written can be read
        return [f"cannot be read back: {error!r:.200}"]
    table = data.written()
    names = list(legal(table.column_names, path.suffix).values())
    if back.column_names != names:
        return [f"columns {back.column_names} for {names}"]
    found = difference(table, back, path.suffix)
    return [found] if found else []
