"""Records named with certainty, and subgroups: by hand, where averages hide them, false alarms."""

import numpy as np
import pytest
from scipy.stats import binom

import tacit as tc
from tacit.risk.subgroups import _largest, _luck, _rarest
from tacit.risk.worst_off import _trusted_head


def business(n, seed):
    """Five columns of firms, all of them driven by size."""
    rng = np.random.default_rng(seed)
    size = 1.5 * rng.normal(size=n)
    names = ["turnover", "staff", "assets", "wages", "exports"]
    return {name: np.exp(size + 0.5 * rng.normal(size=n)) for name in names}


def mixed(n, rng):
    """Skewed numbers and categories of which some are rare."""
    size = rng.normal(size=n)
    town = np.minimum(rng.geometric(0.3, size=n), 10)
    return {"a": np.exp(size), "b": size + rng.normal(size=n), "town": town}


def test_the_trusted_head_by_hand():
    nan = np.nan
    head = lambda sure, right: (  # noqa: E731
        _trusted_head(np.array(sure, float), np.array(right, float))
        .astype(int)
        .tolist()
    )
    # 9 of 10 are right, 9 of 11 are not enough
    assert head(range(11, 0, -1), [1, 0, *[1] * 8, 0]) == [1] * 10 + [0]
    assert head([5, 4, 3], [0, 1, 1]) == [0, 0, 0]
    # equal sureness enters together or not at all
    assert head([2, 1, 1], [1, 1, 0]) == [1, 0, 0]
    assert head([1, 1, 2], [1, 0, 1]) == [0, 0, 1]
    assert head([nan, 2, 1], [1, 1, 1]) == [0, 1, 1]
    assert head([nan, nan], [1, 1]) == [0, 0]


def test_a_few_raw_records_are_found_below_any_average():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 4))
    z = rng.normal(size=x.shape)
    z[:20] = x[:20]
    got = tc.assess(x, z, risks=["strongest", "worst_off"], losses=[])
    assert got.risk["strongest"].value < 0.05
    worst = got.risk["worst_off"]
    assert worst.value == pytest.approx(20 / 600)
    assert worst.per_record.tolist() == [1] * 20 + [0] * 580
    assert "worst_off" in [row.name for row in got.verdict.failing]
    order = rng.permutation(600)
    turned = tc.risk.worst_off(x[order], z[order])
    assert turned.value == worst.value


def test_fewer_than_five_may_be_luck_and_ties_are_not_certain():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(300, 4))
    z = rng.normal(size=x.shape)
    z[:4] = x[:4]
    assert tc.risk.worst_off(x, z).value == 0
    twice = np.repeat(x, 2, axis=0)
    assert tc.risk.worst_off(twice, twice).value == 0


@pytest.mark.slow
def test_the_largest_firms_are_found_though_the_average_is_low():
    x = tc.Microdata.of(business(1000, 0))
    z = tc.protect.Noise(percent=250, random_state=1).fit_transform(x)
    got = tc.assess(x, z, risks=["strongest", "subgroups"], losses=[])
    assert got.risk["strongest"].value < 0.05
    subgroups = got.risk["subgroups"]
    assert subgroups.value > 0.25
    assert [row.name for row in got.verdict.failing] == ["subgroups"]
    rows = subgroups.details["subgroups"]
    assert rows["largest by wages"]["records"] == 20
    assert rows["largest over all columns"]["found"] >= 8
    total = sum(x.column(name) / x.column(name).std() for name in x.names)
    for title, row in rows.items():
        column = title.removeprefix("largest by ")
        values = total if column.startswith("largest") else x.column(column)
        largest = np.argsort(-values)[:20]
        found = got.attacks[row["attacker"]].success[largest].sum()
        assert row["found"] == pytest.approx(found)


@pytest.mark.parametrize("found", [4, 5])
def test_fewer_than_five_of_a_subgroup_do_not_count(found):
    rng = np.random.default_rng(9)
    x = {"pay": np.exp(rng.normal(size=500)), "age": rng.normal(size=500)}
    z = {"pay": np.full(500, 0.01), "age": 100 + rng.normal(size=500)}
    largest = np.argsort(-x["pay"])[:found]
    for name in x:
        z[name][largest] = x[name][largest]
    link = tc.attack.Nearest().link(x, z)
    got = tc.risk.subgroups(x, z, attacks={"nearest": link})
    assert got.details["subgroups"]["largest by pay"]["found"] == found
    assert got.value == (0.25 if found == 5 else 0)


def test_members_of_subgroups_by_hand():
    assert _largest(np.array([5.0, 1, 9, 7, np.nan]), 2).tolist() == [2, 3]
    assert _largest(np.array([5.0, 5, 9, 1]), 2).tolist() == [0, 1, 2], "ties enter"
    # category 0: 1 record, 1 and 2: 2 records each, 3: 4 records
    town = np.array([0.0, 1, 1, 2, 2, 3, 3, 3, 3])
    assert _rarest(town, 1).tolist() == [0]
    assert _rarest(town, 2).tolist() == [0, 1, 2, 3, 4]
    assert _rarest(town, 6).tolist() == [], "the commonest is never rare"


def test_subgroups_of_persons_count_persons():
    """Thirty persons of four rows; the eight with the largest row are found by one row each."""
    rng = np.random.default_rng(5)
    pay = np.exp(2 * rng.normal(size=120))
    frame = {"id": np.repeat(np.arange(30), 4), "pay": pay, "age": rng.normal(size=120)}
    x = tc.Microdata.of(frame, person="id", quasi=["pay", "age"])
    z = {name: frame[name] for name in ("pay", "age")}
    link = tc.attack.Nearest().link(x, z)
    rows = tc.risk.subgroups(x, z, attacks={"nearest": link}).details["subgroups"]
    # a quarter of the persons, since the file is small
    assert rows["largest by pay"]["records"] == 7
    assert rows["largest by pay"]["found"] == 7


def test_luck_is_never_understated():
    for found, records, chance in ((5, 20, 0.05), (3, 20, 0.001), (20, 20, 0.1)):
        exact = binom.sf(found - 1, records, chance)
        assert exact <= _luck(found, records, chance) * (1 + 1e-9)
    assert _luck(1, 20, 0.1) == 1


def test_independent_files_give_no_alarm():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = (60, 150, 400)[seed % 3]
        x = tc.Microdata.of(mixed(n, rng), nominal=["town"])
        z = tc.Microdata.of(mixed(n, rng))
        attacks = {"nearest": tc.attack.Nearest().link(x, z)}
        assert tc.risk.worst_off(x, z, attacks=attacks).value == 0
        assert tc.risk.subgroups(x, z, attacks=attacks).value == 0


def test_measures_that_summarise_attacks_are_given_those_that_ran():
    x = tc.Microdata.of(business(100, 3))
    names = ["strongest", "worst_off"]
    attackers = {"mine": tc.attack.Nearest(scale="range")}
    got = tc.assess(x, x, attackers=attackers, risks=names, losses=[])
    assert list(got.risk["worst_off"].details["by attacker"]) == ["mine"]
    assert list(got.risk["strongest"].details["rates"]) == ["mine"]
