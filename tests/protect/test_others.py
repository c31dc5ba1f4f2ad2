"""Rounding, resampling, MASSC, sampling, recoding, top and bottom coding, pseudonyms."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tacit as tc
from tacit.protect.grouping.value_classes import round_cuts
from tacit.protect.pseudonyms import pseudonym
from tacit.protect.rounding import nice


def test_random_rounding_is_unbiased_and_goes_to_a_neighbour() -> None:
    table = np.full((40_000, 1), 3.2)
    masked = tc.protect.Rounding(base=5, random_state=1).fit_transform(table)
    assert set(np.unique(masked)) == {0.0, 5.0}
    assert masked.mean() == pytest.approx(3.2, abs=0.06)
    negative = tc.protect.Rounding(base={"x0": 2}, random_state=1).fit_transform(
        -np.abs(table)
    )
    assert set(np.unique(negative)) == {-4.0, -2.0}
    assert tc.protect.Rounding(base=5, kind="nearest").fit_transform(table)[0, 0] == 5.0
    multiples = np.arange(10.0)[:, None] * 5
    assert np.array_equal(
        tc.protect.Rounding(base=5, random_state=0).fit_transform(multiples), multiples
    )


def test_round_bases_and_cuts() -> None:
    assert [nice(x) for x in (1.0, 1.9, 2.0, 4.9, 5.0, 99.0, 0.03)] == [
        1.0,
        1.0,
        2.0,
        2.0,
        5.0,
        50.0,
        0.02,
    ]
    for low, high, bins in [
        (0, 99, 10),
        (-5, 7.3, 4),
        (1e6, 1e6 + 3, 5),
        (0.001, 0.002, 3),
        (-1, 1, 1),
    ]:
        cuts = round_cuts(float(low), float(high), bins)
        assert cuts[0] <= low
        assert cuts[-1] > high
        assert len(cuts) - 1 <= max(bins, 2)


def test_resampling_keeps_ranks_and_the_distribution() -> None:
    values = np.random.default_rng(0).gamma(2, 10, (5000, 1))
    masked = tc.protect.Resampling(samples=3, random_state=1).fit_transform(values)
    order = np.argsort(values[:, 0])
    assert (np.diff(masked[order, 0]) >= 0).all(), "ranks are kept"
    assert not np.array_equal(masked, values)
    assert stats.ks_2samp(values[:, 0], masked[:, 0]).pvalue > 0.01
    assert masked.mean() == pytest.approx(values.mean(), rel=0.03)


def test_resampling_equals_sorting_the_samples() -> None:
    values = np.random.default_rng(0).normal(size=50)
    rng = np.random.default_rng(9)
    plain = np.mean(
        [np.sort(np.sort(values)[rng.integers(0, 50, 50)]) for _ in range(4)], axis=0
    )
    masked = tc.protect.Resampling(samples=4, random_state=9).fit_transform(
        values[:, None]
    )
    np.testing.assert_allclose(np.sort(masked[:, 0]), plain, rtol=1e-12)


@pytest.fixture
def survey() -> tc.Microdata:
    rng = np.random.default_rng(3)
    n = 3000
    table = pd.DataFrame(
        {
            "region": rng.choice(list("abcdefgh"), n),
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["f", "m"], n),
            "income": rng.lognormal(10, 1, n),
            "sampling_weight": rng.uniform(5, 50, n),
        }
    )
    return tc.Microdata.of(
        table,
        quasi=["region", "age", "sex"],
        confidential=["income"],
        weight=["sampling_weight"],
    )


def test_massc_calibrates_its_totals(survey: tc.Microdata) -> None:
    method = tc.protect.MASSC(random_state=1)
    before, after = survey.to_native(), method.fit_transform(survey).to_native()
    assert 0.4 < len(after) / len(before) < 0.9
    assert after["sampling_weight"].sum() == pytest.approx(
        before["sampling_weight"].sum(), rel=1e-9
    )
    total = (before["sampling_weight"] * before["income"]).sum()
    assert (after["sampling_weight"] * after["income"]).sum() == pytest.approx(
        total, rel=1e-9
    )
    raw = (
        before["sampling_weight"].iloc[method.rows_]
        * before["income"].iloc[method.rows_]
    ).sum()
    assert abs(raw / total - 1) > 0.05  # which the subsample alone does not give
    keys = ["region", "age", "sex"]
    changed = (
        (after[keys].to_numpy() != before[keys].iloc[method.rows_].to_numpy())
        .any(axis=1)
        .mean()
    )
    assert 0.1 < changed < 0.6


def test_massc_treats_rare_records_more(survey: tc.Microdata) -> None:
    method = tc.protect.MASSC(
        substitute=(1.0, 0, 0, 0), share=(1, 1, 1, 1), random_state=1
    )
    before, after = survey.to_native(), method.fit_transform(survey).to_native()
    keys = ["region", "age", "sex"]
    count = before.groupby(keys)["income"].transform("size")
    changed = (after[keys].to_numpy() != before[keys].to_numpy()).any(axis=1)
    assert changed[(count == 1).to_numpy()].all()
    assert not changed[(count > 1).to_numpy()].any()


def test_sampling(survey: tc.Microdata) -> None:
    before = survey.to_native()
    after = (
        tc.protect.Sampling(fraction=0.25, random_state=2)
        .fit_transform(survey)
        .to_native()
    )
    assert len(after) == 750
    assert after.index.is_monotonic_increasing
    pd.testing.assert_frame_equal(
        after.drop(columns="sampling_weight"),
        before.loc[after.index].drop(columns="sampling_weight"),
    )
    np.testing.assert_allclose(
        after["sampling_weight"], 4 * before.loc[after.index, "sampling_weight"]
    )
    even = (
        tc.protect.Sampling(fraction=0.1, strata=["region"], random_state=2)
        .fit_transform(survey)
        .to_native()
    )
    wanted = np.maximum(1, np.rint(0.1 * before["region"].value_counts())).astype(int)
    assert (
        even["region"].value_counts().sort_index().tolist()
        == wanted.sort_index().tolist()
    )
    assert even["sampling_weight"].sum() == pytest.approx(
        before["sampling_weight"].sum(), rel=0.2
    )


def test_every_record_is_equally_likely_to_be_sampled() -> None:
    hits = np.zeros(20)
    for seed in range(600):
        hits[
            tc.protect.Sampling(fraction=0.25, random_state=seed)
            .fit(np.zeros((20, 1)))
            .rows_
        ] += 1
    assert stats.chisquare(hits).pvalue > 1e-4


def test_recoding_with_intervals_leaves_other_columns_alone() -> None:
    """Cut points of the age binned the income, too."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "income": rng.lognormal(9, 1, 80),
            "age": rng.integers(18, 90, 80),
            "town": ["Ulm", "Bonn"] * 39 + ["Lyon"] * 2,
        }
    )
    masked = tc.protect.Recoding(intervals={"age": [18, 50, 90]}).fit_transform(table)
    assert masked["age"].nunique() == 2
    assert (masked[["income", "town"]] == table[["income", "town"]]).all().all()
    tree = {"Ulm": "Germany", "Bonn": "Germany", "Lyon": "France"}
    by_tree = tc.protect.Recoding(hierarchies={"town": tree}).fit_transform(table)
    assert (by_tree[["income", "age"]] == table[["income", "age"]]).all().all()
    rare = tc.protect.Recoding(intervals={"age": [18, 50, 90]}, rare=3)
    assert set(rare.fit_transform(table)["town"]) == {"Ulm", "Bonn", "other"}
    # columns that are named, and all where nothing is
    both = tc.protect.Recoding(intervals={"age": [18, 90]}, columns=["age", "income"])
    assert both.fit_transform(table)["income"].nunique() <= 10
    assert tc.protect.Recoding().fit_transform(table)["income"].nunique() <= 10
    with pytest.raises(tc.errors.ColumnError, match="no column 'aeg'"):
        tc.protect.Recoding(intervals={"aeg": [18, 90]}).fit_transform(table)


