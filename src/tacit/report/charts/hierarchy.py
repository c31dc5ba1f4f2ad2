"""A hierarchy as a picture: values on the left, wider classes to the right, lines between."""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats
from tacit.data.hierarchies.tree import Tree
from tacit.report.charts.svg import Drawing, wide

# values that are drawn; more lines than this are no picture
MOST = 60
ROW, GAP, PAD = 18.0, 46.0, 10.0
"""Height of a line, space between levels, margin: in pixels."""
STYLE = (
    "<style>.paper{fill:#fff}.label{font:12px sans-serif;fill:#234}"
    ".branch{stroke:#789;stroke-width:1;fill:none}</style>"
)


def hierarchy(
    tree: Tree,
    title: str,
) -> str:
    """A hierarchy as a file of its own."""
    return branches(tree, title).document(STYLE)


def branches(
    tree: Tree,
    title: str,
) -> Drawing:
    """The picture of a hierarchy; of many values the first are drawn, and the rest counted."""
    values = len(tree.labels[0])
    shown = min(values, MOST)
    places = _places(tree, shown)
    widths = [
        max((wide(label) for label in _labels(tree, level, places[level])), default=0.0)
        for level in range(tree.height + 1)
    ]
    left = [PAD]
    for width in widths[:-1]:
        left.append(left[-1] + width + GAP)
    more = values - shown
    height = 2 * PAD + ROW * (shown + (1 if more else 0))
    picture = Drawing(left[-1] + widths[-1] + PAD, height, title, kind="hierarchy")
    picture.rect(0.0, 0.0, picture.width, picture.height, "paper")
    for level in range(tree.height + 1):
        for code, y in enumerate(places[level]):
            if np.isnan(y):
                continue
            picture.text(left[level], y + 4, tree.labels[level][code])
            if level < tree.height:
                parent = int(tree.up[level][code])
                end = left[level] + widths[level] + 4
                picture.line(
                    end, y, left[level + 1] - 4, places[level + 1][parent], "branch"
                )
    if more:
        picture.text(PAD, height - PAD, f"and {more} more values")
    return picture


def _places(
    tree: Tree,
    shown: int,
) -> list[Floats]:
    """The height of each class: the middle of its values; NaN where none is drawn."""
    # values of one class stand together
    order = np.lexsort(tree.classes)
    at = np.full(len(tree.labels[0]), np.nan)
    at[order[:shown]] = PAD + ROW * (np.arange(shown) + 0.5)
    levels = [at]
    for level in range(1, tree.height + 1):
        drawn = ~np.isnan(at)
        classes = tree.classes[level][drawn]
        number = len(tree.labels[level])
        total = np.bincount(classes, weights=at[drawn], minlength=number)
        count = np.bincount(classes, minlength=number)
        with np.errstate(invalid="ignore"):
            levels.append(np.where(count > 0, total / np.maximum(count, 1), np.nan))
    return levels


def _labels(
    tree: Tree,
    level: int,
    places: Floats,
) -> list[str]:
    drawn = np.flatnonzero(~np.isnan(places))
    return [tree.labels[level][code] for code in drawn]
