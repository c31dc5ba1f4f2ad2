"""Odd frames and parameters from a program: each is read, or refused in one sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.base.errors import TacitError

N = 24
X = np.tile([3.0, 1.0, 4.0, 1.5, 5.0, 9.0], N // 6)


def frame(odd: Any) -> pd.DataFrame:
    return pd.DataFrame({"age": X % 7, "odd": odd})


def _assessed(data: Any) -> tc.Assessment:
    return tc.assess(data, data, attackers=["nearest"], risks=[], losses=[])


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "ragged dict": (lambda: {"a": [1.0] * N, "b": [1.0] * 5}, "column 'b' has 5 values"),
    "ragged list": (lambda: [[1, 2], [3]], "different numbers of values"),
    "scalars": (lambda: {"a": 5}, "column 'a' is 5, and no list of values"),
    "text": (lambda: {"a": "abc"}, "and no list of values"),
    "mixed": (lambda: {"a": [1, "x", None]}, "column 'a' mixes types"),
    "two labels": (lambda: {1: X, "1": X}, "two columns are named '1'"),
    "intervals": (
        lambda: frame(pd.IntervalIndex.from_breaks(range(N + 1))),
        "column 'odd' holds lists or structures",
    ),
    "cuts": (
        lambda: frame(pd.cut(pd.Series(X), [-1, 9, 99])),
        "column 'odd' holds lists or structures",
    ),
    "days in an array": (
        lambda: np.zeros((N, 2), "datetime64[D]"),
        "datetime64[D] holds no numbers",
    ),
    "no records": (lambda: pd.DataFrame({"a": X[:0], "b": X[:0]}), "0 sample"),
    "no columns": (lambda: pd.DataFrame(index=range(N)), "0 sample"),
    "half letters": (
        lambda: pd.DataFrame(
            np.column_stack([X, X]), columns=pd.Index(["a", "\ud800"], dtype=object)
        ),
        "is no text; rename",
    ),
}  # fmt: skip
READ: dict[str, Callable[[], Any]] = {
    "periods": lambda: frame(pd.period_range("2020-01", periods=N, freq="M")),
    "dict": lambda: {"a": X, "b": list(X)},
    "tuples as names": lambda: pd.DataFrame(
        np.column_stack([X, X]), columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    ),
    "matrix": lambda: np.matrix(np.column_stack([X, X])),
    "records of an array": lambda: [[x, x + 1] for x in X],
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_a_frame_that_is_none_is_one_sentence(name: str) -> None:
    make, why = REFUSED[name]
    said = []
    for use in (tc.Microdata.of, tc.protect.Noise().fit_transform, _assessed):
        try:
            use(make())
        except TacitError as error:
            said.append(str(error))
    assert len(said) >= 2
    assert all("\n" not in sentence for sentence in said)
    assert any(why in sentence for sentence in said), said


@pytest.mark.parametrize("name", list(READ))
def test_a_frame_that_means_something_is_read(name: str) -> None:
    given = READ[name]()
    columns = tc.Microdata.of(given).names[:1]
    masked = tc.protect.Rounding(base=5, columns=columns).fit_transform(given)
    assert tc.Microdata.of(masked).n == N


def test_masked_values_of_an_array_are_gaps_and_stay_hidden() -> None:
    """The number under the mask is what somebody meant to hide."""
    hidden = np.ma.masked_array(np.column_stack([X, X + 7000]), False)
    hidden[3, 1] = np.ma.masked
    out = tc.protect.Rounding(base=1, columns=["x0"]).fit_transform(hidden)
    assert np.isnan(np.asarray(out)[3, 1])
    assert tc.Microdata.of(hidden).missing("x1").sum() == 1


def test_numbers_of_numpy_are_numbers() -> None:
    data = frame(X)
    for k in (np.int64(3), np.array(3), np.uint8(3)):
        made = tc.protect.Microaggregation(k=k, columns=["odd"]).fit_transform(data)
        assert made["odd"].value_counts().min() >= 3
    assert tc.risk.k_anonymity(data, data, k=np.int64(3)).value >= 0


WRONG: list[Callable[[pd.DataFrame], Any]] = [
    lambda d: tc.risk.k_anonymity(d, d, k="many"),
    lambda d: tc.risk.k_anonymity(d, d, keys=5),
    lambda d: tc.risk.frequencies(d, keys="age"),
    lambda d: tc.loss.pil(d, d, columns=2.5),
    lambda d: tc.assess(d, d, attackers=5),
    lambda d: tc.assess(d, d, attackers={"me": 5}),
    lambda d: tc.assess(d, d, risks="pld"),
    lambda d: tc.assess(d, d, options=["pld"]),
    lambda d: tc.assess(d, d, attackers=["nearest"], truth="age"),
    lambda d: tc.assess(d, d, attackers=["nearest"], thresholds={"attack": float("nan")}),
    lambda d: tc.Microdata.of(d, quasi=5),
    lambda d: tc.Plan.from_dict([]),  # type: ignore[arg-type]
    lambda d: tc.Plan.from_dict({1: 2, "x": 3}),  # type: ignore[dict-item]
    lambda d: tc.Plan.from_dict({"steps": [{"method": "noise", 5: 1}]}),
    lambda d: tc.stream.Noise().apply([["a", "b"]]),
    lambda d: tc.stream.Noise().apply(np.ones((9, 2)) * 1j),
    lambda d: tc.read("x" * 4000),
    lambda d: d.pipe(lambda _: tc.Microdata.of(d).schema[["age"]]),  # type: ignore[index]
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_an_argument_of_another_kind_is_one_sentence(number: int) -> None:
    with pytest.raises(TacitError) as told:
        WRONG[number](frame(X))
    assert "\n" not in str(told.value)


def test_a_sentence_never_lists_all_columns() -> None:
    wide = pd.DataFrame({f"column{j}": [1.0, 2.0] for j in range(2000)})
    with pytest.raises(TacitError) as told:
        tc.protect.Noise(columns=["colum5"]).fit_transform(wide)
    assert len(str(told.value)) <= 1500
    assert "did you mean 'column5'" in str(told.value)


def test_a_slice_of_the_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``python -m tools.fuzz --api``, which runs thousands."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    for name in [name for name in sys.modules if name.startswith("tools")]:
        monkeypatch.delitem(sys.modules, name)
    pytest.importorskip("polars")
    from tools.fuzz.api import one

    for number in range(150):
        result = one(5, number)
        assert not result["wrong"], result
