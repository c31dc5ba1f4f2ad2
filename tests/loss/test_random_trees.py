"""Trees grown level by level against trees grown node by node, and the area under a curve."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tacit.kernels import tree_cuts, tree_descent
from tacit.loss.pmse import _area
from tacit.loss.random_trees import class_shares, ranks


def plain_forest(rows, label, train, test, classes, trees, leaf, rng):
    """The same trees with lists of nodes, drawn in the same order."""
    total = np.zeros((classes, len(rows)))
    level = [(np.asarray(train), np.asarray(test)) for _ in range(trees)]
    while any(len(judged) for _, judged in level):
        drawn = rng.random((len(level), rows.shape[1]))
        below = []
        for (learning, judged), random in zip(level, drawn, strict=True):
            x, y = rows[learning], label[learning]
            low, high = x.min(axis=0), x.max(axis=0)
            cuts = high - random * (high - low)
            best, chosen = -np.inf, None
            for k, cut in enumerate(cuts):
                left = x[:, k] < cut
                sides = [y[left], y[~left]]
                if min(map(len, sides)) < leaf:
                    continue
                purity = sum((np.bincount(s) ** 2).sum() / len(s) for s in sides)
                if purity > best:
                    best, chosen = purity, k
            if chosen is None or len(set(y)) == 1:
                share = np.bincount(y, minlength=classes) / len(y)
                np.add.at(total, (slice(None), judged), share[:, None])
                continue
            for side in (np.less, np.greater_equal):
                below.append(
                    tuple(
                        part[side(rows[part, chosen], cuts[chosen])]
                        for part in (learning, judged)
                    )
                )
        level = below
    return total[:, test] / trees


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_level_by_level_is_node_by_node(monkeypatch, seed, classes, compiled) -> None:
    for kernel in (tree_cuts._random_cuts, tree_descent._descend):
        monkeypatch.setattr(kernel, "pays", lambda seconds: compiled)
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 12, (60, 3)).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan
    rows = ranks(values)
    label = rng.integers(0, classes, 60)
    train, test = np.arange(45), np.arange(45, 60)
    options = {"classes": classes, "trees": 4, "leaf": 3}
    drawn = [np.random.default_rng(1) for _ in range(2)]
    got = class_shares(rows, label, train, test, rng=drawn[0], **options)
    want = plain_forest(rows, label, train, test, rng=drawn[1], **options)
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("by_node", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_one_level_down_by_hand(monkeypatch, seed, by_node) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 3))
    node = np.sort(rng.integers(0, 6, 80))
    record = rng.integers(0, 30, 80)
    column = rng.integers(-1, 3, 6)
    threshold = rng.normal(size=6)
    cut = [g for g in range(6) if column[g] >= 0]
    want = [
        (r, 2 * cut.index(g) + int(rows[r, column[g]] >= threshold[g]))
        for r, g in zip(record.tolist(), node.tolist(), strict=True)
        if column[g] >= 0
    ]
    if by_node:
        want.sort(key=lambda entry: entry[1])  # stable
    for compiled in (False, True):
        monkeypatch.setattr(tree_descent._descend, "pays", lambda _, yes=compiled: yes)
        got = tree_descent.descend(
            rows, record, node, column, threshold, by_node=by_node
        )
        assert list(zip(*(one.tolist() for one in got), strict=True)) == want


@pytest.mark.parametrize("classes", [2, 5])
def test_cuts_are_the_same_bits_compiled_or_not(monkeypatch, classes) -> None:
    rng = np.random.default_rng(classes)
    rows = rng.normal(size=(50, 3))
    label = rng.integers(0, classes, 50)
    entry = rng.integers(0, 50, 200)
    begin = np.array([0, 1, 40, 199])
    uniform = rng.random((4, 3))
    both = []
    for compiled in (False, True):
        with monkeypatch.context() as patched:
            patched.setattr(tree_cuts._random_cuts, "pays", lambda _, yes=compiled: yes)
            both.append(
                tree_cuts.random_cuts(rows, label, entry, begin, uniform, classes)
            )
    for plain, other in zip(*both, strict=True):
        assert np.array_equal(plain, other)
    counts = both[0][1]
    for g, part in enumerate(np.split(entry, begin[1:])):
        for c in range(classes):
            below = rows[part] < both[0][0][g]
            assert (counts[c, g] == below[label[part] == c].sum(axis=0)).all()


def test_equal_rows_end_in_one_leaf() -> None:
    _, share = class_shares(
        np.zeros((20, 2)),
        np.arange(20) % 2,
        np.arange(16),
        np.arange(16, 20),
        classes=2,
        trees=2,
        leaf=1,
        rng=np.random.default_rng(0),
    )
    assert share.tolist() == [0.5] * 4


def test_what_can_be_told_is_told() -> None:
    rng = np.random.default_rng(3)
    rows = ranks(rng.normal(size=(400, 3)))
    label = (rows[:, 1] // 134).astype(int)
    train, test = np.arange(300), np.arange(300, 400)
    share = class_shares(rows, label, train, test, classes=3, trees=5, leaf=3, rng=rng)
    assert (share.argmax(axis=0) == label[300:]).mean() > 0.95
    np.testing.assert_allclose(share.sum(axis=0), 1.0)


@pytest.mark.parametrize("decimals", [1, 6])
def test_the_area_is_that_of_scikit_learn(decimals: int) -> None:
    rng = np.random.default_rng(4)
    is_masked = rng.integers(0, 2, 200)
    score = (rng.random(200) + 0.2 * is_masked).round(decimals)
    assert _area(is_masked, score) == pytest.approx(roc_auc_score(is_masked, score))
