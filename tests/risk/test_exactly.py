"""Risk measures where a formula, threshold or side could be off by a little."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import gammaln

import tacit as tc
from tacit.attack.linkage import Linkage
from tacit.base.facts import facts_of
from tacit.risk import registry
from tacit.risk.benedetti_franconi import individual_risk
from tacit.risk.frequencies import frequencies
from tacit.risk.individual import household_risk, individual
from tacit.risk.interval import ends, equal_to
from tacit.risk.l_diversity import diversity
from tacit.risk.read_off import share_inside
from tacit.risk.strongest import strongest_of
from tacit.risk.subgroups import FEWEST, LUCK, _luck
from tacit.risk.superpopulation import by_pitman

GAP = None


def link(success, name="one", truth=None, score=None, columns=("a",)):
    """A linkage whose links succeed with these probabilities."""
    success = np.asarray(success, dtype=np.float64)
    n = len(success)
    rows = np.arange(n)
    return Linkage(
        attacker=name,
        knows="the columns",
        columns=columns,
        match=rows,
        score=np.zeros(n) if score is None else np.asarray(score, dtype=np.float64),
        margin=np.full(n, np.nan),
        success=success,
        ties=np.ones(n),
        truth=rows if truth is None else np.asarray(truth),
        masked_records=n,
        seconds=0.0,
    )


def test_no_threshold_of_the_verdict_moves_unnoticed():
    """A threshold that moves makes files safe that were not: it is changed here, knowingly."""
    thresholds = {
        name: facts_of(registry[name]).threshold
        for name in registry
        if facts_of(registry[name]).threshold is not None
    }
    assert thresholds == {
        "strongest": 0.05,
        "worst_off": 0.005,
        "subgroups": 0.25,
        "attribute_excess": 0.05,
        "interval_excess": 0.4,
        "k_anonymity": 0.0,
        "l_diversity": 0.0,
        "t_closeness": 0.3,
        "individual": 0.01,
        "household": 0.05,
        "household_keys": 0.05,
        "person_keys": 0.05,
        "suda": 0.01,
        "population_uniques": 0.001,
        "prosecutor": 0.34,
        "journalist": 0.2,
        "marketer": 0.05,
    }


def test_k_anonymity_lets_a_gap_match_every_value():
    """A suppressed key hides a record among others; as a category it would be alone."""
    data = tc.Microdata.of(
        {"town": ["a", "a", GAP], "sex": ["f", "f", "f"]}, nominal=["town", "sex"]
    )
    got = tc.risk.k_anonymity(data, data, k=3, keys=["town", "sex"])
    assert got.value == 0
    assert got.details["smallest group"] == 3
    apart = tc.risk.k_anonymity(
        data, data, k=3, keys=["town", "sex"], missing="category"
    )
    assert apart.value == 1


def test_the_strongest_attack_on_each_record_is_the_largest_and_not_a_mean():
    attacks = {
        "low": link([0.0, 1.0, 0.0], "low"),
        "high": link([1.0, 0.5, 0.5], "high"),
    }
    assert strongest_of(attacks) == "high"
    file = {"a": [1.0, 2.0, 3.0]}
    got = tc.risk.strongest(file, file, attacks=attacks)
    assert got.per_record.tolist() == [1.0, 1.0, 0.5]
    assert got.value == pytest.approx(2 / 3)
    assert got.details["attacker"] == "high"


def test_without_knowing_whose_row_is_whose_there_is_no_rate():
    file = {"a": [1.0, 2.0, 3.0]}
    attacks = {"one": link([0.0, 0.0, 0.0], truth=[-1, -1, -1])}
    assert not tc.risk.strongest(file, file, attacks=attacks).computed


def plain_pitman(sizes, population):
    """Maximum likelihood of Pitman's sampling formula, by a general optimiser."""
    n, u = int(sizes.sum()), len(sizes)

    def minus_log_likelihood(at):
        alpha, theta = at
        if not 0 < alpha < 1 or theta <= -alpha:
            return np.inf
        total = np.log(theta + alpha * np.arange(1, u)).sum()
        total -= np.log(theta + np.arange(1, n)).sum()
        total += sum(np.log(np.arange(1, size) - alpha).sum() for size in sizes)
        return -total

    best = minimize(
        minus_log_likelihood,
        [0.5, 10.0],
        method="Nelder-Mead",
        options={"xatol": 1e-7, "fatol": 1e-10, "maxiter": 4000},
    )
    alpha, theta = best.x
    growth = alpha * np.log(population)
    return np.exp(growth + gammaln(theta + 1) - gammaln(theta + alpha))


