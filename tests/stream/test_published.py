"""The published tables, and the repaired figures of those that are wrong."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.data.datasets.rbf import JavaRandom
from tacit.reproduce.experiments import stream as experiments


def test_generators_are_those_of_the_literature() -> None:
    """Total variances implied by the noise tables: 1.1240 and 50.741 a record."""
    x, y = tc.datasets.RandomRBF(seed=2).take(50_000)
    assert x.shape == (50_000, 10)
    assert x.var(axis=0).sum() == pytest.approx(1.12397, rel=0.02)
    assert set(y) == {0, 1}
    x, y = tc.datasets.Waveform(seed=2).take(20_000)
    assert x.shape == (20_000, 21)
    assert x.var(axis=0).sum() == pytest.approx(50.7414, rel=0.02)
    assert np.bincount(y).min() > 6000


def test_generators_give_the_same_records_in_any_pieces() -> None:
    for kind in (tc.datasets.RandomRBF, tc.datasets.Waveform):
        whole, labels = kind(seed=5).take(9000)
        part, some = kind(seed=5).rows(4000, 4200)
        assert (whole[4000:4200] == part).all()
        assert (labels[4000:4200] == some).all()
        stream = iter(kind(seed=5))
        record, label = next(stream)
        assert list(record.values()) == whole[0].tolist()
        assert label == labels[0]
        assert (kind(seed=6).take(10)[0] != whole[:10]).any()


def test_java_random() -> None:
    """First numbers of new Random(1) and new Random(42), as any Java prints them."""
    assert JavaRandom(1).next_double() == 0.7308781907032909
    assert JavaRandom(42).next_double() == 0.7275636800328681
    java = JavaRandom(42)
    assert [java.next_int(10) for _ in range(5)] == [0, 3, 8, 4, 0]


@pytest.mark.parametrize("generator", ["rbf", "waveform"])
def test_tables_on_fewer_records(generator: str) -> None:
    for rows in (
        experiments.noise(generator, n=10_000),
        experiments.swapping(generator, n=10_000),
    ):
        for row in rows:
            assert row.difference < 0.05 or abs(row.computed - row.published) < 0.012, (
                row
            )


@pytest.mark.slow
@pytest.mark.parametrize("generator", ["rbf", "waveform"])
def test_tables_in_full(generator: str) -> None:
    for row in experiments.noise(generator) + experiments.swapping(generator):
        assert row.difference < 0.02, row


#: at k = 50 the repaired program lets groups be smaller than k, and ours does not: figures apart
#: by this much
APART = {
    "generator=rbf filter=microaggregation b=1000 k=50": 0.15,
    "generator=waveform filter=microaggregation b=100 k=50": 0.04,
}


@pytest.mark.slow
@pytest.mark.parametrize("generator", ["rbf", "waveform"])
def test_repaired_microaggregation_in_full(generator: str) -> None:
    for row in experiments.microaggregation(generator):
        assert row.difference < APART.get(row.cell, 0.02), row


def test_repaired_swapping_loses_more_and_leaks_less() -> None:
    ours = {
        (r.cell, r.measure): r.computed
        for r in experiments.swapping("rbf", n=5000, repaired=True)
    }
    theirs = {
        (r.cell, r.measure): r.computed for r in experiments.swapping("rbf", n=5000)
    }
    for key, value in ours.items():
        assert (
            value >= theirs[key] * 0.99
            if key[1] == "loss"
            else value <= theirs[key] + 0.01
        )
