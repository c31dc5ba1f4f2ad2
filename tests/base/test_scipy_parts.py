"""Single functions of scipy are those of scipy, and come without it where they can."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.optimize
import scipy.spatial.distance
import scipy.special

from tacit.base import scipy_parts


@pytest.fixture(params=["alone", "public"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to the functions: their compiled file, and the package where it is not found."""
    scipy_parts._compiled.cache_clear()
    if request.param == "public":
        monkeypatch.setattr(scipy_parts, "_compiled", lambda *names: None)
    return str(request.param)


def test_the_same_numbers_to_the_last_bit(way: str) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(30, 4)), rng.normal(size=(40, 4))
    for metric in ("euclidean", "sqeuclidean", "cityblock"):
        wanted = scipy.spatial.distance.cdist(x, y, metric)
        np.testing.assert_array_equal(scipy_parts.cdist(x, y, metric), wanted)
    # arrays that are not in C order, or not of floats
    turned = scipy_parts.cdist(np.asfortranarray(x), y.astype(int), "euclidean")
    wanted = scipy.spatial.distance.cdist(x, y.astype(int), "euclidean")
    np.testing.assert_array_equal(turned, wanted)
    costs = scipy_parts.cdist(x, y, "euclidean")
    for ours, theirs in zip(
        scipy_parts.linear_sum_assignment(costs),
        scipy.optimize.linear_sum_assignment(costs),
        strict=True,
    ):
        np.testing.assert_array_equal(ours, theirs)
    share = rng.random(50)
    for name in ("ndtr", "ndtri", "erf", "gammaln", "digamma"):
        ours = getattr(scipy_parts, name)(share)
        np.testing.assert_array_equal(ours, getattr(scipy.special, name)(share))
    logs = rng.normal(size=(4, 5))
    np.testing.assert_array_equal(
        scipy_parts.logsumexp(logs, axis=1), scipy.special.logsumexp(logs, axis=1)
    )
    assert scipy_parts.chdtri(3, 0.1) == scipy.special.chdtri(3, 0.1)


def test_no_package_is_imported_and_one_may_be_later() -> None:
    code = """
import sys
import numpy as np
from tacit.base import scipy_parts
x = np.eye(3)
links = scipy_parts.linear_sum_assignment(scipy_parts.cdist(x, x, "euclidean"))
scipy_parts.erf(x)
print(sorted({"scipy.optimize", "scipy.spatial", "scipy.special"} & set(sys.modules)))
import scipy.optimize, scipy.spatial.distance, scipy.special
print((scipy.optimize.linear_sum_assignment(x)[1] == [1, 0, 2]).all())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    first, second = done.stdout.split("\n")[:2]
    assert first == "[]"
    assert second in ("True", "False")


def test_a_file_that_is_not_there_is_no_error() -> None:
    assert scipy_parts._compiled("scipy.optimize", "_no_such_file", "f") is None
    assert scipy_parts._compiled("no_such_package", "_file", "f") is None
