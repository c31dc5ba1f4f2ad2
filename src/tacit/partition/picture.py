"""A picture of a 2-d partition: cells, records, low-cardinality leaves and what they were fused with (SVG).

Figures 2.1 to 2.3 of the report in one: leaves are boxes, one with fewer than ``least`` records is marked, and a line
joins the centre of each marked leaf to that of the largest leaf of its block.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import ParameterError
from tacit.partition.orthtree import OrthTree

SIZE, PAD = 480.0, 14.0


def draw(values: Any, tree: OrthTree | None = None, path: str | Path | None = None) -> str:
    """The SVG text of the partition of two columns; also written to ``path`` if given."""
    x = np.ascontiguousarray(values, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != 2:
        raise ParameterError("a picture needs exactly two columns")
    tree = tree or OrthTree(leaf=50, least=10)
    splitter = tree.fit(x)
    low, width = (
        splitter.grid.low,
        np.where(splitter.grid.high > splitter.grid.low, splitter.grid.high - splitter.grid.low, 1.0),
    )

    def place(point: Any) -> tuple[float, float]:
        u = (np.asarray(point) - low) / width
        return PAD + float(u[0]) * SIZE, PAD + (1.0 - float(u[1])) * SIZE

    side = SIZE + 2 * PAD
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side:.0f} {side:.0f}" width="{side:.0f}" '
        f'font-family="sans-serif" role="img"><title>2^d-tree blocks, L = {splitter.leaf}, at least {splitter.least} '
        f"records a block: {splitter.leaves} leaves, {len(splitter.sizes)} blocks</title>",
        f'<rect width="{side:.0f}" height="{side:.0f}" fill="#fff"/>',
    ]
    largest: dict[int, tuple[int, tuple[float, float]]] = {}
    marked: list[tuple[int, tuple[float, float]]] = []
    for a, b, block in splitter.boxes():
        (left, bottom), (right, top) = place(a), place(b)
        inside = _count(x, a, b, splitter.grid.high)
        is_low = inside < splitter.least
        fill = "#f4c7a1" if is_low else "#eef3f8"
        out.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" '
            f'fill="{fill}" stroke="#456" stroke-width="1"/>'
        )
        centre = ((left + right) / 2, (top + bottom) / 2)
        if is_low:
            marked.append((block, centre))
        if inside > largest.get(block, (-1, centre))[0]:
            largest[block] = (inside, centre)
    out += [f'<circle cx="{p[0]:.1f}" cy="{p[1]:.1f}" r="1.5" fill="#234"/>' for p in map(place, x)]
    for block, (cx, cy) in marked:
        to = largest[block][1]
        out.append(
            f'<line x1="{cx:.1f}" y1="{cy:.1f}" x2="{to[0]:.1f}" y2="{to[1]:.1f}" stroke="#b33" stroke-width="2"/>'
        )
    text = "\n".join([*out, "</svg>"]) + "\n"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _count(x: Any, low: Any, high: Any, top: Any) -> int:
    """Records in a cell; the upper edge belongs to the next cell, except at the edge of the file."""
    below = (x < high) | ((high >= top) & (x <= high))
    return int(((x >= low) & below).all(axis=1).sum())
