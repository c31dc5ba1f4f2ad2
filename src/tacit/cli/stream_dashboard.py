"""The live view of ``tacit stream`` on a terminal."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

_BARS = "▁▂▃▄▅▆▇█"
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


def sparkline(values: Any, width: int = 40) -> str:
    """The last values as bars; gaps where there is none.

    >>> sparkline([0, 1, 2])
    '▁▅█'
    """
    shown = list(values)[-width:]
    known = [v for v in shown if v is not None and math.isfinite(v)]
    if not known:
        return ""
    low, high = min(known), max(known)
    room = (high - low) or 1.0
    out = ""
    for v in shown:
        ok = v is not None and math.isfinite(v)
        out += _BARS[min(7, int((v - low) / room * 7 + 0.5))] if ok else " "
    return out


class Dashboard:
    """A table on stderr that is drawn again with every report."""

    def __init__(self, title: str) -> None:
        from rich.console import Console
        from rich.live import Live

        self.title = title
        self.past: dict[str, deque[float]] = {name: deque(maxlen=40) for name, _, _ in _SHOWN}
        self._live = Live(console=Console(stderr=True), refresh_per_second=4, transient=False)

    def __enter__(self) -> Dashboard:
        self._live.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._live.__exit__(*error)

    def show(self, values: dict[str, Any]) -> None:
        self._live.update(self.table(values))

    def table(self, values: dict[str, Any]) -> Any:
        from rich.table import Table

        counts = f"{values['consumed']:,} in, {values['released_now']:,} out, {values['pending']:,} inside"
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
                f"[red]alarm: {alarm['name']}[/red]",
                f"[red]{alarm['value']:.4g}[/red]",
                f"[red]above {alarm['bound']:g} at record {alarm['arrived']:,}[/red]",
            )
        return table
