"""Partitions: the 2^d-tree against a plain recursion, sizes, row order, chunks, foreign records."""

import pickle

import numpy as np
import pytest

import tacit.scale.partition as tp
from tacit.base.errors import InputError, ParameterError
from tacit.scale.partition.fuse import fuse
from tacit.scale.partition.ranges import Grid, chunks_of

KINDS = [tp.OrthTree, tp.EqualInterval, tp.EqualCount, tp.KdTree]


def plain_leaves(values, limit):
    """Leaves of a 2^d-tree as sets of rows: recursion over boxes, cut at the midpoints."""
    low, high = values.min(axis=0), values.max(axis=0)

    def grow(rows, low, high, depth):
        if len(rows) <= limit or depth == 32:
            return [frozenset(rows.tolist())]
        middle = (low + high) / 2
        upper = values[rows] >= middle
        out = []
        for pattern in np.unique(upper, axis=0):
            inside = rows[(upper == pattern).all(axis=1)]
            out += grow(
                inside,
                np.where(pattern, middle, low),
                np.where(pattern, high, middle),
                depth + 1,
            )
        return out

    return set(grow(np.arange(len(values)), low, high, 0))


def plain_fuse(count, total, least):
    """Rounds of fusing with the nearest centroid, by full distance tables."""
    groups = [{i} for i in range(len(count))]
    while len(groups) > 1 and any(sum(count[list(g)]) < least for g in groups):
        size = np.array([count[list(g)].sum() for g in groups])
        centre = np.array([total[list(g)].sum(axis=0) for g in groups]) / size[:, None]
        links = []
        for i in np.flatnonzero(size < least):
            distance = ((centre - centre[i]) ** 2).sum(axis=1)
            distance[i] = np.inf
            links.append((i, int(distance.argmin())))
        merged = list(range(len(groups)))
        for a, b in links:
            old, new = merged[b], merged[a]
            merged = [new if m == old else m for m in merged]
        groups = [
            set().union(*(g for g, m in zip(groups, merged, strict=True) if m == x))
            for x in sorted(set(merged))
        ]
    return {frozenset(g) for g in groups}


def as_sets(label):
    return {frozenset(np.flatnonzero(label == b).tolist()) for b in np.unique(label)}


@pytest.mark.parametrize("seed", range(10))
def test_tree_equals_plain_recursion(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 800)), int(rng.integers(1, 6))
    x = (
        rng.normal(size=(n, d))
        if seed % 2
        else rng.integers(0, 9, size=(n, d)).astype(float)
    )
    limit = int(rng.integers(1, 60))
    blocks = tp.split(x, tp.OrthTree(leaf=limit, least=1))
    assert as_sets(blocks.label) == plain_leaves(x, limit)


@pytest.mark.parametrize("seed", range(8))
def test_fuse_equals_plain(seed):
    rng = np.random.default_rng(seed)
    count = rng.integers(1, 12, size=60)
    total = (rng.integers(0, 2**32, size=(60, 3)) * count[:, None]).astype(np.int64)
    assert as_sets(fuse(count, total, 7)) == plain_fuse(count, total, 7)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", ["normal", "lognormal", "ties"])
def test_blocks_are_a_partition_with_enough_records(kind, shape):
    rng = np.random.default_rng(3)
    x = {
        "normal": rng.normal(size=(3000, 4)),
        "lognormal": rng.lognormal(sigma=3, size=(3000, 4)),
        "ties": rng.integers(0, 3, size=(3000, 4)).astype(float),
    }[shape]
    blocks = tp.split(x, kind(leaf=200, least=7))
    sizes = np.bincount(blocks.label)
    assert sizes.sum() == 3000
    assert sizes.min() >= 7
    assert np.array_equal(sizes, blocks.splitter.sizes)
    assert sorted(np.concatenate(list(blocks))) == list(range(3000))
    if shape == "normal":
        assert len(sizes) > 10


@pytest.mark.parametrize("kind", KINDS)
def test_row_order_and_chunks_do_not_matter(kind):
    x = np.random.default_rng(5).normal(size=(2000, 3)).round(2)
    p = np.random.default_rng(6).permutation(2000)
    whole = kind(leaf=100).fit(x)
    assert np.array_equal(whole.assign(x)[p], kind(leaf=100).fit(x[p]).assign(x[p]))
    assert np.array_equal(
        whole.assign(x), kind(leaf=100).fit(chunks_of(x, 37)).assign(x)
    )
    assert np.array_equal(pickle.loads(pickle.dumps(whole)).assign(x), whole.assign(x))


@pytest.mark.parametrize("kind", KINDS)
def test_records_of_another_file_get_a_block(kind):
    rng = np.random.default_rng(7)
    splitter = kind(leaf=50).fit(rng.normal(size=(1000, 3)))
    foreign = splitter.assign(rng.normal(size=(500, 3)) * 10)
    assert foreign.min() >= 0
    assert foreign.max() < len(splitter.sizes)


def test_many_columns_need_no_two_to_the_d():
    x = np.random.default_rng(0).normal(size=(500, 30))
    blocks = tp.split(x, tp.OrthTree(leaf=100, least=5))
    assert np.bincount(blocks.label).min() >= 5
    assert len(blocks.splitter.first) < 600


def test_standard_deviation_is_exact_in_any_order():
    x = np.random.default_rng(1).lognormal(size=(5000, 3))
    a, b = Grid.of(chunks_of(x, 100)), Grid.of(chunks_of(x[::-1], 777))
    assert np.array_equal(a.sd, b.sd)
    assert a.sd == pytest.approx(x.std(axis=0), rel=1e-6)


def test_auto_leaf_is_larger_when_cheaper():
    from tacit.scale.partition.leaf_size import leaf_size, seconds

    assert leaf_size(10**5, 2, 3) >= leaf_size(10**7, 2, 3) >= leaf_size(10**8, 10, 3)
    assert seconds(10**6, 5, 10_000) < seconds(10**6, 5, 100_000)
    assert (
        tp.OrthTree(leaf="auto")
        .fit(np.random.default_rng(0).normal(size=(2000, 2)))
        .leaf
        >= 1000
    )


def test_table_3_1_block_counts():
    """Uniform records, n/L as in the ESSnet report (2008) divided by 25.

    One column gives n/L blocks, the tree at least that many.
    """
    x = np.random.default_rng(2008).uniform(-1e4, 1e4, size=(100_000, 2))
    for leaf in (500, 1000, 2000):
        tree, line = tp.OrthTree(leaf=leaf).fit(x), tp.EqualInterval(leaf=leaf).fit(x)
        assert len(line.sizes) == 100_000 // leaf
        assert len(tree.sizes) >= 100_000 / leaf
        assert tree.sizes.max() <= leaf


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: tp.OrthTree(leaf=0), ParameterError),
        (lambda: tp.OrthTree(leaf="big"), ParameterError),
        (lambda: tp.KdTree(least=0), ParameterError),
        (lambda: tp.EqualCount(leaf=-1), ParameterError),
        (lambda: tp.OrthTree().fit(np.full((4, 2), np.nan)), InputError),
        (lambda: tp.OrthTree().fit(np.zeros((0, 2))), InputError),
        (lambda: tp.OrthTree().fit(np.zeros((9, 41))), ParameterError),
    ],
)
def test_bad_input_says_what_to_do(make, error):
    with pytest.raises(error):
        make()
