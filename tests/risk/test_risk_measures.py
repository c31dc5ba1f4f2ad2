"""Every risk measure: by hand on a small table, documented, the same for any order of rows."""

from importlib import import_module

import numpy as np
import pytest

import tacit as tc
from tacit.risk import registry

ORIGINAL = {
    "age": [20.0, 25.0, 31.0, 40.0, 52.0, 60.0],
    "pay": [1.0, 2.0, 4.0, 3.0, 7.0, 9.0],
    "town": ["a", "a", "b", "b", "b", "c"],
    "sex": ["f", "f", "m", "m", "f", "m"],
    "ill": ["no", "yes", "no", "no", "yes", "no"],
    "w": [10.0, 10.0, 20.0, 20.0, 5.0, 4.0],
    "home": [1, 1, 2, 2, 3, 3],
}
ROLES = {
    "quasi": ["age", "pay", "town", "sex"],
    "confidential": ["ill"],
    "weight": "w",
    "household": "home",
    "nominal": ["town", "sex", "ill", "home"],
}
MASKED = ORIGINAL | {
    "age": [22.0, 22.0, 36.0, 36.0, 55.0, 55.0],
    "pay": [1.5, 1.5, 3.5, 3.5, 8.0, 8.0],
}
KEYS = ["town", "sex"]  # classes: {1, 2}, {3, 4}, {5}, {6}


@pytest.fixture(scope="module")
def pair():
    return tc.Microdata.of(ORIGINAL, **ROLES), tc.Microdata.of(MASKED)


def run(name, pair, **options):
    return registry[name](*pair, **options)


def test_k_anonymity(pair):
    got = run("k_anonymity", pair, k=2)
    assert got.value == pytest.approx(2 / 6)
    assert got.per_record.tolist() == [0, 0, 0, 0, 1, 1]
    # without sex, town leaves c alone: 1/6; without town, sex leaves nobody alone
    assert got.per_column == pytest.approx({"sex": 2 / 6 - 1 / 6, "town": 2 / 6})


def test_individual_and_household(pair):
    p = 2 / 20, 2 / 40
    two = [x / (1 - x) + (x / (1 - x)) ** 2 * np.log(x) for x in p]
    alone = [np.log(5) / 4, np.log(4) / 3]
    risk = [two[0], two[0], two[1], two[1], *alone]
    assert run("individual", pair).per_record == pytest.approx(risk)
    together = (
        [1 - (1 - two[0]) ** 2] * 2
        + [1 - (1 - two[1]) ** 2] * 2
        + [1 - (1 - alone[0]) * (1 - alone[1])] * 2
    )
    assert run("household", pair).value == pytest.approx(np.mean(together))


def test_l_diversity_and_t_closeness(pair):
    # groups by town and sex hold {no, yes}, {no, no}, {yes}, {no}
    got = run("l_diversity", pair, l=2, keys=KEYS)
    assert got.value == pytest.approx(4 / 6)
    assert got.details["ill"]["distinct"] == {
        "min": 1.0,
        "mean": pytest.approx(8 / 6),
        "max": 2.0,
    }
    # the file has 4 no, 2 yes: distances 1/6, 1/3, 2/3, 1/3
    assert run("t_closeness", pair, keys=KEYS).value == pytest.approx(2 / 3)


def test_suda(pair):
    # {5}: town b & sex f is its only set of two; {6}: town c alone is enough
    got = run("suda", pair)
    assert got.per_column == pytest.approx({"sex": 50, "town": 100})
    assert (got.per_record > 0).tolist() == [False] * 4 + [True, True]
    # Q = 1.3, both scores 1! = 0! = 1, P = 4 records in pairs, f = 6 / 69
    assert got.per_record[5] == pytest.approx(1 / (1 + 4 * (63 / 6) / 2))


def test_population_uniques(pair):
    got = run("population_uniques", pair)
    assert got.value == pytest.approx((1 / 5 + 1 / 4) / 6)
    f = 6 / 69
    assert got.details["DIS"] == pytest.approx(2 * f / (2 * f + 2 * 2 * (1 - f)))


