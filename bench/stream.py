"""Streams: records a second of each filter, against the bars of the issue, and the push form against river.

The peer is the published program (Java, one core), whose figures were measured on this kind of machine and are quoted,
not run again. Times are seconds of CPU of this process, the least of several runs: other work on the machine adds
to wall-clock time only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.row import Row

N = 100_000


def cpu(function: Callable[[], object], repeat: int = 3) -> float:
    """Least CPU seconds; the first call compiles."""
    function()
    seconds = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        seconds.append(time.process_time() - start)
    return min(seconds)


def filters(x: Any) -> list[tuple[str, Callable[[], Any], float | None, float | None]]:
    """(name, builder, bar in records a second, records a second of the Java program)."""
    from tacit import stream as s

    bounds = [(float(a), float(b)) for a, b in zip(x.min(axis=0), x.max(axis=0), strict=True)]
    return [
        ("noise", lambda: s.Noise(amount=0.5, random_state=1), 5e6, 0.85e6),
        ("noise with monitors", lambda: s.Watch(s.Noise(amount=0.5, random_state=1)), 500e3, 90e3),
        ("microaggregation 100 k=3", lambda: s.Microaggregation(k=3, window=100), 500e3, 236e3),
        ("microaggregation 1000 k=3", lambda: s.Microaggregation(k=3, window=1000), 100e3, 25e3),
        ("rank swapping 100", lambda: s.RankSwapping(percent=10, window=100, random_state=1), 200e3, 16e3),
        ("rank swapping 1000", lambda: s.RankSwapping(percent=10, window=1000, random_state=1), 100e3, 1.3e3),
        (
            "DP 100 k=3, fast sampler",
            lambda: s.PrivateMicroaggregation(1.0, 3, 100, bounds=bounds, sampler="fast", random_state=1),
            300e3,
            220e3,
        ),
        ("DP 100 k=3, safe sampler", lambda: s.PrivateMicroaggregation(1.0, 3, 100, bounds=bounds), None, 220e3),
    ]


def push(make: Callable[[], Any], records: list[dict[str, float]]) -> float:
    """CPU seconds to push dict records one by one, releases thrown away."""

    def run() -> None:
        f = make()
        for record in records:
            f.push(record)

    return cpu(run, 2)


def river(records: list[dict[str, float]]) -> float | None:
    """CPU seconds of river's StandardScaler on the same records."""
    try:
        from river.preprocessing import StandardScaler
    except ImportError:
        return None

    def run() -> None:
        scaler = StandardScaler()
        for record in records:
            scaler.learn_one(record)
            scaler.transform_one(record)

    return cpu(run, 2)


def run(full: bool) -> list[Row]:
    """All rows; `full` adds the attack-window sizes and a stream of a million records."""
    from tacit.datasets import RandomRBF

    x, _ = RandomRBF(seed=1).take(N)
    rows = []
    for name, make, bar, java in filters(x):
        unit = make()
        seconds = cpu(lambda unit=unit: unit.apply(x))  # type: ignore[misc]
        rate = N / seconds
        note = f"{rate:,.0f} records a second"
        note += "" if bar is None else f"; bar {bar:,.0f}: {'met' if rate > bar else 'NOT MET'}"
        rows.append(Row(name, seconds, "Java program (quoted)", None if java is None else N / java, note=note, size=N))
    records = [dict(zip(RandomRBF().names, values, strict=True)) for values in x[:20_000].tolist()]
    theirs = river(records)
    for name, make, _, _ in filters(x):
        if "monitors" in name or "DP" in name:
            continue
        ours = push(make, records)
        note = f"{ours / len(records) * 1e6:.1f} microseconds a record"
        rows.append(Row(f"push, dicts: {name}", ours, "river StandardScaler", theirs, note=note, size=len(records)))
    if full:
        big = np.concatenate([x] * 10)
        for name, make, _, _ in filters(x)[2:4]:
            unit = make()
            seconds = cpu(lambda unit=unit: unit.apply(big), 2)  # type: ignore[misc]
            rows.append(Row(f"{name}, a million", seconds, size=10 * N, series=name))
    return rows
