"""A chart as an object of its own: shows itself in a notebook, saves itself as a file."""

from __future__ import annotations

from pathlib import Path

from tacit.report.assets import text
from tacit.report.svg import Drawing


class Figure:
    """What `plot()` methods return. `save("map.svg")` writes a standalone SVG with its colours inside."""

    def __init__(self, drawing: Drawing):
        self.drawing = drawing

    @property
    def svg(self) -> str:
        """The picture with its style sheet inside, as an SVG document."""
        d = self.drawing
        style = text("tokens.css") + text("charts.css")
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{d.width:g}" height="{d.height:g}"'
        whole = str(d).replace("<svg", head, 1)
        first = whole.index(">") + 1
        return f"{whole[:first]}<style>{style}</style>{whole[first:]}"

    def save(self, path: str | Path) -> Path:
        Path(path).write_text(self.svg, encoding="utf-8")
        return Path(path)

    def _repr_html_(self) -> str:
        style = text("tokens.css") + text("charts.css")
        return f'<div class="tacit"><style>{style}</style>{self.drawing}</div>'

    def __repr__(self) -> str:
        return f"Figure({self.drawing.title!r})"
