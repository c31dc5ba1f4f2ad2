"""Streams: records a second of each filter, in a batch and pushed one by one, beside river and
CapyMOA.

river and MOA have no protection filters. What they have is the work inside one: scaling each
record, the nearest
records of a window, sorted windows, noise. The published program (Java, one core) is quoted, not
run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from bench.row import Measured, Row, beside, measure, side_by_side
from bench.venvs import Peer

N = 100_000
Records = list[dict[str, float]]


def filters(
    x: np.ndarray,
) -> list[tuple[str, Callable[[], Any], float | None, float | None]]:
    """(name, builder, bar in records a second, records a second of the Java program if it has it)."""
    from tacit import stream as s

    bounds = [
        (float(a), float(b)) for a, b in zip(x.min(axis=0), x.max(axis=0), strict=True)
    ]
    private = partial(s.DPMicroaggregation, 1.0, 3, 100, bounds=bounds)
    return [
        ("noise", lambda: s.Noise(percent=50, random_state=1), 5e6, 0.85e6),
        (
            "noise with monitors",
            lambda: s.Watch(s.Noise(percent=50, random_state=1)),
            500e3,
            90e3,
        ),
        (
            "microaggregation, window 100",
            lambda: s.Microaggregation(k=3, window=100),
            500e3,
            236e3,
        ),
        (
            "microaggregation, window 1000",
            lambda: s.Microaggregation(k=3, window=1000),
            100e3,
            25e3,
        ),
        (
            "rank swapping, window 100",
            lambda: s.RankSwapping(p=10, window=100, random_state=1),
            200e3,
            16e3,
        ),
        (
            "rank swapping, window 1000",
            lambda: s.RankSwapping(p=10, window=1000, random_state=1),
            100e3,
            1.3e3,
        ),
        (
            "DP, window 100, fast sampler",
            lambda: private(sampler="fast", random_state=1, test_seed=True),
            300e3,
            220e3,
        ),
        ("DP, window 100, safe sampler", private, None, 220e3),
        (
            "clusters of 3, delay 100",
            lambda: s.DelayBoundClusters(k=3, delay=100),
            200e3,
            None,
        ),
    ]


def batch(x: np.ndarray) -> Iterator[Row]:
    """A whole array at once."""
    n = len(x)
    for name, make, bar, java in filters(x):
        unit = make()
        unit.apply(x[:5000])
        mine = measure(lambda unit=unit: unit.apply(x) is None)
        rate = n / mine.cpu  # one thread: what others do on the machine does not count
        note = f"{rate:,.0f} records a CPU second"
        note += "" if java is None else "; the peer is quoted, not run"
        note += (
            ""
            if bar is None
            else f"; bar {bar:,.0f}: {'met' if rate > bar else 'NOT MET'}"
        )
        if java is None:
            yield Row(
                f"batch: {name}",
                mine.seconds,
                memory_mb=mine.memory_mb,
                note=note,
                size=n,
            )
            continue
        quoted = Measured(n / java, n / java, None, None)
        yield beside(
            f"batch: {name}",
            mine,
            "Java program (quoted)",
            lambda q=quoted: q,
            lambda *_, s=note: s,
            size=n,
        )


def _push(make: Callable[[], Any], records: Records) -> None:
    """Records in one by one; releases are thrown away."""
    unit = make()
    for record in records:
        unit.push(record)


def _scale(records: Records) -> None:
    from river.preprocessing import StandardScaler

    scaler = StandardScaler()
    for record in records:
        scaler.learn_one(record)
        scaler.transform_one(record)


def _search(window: int, records: Records) -> None:
    from river.neighbors import LazySearch

    search = LazySearch(window_size=window)
    for record in records:
        search.append(record)
        search.search(record, n_neighbors=3)


def _sort(window: int, records: Records) -> None:
    from river.stats import RollingQuantile

    medians = {name: RollingQuantile(0.5, window) for name in records[0]}
    for record in records:
        for name, value in record.items():
            medians[name].update(value)


def _medians(window: int, records: Records) -> None:
    """A record in and a record out, as ours."""
    from river.stats import RollingQuantile

    medians = {name: RollingQuantile(0.5, window) for name in records[0]}
    for record in records:
        masked = {}
        for name, value in record.items():
            median = medians[name]
            median.update(value)
            masked[name] = median.get()


def pushed(x: np.ndarray, names: list[str]) -> Iterator[Row]:
    """One record at a time, as dicts, beside river on the same records."""
    records = [dict(zip(names, values, strict=True)) for values in x.tolist()]
    few = records[:3_000]
    work: dict[str, list[tuple[str, Callable[..., None], Records]]] = {
        "microaggregation": [("river LazySearch", _search, few)],
        "rank swapping": [
            ("river RollingQuantile, medians out", _medians, records),
            ("river RollingQuantile", _sort, records),
        ],
    }
    says = {
        "river StandardScaler": "peer learns and scales each record",
        "river LazySearch": "peer finds the three nearest in the same window and makes no groups",
        "river RollingQuantile, medians out": "peer keeps one sorted window a column and puts out a record of medians",
        "river RollingQuantile": "peer keeps one sorted window a column and puts out nothing",
    }
    for name, make, _, _ in filters(x):
        if "monitors" in name or "DP" in name:
            continue
        _push(make, few)
        pairs = [("river StandardScaler", _scale, records)]
        method, _, window = name.partition(", window ")
        for peer, call, taken in work.get(method, []):
            pairs.append((peer, partial(call, int(window)), taken))
        for peer, call, taken in pairs:
            mine = measure(partial(_push, make, taken))
            note = f"ours {1e6 * mine.cpu / len(taken):.1f} CPU microseconds a record; {says[peer]}"
            theirs = partial(measure, partial(call, taken))
            yield beside(
                f"push: {name}",
                mine,
                peer,
                theirs,
                lambda *_, note=note: note,
                size=len(taken),
            )


def capymoa(x: np.ndarray) -> list[Row]:
    """MOA's filters take one record at a time from Python; ours pushed likewise (arrays)."""
    from tacit.data.datasets import RandomRBF
    from tacit.stream import Noise

    n, records = len(x), list(x)
    peer = Peer("capymoa", {"n": n})
    noise = partial(_push, lambda: Noise(percent=50, random_state=1), records)
    noise()
    drawn = measure(lambda: RandomRBF(seed=1).take(n) is None)
    pushed = measure(noise)
    one, scales = (
        "both one record at a time",
        "both one record at a time; peer only scales",
    )
    java = "peer hands over one record at a time from Java; ours fills an array"
    return [
        beside(
            name,
            mine,
            f"CapyMOA {label}",
            peer(what),
            lambda *_, note=note: note,
            size=n,
        )
        for name, mine, label, what, note in (
            ("generator: RandomRBF", drawn, "RandomRBF", "generator", java),
            ("push: noise", pushed, "AddNoiseFilter", "noise", one),
            ("push: noise", pushed, "StandardisationFilter", "standardise", scales),
            ("push: noise", pushed, "NormalisationFilter", "normalise", scales),
        )
    ]


