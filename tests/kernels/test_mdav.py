"""The MDAV kernel against its plain twin and against published figures."""

import math

import numpy as np
import pytest

from tacit.kernels.mdav import exact, small, univariate
from tacit.kernels.mdav.exact import mdav


def plain(values: np.ndarray, k: int) -> np.ndarray:
    """MDAV by its definition: full scans, exact sums, ties to the smallest row."""
    order = np.lexsort(values.T[::-1])
    x = values[order]
    left = list(range(len(x)))
    label = np.empty(len(x), int)
    group = 0

    def squared(pole, rows):
        total = np.zeros(len(rows))
        for j in range(x.shape[1]):
            total += (x[rows, j] - pole[j]) ** 2
        return total

    def farthest(pole):
        return left[int(np.argmax(squared(pole, left)))]

    def take(pole):
        nonlocal group, left
        others = [r for r in left if r != pole]
        near = np.argsort(squared(x[pole], others), kind="stable")[: k - 1]
        chosen = {pole, *(others[i] for i in near)}
        label[list(chosen)] = group
        left = [r for r in left if r not in chosen]
        group += 1

    def mean():
        return [math.fsum(x[left, j]) / len(left) for j in range(x.shape[1])]

    while len(left) >= 3 * k:
        r = farthest(mean())
        take(r)
        take(farthest(x[r]))
    if len(left) >= 2 * k:
        take(farthest(mean()))
    label[left] = group
    out = np.empty(len(x), int)
    out[order] = label
    return out


def sse(values: np.ndarray, labels: np.ndarray) -> float:
    """The squared error of replacing records by the means of their groups."""
    total = 0.0
    for g in np.unique(labels):
        rows = values[labels == g]
        total += ((rows - rows.mean(axis=0)) ** 2).sum()
    return total


def file(seed: int) -> tuple[np.ndarray, int]:
    """Random files: continuous, integer grids, heavy duplicates (many ties), far from 0."""
    rng = np.random.default_rng(seed)
    n, d, k = (
        int(rng.integers(5, 2000 if seed % 5 == 0 else 400)),
        int(rng.integers(1, 6)),
        int(rng.integers(2, 6)),
    )
    match seed % 4:
        case 0:
            x = rng.normal(size=(n, d))
        case 1:
            x = rng.integers(0, 4, size=(n, d)).astype(float)
        case 2:
            x = rng.normal(size=(max(n // 7, 1), d))[
                rng.integers(0, max(n // 7, 1), size=n)
            ]
        case _:
            x = np.round(rng.lognormal(size=(n, d)), 1) + 1e6
    return x, k


@pytest.fixture(params=["compiled", "small"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of a file: the kernels, and numpy for small files."""
    for kernel in (exact._groups, univariate._group_means):
        monkeypatch.setattr(kernel, "pays", lambda _: request.param == "compiled")
    return str(request.param)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(50))
def test_equals_its_plain_twin(seed: int, way: str) -> None:
    """The same labels, ties included."""
    x, k = file(seed)
    assert np.array_equal(mdav(x, k), plain(x, k))


@pytest.mark.parametrize("seed", range(20))
def test_group_means_have_the_same_bits_either_way(seed: int) -> None:
    """Running means in the order of the rows, missing values left out."""
    rng = np.random.default_rng(seed)
    x, _ = file(seed)
    x[rng.random(x.shape) < 0.2] = np.nan
    groups = int(rng.integers(1, 9))
    labels = rng.integers(0, groups, len(x))
    ours = small.group_means(x, labels, groups)
    theirs = univariate._group_means(x, labels, groups)
    assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("seed", range(12))
def test_row_order_does_not_matter(seed: int) -> None:
    """The groups of a permuted file are the same."""
    x, k = file(seed)
    p = np.random.default_rng(seed).permutation(len(x))

    def groups(values, labels):
        return sorted(
            sorted(map(tuple, values[labels == g])) for g in np.unique(labels)
        )

    assert groups(x, mdav(x, k)) == groups(x[p], mdav(x[p], k))


@pytest.mark.few(2)
@pytest.mark.parametrize("k", [3, 5, 10])
def test_census(census_like, k, way):
    """Rounded incomes with many zeros; the figures of the reference file are in
    test_census_figures.py.
    """
    x = census_like.to_numpy(float)
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    labels = mdav(z, k)
    assert np.array_equal(labels, plain(z, k))
    assert np.bincount(labels).min() >= k


@pytest.mark.parametrize("n", [3, 5, 6, 8, 9, 100, 129])
def test_group_sizes(n: int) -> None:
    """k to 2k - 1."""
    sizes = np.bincount(mdav(np.random.default_rng(n).normal(size=(n, 2)), 3))
    assert sizes.min() >= 3
    assert sizes.max() <= 5
    assert sizes.sum() == n


def test_all_records_equal(way: str) -> None:
    """Nothing but ties."""
    sizes = np.bincount(mdav(np.ones((1000, 3)), 4))
    assert sizes.min() >= 4
    assert sizes.sum() == 1000


def test_huge_values_do_not_overflow(way: str) -> None:
    """A power of two changes nothing."""
    x = np.random.default_rng(0).normal(size=(60, 2))
    assert np.array_equal(mdav(x * 2.0**700, 3), mdav(x, 3))


def test_k_of_one_gives_every_record_a_group(way: str) -> None:
    """No two together."""
    assert sorted(mdav(np.arange(10.0)[:, None], 1)) == list(range(10))


@pytest.mark.parametrize(
    "bad", [np.zeros((2, 2)), np.full((9, 2), np.nan), np.zeros((9, 0)), np.zeros(9)]
)
def test_refuses(bad: np.ndarray) -> None:
    """Tables that have no groups."""
    with pytest.raises(ValueError, match="MDAV needs"):
        mdav(bad, 3)
