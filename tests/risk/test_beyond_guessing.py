"""What a release adds to what is guessed anyway: confidential values, and values by interval."""

import numpy as np
import pytest

import tacit as tc
from tacit.base.facts import facts_of
from tacit.risk import registry
from tacit.risk.interval_excess import (
    Guesses,
    Ranked,
    _best_constant,
    _share_close,
)


def _close(values, guess, widths):
    ranked, made = Ranked.of(np.array(values), widths), np.array(guess)
    return _share_close(ranked, 1, lambda some: [made[some]])[0]


def _constant(values, widths):
    return _best_constant(Ranked.of(np.array(values), widths))


def test_close_by_hand():
    x = [1.0, 2, 3, 4, 5]
    # 9 is moved to 5; one rank off is close, two are not
    assert _close(x, [1.0, 3, 2, 9, 5], [0.2]) == 1
    assert _close(x, [1.0, 3, 2, 9, 5], [0]) == pytest.approx(2 / 5)
    assert _close(x, [3.0, 5, 3, 4, 3], [0.2]) == pytest.approx(2 / 5)
    assert _close(x, [1.0, 3, 2, 9, 5], [0, 0.2]) == pytest.approx(0.7)
    # the guess 3 is one rank from 2, 3 and 4
    assert _constant(x, [0.2]) == pytest.approx(3 / 5)
    assert _constant(x, [0]) == pytest.approx(1 / 5)
    # mean ranks 2, 2, 2, 4: two values are never close to each other
    two = [0.0, 0, 0, 1]
    assert _close(two, [0.2, 0.1, 0, 0.8], [0.1]) == 1
    assert _close(two, [0.8, 0.1, 0, 0.8], [0.1]) == 0.75
    assert _constant(two, [0.1]) == 0.75
    assert _close([1.0, 1.0, 1.0], [0.0, 1, 5], [0.1]) == 1


def test_interval_excess_by_hand():
    x = {"v": [1.0, 2.0, 3.0, 4.0, 5.0], "o": [0, 0, 0, 0, 1], "s": list("ababa")}
    z = x | {"v": [1.0, 3.0, 2.0, 9.0, 5.0]}
    data = tc.Microdata.of(x, nominal=["s"], ordinal=["o"])
    got = tc.risk.interval_excess(data, z, widths=[0], noise=0)
    assert got.per_column == pytest.approx({"v": 2 / 5 - 1 / 5, "o": 1 - 4 / 5})
    assert got.value == pytest.approx(0.2)
    assert got.details["with the release"] == pytest.approx({"v": 0.4, "o": 1})


def test_the_linear_predictor_is_that_of_the_moments():
    rng = np.random.default_rng(3)
    z = rng.normal(size=(400, 3)) @ rng.normal(size=(3, 3)) * [1, 10, 100] + 5
    sd = z.std(axis=0)
    covariance = np.cov(z.T, bias=True)
    size = 0.1
    share = size**2 / (1 + size**2)
    noise = np.diag(share * sd**2)
    mean = z.mean(axis=0)
    by_hand = mean + (z - mean) @ np.linalg.solve(covariance, covariance - noise)
    guesses = Guesses.of(z, size)
    shrunk = mean + (z - mean) / (1 + size**2)
    for place in range(z.shape[1]):
        got = dict(zip(guesses.titles, guesses.filtered(z, place), strict=True))
        independent = got["less independent noise of 0.1 sd"]
        assert independent == pytest.approx(by_hand[:, place])
        correlated = got["less correlated noise of 0.1 sd"]
        assert correlated == pytest.approx(shrunk[:, place])


def test_filtering_noise_out_tells_more_than_the_masked_values():
    rng = np.random.default_rng(4)
    factor = rng.normal(size=(800, 1))
    x = factor + 0.1 * rng.normal(size=(800, 8))
    z = x + 0.7 * rng.normal(size=x.shape)
    got = tc.risk.interval_excess(x, z)
    raw = tc.risk.interval_excess(x, z, noise=0)
    assert got.value > raw.value + 0.1
    assert all("independent" in guess for guess in got.details["guess"].values())
    order = rng.permutation(800)
    assert tc.risk.interval_excess(x[order], z[order]).value == pytest.approx(got.value)


def test_files_of_keys_pass_and_independent_files_too():
    rng = np.random.default_rng(5)
    keys = {"sex": rng.integers(0, 2, 200), "town": rng.integers(0, 4, 200)}
    data = tc.Microdata.of(keys, nominal=["sex", "town"])
    assert not tc.risk.interval_excess(data, data).computed
    assert tc.risk.interval(data, data).value == 1, "as published"
    assert facts_of(registry["interval"]).threshold is None
    x = rng.normal(size=(200, 3))
    assert tc.risk.interval_excess(x, rng.normal(size=x.shape)).value < 0.05
    assert tc.risk.interval_excess(x, x).value > 0.85


def test_rows_in_another_order_are_found_by_the_truth_of_the_attacks():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(150, 2))
    z = x + 0.1 * rng.normal(size=x.shape)
    order = rng.permutation(150)
    options = {"risks": ["interval_excess"], "losses": [], "attackers": ["nearest"]}
    straight = tc.assess(x, z, **options)
    turned = tc.assess(x, z[order], truth=np.argsort(order), **options)
    one, two = (got.risk["interval_excess"].value for got in (straight, turned))
    assert one == pytest.approx(two)


