"""A stream for the stream page: records from a generator or a file, through a filter, watched."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

import tacit as tc
from tacit.app.messages import StreamTick
from tacit.base.errors import InputError
from tacit.base.typing import Floats

TICKS = 8
"""Looks at the monitors per second."""
# Without a pace the rows are cut into this many portions, so that the charts get enough points;
# a portion has at least so many rows, because a look at the monitors costs as much as some rows.
PORTIONS, SMALLEST = 200, 500
# Without a pace a short rest after each portion lets the page draw.
REST = 0.005

# Names of the page -> names of the monitors; what a filter does not have is left out.
MONITORED = {
    "loss": "loss",
    "delay": "delay",
    "epsilon": "epsilon",
    "chance": "chance",
}


def records(source: str, path: str, count: int) -> Floats:
    """The rows to send: generated, or the continuous columns of a file in file order."""
    if path:
        data = tc.read(path)
        names = data.schema.names(scale="continuous")
        if not names:
            raise InputError(
                "the file has no continuous column to stream; "
                "choose another, or a generated stream"
            )
        return np.asarray(data.numbers(names)[:count])
    is_waveform = source == "waveform"
    make = tc.datasets.Waveform if is_waveform else tc.datasets.RandomRBF
    # Made-up records: nothing is protected by the seed being secret.
    return np.asarray(make(seed=1).take(count)[0])


def run(
    tell: Callable[[str, object], None],
    name: str,
    parameters: Mapping[str, object],
    rows: Floats,
    pace: float,
) -> StreamTick:
    """Send the rows at the pace and tell what the monitors see.

    The pace is in records per second; 0 means as fast as it goes.
    """
    protector = tc.stream.registry[name](**parameters)
    watch = tc.stream.Watch(protector)
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    total = len(rows)
    size = max(int(pace / TICKS), 1) if pace else max(total // PORTIONS, SMALLEST)
    start = time.perf_counter()
    for first in range(0, total, size):
        portion = rows[first : first + size]
        began = time.perf_counter()
        watch.feed(portion)
        # Too fast for the clock is not infinitely fast.
        busy = max(time.perf_counter() - began, 1e-9)
        seen = first + len(portion)
        tell("tick", _tick(watch.values(), seen, len(portion) / busy))
        if pace:
            # Against the start, not against the last portion: delays do not add up.
            due = start + seen / pace
            time.sleep(max(0.0, due - time.perf_counter()))
        else:
            time.sleep(REST)
    watch.finish()
    last = _tick(watch.values(), total, total / (time.perf_counter() - start))
    tell("tick", last)
    return last


def _tick(values: Mapping[str, float | None], seen: int, rate: float) -> StreamTick:
    """The values that the page draws."""
    tick: StreamTick = {
        "seen": seen,
        "released": int(values.get("released") or 0),
        "rate": float(rate),
    }
    monitored = {key: values.get(name) for key, name in MONITORED.items()}
    # The recent risk moves with the stream; the risk since its beginning is the second choice.
    since_start = values.get("risk_centred")
    monitored["risk"] = values.get("risk_centred_recent", since_start)
    return tick | {
        key: float(value) for key, value in monitored.items() if value is not None
    }