def test_prosecutor_journalist_marketer(pair):
    assert run("prosecutor", pair).value == 1
    assert run("journalist", pair).value == pytest.approx(1 / 4)
    assert run("marketer", pair).value == pytest.approx(
        np.mean([1 / 20, 1 / 20, 1 / 40, 1 / 40, 1 / 5, 1 / 4])
    )


def test_strongest(pair):
    # groups of two identical masked records (age, pay, town, sex): the link is right half of
    # the time, except that town and sex tell the last two apart
    got = run("strongest", pair)
    assert got.value == pytest.approx((4 * 0.5 + 2) / 6)
    assert got.per_record == pytest.approx([0.5, 0.5, 0.5, 0.5, 1, 1])


def test_pld_is_computed_or_says_loudly_that_it_is_not(monkeypatch):
    from tacit.base.errors import InputError
    from tacit.risk import averaged_linkage

    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 4))
    z = x + 0.05 * rng.normal(size=x.shape)
    got = tc.risk.pld(x, z)
    assert set(got.details["rate by attributes known"]) == {"1", "2"}
    assert 0 < got.value <= 1

    class Refuses:
        def __init__(self, columns):
            self.columns = columns

        def link(self, original, masked, truth):
            if len(self.columns) > 1:
                raise InputError("too many patterns")
            return tc.attack.Nearest(columns=self.columns).link(
                original, masked, truth=truth
            )

    monkeypatch.setattr(averaged_linkage, "attackers", {"probabilistic": Refuses})
    part = tc.risk.pld(x, z)
    assert set(part.details["rate by attributes known"]) == {"1"}
    assert part.details["NOT COMPUTED for so many attributes"] == {
        "2": "too many patterns"
    }
    monkeypatch.setattr(averaged_linkage, "attackers", {})
    gone = tc.risk.pld(x, z)
    assert gone.value != gone.value
    assert "NOT COMPUTED" in gone.details["not computed"]


def test_columns_left_alone_are_linked_by_alone():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 4))
    z = x.copy()
    z[:, :3] = rng.normal(size=(80, 3)) * 9
    assert tc.attack.Nearest().link(x, z).rate < 0.2
    got = tc.risk.strongest(x, z)
    assert got.value == 1
    assert got.details["attacker"] == "unchanged_columns"
    result = tc.assess(x, z, attackers=["nearest"], risks=["strongest"], losses=[])
    assert list(result.attacks) == ["nearest", "unchanged_columns"], (
        "whoever decides the verdict is in the table"
    )
    assert result.strongest == (
        "unchanged_columns",
        result.attacks["unchanged_columns"],
    )
    assert result.strongest[1].columns == ("x3",)
    assert result.risk["strongest"].value == result.strongest[1].rate
    rows = rng.permutation(80)
    turned = tc.assess(
        x, z[rows], truth=np.argsort(rows), attackers=["nearest"], risks=[], losses=[]
    )
    assert turned.strongest[1].rate == 1
    alone = tc.assess(
        x, z, attackers={"nearest": tc.attack.Nearest()}, risks=[], losses=[]
    )
    assert list(alone.attacks) == ["nearest"], (
        "attackers given as objects are run as they are"
    )


def test_interval_by_rank_and_sd():
    x = {"v": [1.0, 2.0, 3.0, 4.0, 5.0]}
    z = {"v": [1.0, 3.0, 2.0, 9.0, 5.0]}
    # sorted masked: 1 2 3 5 9; one rank to either side of
    # 1: [1, 2], 3: [2, 5], 2: [1, 3], 9: [5, 9], 5: [3, 9]
    got = tc.risk.interval(x, z, widths=[0.2])
    assert got.per_record.tolist() == [1, 1, 1, 0, 1]
    assert got.value == pytest.approx(0.8)
    # of the originals 1..5 these hold 2, 4, 3, 1, 3
    assert got.details["chance"] == pytest.approx(13 / 25)
    sd = np.std([1, 2, 3, 4, 5])
    assert tc.risk.interval_sd(x, z, widths=[1 / sd]).per_record.tolist() == [
        1,
        1,
        1,
        0,
        1,
    ]
    assert tc.risk.interval_sd(x, z, widths=[0.5 / sd]).per_record.tolist() == [
        1,
        0,
        0,
        0,
        1,
    ]


