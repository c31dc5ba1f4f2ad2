"""IPSO from sums over blocks keeps what the decomposition of all records keeps."""

import numpy as np
import pytest

import tacit as tc
from tacit.protect import by_address

N = 3 * by_address.BLOCK + 17


def frame(seed=2, scale=1.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(N, 2)) * scale + 1e6
    y = np.column_stack(
        [x[:, 0] * 0.5 + rng.normal(size=N), rng.gamma(2.0, 100.0, N), np.zeros(N)]
    )
    # a column that is the sum of others stays their sum
    y[:, 2] = y[:, 0] + y[:, 1]
    return tc.Microdata.of(
        {"y0": y[:, 0], "y1": y[:, 1], "y2": y[:, 2], "x0": x[:, 0], "x1": x[:, 1]},
        quasi=["y0", "y1", "y2"],
        confidential=["x0", "x1"],
    )


def masked(data, variant, **more):
    out = tc.protect.IPSO(variant=variant, random_state=5, **more).fit_transform(data)
    return out.numbers(["y0", "y1", "y2", "x0", "x1"])


@pytest.mark.parametrize("given", [["x0", "x1"], []])
def test_variant_c_keeps_means_and_covariances(given):
    data = frame()
    before = data.numbers()
    after = masked(data, "C", confidential=given)
    kept = 3 + len(given)
    assert np.allclose(after.mean(axis=0), before.mean(axis=0), rtol=1e-12)
    one, other = np.cov(before[:, :kept].T), np.cov(after[:, :kept].T)
    assert np.allclose(other, one, rtol=1e-7, atol=1e-9 * np.abs(one).max())
    assert np.allclose(after[:, 2], after[:, 0] + after[:, 1], rtol=1e-9)
    assert np.abs(after[:, :3] - before[:, :3]).min() > 0


def test_variant_b_keeps_the_regression_and_a_nearly():
    data = frame()
    before = data.numbers()
    design = np.column_stack([np.ones(N), before[:, 3:] - before[:, 3:].mean(axis=0)])
    slopes = np.linalg.lstsq(design, before[:, :3], rcond=None)[0]
    exact = np.linalg.lstsq(design, masked(data, "B")[:, :3], rcond=None)[0]
    assert np.allclose(exact, slopes, rtol=1e-6, atol=1e-6)
    drawn = np.linalg.lstsq(design, masked(data, "A")[:, :3], rcond=None)[0]
    assert not np.allclose(drawn, slopes, rtol=1e-6, atol=1e-6)
    # six standard errors of a slope: residual sd over root n
    assert np.abs(drawn - slopes).max() < 6 * 142 / np.sqrt(N)


def test_a_constant_and_a_doubled_column_do_no_harm():
    data = frame()
    x = data.column("x0")
    data = data.with_column("x1", 2 * x).with_column("y0", np.full(N, 7.0))
    after = masked(data, "C", confidential=["x0", "x1"], quasi=["y0", "y1"])
    assert np.allclose(after[:, 0], 7.0)
    assert np.isclose(np.var(after[:, 1]), np.var(data.column("y1")), rtol=1e-9)
