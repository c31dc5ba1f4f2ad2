"""Protect a large file block by block: the face for frames, files and clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from tacit.base.errors import ParameterError
from tacit.scale.engine.base import Cancel, ItemsDone
from tacit.scale.engine.engine_choice import engine_of
from tacit.scale.memory import bytes_of
from tacit.scale.protect_file import STAGES, FileStages, protect_file
from tacit.scale.protect_table import protect_table
from tacit.scale.request import Request, check_method, refuse_seed
from tacit.scale.run_result import BlockRelease, Clock


def protect(
    source: object,
    out: str | Path | None = None,
    *,
    method: str = "microaggregation",
    parameters: Mapping[str, object] | None = None,
    columns: Sequence[str] | None = None,
    split_on: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    drop: Sequence[str] | None = None,
    leaf: int | Literal["auto"] = 10_000,
    memory: str | int = "2GB",
    engine: object = None,
    seed: int | None = None,
    resume: bool = False,
    price: int = 0,
    progress: ItemsDone | None = None,
    cancel: Cancel | None = None,
    folder: str | Path | None = None,
) -> BlockRelease:
    """Mask a Parquet file (or a frame) in blocks of a 2^d-tree.

    A method that would not mean the same in blocks as on the file (``Protector.scales``) is
    refused. Microaggregation by MDAV scales numeric columns by the standard deviations of the
    whole file, its other forms by those of the block.

    Parameters
    ----------
    source : path or frame
        Parquet (a file or a folder of files), or a frame in memory.
    out : path
        The Parquet to write (a folder, from a cluster); a frame needs none.
    method : str
        A registered protector.
    parameters : mapping
        Its parameters.
    columns : sequence of str
        What is masked; by default the columns that look like continuous quasi-identifiers.
    split_on : sequence of str
        What the tree cuts; by default the same. Categorical columns may be among them.
    categorical : sequence of str
        Columns whose numbers are codes.
    drop : sequence of str
        Columns that are not released; by default those that look like identifiers.
    leaf : int or "auto"
        L: at most so many records per block.
    memory : str or int
        Memory limit of this process, such as 2GB.
    engine : engine
        Threads (default), processes, or a Spark master URL.
    seed : int
        For tests. Unless given, a key of 128 bits is drawn, which lies in OUT.work (mode 0600)
        until the run ends. Block b draws from ``seeds.child(key, b)``.
    resume : bool
        Go on from the folder OUT.work of a run that was stopped.
    price : int
        Sample size on which the loss is compared with that of no blocks.
    progress : function
        Called with (finished, all) after each block of a frame, or part of a file.
    cancel : Event
        Set it from another thread to stop.
    folder : path
        Another place for what lies in OUT.work (files on this machine only).
    """
    settings = dict(parameters or {})
    check_method(method, settings)
    request = Request(
        method=method,
        parameters=settings,
        columns=tuple(columns or ()),
        split_on=tuple(split_on or ()),
        categorical=tuple(categorical),
        leaf=leaf,
        seed=seed,
    )
    refuse_seed(request)
    where = engine_of(engine)
    if not isinstance(source, str | Path):
        return protect_table(source, request, where, price, drop, progress, cancel)
    if out is None:
        raise ParameterError("name the file to write (out)")
    if Path(out).resolve() == Path(source).resolve():
        raise ParameterError(
            f"{out}: is the input itself, which is never written; name another file"
        )
    # opening the file counts: on a cluster it starts the session
    clock = Clock()
    # which stages they are, the engine says: nobody asks for its name
    stages: FileStages = STAGES[where.reach](
        str(source), str(out), where, bytes_of(memory), folder
    )
    return protect_file(
        stages,
        request,
        clock,
        drop=drop,
        resume=resume,
        price=price,
        progress=progress,
        cancel=cancel,
    )
