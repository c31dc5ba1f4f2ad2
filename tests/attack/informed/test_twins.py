"""The kernels of the informed intruder against plain twins, written from their docstrings."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.kernels.agreement import pattern_counts, patterns_of
from tacit.kernels.assignment.bethe import WARM, propagate


def plain_bethe(phi, copies, free, left, fraction, damping, rounds):
    """The recursion on whole matrices of weights (0 = no edge), without logarithms or rest."""
    edge = phi > 0
    w, r, s = phi.copy(), np.ones_like(phi), np.ones_like(phi)

    def mean_message(messages, axis):
        return np.exp(np.where(edge, np.log(messages), 0).sum(axis) / edge.sum(axis))

    for done in range(rounds):
        keep = damping if done else 0.0
        if done < WARM:
            row_out = free[0] + left[0] * mean_message(s, 1)
        others = (row_out + (w * s * copies[1]).sum(1))[:, None] - w * s
        r = np.where(edge, r**keep * (1 / others) ** (1 - keep), 1.0)
        if done < WARM:
            column_out = free[1] + left[1] * mean_message(r, 0)
        others = (column_out + (w * r * copies[0][:, None]).sum(0))[None] - w * r
        s = np.where(edge, s**keep * (1 / others) ** (1 - keep), 1.0)
        odds = w * r * s
        w = w**damping * (phi * (1 + odds) ** (fraction - 1)) ** (1 - damping)
    return odds / (1 + odds)


def run_bethe(phi, copies, free, left, fraction, damping, rounds, scale, tolerance=0.0):
    rows, columns = np.nonzero(phi)
    n, m = phi.shape
    by_column = np.lexsort((rows, columns))
    with np.errstate(divide="ignore"):
        logs = [np.log(v) for v in (*free, *left)]
    belief, done, awake = propagate(
        np.searchsorted(rows, np.arange(n + 1)), columns, np.log(phi[rows, columns]) + scale[rows],
        np.searchsorted(columns[by_column], np.arange(m + 1)), by_column, *copies,
        logs[0] + scale, logs[1], logs[2] + scale, logs[3], scale,
        fraction, damping, rounds, tolerance,
    )  # fmt: skip
    out = np.zeros_like(phi)
    out[rows, columns] = belief
    return out, done, awake


def instance(seed, n=9, m=7):
    rng = np.random.default_rng(seed)
    phi = rng.exponential(1, (n, m)) * (rng.random((n, m)) < 0.6)
    phi[np.arange(n), np.arange(n) % m] += 0.5
    copies = rng.integers(1, 4, n).astype(float), rng.integers(1, 4, m).astype(float)
    free = rng.random(n) * (rng.random(n) < 0.5), rng.random(m) + 0.1
    left = rng.random(n) * (rng.random(n) < 0.5), rng.random(m) * (rng.random(m) < 0.5)
    return phi, copies, free, left, rng.normal(size=n)


@pytest.mark.few(5)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rounds", [1, 4, WARM + 15])
def test_belief_propagation_is_its_plain_twin(seed, rounds):
    phi, copies, free, left, scale = instance(seed)
    fraction, damping = (1.0, 0.3) if seed % 2 else (0.7, 0.2)
    got, done, _ = run_bethe(phi, copies, free, left, fraction, damping, rounds, scale)
    want = plain_bethe(phi, copies, free, left, fraction, damping, rounds)
    assert done == rounds
    assert np.allclose(got, want, atol=1e-9)


def test_rows_at_rest_change_little():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(150, 2))
    cost = 50 * ((x[:, None] - (x + 0.1 * rng.normal(size=x.shape))[None]) ** 2).sum(2)
    phi = np.where(cost < 12, np.exp(-cost), 0)
    one, none = (np.ones(150), np.ones(150)), (np.zeros(150), np.zeros(150))
    all_awake, rounds, awake = run_bethe(
        phi, one, none, none, 0.9, 0.3, 3000, np.zeros(150)
    )
    rested, fewer, awake = run_bethe(
        phi, one, none, none, 0.9, 0.3, 3000, np.zeros(150), 1e-5
    )
    assert awake == 0
    assert fewer < rounds
    gap = np.abs(rested - all_awake)[phi > 0]
    assert gap.mean() < 1e-3
    assert (
        gap.max() < 0.02
    )  # steps below 1e-5 can add up: rest is no bound on the error


def plain_patterns(x, z, kinds, limits, tables, base):
    """Code of every pair, column by column, value by value."""
    out = np.zeros((len(x), len(z)), int)
    for i, a in enumerate(x):
        for j, b in enumerate(z):
            for k, kind in enumerate(kinds):
                if np.isnan(a[k]) or np.isnan(b[k]):
                    level = -1
                elif kind:
                    level = tables[k][int(a[k]), int(b[k])]
                else:
                    level = sum(abs(a[k] - b[k]) <= limit for limit in limits[k])
                out[i, j] += (level + 1) * base[k]
    return out


@pytest.mark.parametrize("seed", range(5))
def test_agreement_patterns_are_their_plain_twin(seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(2, size=4)
    x, z = rng.integers(5, size=(30, 4)) / 1.0, rng.integers(5, size=(25, 4)) / 1.0
    x[rng.random(x.shape) < 0.1] = np.nan
    z[rng.random(z.shape) < 0.1] = np.nan
    limits = [
        [] if kind else sorted(rng.choice(4, 2, replace=False) / 1.0, reverse=True)
        for kind in kinds
    ]
    tables = [
        rng.integers(3, size=(5, 5)) if kind else np.zeros((0, 5), int)
        for kind in kinds
    ]
    base = 4 ** np.arange(4)
    ends = np.concatenate([[0], np.cumsum([len(t) for t in limits])])
    table_at = np.concatenate([[0], np.cumsum([t.size for t in tables])])[:-1]
    flat = np.concatenate([np.ravel(t) for t in tables])
    kernel = (
        kinds,
        np.array([v for t in limits for v in t]),
        ends,
        flat,
        table_at,
        np.full(4, 5),
        base,
    )
    want = plain_patterns(x, z, kinds, limits, tables, base)
    assert np.array_equal(patterns_of(x, z, *kernel), want)
    a, b = rng.integers(1, 4, 30) / 1.0, rng.integers(1, 4, 25) / 1.0
    counts = pattern_counts(x, z, a, b, *kernel, 256)
    assert np.array_equal(
        counts, np.bincount(want.ravel(), np.outer(a, b).ravel(), 256)
    )
