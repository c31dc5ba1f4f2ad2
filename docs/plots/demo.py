"""Draw the picture of ``tacit demo`` for the README: python docs/plots/demo.py."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from tacit.cli import demo
from tacit.cli import options as shared


def main() -> None:
    """Run the demo's own code and save what it prints as SVG."""
    canvas = Console(record=True, width=118, highlight=False)
    shared.console = lambda: canvas  # type: ignore[assignment]
    demo.show(demo.releases(1, lambda *_: None))
    canvas.save_svg(
        str(Path(__file__).parents[1] / "img" / "demo.svg"), title="tacit demo"
    )


if __name__ == "__main__":
    main()
