"""What the guesser recognises without being told: laws, synthetic values, labels, gaps, swaps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacit as tc
from attack.informed.test_aware import business, correlated
from attack.informed.test_every_method import permuted
from tacit.attack.informed.column_laws import column_laws
from tacit.attack.informed.drawn_anew import drawn_anew
from tacit.attack.informed.labels import gaps, interval, labelled
from tacit.attack.informed.plan_attackers import for_plan
from tacit.attack.informed.reverse import Reverse
from tacit.attack.informed.tables import balanced, counted, links_of
from tacit.data.datasets.census import make_census
from tacit.data.microdata import Microdata

Noise = tc.protect.Noise


@pytest.fixture(scope="module")
def census():
    return Microdata.of(make_census(400, 1))


def household(n=400, seed=5):
    """Persons with a region, an age, a schooling and three amounts."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 95, n).astype(float)
    income = np.exp(10 + 0.5 * rng.normal(size=n) + 0.01 * (60 - abs(age - 50))).round()
    columns = {
        "region": rng.choice([f"r{i:02d}" for i in range(12)], n),
        "school": rng.choice(["none", "school", "college", "phd"], n),
        "age": age,
        "income": income,
        "rent": (income * rng.uniform(0.1, 0.4, n)).round(),
        "spent": (income * rng.uniform(0.3, 0.9, n)).round(),
    }
    return Microdata.of(pa.table(columns), quasi=list(columns))


@pytest.mark.few(2)
@pytest.mark.parametrize("percent", [20, 100, 200])
@pytest.mark.parametrize("kind", ["uncorrelated", "multiplicative"])
def test_the_law_of_a_column_is_seen_without_links(census, percent, kind):
    masked = Noise(percent=percent, kind=kind, random_state=1).fit_transform(census)
    laws, sizes, _ = column_laws(census.numbers(), masked.numbers())
    multiplied = [law != "added" for law in laws]
    assert np.mean(multiplied) == (kind == "multiplicative")
    assert np.median(sizes) == pytest.approx(percent / 100, rel=0.4)


@pytest.mark.slow
def test_the_law_needs_no_row_order(census):
    masked = Noise(percent=50, kind="multiplicative", random_state=1).fit_transform(
        census
    )
    rows = np.random.default_rng(0).permutation(census.n)
    x, z = census.numbers(), masked.numbers()
    assert column_laws(x, z) == column_laws(x, z[rows])


def test_told_nothing_multiplied_values_are_linked_as_by_who_is_told(census):
    plan = Noise(percent=100, kind="multiplicative", random_state=1)
    masked = plan.fit_transform(census)
    told = for_plan(plan)[0].link(census, masked).correct
    plain = tc.attack.registry["assignment"]().link(census, masked).correct
    found = Reverse().link(census, masked).correct
    assert found > 0.9 * told > 3 * plain


@pytest.mark.few(1)
@pytest.mark.parametrize("variant", ["A", "B", "C"])
def test_drawn_anew_is_seen_in_every_variant_and_linked(variant):
    data = business(500, 1)
    plan = tc.protect.IPSO(variant=variant, random_state=1)
    masked = plan.fit_transform(data)
    (found,) = Reverse().guesses(data, masked)
    assert found.method == "ipso"
    told = for_plan(plan)[0].link(data, masked).correct
    assert Reverse().link(data, masked).correct == pytest.approx(told)


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", ["uncorrelated", "correlated", "transformed"])
@pytest.mark.parametrize("percent", [5, 20, 40])
def test_noise_is_not_taken_for_drawn_anew(kind, percent):
    data = business(500, 2)
    masked = Noise(percent=percent, kind=kind, random_state=1).fit_transform(data)
    given = masked.numbers([f"c{k}" for k in range(6)])
    assert drawn_anew(data.numbers(data.quasi), masked.numbers(data.quasi), given) == ""


def test_exchanges_are_undone_whatever_p(census):
    masked = tc.protect.RankSwapping(p=100, random_state=1).fit_transform(census)
    assert Reverse().link(census, masked).rate > 0.95


def test_shuffled_values_are_not_taken_for_exchanges():
    x = np.random.default_rng(1).normal(size=(200, 4))
    z = np.random.default_rng(2).permuted(x, axis=0)
    assert Reverse().link(x, z).rate < 0.05


def test_gaps_that_stay_are_evidence(census):
    values = census.numbers()
    values[np.random.default_rng(1).random(values.shape) < 0.05] = np.nan
    masked = Noise(percent=200, random_state=1).fit_transform(values)
    plain = tc.attack.registry["assignment"]().link(values, masked).rate
    found = Reverse().link(values, masked)
    assert found.rate > max(2 * plain, 0.2)
    assert found.log[-1]["method"] == "gaps"


def test_gaps_elsewhere_are_no_evidence():
    x = np.random.default_rng(1).normal(size=(200, 3))
    z = x + 0.1 * np.random.default_rng(2).normal(size=x.shape)
    x[np.random.default_rng(3).random(x.shape) < 0.05] = np.nan
    z[np.random.default_rng(4).random(x.shape) < 0.05] = np.nan
    original, masked = Microdata.of(x), Microdata.of(z)
    assert not any(column.fixed for column in gaps(original, masked, original.names))
    plain = tc.attack.registry["nearest"]().link(x, z).rate
    assert Reverse().link(x, z).rate > 1.1 * plain


