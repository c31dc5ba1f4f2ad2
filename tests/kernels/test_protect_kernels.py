"""Each kernel beside a plain twin, and the promises that hold for every input."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from tacit.kernels.mdav.forest import cut, grow
from tacit.kernels.mdav.univariate import fixed_groups, group_means, optimal_groups
from tacit.kernels.mdav.vmdav import vmdav_groups
from tacit.kernels.rankswap import SWEEPS, draw_positions, swap_positions


def sse(values: np.ndarray, labels: np.ndarray) -> float:
    """The squared error of replacing records by the means of their groups."""
    return sum(
        ((values[labels == g] - values[labels == g].mean(axis=0)) ** 2).sum()
        for g in set(labels)
    )


def plain_optimum(values: np.ndarray, k: int) -> float:
    """Smallest SSE over every way to cut the sorted values into runs of k .. 2k-1."""
    best = {0: 0.0}
    for j in range(1, len(values) + 1):
        options = [
            best[j - g] + ((values[j - g : j] - values[j - g : j].mean()) ** 2).sum()
            for g in range(k, 2 * k)
            if j - g in best
        ]
        if options:
            best[j] = min(options)
    return best[len(values)]


@given(st.lists(st.integers(-1000, 1000), min_size=5, max_size=40), st.integers(2, 5))
def test_the_shortest_path_is_the_optimum_and_beats_fixed_groups(
    numbers: list[int], k: int
) -> None:
    """Also far from zero."""
    # a large offset must not lose digits
    values = np.sort(np.array(numbers, dtype=float)) + 1e9
    labels = optimal_groups(values, k)
    assert np.bincount(labels).min() >= k
    assert np.bincount(labels).max() <= 2 * k - 1
    assert (np.diff(labels) >= 0).all()
    assert sse(values, labels) == pytest.approx(plain_optimum(values, k), abs=1e-6)
    assert sse(values, labels) <= sse(values, fixed_groups(len(values), k)) + 1e-6


def test_the_shortest_path_against_every_partition() -> None:
    """Eight values, all ways to cut them."""
    values = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 20.0, 21.0, 22.0])
    everything = [
        sse(values, np.repeat(range(len(sizes)), sizes))
        for parts in range(1, 5)
        for sizes in itertools.product(range(2, 9), repeat=parts)
        if sum(sizes) == 8
    ]
    assert sse(values, optimal_groups(values, 2)) == pytest.approx(min(everything))


def plain_swaps(uniform: np.ndarray, window: int) -> np.ndarray:
    """Rank swapping with a plain list as pool."""
    n = len(uniform)
    source = list(range(n))
    pool: list[int] = []
    ahead = 0
    for i in range(n):
        if i in pool:
            _drop(pool, i)
        for j in range(ahead, min(i + window, n - 1) + 1):
            if j > i and source[j] == j:
                pool.append(j)
        ahead = max(ahead, min(i + window, n - 1) + 1)
        if source[i] != i:
            continue
        if pool:
            j = pool[min(int(uniform[i] * len(pool)), len(pool) - 1)]
            _drop(pool, j)
            source[i], source[j] = j, i
            continue
        near = [
            j
            for j in range(max(0, i - window), min(n - 1, i + window) + 1)
            if j != i and source[j] != j and abs(source[j] - i) <= window
        ]
        if n > 1:
            partner = (
                near[min(int(uniform[i] * len(near)), len(near) - 1)]
                if near
                else (i - 1 if i else 1)
            )
            source[i] = source[partner]
            source[partner] = i
    return np.array(source)


def _drop(pool: list[int], item: int) -> None:
    place = pool.index(item)
    pool[place] = pool[-1]
    pool.pop()


@given(st.integers(2, 60), st.integers(1, 70), st.integers(0, 1000))
def test_swaps_equal_the_plain_twin_and_stay_in_the_window(
    n: int, window: int, seed: int
) -> None:
    """All windows and sizes."""
    uniform = np.random.default_rng(seed).random(n)
    source = swap_positions(uniform, window)
    assert np.array_equal(source, plain_swaps(uniform, window))
    assert np.array_equal(np.sort(source), np.arange(n))
    assert (source != np.arange(n)).all(), "every value takes part"
    # nobody moves further than the window, except the odd one at the end, by one
    moved = np.abs(source - np.arange(n))
    assert moved.max() <= window + 1
    assert (moved > window).sum() <= 1


def test_the_first_position_chooses_uniformly() -> None:
    """A chi-square test over its five candidates."""
    rng = np.random.default_rng(4)
    chosen = np.array([swap_positions(rng.random(20), 5)[0] for _ in range(5000)])
    counts = np.bincount(chosen, minlength=6)[1:6]
    assert counts.sum() == 5000
    # chi-square, 4 degrees of freedom, p = 1e-4
    statistic = ((counts - 1000) ** 2 / 1000).sum()
    assert statistic < 23.5


@given(
    st.integers(2, 60),
    st.integers(2, 6),
    st.sampled_from([0.2, 1.1, 5.0]),
    st.integers(0, 50),
    st.booleans(),
)
def test_vmdav_sizes(n: int, k: int, gamma: float, seed: int, ties: bool) -> None:
    """k to 2k - 1, whatever the file."""
    n = max(n, k)
    values = np.random.default_rng(seed).normal(size=(n, 3))
    if ties:
        values = np.round(values)
    sizes = np.bincount(vmdav_groups(values, k, gamma))
    assert sizes.sum() == n
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def plain_vmdav(values: np.ndarray, k: int, gamma: float) -> np.ndarray:
    """V-MDAV by full scans; records that remain have the label -1."""
    labels = np.full(len(values), -1)
    far = ((values - values.mean(axis=0)) ** 2).sum(axis=1)
    distance = ((values[:, None] - values[None]) ** 2).sum(axis=2)
    g = 0
    while (labels < 0).sum() >= k:
        free = np.flatnonzero(labels < 0)
        seed = free[np.argmax(far[free])]
        group = [
            seed,
            *[
                i
                for i in free[np.argsort(distance[seed, free], kind="stable")]
                if i != seed
            ][: k - 1],
        ]
        labels[group] = g
        while len(group) < 2 * k - 1:
            free = np.flatnonzero(labels < 0)
            if not free.size:
                break
            inside = distance[np.ix_(free, group)].min(axis=1)
            e = free[np.argmin(inside)]
            others = free[free != e]
            outside = distance[e, others].min() if others.size else np.inf
            if not inside.min() < gamma**2 * outside:
                break
            group.append(e)
            labels[e] = g
        g += 1
    return labels


@pytest.mark.parametrize("seed", range(5))
def test_vmdav_equals_its_plain_twin(seed: int) -> None:
    """But for the records that remain."""
    values = np.random.default_rng(seed).normal(size=(70, 3))
    plain = plain_vmdav(values, 3, 1.1)
    fast = vmdav_groups(values, 3, 1.1)
    assert np.array_equal(fast[plain >= 0], plain[plain >= 0])


@given(st.integers(4, 80), st.integers(2, 6), st.integers(0, 50))
def test_trees_have_k_records_and_are_cut_into_small_groups(
    n: int, k: int, seed: int
) -> None:
    """k to 3k - 3."""
    n = max(n, k + 1)
    values = np.random.default_rng(seed).normal(size=(n, 2))
    near = cKDTree(values).query(values, k=k)[1][:, 1:]
    out = grow(near, np.arange(n), k)
    for i in range(n):  # follow the pointers: no cycle, and the tree is large enough
        steps, j = 0, i
        while out[j] >= 0:
            j = out[j]
            steps += 1
            assert steps < n
    roots = [i for i in range(n) for _ in [0] if out[i] < 0]
    assert roots
    labels = cut(out, k)
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= max(2 * k - 1, 3 * k - 3)
    assert sizes.sum() == n


def test_group_means_leave_out_missing_values() -> None:
    """And nothing but missing values has no mean."""
    values = np.array([[1.0, np.nan], [3.0, 4.0], [10.0, np.nan], [20.0, np.nan]])
    means = group_means(values, np.array([0, 0, 1, 1]), 2)
    np.testing.assert_array_equal(means, [[2.0, 4.0], [15.0, np.nan]])


def test_group_means_equal_numpy_with_a_large_offset() -> None:
    """To the last digits."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(90, 4)) + 1e9
    labels = rng.permutation(np.repeat(np.arange(30), 3))
    plain = np.array([values[labels == g].mean(axis=0) for g in range(30)])
    np.testing.assert_allclose(group_means(values, labels, 30), plain, rtol=1e-15)


