"""`tacit protect --resume` on a file that does not fit in memory, killed: a pass of each sort."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

from tacit.data.out_of_core import pieces
from tacit.protect import by_address
from tacit.scale import any_size as place
from tools.kills.people import people
from tools.kills.resumed import resumed
from tools.kills.tally import Tally

METHODS = {
    "record-wise": "--method noise --set percent=5",
    "sort-based": "--method rank_swapping --set p=5",
    "group-based": '--method local_suppression --set k=3 --set columns=["age","hours"]',
}


def any_size(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """Small pieces, so that a kill falls between many of them; children inherit the sizes."""
    # no file fits
    place.COPIES = 10**6
    pieces.PIECE, by_address.BLOCK = 2048, 1024
    table = people(20_000)
    rounded = [round(hours) for hours in table["hours"].to_pylist()]
    table = table.set_column(2, "hours", [rounded])
    pq.write_table(table, folder / "in.parquet", row_group_size=4000)
    words = "protect in.parquet out.parquet --quasi age,income,hours --seed 5 --resume --force"
    for kind, method in METHODS.items():
        yield resumed(
            f"`protect --resume` from the disk, {kind}",
            folder,
            [*words.split(), "--allow-unprotected", *method.split()],
            folder / "out.parquet",
            kills // len(METHODS),
            draw,
            Path.read_bytes,
        )
