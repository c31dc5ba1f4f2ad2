"""A stream for the stream page: records from a generator or a file, through a filter, with its monitors."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tacit.errors import InputError

TICKS = 8
"""Looks at the monitors a second."""


def records(source: str, path: str, count: int) -> Any:
    """The rows to send: generated, or the continuous columns of a file in file order."""
    import tacit as tc

    if path:
        data = tc.read(path)
        names = data.schema.names(kind="continuous")
        if not names:
            raise InputError("the file has no continuous column to stream; choose another, or a generated stream")
        return data.numbers(names)[:count]
    made = tc.datasets.Waveform if source == "waveform" else tc.datasets.RandomRBF
    return made(seed=1).take(count)[0]


def run(
    tell: Callable[[str, Any], None], name: str, parameters: dict[str, Any], rows: Any, pace: float
) -> dict[str, Any]:
    """Send the rows at the pace (records a second; 0: as fast as it goes) and tell what the monitors see."""
    import inspect

    import tacit as tc

    made = tc.stream.registry[name]
    seed = {"random_state": 1} if "random_state" in inspect.signature(made).parameters else {}
    watch = tc.stream.Watch(made(**parameters, **seed))
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    size = max(int(pace / TICKS), 1) if pace else max(len(rows) // 200, 500)
    start = time.perf_counter()
    for i in range(0, len(rows), size):
        began = time.perf_counter()
        watch.feed(rows[i : i + size])
        busy = time.perf_counter() - began
        seen = min(i + size, len(rows))
        tell("tick", _tick(watch, seen, min(size, len(rows) - i) / max(busy, 1e-9)))
        if pace:
            time.sleep(max(0.0, start + seen / pace - time.perf_counter()))
        else:
            time.sleep(0.005)  # let the page draw
    watch.finish()
    last = _tick(watch, len(rows), len(rows) / (time.perf_counter() - start))
    tell("tick", last)
    return last


def _tick(watch: Any, seen: int, rate: float) -> dict[str, Any]:
    values = watch.values()
    out: dict[str, Any] = {"seen": seen, "released": int(values.get("released", 0)), "rate": float(rate)}
    risk = values.get("risk_centred_recent", values.get("risk_centred"))
    names = {"loss": "loss", "delay": "delay", "epsilon": "epsilon", "chance": "chance"}
    found = {key: values.get(name) for key, name in names.items()} | {"risk": risk}
    return out | {key: float(v) for key, v in found.items() if v is not None}
