"""The distances of Abril, Navarro-Arribas and Torra (2012) against their formulas."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from attack.informed.test_aware import correlated, euclid
from tacit.attack.by_distance import ByDistance
from tacit.data.microdata import Microdata


def plain_nearest(cost):
    return sum(
        (cost[i] <= cost[i].min() * (1 + 1e-11)).nonzero()[0].tolist() == [i]
        for i in range(len(cost))
    )


def files(seed=0):
    x = correlated(150, 4, 0.7, seed)
    rng = np.random.default_rng(seed)
    return x, x + rng.normal(size=x.shape) * [0.1, 0.3, 0.6, 0.2]


def formula(measure, x, z, degree=2):
    sx, sz = (x - x.mean(0)) / x.std(0), (z - z.mean(0)) / z.std(0)
    gap = x[:, None] - z[None]
    if measure == "dbrl1":
        return ((sx[:, None] - sz[None]) ** 2).sum(2)
    if measure == "dbrl2":
        return ((gap / (x - z).std(0)) ** 2).sum(2)
    if measure == "kernel":

        def k(a, b):
            return (1 + a @ b.T) ** degree

        return np.diag(k(sx, sx))[:, None] - 2 * k(sx, sz) + np.diag(k(sz, sz))[None]
    joint = np.cov(np.hstack([x, z]).T)
    s = joint[:4, :4] + joint[4:, 4:]
    if measure == "cov":
        s = s - joint[:4, 4:] - joint[4:, :4]
    return np.einsum("ijk,kl,ijl->ij", gap, np.linalg.inv(s), gap)


@pytest.mark.parametrize("measure", ["dbrl1", "dbrl2", "cov", "cov0", "kernel"])
def test_nearest_equals_the_formula(measure):
    x, z = files()
    assert ByDistance(measure).link(x, z).correct == plain_nearest(
        formula(measure, x, z)
    )


@pytest.mark.parametrize("measure", ["dbrl1", "dbrl2", "cov", "cov0", "kernel"])
def test_assignment_equals_the_formula(measure):
    from scipy.optimize import linear_sum_assignment

    x, z = files(1)
    _, j = linear_sum_assignment(formula(measure, x, z))
    assert (
        ByDistance(measure, rule="assignment").link(x, z).correct
        == (j == np.arange(150)).sum()
    )


def test_the_kernel_of_degree_one_is_the_euclidean_distance():
    x, z = files(2)
    assert (
        ByDistance("kernel", degree=1).link(x, z).correct
        == ByDistance("dbrl1").link(x, z).correct
    )


def test_categories_as_in_001():
    original = Microdata.of(
        {"o": ["low", "mid", "high"] * 4, "n": list("aabbccddeeff")}, nominal=["n"]
    )
    schema = original.schema.set(ordinal=["o"])
    original = original.with_schema(schema)
    evidence = ByDistance().evidence(original, original, ["o", "n"])
    cost = evidence.block(evidence.u, evidence.v)
    o, n = original.column("o"), original.column("n")
    want = np.abs(o[:, None] - o[None]) / 3 + (n[:, None] != n[None])
    assert np.allclose(cost, want)


def test_knowing_the_covariance_of_the_change_helps_on_correlated_noise():
    x = correlated(500, 5, 0.9, 4)
    z = tc.protect.Noise(percent=50, kind="correlated", random_state=1).fit_transform(x)
    assert ByDistance("cov").link(x, z).correct > 1.5 * euclid(x, z, "nearest")
