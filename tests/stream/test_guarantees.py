"""The promises, checked on what is emitted, for every length of stream up to three windows."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from stream.streams import filters, numbers


def groups_of(releases: list[Any]) -> dict[int, list[Any]]:
    found = defaultdict(list)
    for r in releases:
        found[r.group].append(r)
    return found


@pytest.mark.parametrize(("k", "window"), [(2, 4), (3, 7), (5, 10), (4, 20)])
def test_every_group_has_k_members_for_every_length(k: int, window: int) -> None:
    for n in range(3 * window + 1):
        x = numbers(n, seed=n)
        f = tc.stream.Microaggregation(k=k, window=window)
        out = list(f(x))
        assert len(out) + len(f.withheld) == n
        assert (len(f.withheld) > 0) == (0 < n < k)
        for members in groups_of(out).values():
            assert len(members) >= k
            assert len({tuple(r.record) for r in members}) == 1  # they share one value
            assert max(r.size for r in members) == len(members)
        assert all(r.delay <= window - 1 for r in out)
        assert [r.index for r in out] == list(range(len(out)))
        if n >= k:
            masked = np.array([r.record for r in out])
            assert (masked != x).all()
            counts = np.unique(masked, axis=0, return_counts=True)[1]
            assert counts.min() >= k


@given(
    n=st.integers(0, 80),
    k=st.integers(2, 6),
    extra=st.integers(0, 20),
    seed=st.integers(0, 99),
    levels=st.integers(2, 5),
)
def test_groups_of_k_on_tied_values(
    n: int, k: int, extra: int, seed: int, levels: int
) -> None:
    x = np.random.default_rng(seed).integers(0, levels, (n, 2)).astype(float)
    out = list(tc.stream.Microaggregation(k=k, window=2 * k + extra)(x))
    assert len(out) == (n if n >= k else 0)
    assert all(len(m) >= k for m in groups_of(out).values())


@pytest.mark.parametrize("window", [3, 5, 12])
def test_rank_swapping_leaves_nobody_out_for_every_length(window: int) -> None:
    for n in range(3 * window + 1):
        x = numbers(n, seed=n)
        f = tc.stream.RankSwapping(p=50, window=window, random_state=n)
        out = list(f(x))
        assert f.withheld == ([0] if n == 1 else [])
        if n > 1:
            masked = np.array([r.record for r in out])
            assert (masked != x).all()
            assert (np.sort(masked, axis=0) == np.sort(x, axis=0)).all()
        assert all(r.delay <= window - 1 for r in out)


def test_swapping_goes_both_ways_and_reaches_no_further_than_asked() -> None:
    x = numbers(4000, d=1)
    window, percent = 50, 10
    masked = tc.stream.RankSwapping(p=percent, window=window, random_state=1).apply(x)
    up = (masked > x)[: -2 * window]
    assert 0.45 < up.mean() < 0.55
    # ranks among the values not yet swapped, of which there are at most as many as the window holds
    ordered = np.sort(x, axis=0).ravel()
    moved = (
        np.abs(
            np.searchsorted(ordered, masked.ravel())
            - np.searchsorted(ordered, x.ravel())
        )[: -2 * window]
        / 4000
    )
    assert np.quantile(moved, 0.99) < 0.45
    less = tc.stream.RankSwapping(p=4, window=window, random_state=1).apply(x)
    assert ((less - x) ** 2).sum() < ((masked - x) ** 2).sum() / 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: tc.stream.Noise(percent=30, random_state=1),
        lambda: tc.stream.MultiplicativeNoise(random_state=1),
    ],
)
def test_no_record_leaves_raw_from_a_noise_filter(make) -> None:
    for n in (2, 3, 19, 20, 21, 60):
        x = numbers(n, seed=n)
        assert (make().apply(x) != x).all()


def test_noise_of_a_single_record_is_withheld() -> None:
    f = tc.stream.Noise(random_state=1)
    assert list(f([{"a": 3.0}])) == []
    assert f.withheld == [0]


def test_window_length_changes_the_loss() -> None:
    x, _ = tc.datasets.RandomRBF(seed=1).take(5000)
    loss = [
        ((tc.stream.Microaggregation(k=3, window=w).apply(x) - x) ** 2).sum()
        for w in (50, 200, 800)
    ]
    assert loss[0] > 1.1 * loss[1] > 1.1 * 1.1 * loss[2]
    swapped = [
        tc.stream.RankSwapping(p=10, window=w, random_state=1).apply(x)
        for w in (50, 200, 800)
    ]
    loss = [((z - x) ** 2).sum() for z in swapped]
    assert len({round(v, -1) for v in loss}) == 3


@pytest.mark.parametrize(
    "options",
    [
        {"k": 3, "delay": 8},
        {"k": 3, "delay": 8, "person": "who"},
        {"k": 2, "delay": 11, "person": "who", "l": 2, "confidential": "ill"},
    ],
)
def test_clusters_keep_k_persons_l_values_and_the_delay(
    options: dict[str, Any],
) -> None:
    rng = np.random.default_rng(3)
    for n in range(3 * (options["delay"] + 1)):
        records = [
            {
                "a": rng.normal(),
                "b": rng.normal(),
                "who": f"p{rng.integers(6)}",
                "ill": int(rng.integers(3)),
            }
            for _ in range(n)
        ]
        f = tc.stream.DelayBoundClusters(columns=["a", "b"], **options)
        out = list(f(records))
        assert sorted([r.index for r in out] + f.withheld) == list(range(n))
        assert all(r.delay <= options["delay"] for r in out)
        for members in groups_of(out).values():
            rows = [r.record for r in members]
            assert len({(r["a"], r["b"]) for r in rows}) == 1
            assert len(rows) >= options["k"]
            if "person" in options:
                assert len({r["who"] for r in rows}) >= options["k"]
            if "l" in options:
                assert len({r["ill"] for r in rows}) >= options["l"]


def test_one_person_alone_is_withheld() -> None:
    f = tc.stream.DelayBoundClusters(k=2, delay=5, person="who", columns=["a"])
    assert list(f([{"a": float(i), "who": "me"} for i in range(30)])) == []
    assert f.withheld == list(range(30))


def test_clusters_leave_when_their_time_has_come() -> None:
    f = tc.stream.DelayBoundClusters(k=2, delay=100, seconds=5.0)
    now = 0.0
    f.clock = lambda: now
    assert f.push({"a": 1.0}) == []
    now = 3.0
    assert f.push({"a": 2.0}) == []
    assert f.tick() == []
    now = 5.0
    assert [r.record["a"] for r in f.tick()] == [1.5, 1.5]
    assert f.pending == 0


def test_the_tail_of_a_private_stream_keeps_k() -> None:
    for n in range(31):
        f = tc.stream.DPMicroaggregation(
            epsilon=1.0,
            k=3,
            window=10,
            bounds=[(-4, 4)] * 3,
            random_state=1,
            test_seed=True,
        )
        out = list(f(numbers(n)))
        assert len(f.withheld) == (n % 10 if n % 10 < 3 else 0)
        assert all(len(m) >= 3 for m in groups_of(out).values())


@pytest.mark.parametrize(
    "name",
    ["microaggregation", "rank swapping", "clusters", "dp microaggregation", "noise"],
)
def test_a_filter_may_go_on_after_a_flush(name: str) -> None:
    """A flush ends a group, not the filter: promises hold before and after it."""
    x, f = numbers(61), filters()[name]
    out = [r for row in x[:28] for r in f.push(row)] + f.flush()
    assert f.pending == 0
    out += [r for row in x[28:] for r in f.push(row)] + f.flush()
    assert sorted(r.index for r in out) == list(range(61))
    masked = np.array([r.record for r in sorted(out, key=lambda r: r.index)])
    assert (masked != x).all()
    if name in ("microaggregation", "clusters"):
        assert all(len(m) >= 3 for m in groups_of(out).values())


@pytest.mark.slow
def test_ten_million_records_in_constant_memory() -> None:
    import resource

    stream = tc.datasets.RandomRBF(seed=1)
    block, _ = stream.take(100_000)
    f = tc.stream.Watch(tc.stream.Microaggregation(k=3, window=100))
    for _ in range(5):
        f.feed(block)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(95):
        f.feed(block)
    f.finish()
    assert f.values()["released"] == 10_000_000
    assert (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
    )  # kilobytes
