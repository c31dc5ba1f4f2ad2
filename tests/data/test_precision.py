"""Numbers leave as people write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.data.inference.precision import decimals_of


@given(
    st.integers(0, 6),
    st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=30),
)
def test_decimals_that_were_written_are_found(decimals: int, whole: list[int]) -> None:
    values = np.array([float(f"{n}e-{decimals}") for n in whole])
    found = decimals_of(pa.array(values))
    assert found is not None
    assert found <= decimals
    assert np.array_equal(np.round(values, found), values)


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([1.0, 2.0, None], 0),
        ([0.1, 2.25], 2),
        ([1 / 3], None),
        ([np.pi, 1.0], None),
        ([1e17], None),
        ([924673.08], 2),
    ],
)
def test_decimals(values: list[float | None], decimals: int | None) -> None:
    assert decimals_of(pa.array(values, type=pa.float64())) == decimals


def test_single_precision_is_compared_in_single_precision() -> None:
    assert decimals_of(pa.array(np.array([0.1, 0.7], dtype=np.float32))) == 1


METHODS = [
    tc.protect.Microaggregation(k=3),
    tc.protect.Noise(percent=10, random_state=1),
    tc.protect.Shuffling(random_state=1),
    tc.protect.Resampling(random_state=1),
    tc.protect.RankSwapping(p=20, random_state=1),
]


def _people(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    age = rng.integers(18, 90, n).astype(float)
    age[3] = np.nan
    return pd.DataFrame(
        {
            "age": age,
            "money": np.round(rng.lognormal(12, 1, n), 2),
            "rate": rng.normal(size=n),
        }
    )


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_ages_are_whole_and_money_has_cents(method: tc.protect.Protector) -> None:
    frame = _people()
    masked = method.fit_transform(frame)
    ages = masked["age"].dropna()
    assert (ages == ages.round()).all()
    assert [f"{m:.2f}" for m in masked["money"]] == [
        f"{float(repr(float(m))):.2f}" for m in masked["money"]
    ]
    assert all(len(repr(float(m)).partition(".")[2]) <= 2 for m in masked["money"])
    # what was computed to all digits stays so
    assert any(len(repr(float(r))) > 12 for r in masked["rate"])


def test_groups_stay_equal_and_of_size_k() -> None:
    frame = _people().fillna(40.0)
    masked = tc.protect.Microaggregation(k=4).fit_transform(frame)
    assert masked.value_counts().min() >= 4


def test_an_array_keeps_its_digits() -> None:
    array = _people()[["money"]].to_numpy()
    masked = tc.protect.Microaggregation(k=3).fit_transform(array)
    assert any(len(repr(float(m)).partition(".")[2]) > 2 for m in masked[:, 0])


def test_a_schema_that_does_not_say_the_decimals_gets_them_from_the_file() -> None:
    schema = tc.Schema.from_toml('[columns.age]\nkind = "count"\nrole = "quasi"\n')
    data = tc.Microdata.of({"age": [31.0, 45.0, None]}, schema)
    assert data.with_numbers(["age"], [[31.4], [45.6], [np.nan]]).to_native()[
        "age"
    ].to_pylist() == [31.0, 46.0, None]


def test_private_noise_is_not_rounded_to_what_the_file_holds() -> None:
    """The decimals of a file tell of its values: no epsilon covers them."""
    frame = pd.DataFrame({"v": [0.0, 1.0] * 20})
    method = tc.protect.Laplace(epsilon=1, bounds={"v": (0, 1)})
    masked = method.fit_transform(frame)["v"]
    assert (masked != masked.round()).any()


def test_a_column_may_be_said_to_keep_all_digits() -> None:
    schema = tc.Schema.from_toml(
        '[columns.v]\nkind = "continuous"\nrole = "quasi"\ndecimals = -1\n'
    )
    data = tc.Microdata.of({"v": [1.0, 2.0]}, schema)
    assert data.with_numbers(["v"], [[1.25], [2.5]]).column("v").tolist() == [1.25, 2.5]
