"""Each kernel against a plain twin, written from its description."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy import stats

from stream.siphash import of_bytes, siphash
from tacit.kernels.stream import addressed as stream_random
from tacit.kernels.stream import microaggregation as stream_groups
from tacit.kernels.stream import neighbours as stream_neighbours
from tacit.kernels.stream import noise as stream_noise
from tacit.kernels.stream import rank_swapping as stream_swap
from tacit.kernels.stream import ranking as stream_ranking
from tacit.kernels.stream import risk as stream_risk
from tacit.kernels.stream import sorted_slots

KEYS = np.array([11, 12], dtype=np.uint64)


def draws(kind: int, n: int = 50_000, d: int = 4, first: int = 0) -> np.ndarray:
    out = np.empty((n, d))
    stream_random.fill(*KEYS, first, kind, out)
    return out


def test_uniform_and_normal_have_their_distributions() -> None:
    assert stats.kstest(draws(0).ravel(), "uniform").pvalue > 1e-3
    normal = draws(1)
    assert stats.kstest(normal.ravel(), "norm").pvalue > 1e-3
    assert abs(stats.kurtosis(normal.ravel())) < 0.05
    assert (np.abs(normal) > 3.66).mean() == pytest.approx(
        2 * stats.norm.sf(3.66), rel=0.35
    )  # the tail exists
    assert np.abs(np.corrcoef(normal.T) - np.eye(4)).max() < 0.02
    assert abs(np.corrcoef(normal[1:, 0], normal[:-1, 0])[0, 1]) < 0.02


def test_a_draw_depends_on_its_address_only() -> None:
    assert (draws(1, 100, 4)[40:60] == draws(1, 20, 4, first=40)).all()


def test_the_twin_is_siphash() -> None:
    assert (
        of_bytes(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5
    )  # the vector of the paper


def test_uniform_against_plain_integers() -> None:
    got = draws(0, 5, 3)
    for i in range(5):
        for j in range(3):
            assert got[i, j] == ((siphash(KEYS, i, j, 0) >> 11) + 0.5) * 2.0**-53


@pytest.mark.parametrize("forget", [1.0, 0.95])
def test_moments_against_weighted_sums(forget: float) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(1e6, 1.0, (300, 3))
    x[rng.random(x.shape) < 0.1] = np.nan
    moments = np.zeros((4, 3))
    stream_noise.observe(x, moments, forget)
    for j in range(3):
        v = x[~np.isnan(x[:, j]), j]
        w = forget ** np.arange(len(v) - 1, -1, -1)
        mean = (w * v).sum() / w.sum()
        assert moments[0, j] == pytest.approx(w.sum())
        assert moments[1, j] == pytest.approx(mean, rel=1e-12)
        assert moments[2, j] == pytest.approx((w * (v - mean) ** 2).sum(), rel=1e-6)


def test_noise_against_plain_loop() -> None:
    x = np.random.default_rng(2).normal(size=(70, 2))
    floats, ints = stream_noise.state(
        0.5, 0.0, 1.0, 5, np.zeros(2, dtype=np.int64), KEYS
    )
    out, meta = np.empty_like(x), np.empty((70, 4), dtype=np.int64)
    assert stream_noise.additive(x, True, floats, ints, out, meta) == (70, 0)
    z = draws(1, 70, 2)
    sd = np.array([x[: max(i + 1, 5)].std(axis=0, ddof=1) for i in range(70)])
    np.testing.assert_allclose(out, x + 0.5 * sd * z, rtol=1e-9)


def plain_microaggregation(
    x: np.ndarray, k: int, window: int, reuse: int
) -> tuple[np.ndarray, np.ndarray]:
    """From the description: raw units, continuous columns."""
    n = len(x)
    group = np.full(n, -1)
    centres: list[np.ndarray] = []
    value = np.empty_like(x)
    for i in range(n):
        if group[i] >= 0:
            continue
        inside = range(i, min(i + window, n))
        free = [s for s in inside if group[s] < 0]
        ending = i + window > n
        if len(free) >= k:
            d = {s: ((x[s] - x[i]) ** 2).sum() for s in free}
            size = len(free) if ending and len(free) < 2 * k else k
            members = [
                i,
                *sorted((s for s in free if s != i), key=lambda s: (d[s], s))[
                    : size - 1
                ],
            ]
            centres.append(x[members].mean(axis=0))
            group[members], value[members] = len(centres) - 1, centres[-1]
        elif centres:
            for s in free:
                last = range(max(0, len(centres) - reuse), len(centres))
                best = min(last, key=lambda g: ((centres[g] - x[s]) ** 2).sum())
                group[s], value[s] = best, centres[best]
    return value, group


@pytest.mark.parametrize(
    ("n", "k", "window", "reuse"),
    [(400, 3, 20, 2), (301, 5, 10, 4), (90, 2, 100, 1), (500, 9, 30, 3)],
)
def test_microaggregation_against_plain_loop(
    n: int, k: int, window: int, reuse: int
) -> None:
    x = np.random.default_rng(n).normal(size=(n, 3))
    floats, ints = stream_groups.state(
        k, 0, np.zeros(3, dtype=np.int64), np.ones(3), window, reuse
    )
    out, meta = np.empty_like(x), np.empty((n, 4), dtype=np.int64)
    assert stream_groups.advance(x, True, floats, ints, out, meta) == (n, 0)
    value, group = plain_microaggregation(x, k, window, reuse)
    assert (meta[:, 2] == group).all()
    np.testing.assert_allclose(out, value, rtol=1e-12)


def test_nearest_keeps_the_earliest_of_equals() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        n, room = int(rng.integers(2, 30)), int(rng.integers(1, 8))
        distance = rng.integers(0, 4, n).astype(np.float64)
        group = np.where(rng.random(n) < 0.2, 5, -1)
        head = int(rng.integers(n))
        heap_d, heap_s = np.empty(room), np.empty(room, dtype=np.int64)
        found = stream_neighbours.nearest(
            distance, group, head, n, room, heap_d, heap_s
        )
        order = [(head + step) % n for step in range(1, n)]
        free = [s for s in order if group[s] == -1]
        want = sorted(free, key=lambda s: (distance[s], order.index(s)))[:room]
        assert sorted(heap_s[:found]) == sorted(want)


def test_distances_of_every_kind_and_missing_values() -> None:
    window = np.array([[1.0, 3.0, np.nan], [0.0, 1.0, np.nan]])
    kinds, out = np.array([0, 2]), np.empty(3)
    weight, missing = np.array([2.0, 5.0]), np.array([7.0, 11.0])
    stream_neighbours.distances(
        window, 0, 3, np.array([1.0, 1.0]), weight, missing, kinds, out
    )
    assert out.tolist() == [5.0, 8.0, 18.0]
    stream_neighbours.distances(
        window, 0, 3, np.array([np.nan, np.nan]), weight, missing, kinds, out
    )
    assert out.tolist() == [18.0, 18.0, 0.0]


def plain_swap(x: np.ndarray, reach: int, window: int) -> np.ndarray:
    """From the description, without the end of the stream (window >= n is not used)."""
    z = x.copy()
    n, d = x.shape
    u = draws(0, n, d)
    for j in range(d):
        done = np.zeros(n, dtype=bool)
        for i in range(n - window + 1):
            if done[i]:
                continue
            free = sorted(
                (s for s in range(i, i + window) if not done[s]),
                key=lambda s: (x[s, j], s),
            )
            at = free.index(i)
            near = [
                free[r]
                for r in range(max(0, at - reach), min(len(free) - 1, at + reach) + 1)
                if r != at
            ]
            other = near[int(u[i, j] * len(near))]
            z[i, j], z[other, j] = x[other, j], x[i, j]
            done[i] = done[other] = True
    return z


@pytest.mark.parametrize("values", ["different", "tied"])
def test_swapping_against_plain_loop(values: str) -> None:
    rng = np.random.default_rng(4)
    x = (
        rng.normal(size=(300, 2))
        if values == "different"
        else rng.integers(0, 5, (300, 2)).astype(np.float64)
    )
    floats, ints = stream_swap.state(4, False, np.zeros(2, dtype=np.int64), 40, KEYS)
    out, meta = np.empty_like(x), np.empty((300, 4), dtype=np.int64)
    assert stream_swap.advance(x, True, floats, ints, out, meta) == (300, 0)
    assert (out[:260] == plain_swap(x, 4, 40)[:260]).all()
    assert (np.sort(out, axis=0) == np.sort(x, axis=0)).all()


@pytest.mark.parametrize("base", [0, 300])
def test_where_a_value_belongs_against_a_count(base: int) -> None:
    """At every length, with equal values and infinite ones, in any column."""

    @njit
    def places(held, order, base, length, x):
        below = sorted_slots.below(held, order, base, length, x)
        return below, sorted_slots.up_to(held, order, base, length, x)

    rng = np.random.default_rng(base)
    for length in (*range(40), 66, 100, 255):
        held = rng.normal(size=base + 300)
        column = held[base:]
        column[:] = rng.integers(0, 1 + length // 2, 300)
        column[rng.random(300) < 0.1] = np.inf
        slots = rng.choice(300, length, replace=False)
        order = np.zeros(base + 300, np.int32)
        in_order = np.argsort(column[slots], kind="stable")
        order[base : base + length] = slots[in_order]
        values = column[slots]
        for x in (-1.0, np.inf, *rng.integers(0, 1 + length // 2, 5).astype(float)):
            found = places(held, order, base, length, x)
            assert found == ((values < x).sum(), (values <= x).sum())


def test_ranking_against_plain_sums() -> None:
    x = np.random.default_rng(5).uniform(-1, 3, (23, 2))
    x[3, 0] = np.nan
    low, width, steps, k = np.array([0.0, -1.0]), np.array([0.25, 0.5]), 8, 4
    noise = np.random.default_rng(6).integers(-3, 4, (2, 5))
    out = np.empty_like(x)
    stream_ranking.release(x, low, width, steps, k, noise, False, 0, *KEYS, out)
    for j in range(2):
        q = np.where(
            np.isnan(x[:, j]),
            steps // 2,
            np.clip(np.floor((x[:, j] - low[j]) / width[j] + 0.5), 0, steps),
        )
        q = np.sort(q)
        parts = [q[4 * g : 4 * g + 4] for g in range(4)] + [q[16:]]
        want = np.concatenate(
            [
                [low[j] + width[j] * (p.sum() + e) / len(p)] * len(p)
                for p, e in zip(parts, noise[j], strict=True)
            ]
        )
        np.testing.assert_allclose(np.sort(out[:, j]), np.sort(want), rtol=1e-12)


def test_the_sums_of_a_column_change_by_at_most_the_range_in_all() -> None:
    """The proof of the sensitivity, tried on random neighbours."""
    rng = np.random.default_rng(7)
    sums = [np.empty(6, dtype=np.int64), np.empty(6, dtype=np.int64)]
    room, largest = np.empty(20, dtype=np.int64), 0
    for _ in range(2000):
        x = rng.beta(0.3, 0.3, (20, 1))
        y = x.copy()
        y[rng.integers(20)] = rng.integers(0, 2)
        for table, out in zip((x, y), sums, strict=True):
            stream_ranking.group_sums(table, 0, 0.0, 0.01, 100, 3, room, out)
        largest = max(largest, int(np.abs(sums[0] - sums[1]).sum()))
    assert 90 <= largest <= 100


def test_fast_laplace_has_its_distribution() -> None:
    out = np.empty((1, 200_000), dtype=np.int64)
    stream_ranking.fast_laplace(np.array([3.0]), 0, *KEYS, out)
    q = np.exp(-1 / 3)
    for value in range(-4, 5):
        assert (out == value).mean() == pytest.approx(
            (1 - q) / (1 + q) * q ** abs(value), abs=0.004
        )


def test_window_risk_against_plain_loop() -> None:
    rng = np.random.default_rng(8)
    x = rng.integers(0, 4, (60, 2)).astype(np.float64)
    z = x + rng.integers(-1, 2, x.shape)
    out = np.empty(60)
    one, kinds = np.ones(2), np.zeros(2, dtype=np.int64)
    for before, after in ((9, 0), (5, 4)):
        stream_risk.window_risk(
            np.ascontiguousarray(x.T),
            60,
            z,
            np.arange(60),
            before,
            after,
            one,
            one,
            kinds,
            out,
        )
        for i in range(60):
            inside = list(range(max(0, i - before), min(60, i + after + 1)))
            d = ((x[inside] - z[i]) ** 2).sum(axis=1)
            best = d == d.min()
            assert out[i] == (1 / best.sum() if best[inside.index(i)] else 0.0)
