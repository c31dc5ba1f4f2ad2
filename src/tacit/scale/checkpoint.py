"""The folder of a run: what is finished is written there, and a later run goes on from it.

A file of the folder is there whole or not at all, whenever the run is stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import JsonValue

from tacit.base import seeds
from tacit.base.errors import ParameterError
from tacit.scale.block_fit import Fitted
from tacit.scale.column_codes import Coding
from tacit.scale.partition.orth_splitter import OrthSplitter
from tacit.scale.partition.ranges import Grid

# the parts of a tree that are arrays, and those that are numbers
_ARRAYS = ("first", "children", "key", "block", "sizes")
_NUMBERS = ("leaf", "least", "depth")


@dataclass
class Checkpoint:
    """The state of a run.

    ``folder`` holds state.json (which run this is), tree.npz, and the spilled and finished bins.
    """

    folder: Path
    key: int
    """What blocks draw from unless a seed was given: drawn once per run, and kept here
    (mode 0600) to go on with."""

    @classmethod
    def open(
        cls,
        folder: Path,
        run: Mapping[str, object],
        *,
        resume: bool,
    ) -> Checkpoint:
        """Start afresh, or go on; going on with another file or other parameters is refused."""
        # sorted keys: the same run has the same name, however its request was put together
        described = json.dumps(run, sort_keys=True, default=str)
        name = hashlib.sha256(described.encode()).hexdigest()
        state = folder / "state.json"
        goes_on = resume and state.exists()
        if goes_on and json.loads(state.read_text())["run"] != name:
            raise ParameterError(
                f"{folder}: belongs to a run with another input or other parameters; "
                "give the same ones, or start afresh without resume"
            )
        # only what is ours is ever removed: an unfinished run has its state
        held = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
        # and one that was killed at its very beginning has half of it
        if state.name not in held and held - {state.with_suffix(".new").name}:
            raise ParameterError(
                f"{folder}: exists, holds files that are not of a run of tacit, and is "
                "where this run would keep its own; move it away, or name another output"
            )
        if not goes_on:
            shutil.rmtree(folder, ignore_errors=True)
            # the folder holds records and the key: nobody else may look
            folder.mkdir(parents=True, mode=0o700)
            begun = {"run": name, "parameters": run, "key": seeds.draw()}
            write_whole(state, json.dumps(begun, indent=1, default=str).encode())
        return cls(folder, json.loads(state.read_text())["key"])

    def load_tree(self) -> Fitted | None:
        """The tree of the run, if it was grown before."""
        file = self.folder / "tree.npz"
        if not file.exists():
            return None
        # pickle would run what somebody put into the file
        with np.load(file, allow_pickle=False) as saved:
            plain = json.loads(str(saved["rest"]))
            grid = Grid(plain["n"], saved["low"], saved["high"], saved["sd"])
            arrays = {name: saved[name] for name in _ARRAYS}
        numbers = {name: plain[name] for name in _NUMBERS}
        splitter = OrthSplitter(grid=grid, **arrays, **numbers)
        coding = Coding(tuple(plain["names"]), plain["places"], plain["fill"])
        return Fitted(coding, splitter, plain["scale"], plain["fill"], plain["present"])

    def save_tree(self, fitted: Fitted) -> None:
        """Keep the tree."""
        tree, grid = fitted.splitter, fitted.splitter.grid
        plain = {name: getattr(tree, name) for name in _NUMBERS}
        plain |= {
            "n": grid.n,
            "names": fitted.coding.names,
            "places": fitted.coding.places,
            "scale": fitted.scale,
            "fill": fitted.fill,
            "present": fitted.present,
        }
        # numpy adds .npz to a name without it, hence the odd place of "part"
        unfinished = self.folder / "tree.part.npz"
        np.savez(
            unfinished,
            rest=json.dumps(plain),
            low=grid.low,
            high=grid.high,
            sd=grid.sd,
            **{name: getattr(tree, name) for name in _ARRAYS},
        )
        os.replace(unfinished, self.folder / "tree.npz")

    def mark(
        self,
        stage: str,
        content: object = None,
    ) -> None:
        """Note that a stage is finished, with something to know about it."""
        write_whole(self._mark(stage), json.dumps(content).encode())

    def marked(self, stage: str) -> bool:
        """Is the stage finished?"""
        return self._mark(stage).exists()

    def content(self, stage: str) -> JsonValue:
        """What was noted with the stage."""
        content: JsonValue = json.loads(self._mark(stage).read_text())
        return content

    def number(self, stage: str) -> int:
        """The number that was noted with the stage."""
        return int(str(self.content(stage)))

    def remove(self) -> None:
        """The run has ended well."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _mark(self, stage: str) -> Path:
        return self.folder / f"{stage}.done"


def write_whole(
    path: Path,
    content: bytes,
) -> None:
    """Write a file so that after a crash it is there in full or not at all."""
    unfinished = path.with_name(path.name + ".part")
    # opened with its mode: there is no moment in which others could read it
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as file:
        file.write(content)
        file.flush()
        # on the disk before it has its name, or a power cut could leave the name alone
        os.fsync(file.fileno())
    os.replace(unfinished, path)
