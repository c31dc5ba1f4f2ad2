"""Trees grown level by level against trees grown node by node, and the area under a curve."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tacit.loss.pmse import _area
from tacit.loss.random_trees import ranks, share_of_second


def plain_forest(rows, second, train, test, trees, leaf, rng):
    """The same trees with lists of nodes, drawn in the same order."""
    total = np.zeros(len(rows))
    level = [(np.asarray(train), np.asarray(test)) for _ in range(trees)]
    while any(len(judged) for _, judged in level):
        drawn = rng.random((len(level), rows.shape[1]))
        below = []
        for (learning, judged), random in zip(level, drawn, strict=True):
            x, y = rows[learning], second[learning]
            low, high = x.min(axis=0), x.max(axis=0)
            cuts = high - random * (high - low)
            best, chosen = -np.inf, None
            for k, cut in enumerate(cuts):
                left = x[:, k] < cut
                sides = [y[left], y[~left]]
                if min(map(len, sides)) < leaf:
                    continue
                purity = sum((s.sum() ** 2 + (~s).sum() ** 2) / len(s) for s in sides)
                if purity > best:
                    best, chosen = purity, k
            if chosen is None or y.all() or not y.any():
                np.add.at(total, judged, y.mean())
                continue
            for side in (np.less, np.greater_equal):
                below.append(
                    tuple(
                        part[side(rows[part, chosen], cuts[chosen])]
                        for part in (learning, judged)
                    )
                )
        level = below
    return total[test] / trees


@pytest.mark.parametrize("seed", range(8))
def test_level_by_level_is_node_by_node(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 12, (60, 3)).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan
    rows = ranks(values)
    second = rng.random(60) < 0.5
    train, test = np.arange(45), np.arange(45, 60)
    options = {"trees": 4, "leaf": 3}
    got = share_of_second(
        rows, second, train, test, rng=np.random.default_rng(1), **options
    )
    want = plain_forest(
        rows, second, train, test, rng=np.random.default_rng(1), **options
    )
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_equal_rows_end_in_one_leaf() -> None:
    rows = np.zeros((20, 2))
    second = np.arange(20) % 2 == 0
    share = share_of_second(
        rows,
        second,
        np.arange(16),
        np.arange(16, 20),
        trees=2,
        leaf=1,
        rng=np.random.default_rng(0),
    )
    assert share.tolist() == [0.5] * 4


def test_what_can_be_told_is_told() -> None:
    rng = np.random.default_rng(3)
    rows = ranks(rng.normal(size=(400, 3)))
    second = rows[:, 1] > 200
    share = share_of_second(
        rows, second, np.arange(300), np.arange(300, 400), trees=5, leaf=3, rng=rng
    )
    assert ((share > 0.5) == second[300:]).mean() > 0.95


@pytest.mark.parametrize("decimals", [1, 6])
def test_the_area_is_that_of_scikit_learn(decimals: int) -> None:
    rng = np.random.default_rng(4)
    is_masked = rng.integers(0, 2, 200)
    score = (rng.random(200) + 0.2 * is_masked).round(decimals)
    assert _area(is_masked, score) == pytest.approx(roc_auc_score(is_masked, score))
