"""Strata: within each of them a method does what it does to a file, and its intruder knows it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit as tc
from tacit.attack.informed.aware import Aware
from tacit.base.errors import ColumnError, InputError, ParameterError
from tacit.data.microdata import Microdata

NUMBERS = ["x0", "x1", "x2", "x3"]
METHODS = {
    "rank_swapping": {"p": 30, "columns": NUMBERS},
    "microaggregation": {"k": 5, "columns": NUMBERS},
    "shuffling": {"columns": NUMBERS[:2], "given": NUMBERS[2:]},
    "resampling": {"samples": 1, "columns": NUMBERS},
    "pram": {"diagonal": 0.5, "columns": ["edu", "job"]},
}


def people(n: int = 300, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    region = rng.choice(list("abcd"), n)
    far = np.searchsorted(list("abcd"), region)
    table = pd.DataFrame(
        rng.normal(size=(n, 4)) + 0.5 * far[:, None], columns=NUMBERS
    ).assign(region=region, year=rng.integers(2001, 2003, n))
    table["edu"] = rng.choice(list("uvwxyz"), n)
    table["job"] = rng.choice(list("uvwxyzabc"), n)
    return table


def made(name: str, by: list[str] | None, seed: int = 7):
    given = {**METHODS[name], "by": by}
    if name != "microaggregation":
        given["random_state"] = seed
    return tc.protect.registry[name](**given)


@pytest.mark.parametrize("name", METHODS)
def test_seed_law_and_row_order_of_strata(name):
    table = people()
    once = made(name, ["region"]).fit_transform(table)
    pd.testing.assert_frame_equal(
        once, made(name, ["region"]).fit(table).transform(table)
    )
    assert not once.equals(table)
    pd.testing.assert_frame_equal(once[["region", "year"]], table[["region", "year"]])


@pytest.mark.parametrize("name", ["rank_swapping", "shuffling"])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000))
def test_the_values_of_a_stratum_stay_in_it(name, seed):
    table = people(seed=seed)
    columns = METHODS[name]["columns"]
    masked = made(name, ["region", "year"]).fit_transform(table)
    for key, group in table.groupby(["region", "year"]):
        other = masked[(masked.region == key[0]) & (masked.year == key[1])]
        for column in columns:
            assert sorted(group[column]) == sorted(other[column])


def test_groups_lie_inside_strata_and_have_k_records():
    table = people()
    masked = made("microaggregation", ["region"]).fit_transform(table)
    classes = masked.groupby(NUMBERS)
    assert classes.region.nunique().max() == 1
    assert classes.size().min() >= 5
    # the mean of a stratum is that of its records
    np.testing.assert_allclose(
        masked.groupby("region")[NUMBERS].mean(),
        table.groupby("region")[NUMBERS].mean(),
    )


def test_each_stratum_has_its_own_protector():
    swapping = made("pram", ["region"]).fit(people())
    assert [key[1:] for key in swapping.parts_.fitted] == [
        ("a",),
        ("b",),
        ("c",),
        ("d",),
    ]
    shares = [made_.matrices_["edu"] for made_ in swapping.parts_.fitted.values()]
    assert not np.array_equal(shares[0], shares[1])


def test_a_stratum_that_is_too_small_is_named():
    table = people()
    table.loc[table.index[:4], "region"] = "tiny"
    with pytest.raises(ParameterError, match=r"stratum region=tiny: k=5 .*merge it"):
        made("microaggregation", ["region"]).fit_transform(table)
    table.loc[table.index[1:4], "region"] = "a"
    with pytest.raises(
        InputError, match=r"region=tiny has 1 record.*leave a column out"
    ):
        made("rank_swapping", ["region"]).fit_transform(table)


def test_a_stratum_that_the_fit_did_not_see_is_named():
    table = people()
    swapping = made("rank_swapping", ["region"]).fit(table[table.region != "d"])
    with pytest.raises(InputError, match="region=d was not in the file"):
        swapping.transform(table)


def test_strata_must_stay_as_they_are():
    with pytest.raises(ColumnError, match="'x0' is both masked and in by"):
        made("rank_swapping", ["x0"]).fit_transform(people())
    with pytest.raises(ColumnError, match="no column 'nowhere'"):
        made("rank_swapping", ["nowhere"]).fit_transform(people())
    # unless columns are named, those of by are not among them
    table = people()[[*NUMBERS, "region"]]
    swapping = tc.protect.RankSwapping(p=10, by=["region"], random_state=1)
    assert (swapping.fit_transform(table).region == table.region).all()
    assert swapping.touches(Microdata.of(table)) == NUMBERS


def test_missing_strata_are_a_stratum():
    table = people()
    table.loc[table.index[:40], "region"] = None
    masked = made("rank_swapping", ["region"]).fit_transform(table)
    gone = table.region.isna()
    assert (masked.region.isna() == gone).all()
    assert sorted(masked[gone].x0) == sorted(table[gone].x0)


@pytest.mark.parametrize("name", METHODS)
def test_the_intruder_uses_the_strata(name):
    """One who cuts both files into strata finds no fewer than one who does not."""
    data = Microdata.of(people(400))
    protector = made(name, ["region"])
    masked = protector.fit_transform(data)
    columns = METHODS[name]["columns"]
    with_strata = Aware(plan=protector, columns=columns).link(data, masked)
    told_less = Aware(plan=made(name, None), columns=columns).link(data, masked)
    shown = ["region", *columns]
    and_sees_them = Aware(plan=made(name, None), columns=shown).link(data, masked)
    # a tie that breaks another way may cost a link or two in a hundred
    best = max(told_less.rate, and_sees_them.rate)
    assert with_strata.rate >= best - 0.01
    # columns that tell nothing of each other leave shuffling's intruder with chance
    assert name == "shuffling" or with_strata.rate > told_less.rate


def test_no_pair_of_two_strata_is_possible_and_no_true_one_impossible():
    data = Microdata.of(people(200))
    protector = made("rank_swapping", ["region"])
    masked = protector.fit_transform(data)
    evidence = Aware(plan=protector).evidence(data, masked, NUMBERS)
    ours, theirs = evidence.classes()
    cost = evidence.block(ours.rows, theirs.rows)[np.ix_(ours.inverse, theirs.inverse)]
    region = data.column("region")
    assert np.isinf(cost[region[:, None] != region[None, :]]).all()
    assert np.isfinite(np.diag(cost)).all()


def test_strata_that_the_release_does_not_show_are_not_used():
    data = Microdata.of(people(200))
    protector = made("resampling", ["region"])
    masked = protector.fit_transform(data).drop(["region"])
    found = Aware(plan=protector, columns=NUMBERS).link(data, masked)
    assert 0 <= found.rate <= 1


def test_a_block_of_a_large_file_has_no_strata():
    assert "stratum" in made("microaggregation", ["region"]).needs_whole_file()