def plain_stir(source: list[int], uniform: np.ndarray, window: int) -> list[int]:
    """One sweep with a list."""
    out = list(source)
    for i, u in enumerate(uniform):
        partners = list(range(i, min(i + window, len(out) - 1) + 1))
        j = partners[min(int(u * len(partners)), len(partners) - 1)]
        if max(abs(out[j] - i), abs(out[i] - j)) <= window:
            out[i], out[j] = out[j], out[i]
    return out


@given(st.integers(1, 60), st.integers(1, 70), st.integers(0, 1000))
def test_cycles_equal_the_plain_twin_and_stay_in_the_window(
    n: int, window: int, seed: int
) -> None:
    """All windows and sizes."""
    rng = np.random.default_rng(seed)
    plain = list(range(n))
    for _ in range(SWEEPS):
        plain = plain_stir(plain, rng.random(n), window)
    drawn = np.random.default_rng(seed)
    source = draw_positions(drawn, n, window, cycles=True)
    assert np.array_equal(source, plain)
    assert np.array_equal(np.sort(source), np.arange(n))
    assert np.abs(source - np.arange(n)).max() <= window


def test_every_permutation_within_the_window_is_as_likely() -> None:
    """Five positions that move by at most two have 31; a chi-square test over them."""
    n, window, draws = 5, 2, 6200
    allowed = [
        order
        for order in itertools.permutations(range(n))
        if all(abs(j - i) <= window for i, j in enumerate(order))
    ]
    rng = np.random.default_rng(8)
    seen = [
        tuple(int(j) for j in draw_positions(rng, n, window, cycles=True))
        for _ in range(draws)
    ]
    counts = np.array([seen.count(order) for order in allowed])
    assert len(allowed) == 31
    assert counts.sum() == draws
    expected = draws / len(allowed)
    # chi-square, 30 degrees of freedom, p = 1e-4
    assert ((counts - expected) ** 2 / expected).sum() < 66.6
