"""A picture of a 2-d partition: cells, records, small leaves and what they were fused with.

Figures 2.1 to 2.3 of Domingo-Ferrer (2008) in one: leaves are boxes, one with fewer than
``least`` records is marked, and a line joins the centre of each marked leaf to that of the
largest leaf of its block.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats
from tacit.report.charts.axes import Scale
from tacit.report.charts.svg import Drawing, Position
from tacit.scale.partition.orthtree import OrthTree

# The unit square of the data in pixels, and the margin around it.
SIZE, PAD = 480.0, 14.0
# The picture stands alone, so it brings its colours; small leaves are darker in grey as well.
STYLE = (
    "<style>.paper{fill:#fff}.cell{fill:#eef3f8;stroke:#456;stroke-width:1}"
    ".cell.small{fill:#f4c7a1}.record{fill:#234}.fused{stroke:#b33;stroke-width:2}"
    "</style>"
)


def draw(
    values: ArrayLike, tree: OrthTree | None = None, path: str | Path | None = None
) -> str:
    """The SVG text of the partition of two columns.

    Parameters
    ----------
    values : array of two columns
        The records.
    tree : OrthTree, optional
        How to split; by default leaves of 50 records, fused below 10.
    path : path, optional
        Also write the picture there.
    """
    records = np.ascontiguousarray(values, dtype=np.float64)
    if records.ndim != 2 or records.shape[1] != 2:
        raise ParameterError("a picture needs exactly two columns")
    tree = tree or OrthTree(leaf=50, least=10)
    splitter = tree.fit(records)
    low, high = splitter.grid.low, splitter.grid.high
    # SVG counts downwards, the second column upwards
    x = _scale(low[0], high[0], PAD, PAD + SIZE)
    y = _scale(low[1], high[1], PAD + SIZE, PAD)
    side = SIZE + 2 * PAD
    title = (
        f"2^d-tree blocks, L = {splitter.leaf}, at least {splitter.least} records "
        f"per block: {splitter.leaves} leaves, {len(splitter.sizes)} blocks"
    )
    d = Drawing(side, side, title, kind="partition")
    d.rect(
        0,
        0,
        side,
        side,
        "paper",
    )
    largest: dict[int, tuple[int, Position]] = {}
    small: list[tuple[int, Position]] = []
    for start, end, block in splitter.boxes():
        left, bottom = x(start[0]), y(start[1])
        right, top = x(end[0]), y(end[1])
        inside = _count(records, start, end, high)
        is_small = inside < splitter.least
        look = "cell small" if is_small else "cell"
        d.rect(
            left,
            top,
            right - left,
            bottom - top,
            look,
        )
        centre = ((left + right) / 2, (top + bottom) / 2)
        if is_small:
            small.append((block, centre))
        if inside > largest.get(block, (-1, centre))[0]:
            largest[block] = (inside, centre)
    for record in records:
        d.add(
            "circle",
            cx=x(record[0]),
            cy=y(record[1]),
            r=1.5,
            class_="record",
        )
    # the lines come last, on top of the records
    for block, centre in small:
        d.line(*centre, *largest[block][1], "fused")
    text = d.document(STYLE)
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _scale(low: float, high: float, start: float, end: float) -> Scale:
    """A constant column has no width; it is drawn at the start."""
    return Scale(low, high if high > low else low + 1.0, start, end)


def _count(records: Floats, low: Floats, high: Floats, top: Floats) -> int:
    """Records in a cell.

    The upper edge belongs to the next cell, except at the edge of the file.
    """
    below = (records < high) | ((high >= top) & (records <= high))
    return int(((records >= low) & below).all(axis=1).sum())
