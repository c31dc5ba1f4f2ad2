"""Local suppression: k-anonymity under the reading named, few cells, and the reference file."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.data.datasets.casc import missing, reference
from tacit.protect.grouping.anonymity import suppress
from tacit.protect.grouping.key_classes import compress, frequencies

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def plain_frequencies(codes: np.ndarray, missing: str) -> np.ndarray:
    """Every pair of records, one key at a time."""
    match = np.ones((len(codes), len(codes)), dtype=bool)
    for column in codes.T:
        same = column[:, None] == column[None]
        if missing == "any":
            same |= (column[:, None] < 0) | (column[None] < 0)
        match &= same
    return match.sum(axis=1)


@st.composite
def files(draw: st.DrawFn) -> np.ndarray:
    n, width = draw(st.integers(1, 40)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    codes = rng.integers(0, draw(st.integers(1, 5)), (n, width))
    codes[rng.random(codes.shape) < draw(st.sampled_from([0.0, 0.2]))] = -1
    return codes


@given(files(), st.sampled_from(["any", "value"]))
def test_frequencies_equal_the_count_of_pairs(codes: np.ndarray, missing: str) -> None:
    assert np.array_equal(
        frequencies(codes, missing), plain_frequencies(codes, missing)
    )


@given(files(), st.integers(2, 6), st.sampled_from(["any", "value"]), st.booleans())
def test_the_release_is_k_anonymous_under_its_reading(
    codes: np.ndarray, k: int, missing: str, weighted: bool
) -> None:
    if len(codes) < k:
        return
    price = np.arange(1.0, codes.shape[1] + 1) if weighted else np.ones(codes.shape[1])
    cells = suppress(codes, k, price, missing, np.random.default_rng(0))
    left = np.where(cells, -1, codes)
    assert plain_frequencies(left, missing).min() >= k
    if missing == "value":
        assert plain_frequencies(left, "any").min() >= k
    assert not (cells & (codes < 0)).any(), (
        "what is missing already is not counted as a suppression"
    )
    if plain_frequencies(codes, missing).min() >= k:
        assert not cells.any(), "a file that is k-anonymous already is left alone"


def test_distinct_rows_are_numbered_in_value_order() -> None:
    codes = np.array([[3, 1], [0, 9], [3, 1], [-1, 2]])
    distinct, label, count = compress(codes)
    assert distinct.tolist() == [[-1, 2], [0, 9], [3, 1]]
    assert label.tolist() == [2, 1, 2, 0]
    assert count.tolist() == [1, 1, 2]


def make_survey() -> pd.DataFrame:
    """4,580 members of households; a common and many rare values in each column."""
    rng = np.random.default_rng(0)
    household = np.sort(rng.integers(0, 1000, 4580))
    shares = {"urbrur": 2, "roof": 5, "walls": 4, "water": 8, "electcon": 3}
    table = {
        name: rng.geometric(0.6, 1000).clip(max=top)[household]
        for name, top in shares.items()
    }
    table["relat"] = rng.geometric(0.4, 4580).clip(max=9)
    table["sex"] = rng.integers(1, 3, 4580)
    return pd.DataFrame(table)


@pytest.fixture(scope="module")
def survey() -> pd.DataFrame:
    """The reference file where it is, else a generated one."""
    return make_survey() if missing("testdata") else reference("testdata").to_pandas()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_survey_reading_any(survey: pd.DataFrame, k: int) -> None:
    method = tc.protect.LocalSuppression(k=k, columns=KEYS)
    masked = method.fit_transform(survey)
    lost = int(masked[KEYS].isna().sum().sum())
    assert 0 < lost == method.suppressions_ == sum(method.suppressed_.values())
    codes = masked[KEYS].fillna(-1).to_numpy(int)
    assert plain_frequencies(codes, "any").min() >= k
    assert method.violations_ == {
        "any": 0,
        "value": int((plain_frequencies(codes, "value") < k).sum()),
    }
    kept = masked[KEYS].notna()
    assert (masked[KEYS][kept] == survey[KEYS][kept]).to_numpy()[kept.to_numpy()].all()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_survey_reading_value(survey: pd.DataFrame, k: int) -> None:
    """The stronger reading: k-anonymous whichever way a gap is read."""
    method = tc.protect.LocalSuppression(k=k, columns=KEYS, missing="value")
    codes = method.fit_transform(survey)[KEYS].fillna(-1).to_numpy(int)
    assert method.violations_ == {"any": 0, "value": 0}
    assert plain_frequencies(codes, "value").min() >= k
    assert method.suppressions_ > 0


@pytest.mark.needs("data")
def test_the_figures_in_the_docs(survey: pd.DataFrame) -> None:
    """Reading 'any' is the one under which the R tool suppresses 157, 293 and 500 cells."""
    # the tool knows no households, whose members would lose their cells together
    survey = survey.drop(columns="ori_hid")
    for k, bar, any_gap, value in [
        (2, 157, 94, 206),
        (3, 293, 158, 433),
        (5, 500, 283, 972),
    ]:
        assert tc.protect.LocalSuppression(k=k, columns=KEYS).fit(
            survey
        ).suppressions_ <= min(bar, any_gap)
        strong = tc.protect.LocalSuppression(k=k, columns=KEYS, missing="value").fit(
            survey
        )
        assert strong.suppressions_ <= value


def test_importance_and_key_combinations(survey: pd.DataFrame) -> None:
    plain = tc.protect.LocalSuppression(k=3, columns=KEYS).fit(survey)
    spared = tc.protect.LocalSuppression(
        k=3, columns=KEYS, importance={"relat": 10.0, "water": 10.0}
    ).fit(survey)
    assert spared.suppressed_["relat"] < plain.suppressed_["relat"] / 2
    assert spared.violations_["any"] == 0
    for reading in ("any", "value"):
        keys = [["urbrur", "roof", "relat"], ["walls", "water", "sex", "relat"]]
        method = tc.protect.LocalSuppression(k=5, keys=keys, missing=reading)
        masked = method.fit_transform(survey)
        for key in keys:
            assert (
                plain_frequencies(masked[key].fillna(-1).to_numpy(int), reading).min()
                >= 5
            )
        assert method.violations_[reading] == 0


def test_continuous_columns_and_bad_parameters() -> None:
    table = np.random.default_rng(0).normal(size=(500, 6))
    masked = tc.protect.LocalSuppression(k=2).fit_transform(table)
    assert np.isnan(masked).all()  # every value is unique: nothing can stay
    with pytest.raises(
        tc.errors.ParameterError, match="larger than the number of records"
    ):
        tc.protect.LocalSuppression(k=9).fit_transform(table[:4])
    with pytest.raises(tc.errors.ColumnError, match="importance names 'q'"):
        tc.protect.LocalSuppression(importance={"q": 1.0}).fit_transform(table)
    # a case of make fuzz (series 23, 1392)
    with pytest.raises(tc.errors.ParameterError, match="keys names no combination"):
        tc.protect.LocalSuppression(keys=[]).fit_transform(table)
