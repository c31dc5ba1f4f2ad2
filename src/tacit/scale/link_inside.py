"""An attack inside the blocks of two files of which it is known whose row is whose.

Each original looks in its own block alone, which understates: for attackers that compare every
record with every other, where somebody asks for it (``tacit link --blocks``).
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow.parquet as pq

from tacit.base.errors import ParameterError
from tacit.base.typing import Ints
from tacit.data.microdata import Microdata
from tacit.scale.block_step import Room, write_columns
from tacit.scale.link import link
from tacit.scale.run_result import BlockLinkage


def link_inside_blocks(
    attacker: str,
    parameters: Mapping[str, object],
    original: Microdata,
    masked: Microdata,
    rows: Ints | None,
    names: Sequence[str],
    room: Room,
    *,
    blocks: Literal["orthtree", "kdtree"],
    leaf: int,
    price: int,
) -> BlockLinkage:
    """The links of a registered attacker inside blocks, by this machine or by a cluster.

    Parameters
    ----------
    attacker, parameters
        Who attacks.
    original, masked : Microdata
        Both files.
    rows : array of int, optional
        The masked row of each original; None: row i is row i.
    names : sequence of str
        Columns to compare.
    room : Room
        Where pieces are written, and who works.
    blocks, leaf, price
        As of ``link``.
    """
    if rows is not None and (rows.min(initial=0) < 0 or len(rows) != masked.n):
        raise ParameterError(
            "--blocks is for releases of all records; leave it out, or take nearest record"
        )
    theirs = masked if rows is None else masked.take(rows)
    if room.cluster is None:
        found = link(
            original.held(names),
            theirs.held(names),
            attacker=attacker,
            parameters=parameters,
            columns=names,
            leaf=leaf,
            blocks=blocks,
            price=price,
            progress=room.progress,
        )
    else:
        with tempfile.TemporaryDirectory(dir=room.folder, prefix="link-") as name:
            folder = Path(name)
            own = {column: column for column in names}
            write_columns(original, own, folder / "original.parquet")
            write_columns(theirs, own, folder / "masked.parquet")
            found = link(
                folder / "original.parquet",
                folder / "masked.parquet",
                attacker=attacker,
                parameters=parameters,
                columns=names,
                leaf=leaf,
                engine=room.cluster,
                out=folder / "links",
            )
            links = pq.read_table(folder / "links").sort_by("row")
            found.match = np.asarray(links.column("match"))
            found.success = np.asarray(links.column("success"))
    if rows is not None and found.match is not None:
        found.match = np.where(found.match >= 0, rows[found.match], -1)
    return found
