"""The names beside the points of a map: near their point, over nothing else, or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from tacit.report.charts.svg import Drawing, Position, wide

Box = tuple[float, float, float, float]
"""Left, top, right and bottom of something drawn."""
Line = tuple[Position, Position]

# A name that stands further from its point than this is tied to it by a thin line.
NEAR = 20
# Pieces of a line that are looked at, when it is asked whether it crosses a name.
PIECES = 60


def without_the_shared(labels: Sequence[str]) -> list[str]:
    """Names without their method, where all plans of a map have the same one.

    The file as it is has no method, and may stand among them.

    Examples
    --------
    >>> without_the_shared(["Noise percent=5", "Noise percent=9: Borderline", "as it is"])
    ['percent=5', 'percent=9: Borderline', 'as it is']
    >>> without_the_shared(["Noise percent=5", "Rounding base=9"])
    ['Noise percent=5', 'Rounding base=9']
    >>> without_the_shared(["Noise percent=5", "Noise of age", "Noise percent=9"])
    ['percent=5', 'Noise of age', 'percent=9']
    """
    methods = [
        "".join(takewhile(lambda word: "=" not in word, re.split(r"(?<= )", label)))
        for label in labels
        if "=" in label
    ]
    shared = methods[0] if len(methods) > 1 and len(set(methods)) == 1 else ""
    others = [one for one in labels if not one.startswith(shared.strip())]
    if not shared or len(others) > 1:
        return list(labels)
    return [
        rest if label.startswith(shared) and "=" in rest.split(" ")[0] else label
        for label in labels
        for rest in [label.removeprefix(shared)]
    ]


class Names:
    """Puts names on a drawing, each into a free place near its point.

    Parameters
    ----------
    drawing : Drawing
        What is written on.
    taken : list of Box
        What is drawn already; each name is added.
    lines : list of Line
        Lines that a name should not lie on.
    corner : tuple of float
        The right end of the lower axis, and its height.
    """

    def __init__(
        self,
        drawing: Drawing,
        taken: list[Box],
        lines: Sequence[Line],
        corner: tuple[float, float],
    ) -> None:
        self.drawing, self.taken = drawing, taken
        self.lines, self.corner = lines, corner

    def put(self, text: str, cx: float, cy: float, chosen: bool) -> None:
        """Write a name beside a point.

        The nearest place that is free is taken; one on a line only where there is no other.
        What fits nowhere is left to the tip and the table.
        """
        span = wide(text)
        shift = {"start": 0.0, "middle": span / 2, "end": span}
        for over_lines in (False, True):
            for dx, dy, anchor in _places(18 if chosen else 13):
                base = cy + dy
                start = cx + dx - shift[anchor]
                # a line of text reaches 11 pixels above its base line and 3 below
                box = (start, base - 11, start + span, base + 3)
                crossed = any(crosses(box, line) for line in self.lines)
                if self._free(box) and (over_lines or not crossed):
                    self._write(text, (cx, cy), (cx + dx, base), (anchor, chosen), box)
                    return

    def _write(
        self,
        text: str,
        point: Position,
        place: Position,
        look: tuple[str, bool],
        box: Box,
    ) -> None:
        (cx, cy), (x, base) = point, place
        anchor, chosen = look
        end = min(max(cx, box[0]), box[2]), (base + 3 if base < cy else base - 11)
        if abs(end[1] - cy) > NEAR:
            self.drawing.line(cx, cy + (8 if end[1] > cy else -8), *end, "leader")
        style = "label strong" if chosen else "label"
        self.drawing.text(x, base, text, style, anchor)
        self.taken.append(box)

    def _free(self, box: Box) -> bool:
        """Nothing is there, and it is right of the upright axis and above the lower one."""
        left, top, right, bottom = box
        across = left > 60 and right < self.corner[0] + 10
        upright = top > 14 and bottom < self.corner[1] + 2
        return across and upright and not any(meet(box, one) for one in self.taken)


def _places(gap: float) -> tuple[tuple[float, float, str], ...]:
    """Where a name may stand from its point, the best first."""
    return (
        (gap, 4, "start"),
        (-gap, 4, "end"),
        (0, -gap, "middle"),
        (0, gap + 8, "middle"),
        (gap - 4, -10, "start"),
        (4 - gap, -10, "end"),
        (gap - 4, 18, "start"),
        (4 - gap, 18, "end"),
        (0, -gap - 22, "middle"),
        (0, gap + 30, "middle"),
        (gap, -40, "start"),
        (-gap, -40, "end"),
        (0, -56, "middle"),
    )


def meet(one: Box, other: Box) -> bool:
    """Two boxes overlap."""
    across = one[0] < other[2] and other[0] < one[2]
    upright = one[1] < other[3] and other[1] < one[3]
    return across and upright


def crosses(box: Box, line: Line) -> bool:
    """A straight line goes through the box, or so near that it looks like it."""
    (x1, y1), (x2, y2) = line
    parts = [i / PIECES for i in range(PIECES + 1)]
    spots = [(x1 + part * (x2 - x1), y1 + part * (y2 - y1)) for part in parts]
    # the box around each small piece of the line
    return any(
        meet(box, (min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])))
        for a, b in pairwise(spots)
    )
