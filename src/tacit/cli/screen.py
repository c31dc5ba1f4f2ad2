"""Tables and sentences on a terminal: what is drawn steers it, what stands in them does not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult
from rich.measure import Measurement
from rich.segment import Segment

from tacit.base.visible import visible
from tacit.cli import terminal


class Screen(Console):
    """A console on which names of files, columns and categories are text and nothing else."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.push_render_hook(_Visible())  # type: ignore[arg-type]  # a hook by its method

    @property
    def file(self) -> IO[str]:
        """Where it writes; colours and cursor are its own, and pass."""
        return terminal.unfiltered(super().file)

    @file.setter
    def file(self, new: IO[str]) -> None:
        self._file = new


class _Visible:
    """Shows everything through ``_Shown``."""

    def process_renderables(
        self, renderables: list[ConsoleRenderable]
    ) -> list[ConsoleRenderable]:
        """What is to be drawn, each of it with its letters made visible."""
        return [_Shown(one) for one in renderables]


class _Shown:
    """Something to be drawn, in letters that are seen."""

    def __init__(self, inner: ConsoleRenderable) -> None:
        self.inner = inner

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> RenderResult:
        yield from _visible(console.render(self.inner, options))

    def __rich_measure__(
        self, console: Console, options: ConsoleOptions
    ) -> Measurement:
        return Measurement.get(console, options, self.inner)


def _visible(segments: Iterable[Segment]) -> Iterable[Segment]:
    for segment in segments:
        if segment.control:
            yield segment
        else:
            yield Segment(visible(segment.text), segment.style)
