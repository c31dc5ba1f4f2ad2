"""From a file of any size to a release with its manifest, in one call."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from tacit.base.errors import TacitWarning
from tacit.data.frames import Frame
from tacit.data.microdata import Microdata, Schema
from tacit.plan.manifest import Manifest
from tacit.plan.plan import Plan, Table
from tacit.plan.release import release as release_file
from tacit.scale.any_size import place_of
from tacit.scale.in_blocks import InBlocks, asked_for


def release(
    plan: object,
    source: str | Path | Frame,
    path: str | Path,
    *,
    memory: str | None = None,
    engine: str | None = None,
    blocks: int | Literal["auto"] | None = None,
    split_on: Iterable[str] = (),
    schema: Schema | None = None,
    release_as_is: Iterable[str] = (),
    allow_unprotected: bool = False,
    keep_order: bool = False,
    force: bool = False,
    **roles: Iterable[str] | str | None,
) -> Manifest:
    """Protect a file or a folder of Parquet files, in memory if it fits and else from the disk.

    The bytes are the same in both ways, and those of ``tacit protect``.

    Parameters
    ----------
    plan : Plan, protector or list of them
        What is done to the file.
    source : path, table name or frame
        The file or folder to protect, ``table:NAME``, or a frame (pandas, polars, Spark, ...).
    path : path
        The release to write.
    memory : str, optional
        How much memory may be used, such as 4GB; 80 % of what is free, unless given.
    engine : str, optional
        ``local`` (this machine), or a Spark master whose workers see the folder of the release.
    blocks : int or "auto", optional
        Form the groups of a microaggregation inside blocks of at most so many near records.
    split_on : iterable of str
        What these blocks are cut on; the masked columns, unless given.
    schema, release_as_is, allow_unprotected, keep_order, force, **roles
        As in ``tacit.release``.
    """
    recipe = Plan.of(plan)
    with place_of(source, path, memory, engine) as place:
        chosen: list[InBlocks] = []

        def read(*what: object, **how: Iterable[str] | str | None) -> Microdata:
            data = place.read(*what, **how)  # type: ignore[arg-type]  # as it was given
            if blocks is not None:
                cut_on = tuple(split_on)
                found = asked_for(recipe, data, blocks, place.room, split_on=cut_on)
                chosen.append(found)
                return data
            by_need = place.in_blocks(recipe, data)
            if by_need is not None:
                chosen.append(by_need)
                warnings.warn(by_need.sentence(recipe), TacitWarning, stacklevel=4)
            return data

        def mask(
            plan: Plan, data: Microdata, outcomes: list[Table]
        ) -> tuple[Microdata, Manifest]:
            if not chosen:
                return plan.mask(data, outcomes), {}
            masked = chosen[0].mask(plan, data, outcomes)
            return masked, chosen[0].entry()

        return release_file(
            recipe,
            source,
            path,
            schema=schema,
            release_as_is=tuple(release_as_is),
            allow_unprotected=allow_unprotected,
            keep_order=keep_order,
            force=force,
            read=read,
            mask=mask,
            **roles,
        )
