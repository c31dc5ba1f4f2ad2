"""Protect a file block by block: one path, wherever its records lie.

1. read the file in passes and grow the tree (``block_fit``);
2. spill: sort the records into parts, each a number of whole blocks;
3. treat the blocks of part after part; a finished part is a checkpoint;
4. merge the parts into the order of the input, and write the release.

How a stage is done depends on where the records are: on this machine (``protect_local``) or on
a cluster (``protect_cluster``). The order of the stages, the checkpoints, the seeds and the
figures do not, and are here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from tacit.base.errors import InputError, ParameterError
from tacit.base.registry import Registry
from tacit.scale.block_fit import Fitted, Readable, fit
from tacit.scale.checkpoint import Checkpoint
from tacit.scale.engine.base import Cancel, Engine, ItemsDone, check_cancel
from tacit.scale.memory import peak
from tacit.scale.request import Request, check, guess, keyed, treatment_of
from tacit.scale.run_result import BlockRelease, Clock, release_of
from tacit.scale.treatment import Treatment

#: reach of an engine -> the stages of a file there
STAGES = Registry(
    "tacit.scale",
    machine="protect_local:LocalStages",
    cluster="protect_cluster:ClusterStages",
)


class FileStages(Protocol):
    """The stages of one file, made as ``(source, out, engine, memory limit, folder)``."""

    engine: Engine
    folder: Path
    """Where the checkpoint is."""
    part_name: str
    """What a finished part is called in the checkpoint."""

    @property
    def source(self) -> Readable:
        """The file that is read in passes."""
        ...

    def head(self) -> pa.Table:
        """The first records, from which kinds and roles of columns are guessed."""
        ...

    def identity(self) -> dict[str, object]:
        """What tells this input and this way of running from others."""
        ...

    def prepare(
        self,
        treatment: Treatment,
        fitted: Fitted,
    ) -> None:
        """Take what the later stages need, now that the blocks are known."""
        ...

    def spill(self) -> int:
        """Sort the records into parts; returns how many there are."""
        ...

    def treat(
        self,
        part: int,
        parts: int,
        cancel: Cancel | None,
    ) -> object:
        """Treat the blocks of a part; what is returned is kept with its checkpoint."""
        ...

    def discard(self, part: int) -> None:
        """Forget the spilled records of a part that is finished."""
        ...

    def errors(self, kept: Sequence[object]) -> list[float]:
        """Squared error of every block, in order of block; ``kept``: what ``treat`` returned."""
        ...

    def write(
        self,
        drop: Sequence[str],
        parts: int,
        clock: Clock,
    ) -> str:
        """Write the release; returns the digest of the masked columns ("": not computed)."""
        ...

    def price(
        self,
        request: Request,
        size: int,
    ) -> dict[str, float] | None:
        """What blocking costs on a sample (None: not computed)."""
        ...

    def clean(self) -> None:
        """Remove what lies beside the release."""
        ...


def protect_file(
    stages: FileStages,
    request: Request,
    clock: Clock,
    *,
    drop: Sequence[str] | None,
    resume: bool,
    price: int,
    progress: ItemsDone | None,
    cancel: Cancel | None,
) -> BlockRelease:
    """Mask a file; what is finished is kept in the checkpoint until the release is whole."""
    source = stages.source
    columns, dropped = request.columns, drop
    # the first records say what looks like an identifier
    if not columns or dropped is None:
        columns, dropped = guess(stages.head(), columns, dropped)
    request = check(replace(request, columns=columns), source.schema, source.name)
    identity = request.to_dict() | stages.identity() | {"drop": list(dropped)}
    checkpoint = Checkpoint.open(stages.folder, identity, resume=resume)
    try:
        return _protect(
            stages,
            keyed(request, checkpoint.key),
            checkpoint,
            clock,
            dropped=dropped,
            price=price,
            progress=progress,
            cancel=cancel,
        )
    except (InputError, ParameterError):
        # going on would end in the same way: nothing of this run is of use
        checkpoint.remove()
        raise


def _protect(
    stages: FileStages,
    request: Request,
    checkpoint: Checkpoint,
    clock: Clock,
    *,
    dropped: Sequence[str],
    price: int,
    progress: ItemsDone | None,
    cancel: Cancel | None,
) -> BlockRelease:
    """The stages, each unless the checkpoint says that it is done."""
    source = stages.source
    fitted = checkpoint.load_tree()
    if fitted is None:
        fitted = fit(
            source,
            request.split_on,
            request.tree,
            also=request.also,
            categorical=request.categorical,
        )
        checkpoint.save_tree(fitted)
    clock.lap("tree")
    # the kernel needs no kinds of columns, so nothing is read for it
    sample = source.schema.empty_table() if request.fast else stages.head()
    stages.prepare(treatment_of(request, fitted, sample), fitted)
    if not checkpoint.marked("spill"):
        checkpoint.mark("spill", stages.spill())
    clock.lap("spill")
    # a run that goes on has the parts of the first one, whatever would be chosen now
    parts = checkpoint.number("spill")
    finished = _treat_parts(stages, checkpoint, parts, progress, cancel)
    kept = [checkpoint.content(f"{stages.part_name}-{part}") for part in range(parts)]
    errors = stages.errors(kept)
    clock.lap("blocks")
    digest = stages.write(dropped, parts, clock)
    out = release_of(fitted, request.columns, errors, digest, stages.engine.name, clock)
    out.resumed_bins = finished
    out.peak_memory = peak()
    out.price = stages.price(request, price)
    stages.clean()
    checkpoint.remove()
    return out


def _treat_parts(
    stages: FileStages,
    checkpoint: Checkpoint,
    parts: int,
    progress: ItemsDone | None,
    cancel: Cancel | None,
) -> int:
    """Treat part after part; returns how many an earlier run had finished."""
    before = 0
    for part in range(parts):
        name = f"{stages.part_name}-{part}"
        if checkpoint.marked(name):
            before += 1
            continue
        check_cancel(cancel, part, parts)
        kept = stages.treat(part, parts, cancel)
        # first the mark, then the loss of the input: a crash between the two loses nothing
        checkpoint.mark(name, kept)
        stages.discard(part)
        if progress:
            progress(part + 1, parts)
    return before