@pytest.mark.parametrize("seed", range(3))
def test_pitman_is_the_maximum_of_its_likelihood(seed):
    rng = np.random.default_rng(seed)
    drawn = (rng.pareto(0.8, 300) * 5).astype(int)
    sizes = np.unique(drawn, return_counts=True)[1]
    expected = plain_pitman(sizes, 5_000.0)
    assert by_pitman(sizes, 5_000.0) == pytest.approx(expected, rel=2e-4)


def test_a_population_is_never_smaller_than_its_sample():
    few = individual_risk(np.array([2.0, 3.0]), np.array([1.0, 0.5]))
    assert few.tolist() == pytest.approx([1 / 2, 1 / 3])
    data = tc.Microdata.of(
        {"town": ["a", "a"], "w": [0.25, 0.25]}, nominal=["town"], weight="w"
    )
    got = tc.risk.journalist(data, data, keys=["town"])
    assert got.value == pytest.approx(1 / 2)


def test_who_has_no_household_number_lives_alone():
    risk = household_risk(np.array([0.1, 0.2, 0.3]), np.array([0, -1, -1]))
    assert risk.tolist() == pytest.approx([0.1, 0.2, 0.3])


def test_the_threshold_of_a_wished_rate_counts_expected_persons():
    """Of risks 1/4 four times and 1 once, 0.25 a head leave room for the quarters alone."""
    risk = individual({"key": [1, 1, 1, 1, 2]}, ["key"])
    assert risk.threshold(0.25) == 0.25
    assert risk.threshold(0.05) == 0.25
    assert risk.threshold(0.01) == 0.0
    assert risk.threshold(1.0) == 1.0


def test_a_gap_is_no_value_of_a_confidential_column():
    data = {"key": [1, 1, 2, 2], "ill": ["no", GAP, "no", "yes"]}
    data = tc.Microdata.of(data, nominal=["key", "ill"])
    assert diversity(data, ["key"], "ill").distinct.tolist() == [1, 1, 2, 2]


def test_ranks_of_tied_values_reach_to_both_ends():
    z = np.array([1.0, 2.0, 2.0, 2.0, 3.0, 9.0])
    first, last = ends(equal_to(z), 1 / 6, len(z))
    assert z[first].tolist() == [1, 1, 1, 1, 2, 3]
    assert z[last].tolist() == [2, 3, 3, 3, 9, 9]


def test_a_suppressed_cell_discloses_no_interval():
    x = {"a": [1.0, 2.0, 3.0, 4.0]}
    z = {"a": [1.0, GAP, 3.0, GAP]}
    got = tc.risk.interval(x, z, by="sd", widths=[0.0])
    assert got.value == pytest.approx(2 / 4)
    assert got.per_record.tolist() == [1, 0, 1, 0]


def test_ranks_are_a_share_of_the_values_that_were_released():
    """A tenth of five released values is no rank at all; of ten, gaps counted, it would be one."""
    x = {"a": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5]}
    z = {"a": [2.5, 1.5, 4.5, 3.5, 5.5, *[GAP] * 5]}
    got = tc.risk.interval(x, z, by="rank", widths=[0.1])
    assert got.value == pytest.approx(1 / 10)


def test_ties_hide_nobody_who_is_named_with_certainty():
    """Of thirty, ten are told apart and found; twenty others tie and are left out of the count."""
    n = 30
    file = {"a": np.arange(float(n)) ** 2 / 7}
    alone = slice(10, 20)
    success = np.full(n, 0.5)
    success[alone] = 1.0
    one = link(success, score=np.arange(float(n)))
    ties = np.full(n, 2.0)
    ties[alone] = 1.0
    got = tc.risk.worst_off(file, file, attacks={"one": replace(one, ties=ties)})
    assert got.value == pytest.approx(10 / n)


def test_who_is_named_by_one_attacker_alone_is_named():
    file = {"a": np.arange(20.0) ** 2 / 7}
    sure = link([1.0] * 6 + [0.0] * 14, "sure", score=np.arange(20.0))
    blind = link([0.0] * 20, "blind")
    got = tc.risk.worst_off(file, file, attacks={"sure": sure, "blind": blind})
    assert got.value == pytest.approx(6 / 20)
    assert got.per_record.tolist() == [1.0] * 6 + [0.0] * 14


