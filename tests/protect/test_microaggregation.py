"""Microaggregation: k on what is released, names, kinds, and the figures on Census."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.protect.grouping import aggregates
from tacit.protect.grouping.aggregates import coordinates, group_medians, group_modes
from tacit.protect.grouping.column_blocks import blocks, parse

PARTITIONS = ["mdav", "vmdav", "mu-approx", "individual", "zscores", "pca"]


def smallest_class(masked: pd.DataFrame) -> int:
    return int(
        masked.groupby(list(masked.columns), dropna=False, observed=True).size().min()
    )


@given(
    st.sampled_from(PARTITIONS),
    st.integers(2, 6),
    st.integers(0, 60),
    st.integers(0, 100),
    st.booleans(),
)
def test_every_released_combination_of_a_block_occurs_k_times(
    partition: str, k: int, extra: int, seed: int, gaps: bool
) -> None:
    rng = np.random.default_rng(seed)
    n = k + extra
    table = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(1),
            "b": rng.integers(0, 20, n),
            "c": rng.choice(["x", "y", "z"], n),
            "d": pd.Categorical(
                rng.choice(["lo", "mid", "hi"], n),
                categories=["lo", "mid", "hi"],
                ordered=True,
            ),
        }
    )
    if gaps:
        table.loc[rng.random(n) < 0.2, "a"] = np.nan
    method = tc.protect.Microaggregation(k=k, partition=partition, gaps="fill")
    masked = method.fit_transform(
        tc.Microdata.of(table, nominal=["c"], continuous=["b"])
    ).to_native()
    for block in method.blocks_:
        assert smallest_class(masked[block]) >= k
    assert np.asarray(method.labels_).shape[0] == n
    for labels in np.asarray(method.labels_).reshape(n, -1).T:
        assert np.bincount(labels).min() >= k


@pytest.mark.parametrize("partition", PARTITIONS)
def test_the_order_of_the_rows_does_not_matter(partition: str) -> None:
    rng = np.random.default_rng(3)
    table = np.round(rng.normal(size=(90, 3)), 1)  # many ties
    shuffled = rng.permutation(90)
    method = tc.protect.Microaggregation(k=4, partition=partition)
    direct = method.fit_transform(table)
    other = method.fit_transform(table[shuffled])
    both = np.hstack([table[shuffled], direct[shuffled]])
    assert sorted(map(tuple, both)) == sorted(
        map(tuple, np.hstack([table[shuffled], other]))
    )


@pytest.fixture(scope="module")
def census(census_like: pd.DataFrame) -> pd.DataFrame:
    return census_like.astype(float)


class TestCensus:
    @pytest.mark.parametrize("k", [2, 3, 5, 10])
    def test_optimal_univariate_never_loses_to_fixed_size(
        self, census: pd.DataFrame, k: int
    ) -> None:
        for column in census.columns:
            optimal = tc.protect.Microaggregation(
                k=k, partition="individual", columns=[column]
            ).fit(census)
            fixed = tc.protect.Microaggregation(
                k=k, partition="individual", univariate="fixed", columns=[column]
            ).fit(census)
            assert optimal.sse_ <= fixed.sse_ * (1 + 1e-12)

    @pytest.mark.parametrize("partition", ["mdav", "vmdav", "mu-approx"])
    def test_groups_have_k_to_2k_minus_1_records(
        self, census: pd.DataFrame, partition: str
    ) -> None:
        for k in (3, 5, 10):
            fitted = tc.protect.Microaggregation(k=k, partition=partition).fit(census)
            sizes = np.bincount(fitted.labels_)
            assert k <= sizes.min() <= sizes.max() <= 2 * k - 1

    @pytest.mark.parametrize(
        "name",
        ["Mic2", "Mic3", "Mic4", "Mic5", "Mic6", "MicAll", "MicIR", "MicZ", "MicPCP"],
    )
    def test_methods_named_by_the_papers(self, census: pd.DataFrame, name: str) -> None:
        method = tc.protect.Microaggregation.named(name, k=4)
        masked = method.fit_transform(census)
        assert all(smallest_class(masked[block]) >= 4 for block in method.blocks_)
        expected = {"MicAll": 1, "MicIR": 13, "MicZ": 1, "MicPCP": 1}.get(name) or -(
            -13 // int(name[3:])
        )
        assert len(method.blocks_) == expected
        again = tc.protect.Microaggregation(k=4, groups=name).fit_transform(census)
        pd.testing.assert_frame_equal(again, masked)

    def test_blocks_with_a_k_each(self, census: pd.DataFrame) -> None:
        method = tc.protect.Microaggregation.named("Mic2236-8.3.10.5")
        masked = method.fit_transform(census)
        assert [len(block) for block in method.blocks_] == [2, 2, 3, 6]
        assert [
            smallest_class(masked[b]) >= k
            for b, k in zip(method.blocks_, (8, 3, 10, 5), strict=True)
        ] == [True] * 4
        assert np.bincount(method.labels_[:, 1]).min() == 3


def test_names_and_lists_of_blocks() -> None:
    assert parse("Mic553-8.2.5").ks == (8, 2, 5)
    columns = list("abcde")
    assert blocks(columns, [["a", "c"], ["b", "d", "e"]], [2, 3]) == [
        (["a", "c"], 2),
        (["b", "d", "e"], 3),
    ]
    assert blocks(columns, "Mic23-4.5", 3) == [(["a", "b"], 4), (["c", "d", "e"], 5)]
    assert blocks(columns, "Mic2", 3)[-1] == (["e"], 3)


@pytest.mark.parametrize(
    ("groups", "k", "message"),
    [
        ("Micro", 3, "not understood"),
        ("Mic553-2.8.5", 3, "is for 13 columns"),
        ([["x0"]], 3, "leaves out 'x1'"),
        ([["x0", "x0", "x1"]], 3, "twice"),
        ([["x0", "q"]], 3, "names 'q'"),
        (1, [2, 3, 4], "2 blocks of columns but 3 values"),
    ],
)
def test_wrong_blocks_are_one_sentence(groups: object, k: object, message: str) -> None:
    with pytest.raises(tc.TacitError, match=message):
        tc.protect.Microaggregation(k=k, groups=groups).fit_transform(np.zeros((9, 2)))


def test_fewer_records_than_k_is_an_error() -> None:
    with pytest.raises(
        tc.errors.ParameterError, match="larger than the number of records"
    ):
        tc.protect.Microaggregation(k=5).fit_transform(np.zeros((4, 2)))


def test_a_true_minus_999_is_a_value() -> None:
    table = np.array([[-999.0], [-999.0], [-999.0], [5.0], [6.0], [7.0]])
    assert (
        tc.protect.Microaggregation(k=3).fit_transform(table)[:, 0].tolist()
        == [-999.0] * 3 + [6.0] * 3
    )


def test_missing_values_are_averaged_by_the_right_count() -> None:
    table = np.array(
        [[1.0, 10.0], [1.0, np.nan], [1.0, 14.0], [9.0, 50.0], [9.0, 50.0], [9.0, 50.0]]
    )
    masked = tc.protect.Microaggregation(k=3, gaps="fill").fit_transform(table)
    assert masked[:3].tolist() == [[1.0, 12.0]] * 3


def test_distances_of_mixed_kinds_are_those_of_001() -> None:
    kinds = [tc.Kind.nominal, tc.Kind.ordinal]
    codes = np.array([[0, 0], [0, 4], [1, 0], [2, 3.0]])
    points = coordinates(codes, kinds, [3, 5])
    squared = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    plain = (codes[:, None, 0] != codes[None, :, 0]) + np.abs(
        codes[:, None, 1] - codes[None, :, 1]
    ) / 5
    np.testing.assert_allclose(squared, plain, atol=1e-12)


def test_columns_of_many_categories_keep_their_distances_about() -> None:
    codes = np.column_stack([np.arange(500.0), np.arange(500.0)])
    ordinal = coordinates(codes[:, :1], [tc.Kind.ordinal], [500])
    nominal = coordinates(codes[:, :1], [tc.Kind.nominal], [500])
    assert ordinal.shape[1] <= 64
    assert nominal.shape[1] == 64
    rows = np.array([[0, 499], [10, 260], [37, 38]])
    squared = ((ordinal[rows[:, 0]] - ordinal[rows[:, 1]]) ** 2).sum(axis=1)
    assert squared == pytest.approx(np.abs(rows[:, 0] - rows[:, 1]) / 500, abs=1 / 64)
    apart = ((nominal[:250] - nominal[250:]) ** 2).sum(axis=1)
    assert apart.mean() == pytest.approx(1, abs=0.05)
    assert apart.min() > 0.3


def test_medians_and_modes() -> None:
    labels = np.array([0, 0, 0, 0, 1, 1, 1])
    assert group_medians(np.array([[4.0], [1], [3], [2], [7], [np.nan], [9]]), labels)[
        :, 0
    ].tolist() == [2.0, 7.0]
    codes = np.array([0.0, 1, 1, 0, 2, 1, 2])
    assert group_modes(codes, labels, 3).tolist() == [
        1.0,
        2.0,
    ]  # 0 and 1 tie; 1 is more frequent in the file


def plain_weighted(values: np.ndarray, weights: np.ndarray, kind: str) -> float:
    """One group, one value at a time."""
    if kind == "mean":
        return (
            float(np.average(values, weights=weights))
            if weights.sum()
            else float(values.mean())
        )
    return next(
        v
        for v in np.sort(values)
        if weights[values <= v].sum() >= weights.sum() / 2 - 1e-9
    )


@pytest.mark.parametrize("seed", range(6))
def test_weighted_averages_of_groups(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(8), 5))
    values = rng.integers(0, 4, 40).astype(float)
    weights = rng.choice([0.0, 1.0, 2.5, 10.0], 40) if seed else np.ones(40)
    weights[labels == 3] = 0.0 if seed == 1 else 1.0
    means = aggregates.group_means(values[:, None] + 1e9, labels, weights)[:, 0] - 1e9
    medians = aggregates.group_medians(values[:, None], labels, weights)[:, 0]
    modes = aggregates.group_modes(values, labels, 4, weights)
    for g in range(8):
        here = labels == g
        assert means[g] == pytest.approx(
            plain_weighted(values[here], weights[here], "mean"), abs=1e-6
        )
        assert medians[g] == plain_weighted(values[here], weights[here], "median")
        heaviest = [weights[here & (values == v)].sum() for v in range(4)]
        assert weights[here & (values == modes[g])].sum() == pytest.approx(
            max(heaviest)
        )
    if not seed:
        assert means == pytest.approx(
            aggregates.group_means(values[:, None], labels)[:, 0]
        )
        assert np.array_equal(
            medians, aggregates.group_medians(values[:, None], labels)[:, 0]
        )
        assert np.array_equal(modes, aggregates.group_modes(values, labels, 4))


def test_sampling_weights_keep_weighted_totals() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "pay": rng.lognormal(8, 1, 90),
            "age": rng.normal(40, 9, 90),
            "w": rng.uniform(1, 50, 90),
        }
    )
    data = tc.Microdata.of(frame, quasi=["pay", "age"], weight=["w"])
    method = tc.protect.Microaggregation(k=4)
    masked = method.fit_transform(data).to_native()
    assert (masked["w"] == frame["w"]).all()
    for name in ("pay", "age"):
        assert (masked[name] * frame.w).sum() == pytest.approx(
            (frame[name] * frame.w).sum()
        )
    assert masked.groupby(["pay", "age"]).size().min() >= 4
    plain = (
        tc.protect.Microaggregation(k=4, weighted=False).fit_transform(data).to_native()
    )
    assert np.array_equal(
        plain[["pay", "age"]],
        tc.protect.Microaggregation(k=4).fit_transform(frame[["pay", "age"]]),
    )
    assert plain["pay"].sum() == pytest.approx(frame["pay"].sum())
    rows = rng.permutation(90)
    turned = method.fit_transform(data.take(rows)).to_native()
    assert np.array_equal(turned["pay"], masked["pay"].to_numpy()[rows])
    frame.loc[3, "w"] = -1.0
    with pytest.raises(tc.errors.InputError, match="'w', row 4: a sampling weight"):
        method.fit_transform(tc.Microdata.of(frame, quasi=["pay"], weight=["w"]))