def test_labels_are_compared_as_what_they_hold():
    """Recoding to labels, suppression and microaggregation of a household survey."""
    data = household()
    masked = tc.protect.Recoding(columns=["age"], show="label", bins=8).fit_transform(
        data
    )
    hide = tc.protect.LocalSuppression(k=3, columns=["region", "school", "age"])
    masked = hide.fit_transform(masked)
    amounts = ["income", "rent", "spent"]
    # averaged together, so that amounts alone leave ten equal records and labels must decide
    mean = tc.protect.Microaggregation(k=10, columns=amounts)
    masked = mean.fit_transform(masked)
    found = Reverse().link(data, masked)
    without = Reverse(columns=[name for name in data.quasi if name != "age"])
    assert Reverse(columns=amounts).link(data, masked).rate < 0.12
    assert found.rate > max(0.96, without.link(data, masked).rate + 0.03)
    assert {entry["method"] for entry in found.log} == {
        "recoding",
        "pram",
        "microaggregation",
    }


def test_labels_without_meaning_are_learned_from_links():
    """Ages cut into classes that are only called a, b, c ...: other columns tell which is which."""
    data = household(400)
    cut = np.searchsorted([30, 40, 50, 60, 70, 80], data.column("age"))
    names = np.array(list("dbfgace"))[cut]
    masked = Noise(percent=5, columns=["income"], random_state=1).fit_transform(data)
    masked = masked.with_column("age", pa.array(names))
    few = ["age", "income"]
    alone = Reverse(columns=["income"]).link(data, masked).correct
    assert Reverse(columns=few).link(data, masked).correct > 1.3 * alone


def test_first_guess_of_interval_labels():
    data = Microdata.of({"age": [12.0, 20.0, 35.0, 71.0]})
    masked = Microdata.of({"age": ["< 20", "[20, 40)", "[20, 40)", None]})
    column = labelled(data, masked, "age")
    assert column.chance.sum(axis=1) == pytest.approx(1.0)
    assert column.chance[:3].argmax(axis=1).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("label", "ends"),
    [
        ("[20, 30)", (20, 30, False)),
        ("20 to 29", (20, 29, True)),
        ("20-29", (20, 29, True)),
        ("-5 - 3", (-5, 3, True)),
        ("< 20", (-np.inf, 20, False)),
        (">= 65", (65, np.inf, True)),
        ("65+", (65, np.inf, True)),
        ("under 15", (-np.inf, 15, False)),
        ("90 and more", (90, np.inf, True)),
        ("*", (-np.inf, np.inf, True)),
        ("north", None),
        ("30 to 20", None),
    ],
)
def test_labels_that_are_intervals(label, ends):
    assert interval(label) == ends


def test_balanced_and_counted_are_what_they_say():
    rng = np.random.default_rng(1)
    weight = rng.random((6, 4)) + 0.1
    rows, columns = np.full(6, 2.0), np.full(4, 3.0)
    scaled = balanced(weight, rows, columns, 200)
    assert scaled.sum(axis=1) == pytest.approx(rows)
    assert scaled.sum(axis=0) == pytest.approx(columns)
    # only rows and columns were rescaled: cross ratios stay
    cross = scaled[0, 0] * scaled[1, 1] / (scaled[0, 1] * scaled[1, 0])
    own = weight[0, 0] * weight[1, 1] / (weight[0, 1] * weight[1, 0])
    assert cross == pytest.approx(own)
    ours, theirs = rng.integers(3, size=6), rng.integers(2, size=4)
    plain = np.zeros((3, 2))
    for i in range(6):
        for j in range(4):
            plain[ours[i], theirs[j]] += weight[i, j]
    assert counted(weight, ours, theirs, (3, 2)) == pytest.approx(plain)
    assert links_of(rng.random((5, 5))).sum(axis=1) == pytest.approx(np.ones(5))


def test_row_order_is_not_knowledge(census):
    small = census.take(np.arange(150))
    data = business(150, 1)
    survey = household(150)
    recoding = tc.protect.Recoding(columns=["age"], show="label", bins=8)
    cases = [
        (small, Noise(percent=50, kind="multiplicative", random_state=1)),
        (small, Noise(percent=50, random_state=1)),
        (small, tc.protect.RankSwapping(p=60, random_state=1)),
        (data, tc.protect.IPSO(variant="A", random_state=1)),
        (survey, recoding),
    ]
    for original, plan in cases:
        masked = plan.fit_transform(original)
        once = Reverse().link(original, masked).correct
        assert permuted(Reverse(), original, masked).correct == pytest.approx(once)


def test_independent_files_are_linked_by_chance():
    x, z = correlated(300, 4, 0.5, 1), correlated(300, 4, 0.5, 2)
    assert Reverse().link(x, z).rate < 0.03
