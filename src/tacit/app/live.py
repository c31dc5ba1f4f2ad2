"""A stream that is being watched: the last monitor values, and the charts made of them."""

from __future__ import annotations

from typing import Any

from tacit.app.worker import Job
from tacit.report.charts import lines
from tacit.report.words import count, number, percent, title

KEPT = 400


class Live:
    """What was chosen on the stream page, and the series that the worker sends."""

    def __init__(self) -> None:
        self.filter, self.parameters = "", {}  # type: str, dict[str, Any]
        self.source, self.source_name, self.count, self.pace = "rbf", "", 20_000, "2000"
        self.job: Job | None = None
        self.ticks: list[dict[str, Any]] = []

    @property
    def running(self) -> bool:
        return self.job is not None and not self.job.over

    @property
    def news(self) -> str:
        job = self.job
        return f"{len(self.ticks)}.{self.ticks[-1]['seen'] if self.ticks else 0}.{job.state if job else ''}"

    def begin(self) -> None:
        self.ticks = []

    def hear(self, tick: dict[str, Any]) -> None:
        self.ticks.append(tick)
        if len(self.ticks) > KEPT:
            # thin out the older half, so that the whole run stays in view in bounded memory
            half = KEPT // 2
            self.ticks = self.ticks[:half:2] + self.ticks[half:]

    def shown(self) -> dict[str, Any]:
        """What the template needs."""
        job = self.job
        states = {
            "running": "Running",
            "done": "Ended",
            "cancelled": "Stopped",
            "failed": "Failed",
            "waiting": "Starting",
        }
        out: dict[str, Any] = {
            "title": f"{title(self.filter)}: {states[job.state].lower()}" if job else "Nothing running",
            "error": job.error if job else "",
            "figures": [],
            "charts": [],
        }
        ticks = list(self.ticks)  # the worker's listener goes on appending while we draw
        if not ticks:
            return out
        last = ticks[-1]
        out["figures"] = [
            {"value": count(last["seen"]), "unit": "", "label": "records in"},
            {"value": count(last["released"]), "unit": "", "label": "records released"},
            {"value": number(last["rate"]), "unit": "", "label": "records a second"},
        ]
        if _is(last, "risk"):
            out["figures"].append({"value": percent(last["risk"]), "unit": "", "label": "found by the nearest record"})
        x = [float(t["seen"]) for t in ticks]
        for key, name in (("risk", "Risk"), ("loss", "Loss"), ("delay", "Delay"), ("epsilon", "Epsilon spent")):
            if not _is(last, key):
                continue
            y = [float(t[key]) if _is(t, key) else float("nan") for t in ticks]
            chance = last.get("chance") if key == "risk" else None
            note = {
                "risk": f"now {percent(y[-1])}; dotted: chance {percent(chance)}",
                "loss": f"now {number(y[-1])} of the variance",
                "delay": f"now {number(y[-1])} records",
                "epsilon": f"now {number(y[-1])}",
            }[key]
            drawing = lines(name, x, y, chance=chance, shares=key == "risk", width=520, height=150)
            out["charts"].append({"title": name, "note": note, "chart": str(drawing)})
        return out


def _is(tick: dict[str, Any], key: str) -> bool:
    value = tick.get(key)
    return isinstance(value, int | float) and value == value
