"""The live view of ``tacit stream`` on a terminal."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable

from rich.live import Live
from rich.table import Table

from tacit.cli.screen import Screen
from tacit.stream.kinds import Plain

# from the lowest to the highest
_BARS = "▁▂▃▄▅▆▇█"
# values that are drawn of each row
_WIDTH = 40
# name of the monitored value, words, how its number is written
_SHOWN = (
    ("rate", "records a second", "{:,.0f}"),
    ("delay", "delay, records", "{:.1f}"),
    ("risk_past_recent", "risk, past window", "{:.3f}"),
    ("risk_centred_recent", "risk, centred window", "{:.3f}"),
    ("loss", "loss, share of variance", "{:.4f}"),
    ("correlation", "correlations moved by", "{:.4f}"),
    ("pil", "probabilistic loss", "{:.3f}"),
    ("drift", "drift, sd", "{:.2f}"),
    ("epsilon", "epsilon spent", "{:g}"),
)


def sparkline(values: Iterable[float | None], width: int = _WIDTH) -> str:
    """The last values as bars; gaps where there is none.

    >>> sparkline([0, 1, 2])
    '▁▅█'
    """
    shown = list(values)[-width:]
    known = [value for value in shown if value is not None and math.isfinite(value)]
    if not known:
        return ""
    low, high = min(known), max(known)
    # a constant series is drawn at the bottom
    height = (high - low) or 1.0
    top = len(_BARS) - 1
    line = ""
    for value in shown:
        if value is None or not math.isfinite(value):
            line += " "
            continue
        share = (value - low) / height
        line += _BARS[min(top, int(share * top + 0.5))]
    return line


class Dashboard:
    """A table on stderr that is drawn again with every report."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.past: dict[str, deque[float]] = {
            name: deque(maxlen=_WIDTH) for name, _, _ in _SHOWN
        }
        # standard output may be the stream itself
        console = Screen(stderr=True, markup=False)
        self._live = Live(console=console, refresh_per_second=4, transient=False)

    def __enter__(self) -> Dashboard:
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)

    def show(self, values: Plain) -> None:
        """Draw these values."""
        self._live.update(self.table(values))

    def table(self, values: Plain) -> Table:
        """The values now, and lately as bars; at the end the last alarms."""
        consumed, released = values["consumed"], values["released_now"]
        counts = f"{consumed:,} in, {released:,} out, {values['pending']:,} inside"
        table = Table(title=f"{self.title}: {counts}", expand=False)
        table.add_column("what")
        table.add_column("now", justify="right")
        table.add_column("lately")
        for name, words, form in _SHOWN:
            value = values.get(name)
            if value is None:
                continue
            self.past[name].append(float(value))
            table.add_row(words, form.format(value), sparkline(self.past[name]))
        if "chance" in values:
            table.add_row("risk by guessing", f"{values['chance']:.3f}", "")
        for alarm in values.get("alarms", [])[-3:]:
            table.add_row(
                f"alarm: {alarm['name']}",
                f"{alarm['value']:.4g}",
                f"above {alarm['bound']:g} at record {alarm['arrived']:,}",
                style="red",
            )
        return table
