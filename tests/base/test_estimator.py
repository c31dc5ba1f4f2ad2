"""Protectors and attackers are scikit-learn estimators without deriving from its classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tacit as tc
from tacit.base.estimator import Estimator
from tacit.base.estimator import clone as own_clone

FRAME = pd.DataFrame(
    np.random.default_rng(0).normal(size=(40, 3)),
    columns=list("abc"),
    index=range(100, 140),
)


class Outer(Estimator):
    """An estimator with another one inside."""

    def __init__(self, inner: object = None, size: int = 1) -> None:
        self.inner = inner
        self.size = size


def test_parameters_of_an_estimator_inside() -> None:
    """Read and changed by ``name__part``."""
    outer = Outer(tc.protect.Microaggregation(k=4))
    assert outer.get_params()["inner__k"] == 4
    outer.set_params(inner__k=5, size=2)
    assert (outer.inner.k, outer.size) == (5, 2)
    assert "inner__k" not in outer.get_params(deep=False)
    # a new one and its part in one call, whatever their order
    outer.set_params(inner__k=7, inner=tc.protect.Microaggregation(k=2))
    assert outer.inner.k == 7


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Invalid parameter 'q'.*\['inner', 'size'\]"):
        Outer().set_params(q=1)


def test_repr_is_the_call_that_makes_it() -> None:
    assert repr(tc.protect.Microaggregation(k=5)) == "Microaggregation(k=5)"
    assert repr(tc.protect.Noise(columns=["a"])) == "Noise(columns=['a'])"
    assert repr(tc.attack.Assignment()) == "Assignment()"


def test_clones_have_equal_parameters_and_no_fit() -> None:
    fitted = tc.protect.Microaggregation(k=4).fit(FRAME)
    copy = clone(fitted.set_output(transform="polars"))
    assert copy.get_params() == fitted.get_params()
    assert isinstance(copy.fit_transform(FRAME), pl.DataFrame)
    with pytest.raises(NotFittedError):
        clone(fitted).transform(FRAME)
    assert clone(tc.attack.Nearest(scale="none")).scale == "none"


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_set_output(kind: type) -> None:
    """The kind of frame, with its names and, in pandas, its index."""
    name = "pandas" if kind is pd.DataFrame else "polars"
    method = tc.protect.Microaggregation(k=4)
    values = FRAME.to_numpy()
    plain = method.fit_transform(values)
    wrapped = clone(method).set_output(transform=name).fit_transform(FRAME)
    assert isinstance(wrapped, kind)
    assert list(wrapped.columns) == ["a", "b", "c"]
    np.testing.assert_array_equal(wrapped.to_numpy(), plain)
    if kind is pd.DataFrame:
        assert list(wrapped.index) == list(FRAME.index)
    with sklearn.config_context(transform_output=name):
        assert isinstance(method.fit_transform(values), kind)
    assert isinstance(method.fit_transform(values), np.ndarray)
    # None leaves things as they are
    assert isinstance(method.set_output().fit_transform(values), np.ndarray)


def test_in_a_pipeline() -> None:
    pipeline = make_pipeline(StandardScaler(), tc.protect.Microaggregation(k=4))
    pipeline.set_params(microaggregation__k=10).set_output(transform="pandas")
    masked = pipeline.fit_transform(FRAME)
    assert isinstance(masked, pd.DataFrame)
    assert masked.value_counts().min() >= 10
    assert list(pipeline.get_feature_names_out()) == ["a", "b", "c"]


def test_a_clone_shares_no_parameter_with_its_original() -> None:
    columns = ["a", "b"]
    copies = [
        cloning(tc.protect.Noise(columns=columns)) for cloning in (clone, own_clone)
    ]
    columns.append("c")
    assert [copy.columns for copy in copies] == [["a", "b"], ["a", "b"]]
