"""Finished pieces of a run, kept beside the release, from which a stopped run goes on.

Every pass over a large file is a call of ``pieces.mapped`` with items that depend on themselves
alone, and the passes of a plan with its seeds come in the same order with the same items whenever
it is run. So a piece is known by the number of its pass, its place in it and its item; what it
wrote is in the folder of the run, and what it returned is kept there beside it. A run that goes on
takes finished pieces from there.

Passes remove files that they no longer need (``pieces.spent``). In a run that may go on they stay
until its end.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tacit
from tacit.base import seeds
from tacit.base.data_only import NotData, from_bytes, to_bytes
from tacit.base.errors import InputError, ParameterError
from tacit.data.io.parquet_parts import files_of
from tacit.data.lazy import is_file
from tacit.data.out_of_core import pieces
from tacit.data.out_of_core.pieces import Mapper, Work
from tacit.plan.plan import Plan

try:
    import fcntl
except ImportError:  # Windows has none; there two runs at once are not noticed
    fcntl = None  # type: ignore[assignment]

STATE, LOCK = "run.json", "lock"


@dataclass
class Kept:
    """The folder of a run that may be stopped and go on."""

    folder: Path
    run: dict[str, Any]
    """What the run is: its plan with seeds and its input."""
    goes_on: bool
    taken: int = 0
    """Pieces of an earlier run that were not done again."""
    finished: bool = False
    """The release is written, and nothing need be kept."""
    _passes: Iterator[int] = field(default_factory=itertools.count)

    def mapper(self, inner: Mapper) -> Mapper:
        """The mapper that does what is not kept, and keeps what it does."""

        def run(work: Work, items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
            number = next(self._passes)
            names = [self._name(number, place) for place in range(len(items))]
            known = [
                self._known(work, *pair) for pair in zip(items, names, strict=True)
            ]
            for place, found in enumerate(known):
                if found is not None:
                    self.taken += 1
                    yield place, found[0]
            waiting = [place for place, found in enumerate(known) if found is None]
            for place, result in inner(work, [items[one] for one in waiting]):
                place = waiting[place]
                self._keep(work, items[place], names[place], result)
                yield place, result

        return run

    def _name(self, number: int, place: int) -> Path:
        return self.folder / f"pass-{number:05d}-{place:06d}.done"

    def _known(self, work: Work, item: Any, name: Path) -> tuple[Any] | None:
        if not self.goes_on or not name.exists():
            return None
        found = read_kept(name)
        if not isinstance(found, tuple) or len(found) != 2:
            raise not_ours(name)
        identity, result = found
        if identity != _identity(work, item):
            return None
        if not all(path.exists() for path in _paths(item)):
            return None
        return (result,)

    def _keep(self, work: Work, item: Any, name: Path, result: Any) -> None:
        try:
            content = to_bytes((_identity(work, item), result))
        except NotData:
            return  # it is done again by a run that goes on
        write_whole(name, content)


@contextmanager
def resumable(
    plan: Plan,
    source: str | Path,
    release: str | Path,
    request: Mapping[str, Any],
) -> Iterator[tuple[Kept, Plan]]:
    """The folder OUT.work of a run, and its plan with the seeds that it began with.

    Parameters
    ----------
    plan : Plan
        What is done, with seeds.
    source, release : path
        The input (or table), and the file to write.
    request : mapping
        What else makes it this run: roles, schema, options.
    """
    if any(step.unseeded and step.seed is None for step in plan.steps):
        raise ParameterError(
            "--resume: differentially private noise has no seed, and a run that goes on would draw "
            "it twice and spend the budget twice; leave --resume out"
        )
    # a seed that was drawn is kept; one that was given is part of what was asked for
    steps = [seeds.by_hand(step.seed) and step.seed for step in plan.steps]
    run = {
        "tacit": tacit.__version__,
        "plan": plan.without_seeds().to_dict(),
        "seeds": steps,
        "source": str(source) if not is_file(source) else str(Path(source).resolve()),
        "files": files_about(Path(source)) if is_file(source) else [],
        "piece": pieces.PIECE,
        **request,
    }
    # workers of a cluster have another folder as theirs
    folder = Path(f"{release}.work").absolute()
    with kept_in(folder, run, secret={"plan": plan.to_dict()}) as kept:
        yield kept, Plan.from_dict(kept.run["plan"], source=str(folder))


def files_about(source: Path) -> list[list[str | int]]:
    """Name, length and time of a file, or of those of a folder, by which another one is known."""
    # who reads it says if there is none
    files = files_of(source) if source.exists() else []
    about = [(file, file.stat()) for file in files]
    return [[str(file), one.st_size, one.st_mtime_ns] for file, one in about]


@contextmanager
def kept_in(
    folder: Path, run: Mapping[str, Any], *, secret: Mapping[str, Any]
) -> Iterator[Kept]:
    """The folder of a run, which is removed when the block ends and the run is ``finished``.

    Parameters
    ----------
    folder : Path
        Where pieces are kept; only this user may look.
    run : mapping
        What makes it this run: another input or other parameters are refused.
    secret : mapping
        What a first run draws (seeds): a run that goes on has those of the first.
    """
    name = hashlib.sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()
    state = folder / STATE
    # a run that was killed at its very beginning has left its lock, or half of its state
    begun_by_us = {LOCK, state.with_suffix(".new").name}
    held = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
    if STATE not in held and not held <= begun_by_us:
        raise ParameterError(
            f"{folder}: exists, holds files that are not of a run of tacit, and is where this "
            "run would keep its own; move it away, or name another output"
        )
    folder.mkdir(mode=0o700, exist_ok=True)
    if (
        folder.is_symlink()
        or folder.stat().st_uid != os.getuid()
        or folder.stat().st_mode & 0o77
    ):
        raise ParameterError(
            f"{folder}: others may write there; remove it, or name another output"
        )
    with _locked(folder):
        goes_on = state.exists()
        if not goes_on:
            begun = {"run": name, "secret": dict(secret)}
            write_whole(state, json.dumps(begun).encode())
        known = json.loads(state.read_text())
        if known["run"] != name:
            raise ParameterError(
                f"{folder}: belongs to a run with another input or other parameters; give the "
                "same ones, or remove the folder to start afresh"
            )
        kept = Kept(folder, known["secret"], goes_on)
        try:
            yield kept
        finally:
            # what failed before its first piece, or bin of blocks, has nothing to go on from
            if kept.finished or not any(folder.rglob("*.done")):
                _remove(folder)


def _remove(folder: Path) -> None:
    """Remove the folder, its state last: whoever is killed meanwhile leaves one that is known."""
    for file in list(folder.iterdir()):
        if file.is_dir():
            shutil.rmtree(file, ignore_errors=True)
        elif file.name not in (STATE, LOCK):
            file.unlink(missing_ok=True)
    (folder / STATE).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One process at a time."""
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ParameterError(f"{folder}: another run works there now") from None
        yield
    finally:
        os.close(lock)


def _identity(work: Work, item: Any) -> str:
    kind = type(work)
    return f"{kind.__module__}.{kind.__qualname__} {item!r}"


def _paths(item: Any) -> Iterator[Path]:
    if isinstance(item, Path):
        yield item
    elif isinstance(item, tuple | list):
        for inner in item:
            yield from _paths(inner)


def write_whole(path: Path, content: bytes) -> None:
    """The file is there whole or not at all, whenever the process is killed."""
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.replace(path)


def read_kept(path: Path) -> Any:
    """What ``to_bytes`` wrote there; nothing of it is run (``base.data_only``)."""
    try:
        return from_bytes(path.read_bytes())
    except NotData:
        raise not_ours(path) from None


def not_ours(path: Path) -> InputError:
    """A file of a run that holds something else than this run keeps there."""
    return InputError(
        f"{path}: holds no result that tacit kept; remove its folder to start afresh"
    )
