"""A chart as an object of its own: shows itself in a notebook, saves itself as a file."""

from __future__ import annotations

from pathlib import Path

from tacit.report.assets import text
from tacit.report.charts.svg import Drawing


class Figure:
    """What `plot()` methods return.

    ``save("map.svg")`` writes a standalone SVG with its colours inside.
    """

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing

    @property
    def svg(self) -> str:
        """The picture with its style sheet inside, as an SVG document."""
        return self.drawing.document(_style())

    def save(self, path: str | Path) -> Path:
        """Write the standalone SVG; returns where."""
        Path(path).write_text(self.svg, encoding="utf-8")
        return Path(path)

    def _repr_html_(self) -> str:
        return f'<div class="tacit">{_style()}{self.drawing}</div>'

    def __repr__(self) -> str:
        return f"Figure({self.drawing.title!r})"


def _style() -> str:
    # the colours are variables of the first sheet, used by the second
    return f"<style>{text('tokens.css')}{text('charts.css')}</style>"
