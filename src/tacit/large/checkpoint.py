"""The folder of a run: what is finished is written there, whole or not at all, and a later run goes on from it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import ParameterError
from tacit.large.coding import Coding
from tacit.large.fit import Fitted
from tacit.partition.grid import Grid
from tacit.partition.orthtree import OrthSplitter

_ARRAYS = ("first", "children", "key", "block", "sizes")
_NUMBERS = ("leaf", "least", "depth")


@dataclass
class Checkpoint:
    """``folder`` holds state.json (which run this is), tree.npz, and the spilled and finished bins."""

    folder: Path

    @classmethod
    def open(cls, folder: Path, run: dict[str, Any], *, resume: bool) -> Checkpoint:
        """Start afresh, or go on; going on with another file or other parameters is refused."""
        name = hashlib.sha256(json.dumps(run, sort_keys=True, default=str).encode()).hexdigest()
        state = folder / "state.json"
        if resume and state.exists() and json.loads(state.read_text())["run"] != name:
            raise ParameterError(
                f"{folder}: belongs to a run with another input or other parameters; "
                "give the same ones, or start afresh without resume"
            )
        if not (resume and state.exists()):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            write_whole(state, json.dumps({"run": name, "parameters": run}, indent=1, default=str).encode())
        return cls(folder)

    def load_tree(self) -> Fitted | None:
        file = self.folder / "tree.npz"
        if not file.exists():
            return None
        with np.load(file, allow_pickle=False) as held:
            rest = json.loads(str(held["rest"]))
            grid = Grid(rest["n"], held["low"], held["high"], held["sd"])
            splitter = OrthSplitter(grid, *(held[name] for name in _ARRAYS), **{name: rest[name] for name in _NUMBERS})
        coding = Coding(tuple(rest["names"]), rest["places"], rest["fill"])
        return Fitted(coding, splitter, rest["scale"], rest["fill"], rest["present"])

    def save_tree(self, fitted: Fitted) -> None:
        tree, grid = fitted.splitter, fitted.splitter.grid
        rest = {name: getattr(tree, name) for name in _NUMBERS}
        rest |= {"n": grid.n, "names": fitted.coding.names, "places": fitted.coding.places}
        rest |= {"scale": fitted.scale, "fill": fitted.fill, "present": fitted.present}
        part = self.folder / "tree.part.npz"
        np.savez(
            part,
            rest=json.dumps(rest),
            low=grid.low,
            high=grid.high,
            sd=grid.sd,
            **{name: getattr(tree, name) for name in _ARRAYS},
        )
        os.replace(part, self.folder / "tree.npz")

    def mark(self, what: str, content: Any = None) -> None:
        write_whole(self.folder / f"{what}.done", json.dumps(content).encode())

    def marked(self, what: str) -> bool:
        return (self.folder / f"{what}.done").exists()

    def content(self, what: str) -> Any:
        return json.loads((self.folder / f"{what}.done").read_text())

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that after a crash it is there in full or not at all."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