def test_recoding_by_intervals_and_hierarchy() -> None:
    table = pd.DataFrame(
        {"age": [17, 18, 39, 40, 95], "town": ["Ulm", "Bonn", "Lyon", "Ulm", None]}
    )
    tree = {
        "Ulm": ["Germany", "Europe"],
        "Bonn": ["Germany", "Europe"],
        "Lyon": ["France", "Europe"],
    }
    made = tc.protect.Recoding(
        intervals={"age": [18, 40, 65]},
        hierarchies={"town": tree},
        show="label",
        columns=["age", "town"],
    )
    masked = made.fit_transform(table)
    assert masked["age"].tolist() == [
        "under 18",
        "[18, 40)",
        "[18, 40)",
        "[40, 65)",
        "65 and more",
    ]
    assert masked["town"].tolist()[:4] == ["Germany", "Germany", "France", "Germany"]
    assert masked["town"].isna().tolist() == [False] * 4 + [True]
    top = tc.protect.Recoding(
        hierarchies={"town": tree}, level=2, columns=["town"]
    ).fit_transform(table)
    assert set(top["town"].dropna()) == {"Europe"}
    chain = {
        "Ulm": "Germany",
        "Bonn": "Germany",
        "Lyon": "France",
        "Germany": "Europe",
        "France": "Europe",
    }
    again = tc.protect.Recoding(
        hierarchies={"town": chain}, level={"town": 2}, columns=["town"]
    ).fit_transform(table)
    assert again["town"].equals(top["town"])
    with pytest.raises(tc.errors.ColumnError, match="'Lyon' belongs"):
        tc.protect.Recoding(
            hierarchies={"town": {"Ulm": "G", "Bonn": "G"}}, columns=["town"]
        ).fit_transform(table)