def test_luck_is_shared_by_all_subgroups_that_were_tried():
    """A group found beyond luck by itself is not, when many groups were looked at."""
    rng = np.random.default_rng(4)
    n = 400
    columns = {f"c{j}": np.exp(rng.normal(size=n) * 1.5) for j in range(6)}
    success = np.zeros(n)
    largest = np.argsort(columns["c0"])[-20:]
    # chance is 1 / 400; five found of twenty are beyond all luck
    success[largest[:5]] = 1.0
    masked = dict(columns)
    one = link(success, columns=tuple(columns))
    got = tc.risk.subgroups(columns, masked, attacks={"one": one})
    assert got.details["subgroups"]["largest by c0"]["beyond luck"]
    # the same find where chance is so high that it is luck over 7 groups and not over one
    chances = np.linspace(0.02, 0.2, 200)
    luck = np.array([_luck(FEWEST, 20, chance) for chance in chances])
    between = chances[(luck < LUCK) & (luck > LUCK / 7)][0]
    records = round(1 / between)
    spread = replace(one, masked_records=records)
    assert spread.released_chance == pytest.approx(1 / records)
    got = tc.risk.subgroups(columns, masked, attacks={"one": spread})
    assert not got.details["subgroups"]["largest by c0"]["beyond luck"]


def test_groups_of_k_do_not_violate_k():
    counted = frequencies({"key": [1, 1, 1, 2, 2, 3]}, ["key"])
    assert [counted.violations(k) for k in (1, 2, 3, 4)] == [0, 1, 3, 6]


@pytest.mark.parametrize("bad", [GAP, 0.0, -1.0])
def test_a_weight_that_is_none_is_refused(bad):
    data = {"key": ["a", "b", "b"], "w": [2.0, bad, 1.0]}
    data = tc.Microdata.of(data, nominal=["key"], weight="w")
    with pytest.raises(ValueError, match="row 2: a sampling weight"):
        frequencies(data, ["key"])


def test_attribute_disclosure_is_that_of_the_attacker_who_reads_most():
    file = {"a": [1.0, 2.0, 3.0, 4.0], "ill": ["n", "y", "n", "y"]}
    data = tc.Microdata.of(file, quasi=["a"], confidential=["ill"], nominal=["ill"])
    right, wrong = link([1.0] * 4, "right"), link([0.0] * 4, "wrong")
    wrong = replace(wrong, match=np.array([1, 0, 3, 2]))
    got = tc.risk.attribute(data, data, attacks={"right": right, "wrong": wrong})
    assert got.value == 1
    assert got.details["attacker"] == "right"


def test_a_class_with_one_right_value_of_two_is_half_read_off():
    x, z = np.array([5.0]), np.array([5.0, 9.0])
    share = share_inside(x, z, np.array([0, 0]), np.array([0]), reach=0.0)
    assert share.tolist() == [0.5]


@pytest.mark.parametrize("by", ["rank", "sd"])
def test_intervals_are_those_of_their_definition(by: str) -> None:
    """Look-ups in order against one comparison for each pair of records, with many ties."""
    rng = np.random.default_rng(3)
    widths = (0.0, 0.1, 0.25)
    for n in (1, 2, 7, 40):
        x = rng.integers(0, 9, n).astype(float)
        z = x + rng.integers(-2, 3, n)
        hits, chance = _intervals_one_by_one(x, z, by, widths)
        got = tc.risk.interval({"a": x}, {"a": z}, by=by, widths=widths)
        np.testing.assert_allclose(got.per_record, hits, rtol=1e-12)
        assert got.details["chance"] == pytest.approx(chance, rel=1e-12)


def _intervals_one_by_one(x, z, by, widths):
    """The share of widths whose interval holds each original, and that share over all pairs."""
    n = len(x)
    hits, chance = np.zeros(n), 0.0
    for width in widths:
        for i in range(n):
            reach = width * x.std()
            low, high = z[i] - reach, z[i] + reach
            if by == "rank":
                steps = int(width * n + 1e-9)
                low = np.sort(z)[max(int((z < z[i]).sum()) - steps, 0)]
                high = np.sort(z)[min(int((z <= z[i]).sum()) - 1 + steps, n - 1)]
            hits[i] += low <= x[i] <= high
            chance += ((x >= low) & (x <= high)).mean() / n
    return hits / len(widths), chance / len(widths)
