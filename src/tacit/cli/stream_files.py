"""The files of ``tacit stream``: none is the other, and the output is whole or live."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from tacit.base.errors import InputError
from tacit.data import io
from tacit.stream.gate import Gate
from tacit.stream.kinds import Plain
from tacit.stream.pipeline import Pipeline
from tacit.stream.private_file import sync_folder
from tacit.stream.refused import FEW


def dead_letter(given: Path | None, target: Path | None) -> Path:
    """Where withheld records go: as asked, else beside the output, else in the current folder."""
    if given is not None:
        return given
    if target is None:
        return Path("tacit-stream.withheld.jsonl")
    return target.with_name(target.name + ".withheld.jsonl")


def open_output(
    target: Path | None,
    live: bool,
    resumed: bool,
    length: int | None,
    force: bool,
    stack: ExitStack,
    keep: bool = False,
) -> TextIO:
    """Standard output, or a file.

    A stream that ends (``live`` is false) is written beside the file and takes its name when it is
    whole; a live one grows in place, where its readers wait for it. After a restart the file is cut
    back to where the state stood, or, to ``keep`` what left since then, to its last whole line.
    """
    if target is None:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        return sys.stdout
    if resumed and length is not None and (length or target.exists()):
        _cut_back(target, length, keep)
        return stack.enter_context(target.open("a", encoding="utf-8", newline=""))
    io.refuse_overwrite(target, force=force or resumed)
    return stack.enter_context(_live(target) if live else _whole(target))


def _cut_back(target: Path, length: int, keep: bool) -> None:
    """The output as the state knew it; one that has become shorter cannot be mended."""
    there = target.stat().st_size if target.exists() else 0
    if there < length:
        raise InputError(
            f"{target}: has {there} bytes, and the state was saved after {length}: what is missing "
            "cannot be made again; put the file back, or begin again with a new --state"
        )
    with target.open("r+b") as whole:
        if keep:
            whole.seek(length)
            length += whole.read().rfind(b"\n") + 1
        whole.truncate(length)


def begins(out: TextIO) -> bool:
    """Does the output begin with this run, so that it needs a first line?"""
    return getattr(out, "mode", "w") != "a" or out.tell() == 0


def refuse_pipes(files: Mapping[str, Path | None]) -> None:
    """A named pipe (FIFO) as a file to be written would wait for ever, or be replaced."""
    for option, path in files.items():
        if path is not None and path.is_fifo():
            raise InputError(
                f"{path}: is a named pipe (FIFO), which {option} cannot be; name a file, or leave "
                "--out out and write to the pipe with >"
            )


@contextmanager
def _live(target: Path) -> Iterator[TextIO]:
    """A file that grows in place; a stream that failed before its first record leaves none."""
    try:
        with target.open("w", encoding="utf-8", newline="") as out:
            yield out
    except BaseException:
        if target.stat().st_size == 0:
            target.unlink()
        raise


@contextmanager
def state_of_something(state: Path, pipeline: Pipeline) -> Iterator[None]:
    """A new state; a stream that failed before its first record leaves none to go on from."""
    try:
        yield
    except BaseException:
        if pipeline.read == 0:
            state.unlink(missing_ok=True)
            if pipeline.spent is not None:
                pipeline.spent.forget()
        raise


@contextmanager
def _whole(target: Path) -> Iterator[TextIO]:
    """A file that appears under its name when everything in it is on the disk."""
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with beside.open("x", encoding="utf-8", newline="") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.replace(beside, target)
        sync_folder(target)
    finally:
        beside.unlink(missing_ok=True)


def summary(pipeline: Pipeline, withheld: int) -> str:
    """How many records were read, released and withheld, and why."""
    dead = pipeline.dead
    counts = dict(dead.counts)
    if withheld:
        counts[FEW] = withheld
    total = sum(counts.values())
    text = (
        f"{pipeline.read} record(s) read: {pipeline.written} released, {total} withheld"
    )
    if counts:
        # the most frequent reason first
        by_count = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        reasons = ", ".join(f"{count} {kind}" for kind, count in by_count)
        text += f" ({reasons})"
    if dead.counts and dead.path is not None:
        text += f"; those not released for a fault of their own are in {dead.path}"
    return text


def load_gate(gate: Gate, saved: Plain) -> None:
    """The columns as they were decided before, if they were."""
    if "gate" in saved:
        gate.load(saved["gate"])


def dropped(gate: Gate) -> list[str]:
    """A sentence for each reason why columns were left out."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in gate.dropped.items():
        by_reason.setdefault(reason, []).append(name)
    return [
        f"Warning: dropped ({reason}): {', '.join(names)}; --keep releases a column as it is"
        for reason, names in by_reason.items()
    ]