def test_recoding_ordinal_and_rare() -> None:
    grades = ["a", "b", "c", "d", "e", "f"]
    table = pd.DataFrame(
        {
            "g": pd.Categorical(grades * 4, categories=grades, ordered=True),
            "c": ["x"] * 20 + ["y"] * 3 + ["z"],
        }
    )
    masked = tc.protect.Recoding(bins=3, rare=4, show="label").fit_transform(table)
    assert masked["g"].astype(str).tolist()[:6] == [
        "a to b",
        "a to b",
        "c to d",
        "c to d",
        "e to f",
        "e to f",
    ]
    assert masked["c"].value_counts().to_dict() == {"x": 20, "other": 4}
    assert tc.protect.Recoding(bins=3).fit_transform(table)["g"].tolist()[:4] == [
        "a",
        "a",
        "c",
        "c",
    ]


def test_top_and_bottom_coding() -> None:
    values = np.random.default_rng(1).permutation(100.0 * np.arange(1, 101))[:, None]
    masked = tc.protect.TopBottomCoding(tails=(0.05, 0.1)).fit_transform(values)
    assert masked.min() == 600
    assert masked.max() == 9000
    inside = (values >= 600) & (values <= 9000)
    assert np.array_equal(masked[inside], values[inside])
    assert set(masked[values < 600]) == {600}
    assert set(masked[values > 9000]) == {9000}
    mean = tc.protect.TopBottomCoding(tails=(0.05, 0.1), by="mean").fit_transform(
        values
    )
    assert mean.sum() == pytest.approx(values.sum())
    assert (mean == mean.max()).sum() == 10
    with pytest.raises(tc.errors.ParameterError, match="above the top"):
        tc.protect.TopBottomCoding(low={"x0": 5}, high={"x0": 1}).fit(values)


class TestPseudonyms:
    table = pd.DataFrame({"name": ["Ada", "Bob", "Ada", None], "age": [30, 40, 31, 50]})

    def test_same_person_same_pseudonym_and_the_column_is_released(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MY_KEY", "correct horse battery staple")
        method = tc.protect.Pseudonyms(key="env:MY_KEY")
        masked = method.fit_transform(self.table)
        assert masked["name"][0] == masked["name"][2] != masked["name"][1]
        assert masked["name"][0] == pseudonym(
            "Ada", b"correct horse battery staple", 24
        )
        assert pd.isna(masked["name"][3])
        for public in (
            repr(method),
            str(method.get_params()),
            str(vars(method)),
            tc.Plan.of(method).to_toml(),
        ):
            assert "correct horse" not in public

    def test_an_unkeyed_guess_does_not_find_it(self) -> None:
        guess = hashlib.sha256(b"Ada").hexdigest()[:24]
        assert tc.protect.Pseudonyms().fit_transform(self.table)["name"][0] != guess

    def test_without_a_key_two_releases_cannot_be_linked(self) -> None:
        one, two = (
            tc.protect.Pseudonyms().fit_transform(self.table)["name"][0]
            for _ in range(2)
        )
        assert one != two

    def test_a_file_holds_the_key_or_an_error_says_so(self, tmp_path: object) -> None:
        from pathlib import Path

        path = Path(str(tmp_path)) / "key"
        path.write_bytes(b"0123456789abcdef\n")
        masked = tc.protect.Pseudonyms(key=f"file:{path}", length=12).fit_transform(
            self.table
        )
        assert masked["name"][1] == pseudonym("Bob", b"0123456789abcdef", 12)
        path.write_bytes(b"short")
        for key, message in [
            (f"file:{path}", "5 bytes"),
            ("env:NOT_SET_ANYWHERE", "not set"),
            ("hunter2", "never a parameter"),
        ]:
            with pytest.raises(tc.errors.ParameterError, match=message):
                tc.protect.Pseudonyms(key=key).fit_transform(self.table)


def test_identifiers_stay_dropped_by_the_others() -> None:
    with pytest.warns(tc.errors.TacitWarning, match="dropped the identifier"):
        assert list(
            tc.protect.Noise(columns=["age"])
            .fit_transform(TestPseudonyms.table)
            .columns
        ) == ["age"]


def test_an_open_class_is_words_and_never_a_number() -> None:
    """Children of 0 to 14 came out as age 15, which is the age of nobody among them."""
    table = pd.DataFrame({"age": [3, 20, 95]})
    made = tc.protect.Recoding(intervals={"age": [15, 30, 90]}, columns=["age"])
    assert made.fit_transform(table)["age"].tolist() == [
        "under 15",
        "[15, 30)",
        "90 and more",
    ]
    inside = made.fit_transform(pd.DataFrame({"age": [16, 20, 31]}))
    assert inside["age"].tolist() == [22, 22, 60]