def test_attribute_excess_by_hand():
    x = {"q": [1.0, 2.0, 3.0, 4.0], "c": list("abab")}
    data = tc.Microdata.of(x, quasi=["q"], confidential=["c"], nominal=["c"])
    attacks = {"nearest": tc.attack.Nearest().link(data, x)}
    got = tc.risk.attribute_excess(data, x, attacks=attacks)
    # the nearest other person has always the other value
    row = got.details["columns"]["c"]
    assert row["read off"] == 1
    assert row["one guess for everybody"] == 0.5
    assert row["nearest other person"] == 0
    # hits minus guesses are 0, 1, 0, 1
    assert row["standard error"] == pytest.approx(0.5 / 2)
    assert got.value == 0.5
    # with c = a b a a the guess a is right in 3 of 4: 0.25 is within 1.645 x 0.217
    less = x | {"c": list("abaa")}
    data = tc.Microdata.of(less, quasi=["q"], confidential=["c"], nominal=["c"])
    got = tc.risk.attribute_excess(data, less, attacks=attacks)
    assert got.per_column == {"c": 0.25}
    assert got.value == 0


def test_numbers_are_guessed_by_the_interval_that_holds_most():
    rng = np.random.default_rng(7)
    # an interval of 0.2 sd, about 29, holds all of the first thirty
    values = np.concatenate([np.linspace(0, 20, 30), np.linspace(100, 400, 30)])
    x = {"q": rng.permutation(60.0 + np.arange(60)), "c": values}
    data = tc.Microdata.of(x, quasi=["q"], confidential=["c"])
    got = tc.risk.attribute_excess(data, x)
    assert got.details["columns"]["c"]["one guess for everybody"] == 0.5
    assert got.value == 0.5


def test_ipso_c_is_read_off_through_the_strongest_link(census_like):
    names = list(census_like.columns)
    roles = {"quasi": names[:6], "confidential": names[6:]}
    data = tc.Microdata.of(census_like, **roles)
    plan = tc.protect.IPSO(variant="C", random_state=1, **roles)
    masked = plan.fit_transform(data)
    names = ["attribute", "attribute_excess"]
    near = ["nearest"]
    plain = tc.assess(data, masked, attackers=near, risks=names, losses=[])
    told = tc.assess(data, masked, plan=plan, risks=names, losses=[])
    assert plain.risk["attribute"].value < 0.5
    assert told.risk["attribute"].value > 0.99
    assert plain.risk["attribute_excess"].value < 0.1
    assert told.risk["attribute_excess"].value > 0.5
    assert "attribute_excess" in [row.name for row in told.verdict.failing]


def test_what_keys_tell_about_anybody_is_no_disclosure():
    """Groups of 100: the link tells what the nearest other person tells, in 20 files."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        size = rng.normal(size=400)
        x = {"a": size + 0.5 * rng.normal(size=400), "b": size, "pay": np.exp(size)}
        x["ill"] = np.where(rng.random(400) < 0.1 + 0.6 * (size > 1), "y", "n")
        roles = {"quasi": ["a", "b"], "confidential": ["pay", "ill"]}
        data = tc.Microdata.of(x, nominal=["ill"], **roles)
        z = tc.protect.Microaggregation(k=100, columns=["a", "b"]).fit_transform(data)
        attacks = {"nearest": tc.attack.Nearest().link(data, z)}
        assert tc.risk.attribute_excess(data, z, attacks=attacks).value <= 0.05


def test_columns_that_the_intruder_knows_are_not_read_off():
    rng = np.random.default_rng(8)
    x = {"q": rng.normal(size=80), "c": rng.normal(size=80)}
    data = tc.Microdata.of(x, quasi=["q", "c"])
    z = x | {"q": rng.normal(size=80)}
    attacks = {"nearest": tc.attack.Nearest().link(data, z)}
    assert attacks["nearest"].columns == ("q", "c")
    got = tc.risk.attribute(data, z, confidential=["c"], attacks=attacks)
    assert got.details["attacker"] == "nearest"
    assert got.value < 0.3, "c alone would name the record and so itself"


def _plainly_close(values, guess, widths):
    """The share of guesses near enough, with the rank of the value that each stands for."""
    support, counts = np.unique(values, return_counts=True)
    rank = np.cumsum(counts) - (counts - 1) / 2
    own = np.repeat(rank, counts)
    enough = 0
    for mine, guessed in zip(own, guess, strict=True):
        gap = np.abs(support - guessed)
        # the first of two that are equally near is the lower one
        off = abs(rank[gap.argmin()] - mine)
        enough += sum(off <= width * len(values) + 1e-9 for width in widths)
    return enough / len(values) / len(widths)


@pytest.mark.parametrize("distinct", [1, 2, 5, 1000])
def test_near_enough_is_what_ranks_say(distinct):
    rng = np.random.default_rng(distinct)
    values = np.sort(rng.integers(0, distinct, 120)) / 4
    # quarters and eighths: many guesses lie half-way between two values
    ways = [rng.integers(-8, 2 * distinct + 8, 120) / 8, values, values + 0.3]
    widths = (0.0, 0.01, 0.1, 2.0)
    ranked = Ranked.of(values, widths)
    got = _share_close(ranked, len(ways), lambda some: [way[some] for way in ways])
    assert got == pytest.approx([_plainly_close(values, w, widths) for w in ways])
    every = [_plainly_close(values, np.full(120, v), widths) for v in set(values)]
    assert _best_constant(ranked) == pytest.approx(max(every))
