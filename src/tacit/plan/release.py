"""From a file to a release: look at what would leave, mask, shuffle, write, keep the manifest.

    tc.release(plan, "survey.csv", "release.csv", quasi=["age", "income"])

is what ``tacit protect --plan`` does.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from tacit.base.errors import ColumnError, ParameterError, TacitWarning
from tacit.data import io, lazy
from tacit.data.frames import Frame
from tacit.data.microdata import Microdata, Schema
from tacit.plan import manifest
from tacit.plan.leaving import Leaving, leaving, refuse, sentence
from tacit.plan.manifest import Manifest
from tacit.plan.plan import Plan, Table
from tacit.plan.row_order import KEPT, RowOrder

Mask: TypeAlias = Callable[[Plan, Microdata, list[Table]], tuple[Microdata, Manifest]]
"""Runs a plan: the masked file, and further entries of its manifest."""


def release(
    plan: object,
    source: str | Path | Frame,
    path: str | Path,
    *,
    schema: Schema | None = None,
    release_as_is: Sequence[str] = (),
    allow_unprotected: bool = False,
    keep_order: bool = False,
    force: bool = False,
    read: Callable[..., Microdata] | None = None,
    mask: Mask | None = None,
    **roles: Iterable[str] | str | None,
) -> Manifest:
    """Protect a file and write the release with its private manifest; nothing leaves by accident.

    Parameters
    ----------
    plan : Plan, protector or list of them
        What is done to the file.
    source : path or frame
        The file to protect, or a frame (pandas, polars, Spark, DuckDB, ...).
    path : path
        The release to write.
    schema : Schema, optional
        What the columns are; those that it does not name are refused.
    release_as_is : names
        Columns that may leave although nothing protects them.
    allow_unprotected : bool
        Let every untouched quasi-identifier leave as it is.
    keep_order : bool
        Do not shuffle the rows.
    force : bool
        Overwrite files that are there.
    read : function
        How the file is read: ``io.read``, or what reads files larger than memory.
    mask : function
        How the plan is run, and what the manifest says of that; ``Plan.mask`` unless given.
    **roles
        Roles and kinds, as in ``Schema.set``.

    Returns
    -------
    dict
        The manifest, which also lies beside the release, for its owner alone.
    """
    if lazy.is_file(source) and Path(path).resolve() == Path(source).resolve():
        raise ParameterError(
            f"{path}: is the input itself, which is never written; name another file"
        )
    # before the work, which may take an hour
    for output in (path, manifest.path_of(path)):
        io.refuse_overwrite(output, force=force)
    recipe = accepting(Plan.of(plan), release_as_is).seeded()
    if read is not None:
        data = read(source, schema, encoding=None, **roles)
    elif lazy.is_file(source):
        data = io.read(source, schema, encoding=None, **roles)
    else:
        data = Microdata.of(source, schema, **roles)
    columns = look(recipe, data, allow_unprotected=allow_unprotected)
    start = time.perf_counter()
    outcomes: list[Table] = []
    more: Manifest = {}
    if mask is None:
        masked = recipe.mask(data, outcomes)
    else:
        masked, more = mask(recipe, data, outcomes)
    return write(
        recipe,
        source,
        data,
        path,
        masked,
        time.perf_counter() - start,
        order=RowOrder.of(recipe, keep=keep_order),
        columns=columns,
        force=force,
        outcomes=outcomes,
        more=more,
    )


def accepting(plan: Plan, names: Iterable[str]) -> Plan:
    """The plan with more columns that may leave as they are."""
    both = dict.fromkeys((*plan.release_as_is, *names))
    return replace(plan, release_as_is=tuple(both))


def look(
    plan: Plan, data: Microdata, *, allow_unprotected: bool = False
) -> list[Leaving]:
    """Refuse what would leave by accident, warn of what leaves undeclared; what was found."""
    released = plan.released(data)
    for name in plan.release_as_is:
        # an unknown column is an error, not a no-op
        data.schema[name]
        if name not in released:
            raise ColumnError(
                f"--release-as-is {name}: an identifier is dropped; "
                f"say what it is instead (--confidential {name})"
            )
    found = leaving(plan, data, allow_unprotected=allow_unprotected)
    refuse(found)
    said = sentence(found)
    if said:
        warnings.warn(said, TacitWarning, stacklevel=2)
    for one in found:
        if one.reason == "text":
            warnings.warn(f"{one} leaves as it is", TacitWarning, stacklevel=2)
    return found


def write(
    plan: Plan,
    source: str | Path | Frame,
    data: Microdata,
    path: str | Path,
    masked: Microdata,
    seconds: float,
    *,
    order: RowOrder,
    columns: Iterable[Leaving],
    force: bool = False,
    encoding: str | None = None,
    safe_formulas: bool = True,
    outcomes: Iterable[Table] = (),
    more: Manifest | None = None,
) -> Manifest:
    """Write the release in its order of rows, and its manifest with ``more`` entries beside it.

    ``outcomes`` are what the steps said of their work.
    """
    if order.seed is None:
        warnings.warn(KEPT, TacitWarning, stacklevel=2)
    written = order.arranged(masked)
    beside = manifest.path_of(path)
    # both are on the disk before either has its name: first the manifest, then the release, so
    # that no release ever stands without its manifest or beside that of another
    with io.together(force=force) as files:
        kept = files.add(beside, private=True)
        with io.writing(
            written, path, files=files, safe_formulas=safe_formulas
        ) as file:
            record = manifest.describe(
                plan,
                source,
                data,
                path,
                written,
                seconds,
                order=order,
                columns=columns,
                encoding=encoding,
                safe_formulas=safe_formulas,
                outcomes=outcomes,
                file=file,
            )
        record |= more or {}
        manifest.put(record, kept)
    return record
