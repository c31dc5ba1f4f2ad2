"""A stream that is being watched: the last monitor values, and the charts made of them."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import TypedDict

from tacit.app.messages import StreamTick
from tacit.app.worker import Job
from tacit.report.charts import for_both, over_time
from tacit.report.charts.svg import Drawing
from tacit.report.words import count, number, percent, title

# Points of a chart that are kept; the chart is about as many pixels wide.
KEPT = 400
# The states of a job as the page says them.
STATES = {
    "running": "running",
    "done": "ended",
    "cancelled": "stopped",
    "failed": "failed",
    "waiting": "starting",
}
CHARTS = {
    "risk": "Risk",
    "loss": "Loss",
    "delay": "Delay",
    "epsilon": "Epsilon spent",
}


class LiveView(TypedDict):
    """What the template shows of a stream."""

    title: str
    running: bool
    error: str
    figures: list[dict[str, str]]
    charts: list[dict[str, str]]


class Live:
    """What was chosen on the stream page, and the series that the worker sends."""

    def __init__(self) -> None:
        self.filter = ""
        self.parameters: dict[str, object] = {}
        # A stream to begin with: generated records, ten seconds of them.
        self.source = "rbf"
        # A file of its own, which nobody else needs once the stream has another.
        self.upload: Path | None = None
        self.count = 20_000
        self.pace = "2000"
        self.job: Job | None = None
        self.ticks: list[StreamTick] = []

    @property
    def running(self) -> bool:
        """Is a stream under way?"""
        return self.job is not None and not self.job.over

    @property
    def news(self) -> str:
        """Differs whenever there is something new to show."""
        seen = self.ticks[-1]["seen"] if self.ticks else 0
        state = self.job.state if self.job else ""
        return f"{len(self.ticks)}.{seen}.{state}"

    def begin(self) -> None:
        """Forget the last stream."""
        self.ticks = []

    def hear(self, tick: StreamTick) -> None:
        """Keep the values that a worker sent."""
        self.ticks.append(tick)
        if len(self.ticks) > KEPT:
            # thin out the older half, so that the whole run stays in view in bounded memory
            half = KEPT // 2
            self.ticks = self.ticks[:half:2] + self.ticks[half:]

    def shown(self) -> LiveView:
        """What the template needs."""
        job = self.job
        state = f"{title(self.filter)}: {STATES[job.state]}" if job else ""
        # The worker's listener goes on appending while we draw: draw what is there now.
        ticks = list(self.ticks)
        return {
            "title": state or "Nothing running",
            "running": self.running,
            "error": job.error if job else "",
            "figures": _figures(ticks[-1]) if ticks else [],
            "charts": _charts(ticks) if ticks else [],
        }


def _figures(last: StreamTick) -> list[dict[str, str]]:
    """The large figures above the charts."""
    labels = {
        "records in": count(last["seen"]),
        "records released": count(last["released"]),
        "records a second": number(last["rate"]),
    }
    if _has(last, "risk"):
        labels["found by the nearest record"] = percent(last["risk"])
    return [
        {"value": value, "unit": "", "label": label} for label, value in labels.items()
    ]


def _charts(ticks: list[StreamTick]) -> list[dict[str, str]]:
    """One chart for each monitor that has a value now."""
    last = ticks[-1]
    x = [float(tick["seen"]) for tick in ticks]
    charts = []
    for key, name in CHARTS.items():
        if not _has(last, key):
            continue
        # A monitor starts later than the stream: before that there is a gap, not a zero.
        y = [float(tick[key]) if _has(tick, key) else math.nan for tick in ticks]
        is_risk = key == "risk"
        chance = last.get("chance") if is_risk else None
        draw = partial(_over_time, name, x, y, chance, is_risk)
        drawing = for_both(draw, 520)
        note = _note(key, y[-1], chance)
        charts.append({"title": name, "note": note, "chart": drawing})
    return charts


def _over_time(
    name: str,
    x: list[float],
    y: list[float],
    chance: float | None,
    shares: bool,
    width: float,
) -> Drawing:
    return over_time(name, x, y, chance=chance, shares=shares, width=width, height=150)


def _note(key: str, now: float, chance: float | None) -> str:
    """The present value in its unit."""
    if key == "risk":
        return f"now {percent(now)}; dotted: chance {percent(chance)}"
    units = {"loss": " of the variance", "delay": " records"}
    return f"now {number(now)}{units.get(key, '')}"


def _has(tick: StreamTick, key: str) -> bool:
    """Is there a value, and is it a number?"""
    return not math.isnan(tick.get(key, math.nan))