def river_generator(n: int) -> list[Row]:
    from river.datasets.synth import RandomRBF as Peers

    from tacit.data.datasets import RandomRBF

    return side_by_side(
        "generator: RandomRBF",
        lambda: RandomRBF(seed=1).take(n) is None,
        {
            "river RandomRBF": lambda: sum(
                1 for _ in Peers(seed_model=1, seed_sample=1).take(n)
            )
        },
        lambda *_: "peer yields dicts one at a time; ours fills an array",
        size=n,
    )


def growth(x: np.ndarray) -> Iterator[Row]:
    """Microaggregation on longer streams: time in proportion to the records."""
    for name, make, _, _ in filters(x)[2:4]:
        unit = make()
        for n in (10_000, 100_000, 1_000_000):
            values = np.resize(x, (n, x.shape[1]))
            mine = measure(lambda unit=unit, values=values: unit.apply(values) is None)
            series = f"stream {name}"
            yield Row(
                f"batch: {name}",
                mine.seconds,
                memory_mb=mine.memory_mb,
                size=n,
                series=series,
            )


def run(full: bool) -> Iterator[Row]:
    """All filters on 100,000 records; ``full`` pushes all of them, not a fifth, and goes on to a
    million.
    """
    import river.neighbors
    import river.preprocessing
    import river.stats  # noqa: F401 (before the processes that measure are forked)

    from tacit.data.datasets import RandomRBF

    x, _ = RandomRBF(seed=1).take(N)
    n = N if full else N // 5
    yield from batch(x)
    yield from pushed(x[:n], RandomRBF().names)
    yield from river_generator(n)
    yield from capymoa(x[:n])
    if full:
        yield from growth(x)
