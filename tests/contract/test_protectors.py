"""The contract of every registered protector (design: the contract suite)."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

import tacit as tc
from contract import examples
from tacit.data.microdata import Kind
from tacit.plan.plan import Plan

NAMES = list(tc.protect.registry)
pytestmark = pytest.mark.filterwarnings("ignore::tacit.base.errors.TacitWarning")


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _same(a: pd.DataFrame, b: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(a, b, check_exact=True)


@pytest.mark.few(6)
def test_same_seed_same_bytes(name: str) -> None:
    frame = examples.frame()
    _same(
        examples.seeded(name, 7).fit_transform(frame),
        examples.seeded(name, 7).fit_transform(frame),
    )


def test_fit_then_transform_equals_fit_transform(name: str) -> None:
    frame = examples.frame()
    both = examples.seeded(name, 7)
    _same(
        both.fit(frame).transform(frame), examples.seeded(name, 7).fit_transform(frame)
    )


def test_input_is_not_changed(name: str) -> None:
    frame = examples.frame()
    before = frame.copy(deep=True)
    examples.seeded(name, 7).fit_transform(frame)
    _same(frame, before)


def test_frame_kind_columns_index_and_dtypes_are_kept(name: str) -> None:
    frame = examples.frame()
    masked = examples.seeded(name, 7).fit_transform(frame)
    assert list(masked.columns) == list(frame.columns)
    kind = tc.protect.registry[name]
    if not kind.changes_length:
        assert list(masked.index) == list(frame.index)
    if not kind.changes_types:
        assert list(masked.dtypes) == list(frame.dtypes)


def test_columns_that_are_not_asked_for_pass_unchanged(name: str) -> None:
    made = examples.seeded(name, 7)
    frame = examples.frame()
    given = made.get_params()
    chosen = given.get("columns", given.get("quasi")) or []  # sampling masks no column
    rest = [column for column in frame.columns if column not in chosen]
    masked = made.fit_transform(frame)
    # a release that is all new has its own index, too
    if not rest:
        return
    rows = frame.index.isin(masked.index) if made.changes_length else slice(None)
    _same(masked[rest], frame.loc[rows, rest])


@pytest.mark.few(11)
def test_polars_and_arrow_give_the_same_values(name: str) -> None:
    frame = examples.frame().reset_index(drop=True)
    expected = examples.seeded(name, 7).fit_transform(frame)
    # a polars Categorical has no order
    ordered = pl.col("school").cast(pl.Enum(["low", "mid", "high"]))
    for other in (
        pl.from_pandas(frame).with_columns(ordered),
        pa.Table.from_pandas(frame, preserve_index=False),
    ):
        masked = examples.seeded(name, 7).fit_transform(other)
        assert type(masked) is type(other)
        back = masked.to_pandas()
        for column in expected.columns:
            ours, theirs = expected[column], back[column]
            if ours.dtype.kind in "fi":
                np.testing.assert_array_equal(
                    np.asarray(ours, float), np.asarray(theirs, float)
                )
            else:
                assert [str(v) for v in ours] == [str(v) for v in theirs]


def test_parameters_round_trip_and_clone(name: str) -> None:
    made = examples.seeded(name, 7)
    assert clone(made).get_params() == made.get_params()
    assert type(made)(**made.get_params()).get_params() == made.get_params()


def test_a_plan_repeats_the_protector(name: str) -> None:
    frame = examples.frame()
    made = examples.seeded(name, 7)
    plan = Plan.from_toml(Plan.of(made).to_toml())
    _same(plan.apply(frame), made.fit_transform(frame))


def test_unknown_parameter_and_unknown_column_are_one_sentence(name: str) -> None:
    with pytest.raises(tc.errors.ParameterError, match="has no parameter"):
        tc.Step(name, {**tc.protect.registry[name].example, "no_such_parameter": 1})
    made = examples.protector(name)
    if "columns" in made.get_params():
        with pytest.raises(tc.errors.ColumnError, match="no column 'nobody'"):
            made.set_params(columns=["nobody"]).fit_transform(examples.frame())


NUMERIC = [
    name
    for name, kind in tc.protect.registry.items()
    if not kind.example and Kind.continuous in kind.kinds
]
TOGETHER = (
    "a release is made of all its records together: "
    "part of it, masked alone, is another release"
)
SHORTER = "the release has fewer records than the input, by design"
EXCUSED = {
    "check_methods_subset_invariance": TOGETHER,
    "check_methods_sample_order_invariance": TOGETHER,
    "check_fit2d_1sample": (
        "one record cannot form a group of k; the message speaks of records, not samples"
    ),
}
EXCUSED_SHORTER = {
    "check_transformer_general": SHORTER,
    "check_transformer_data_not_an_array": SHORTER,
}


@pytest.mark.few(2)
@pytest.mark.parametrize("numeric", NUMERIC)
def test_scikit_learn_checks(numeric: str) -> None:
    """check_estimator on every protector of numeric arrays; each excused check has its reason."""
    from sklearn.utils.estimator_checks import check_estimator

    made = tc.protect.registry[numeric]()
    if "random_state" in made.get_params():
        made.set_params(random_state=0)
    excused = {
        **EXCUSED,
        **(EXCUSED_SHORTER if made.changes_length else {}),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            made, expected_failed_checks=excused, on_fail=None, on_skip=None
        )
    failed = [
        (r["check_name"], r["exception"]) for r in results if r["status"] == "failed"
    ]
    assert not failed
    assert sum(r["status"] == "passed" for r in results) > 30


def test_pipeline_and_set_output() -> None:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    values = examples.frame()[["income", "age", "debt"]]
    pipe = make_pipeline(StandardScaler(), tc.protect.Noise(random_state=1)).set_output(
        transform="pandas"
    )
    masked = pipe.fit_transform(values)
    assert isinstance(masked, pd.DataFrame)
    assert list(masked.columns) == ["income", "age", "debt"]
