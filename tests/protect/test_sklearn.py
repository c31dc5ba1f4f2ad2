"""scikit-learn's own checks on numeric protectors; the same bytes at any number of threads."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_limits

import tacit as tc

ITS_OWN = (
    "a release is made of all its records together, with noise by position: "
    "part of it is another release"
)
EXCUSED = {
    "check_methods_subset_invariance": ITS_OWN,
    "check_methods_sample_order_invariance": ITS_OWN,
    "check_fit2d_1sample": (
        "one record cannot form a group of k; the message speaks of records, not samples"
    ),
}
METHODS: list[Any] = [
    tc.protect.RankSwapping(random_state=0),
    tc.protect.Rounding(random_state=0),
    tc.protect.Resampling(random_state=0),
    tc.protect.TopBottomCoding(),
    tc.protect.Recoding(),
    tc.protect.Shuffling(random_state=0),
    tc.protect.IPSO(random_state=0),
    tc.protect.LocalSuppression(k=2, random_state=0),
    tc.protect.Pseudonyms(),
]


@pytest.mark.few(2)
@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_check_estimator(method: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            method, expected_failed_checks=EXCUSED, on_fail=None, on_skip=None
        )
    assert [
        (r["check_name"], r["exception"]) for r in results if r["status"] == "failed"
    ] == []
    assert sum(r["status"] == "passed" for r in results) > 40


@pytest.mark.parametrize(
    "method",
    [
        tc.protect.Noise(kind="correlated", random_state=1),
        tc.protect.IPSO(
            quasi=["x0", "x1", "x5"], confidential=["x2", "x3", "x4"], random_state=1
        ),
        tc.protect.Shuffling(columns=["x0", "x1"], given=["x2", "x3"], random_state=1),
        tc.protect.Microaggregation(partition="pca"),
    ],
    ids=lambda m: type(m).__name__,
)
def test_the_same_bytes_at_any_number_of_threads(method: Any) -> None:
    values = np.random.default_rng(0).lognormal(size=(3001, 6))
    values[:, 5] = values[:, 0] + values[:, 1]
    bytes_ = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            bytes_.append(method.fit_transform(values).tobytes())
    assert bytes_[0] == bytes_[1] == bytes_[2]
