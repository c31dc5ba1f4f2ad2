"""The re-enacted stream faults against their plain twins."""

import numpy as np
import pytest

from tacit.reproduce.faults import private_microaggregation
from tacit.reproduce.stream_faults import groups_by_corner


def plain_groups(records, k, window):
    n = len(records)
    out, raw, free = records.copy(), np.zeros(n, bool), np.ones(n, bool)
    for t in range(n):
        if not free[t]:
            continue
        corner = records[: t + window].min(axis=0)
        waiting = [s for s in range(t, min(t + window, n)) if free[s]]
        far = {s: float(((records[s] - corner) ** 2).sum()) for s in waiting}
        group = waiting[:k]
        for s in waiting[k:]:
            nearest = min(group, key=far.get)
            if far[s] < far[nearest]:
                group[group.index(nearest)] = s
        out[group] = records[group].mean(axis=0)
        raw[t] = t not in group
        free[[*group, t]] = False
    return out, raw


@pytest.mark.parametrize("seed", range(8))
def test_groups_by_corner_equal_their_twin(seed):
    rng = np.random.default_rng(seed)
    records = rng.normal(size=(int(rng.integers(1, 200)), int(rng.integers(1, 5))))
    k, window = int(rng.integers(2, 9)), int(rng.integers(9, 60))
    out, raw = np.empty_like(records), np.empty(len(records), bool)
    groups_by_corner(records, k, window, out, raw)
    expected, left = plain_groups(records, k, window)
    np.testing.assert_allclose(out, expected, rtol=1e-12)
    np.testing.assert_array_equal(raw, left)


def test_the_published_private_filter_is_not():
    """Three faults of the errata.

    14 % raw centroids at k = 3, no noise on the first output, fresh noise on each copy of a
    centroid.
    """
    from tacit.data.datasets import RandomRBF

    records = RandomRBF(seed=1).take(20_000)[0]
    masked, raw = private_microaggregation(
        records, 3, 100, 1.0, np.random.default_rng(0)
    )
    assert 0.13 < raw.mean() < 0.15
    again, _ = private_microaggregation(records, 3, 100, 1.0, np.random.default_rng(1))
    np.testing.assert_array_equal(masked[0], again[0])
    assert len(np.unique(masked[1:], axis=0)) == len(masked) - 1