def test_attribute_disclosure(pair):
    # linked groups: {1, 2} hold no, yes; {3, 4} no, no; 5 and 6 are alone
    got = run("attribute", pair)
    assert got.per_record == pytest.approx([0.5, 0.5, 1, 1, 1, 1])
    assert got.details["chance"] == pytest.approx((4 * 4 + 2 * 2) / 36)


def test_attribute_disclosure_of_numbers():
    x = {"q": [1.0, 2.0, 3.0, 4.0], "c": [0.0, 10.0, 20.0, 30.0]}
    z = {"q": [1.5, 1.5, 3.5, 3.5], "c": [0.0, 10.0, 20.0, 30.0]}
    sd = np.std(x["c"])
    data = tc.Microdata.of(x, quasi=["q"], confidential=["c"])
    assert tc.risk.attribute(data, z, width=1.0 / sd).value == pytest.approx(0.5)
    assert tc.risk.attribute(data, z, width=10.0 / sd).value == pytest.approx(1.0)


def test_dld_averages_over_what_the_intruder_knows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 4))
    z = x + 0.3 * rng.normal(size=x.shape)
    got = tc.risk.dld(x, z, draws=100)
    names = ["x0", "x1", "x2", "x3"]
    link = lambda columns: tc.attack.Nearest(columns=columns).link(x, z).rate  # noqa: E731
    one = np.mean([link([a]) for a in names])
    two = np.mean([link([a, b]) for i, a in enumerate(names) for b in names[i + 1 :]])
    assert got.details["rate by attributes known"] == pytest.approx(
        {"1": one, "2": two}
    )
    assert got.value == pytest.approx((one + two) / 2)
    assert one < two


def test_a_sample_of_originals_is_linked_when_there_are_many(monkeypatch):
    from tacit.risk import averaged_linkage

    monkeypatch.setattr(averaged_linkage, "LARGEST_SAMPLE", 50)
    x = np.random.default_rng(0).normal(size=(200, 2))
    got = tc.risk.dld(x, x)
    assert got.value == 1
    assert got.details["originals linked"] == 50
    assert got.per_record is None


def test_what_is_too_large_to_assign_or_to_search_says_so(monkeypatch):
    # tc.risk.suda is the function; the file of the same name is imported by its path
    suda_file = import_module("tacit.risk.suda")

    x = np.random.default_rng(0).normal(size=(20, 2))
    assert (
        "more than largest=10"
        in tc.risk.dld_assignment(x, x, largest=10).details["not computed"]
    )
    keys = {f"k{j}": np.random.default_rng(j).integers(0, 2, 40) for j in range(5)}
    data = tc.Microdata.of(keys, nominal=list(keys))
    assert "sets of at most" not in tc.risk.special_uniques(data, data).details
    monkeypatch.setattr(suda_file, "MOST_WORK", 100)
    assert tc.risk.special_uniques(data, data).details["sets of at most"] == 3


def test_what_does_not_apply_has_no_value_and_says_why():
    numbers = np.random.default_rng(0).normal(size=(30, 3))
    for name in (
        "individual",
        "suda",
        "prosecutor",
        "household",
        "l_diversity",
        "attribute",
    ):
        got = registry[name](numbers, numbers)
        assert not got.computed
        assert got.value != got.value
        assert got.to_dict()["value"] is None
        assert got.details["not computed"]


@pytest.mark.parametrize("name", list(registry))
def test_documented_and_blind_to_row_order(name, pair):
    text = registry[name].__doc__
    assert text
    assert "Range" in text
    assert "igher" in text
    assert "0:" in text or "ear 0" in text
    original, masked = pair
    order = np.random.default_rng(5).permutation(original.n)
    one, two = run(name, pair), registry[name](original.take(order), masked.take(order))
    assert one.name == name
    assert two.value == pytest.approx(one.value, nan_ok=True)
    low, high = one.range
    assert one.value != one.value or low - 1e-12 <= one.value <= high + 1e-12
    if one.per_record is not None:
        assert two.per_record == pytest.approx(one.per_record[order])


def test_the_release_is_read_with_the_roles_of_the_original(pair):
    """Masked files come without roles: keys, weights and households are the original's."""
    got = run("individual", pair)
    assert got.details["method"] == "exact"
    assert run("k_anonymity", pair).details["keys"] == ["town", "sex"]
