"""Generalisation as a protector: next year, bad input, plans, its intruder, one figure."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.base.errors import ColumnError, ParameterError, TacitError
from tacit.data import hierarchies as h
from tacit.data.datasets import adult_hierarchies, make_adult

LADDER = {"age": {"ladder": [10, 20], "above": 90}}


def people(n: int = 200, seed: int = 1) -> tc.Microdata:
    rng = np.random.default_rng(seed)
    return tc.Microdata.of(
        {
            "age": rng.integers(0, 100, n),
            "icd": rng.choice(["J45.0", "J46", "K20", "K21.1"], n),
            "sex": rng.choice(["f", "m"], n),
            "ill": rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1]),
        },
        quasi=["age", "icd", "sex"],
        confidential=["ill"],
        code=["icd"],
        nominal=["sex", "ill"],
        continuous=["age"],
    )


def smallest(masked: tc.Microdata, keys: list[str]) -> int:
    rows = list(zip(*[masked.table[key].to_pylist() for key in keys], strict=True))
    return min(rows.count(row) for row in set(rows))


# -- next year -------------------------------------------------------------------------


def test_next_year_has_the_same_levels_and_rules() -> None:
    made = tc.protect.Generalisation(
        k=3,
        hierarchies={**LADDER, "icd": {"prefix": [1]}},
        suppression_limit=0.05,
        levels={"icd": 1},
    )
    made.fit(people())
    later = people(600, seed=2)
    # a value that was never seen falls under the rule
    codes = later.table["icd"].to_pylist()
    codes[:40] = ["J99.9"] * 40
    later = later.with_column("icd", codes, kind=tc.Kind.code)
    masked = made.transform(later)
    assert smallest(masked, ["age", "icd", "sex"]) >= 3
    assert set(masked.table["icd"].to_pylist()[:40]) <= {"J*", None}
    blank = masked.table["icd"].null_count
    assert blank <= 0.05 * 600


def test_next_year_says_when_the_constraint_no_longer_holds() -> None:
    made = tc.protect.Generalisation(k=3, hierarchies=LADDER, suppression_limit=0.05)
    made.fit(people(400))
    with pytest.raises(
        TacitError, match=r"at the fitted levels .* k-anonymity with k=3"
    ):
        made.transform(people(30, seed=5))


def test_a_new_value_of_a_table_is_refused_or_other() -> None:
    table = [["J45.0", "J"], ["J46", "J"], ["K20", "K"]]
    data = people()
    with pytest.raises(ColumnError, match=r"column 'icd', row \d+: .*'K21.1'"):
        tc.protect.Generalisation(hierarchies={"icd": {"table": table}}).fit(data)
    made = tc.protect.Generalisation(
        k=2,
        hierarchies={"icd": {"table": table, "other": "other"}},
        levels={"icd": 1},
        columns=["icd"],
    )
    assert "other" in made.fit_transform(data).table["icd"].to_pylist()


# -- bad input -------------------------------------------------------------------------

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "k above n": ({"k": 500}, "no generalisation can keep k-anonymity with k=500"),
    "l above the values": (
        {"l_diversity": 4},
        "no generalisation can keep distinct l-diversity of 'ill' with l=4",
    ),
    "entropy above the file's": (
        {"l_diversity": {"entropy": 2.9}},
        "no generalisation can keep entropy l-diversity",
    ),
    "a stranger": ({"hierarchies": {"town": {"prefix": [1]}}}, "names 'town'"),
    "a level too high": ({"levels": {"sex": 7}}, "asks for level 7 of 'sex'"),
    "no model": ({"k": 1}, "needs a privacy model"),
    "no population": ({"delta_presence": [0, 0.5]}, "needs the population"),
    "no weights": ({"k_map": 5}, "need sampling weights"),
    "no target": ({"utility": "classification"}, "needs the column"),
    "no tables": ({"utility": "tables"}, "needs the crosses"),
    "a strange form": ({"l_diversity": {"fuzzy": 2}}, "is no l-diversity"),
    "a key as confidential": (
        {"l_diversity": {"distinct": 2, "columns": ["sex"]}},
        "not both",
    ),
    "t above 1": ({"t_closeness": {"t": 2}}, "between 0 and 1"),
    "no hierarchy of the confidential": (
        {"t_closeness": {"t": 0.2, "distance": "hierarchical"}},
        "needs its hierarchy",
    ),
    "local and whole": (
        {"recoding": "local", "average_risk": 0.5},
        'take recoding="full"',
    ),
    "a lattice without a way": (
        {"hierarchies": {"age": {"ladder": [1], "top": False}}, "columns": ["age"]},
        "no node of the lattice keeps every model",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_is_one_sentence(name: str) -> None:
    given, words = BAD[name]
    with pytest.raises(TacitError, match=words) as caught:
        tc.protect.Generalisation(**given).fit(people())
    assert "\n" not in str(caught.value)


def test_a_wrong_hierarchy_stops_a_plan_before_any_work() -> None:
    with pytest.raises(ParameterError, match=r"column 'icd': .*falling"):
        tc.Step("generalisation", {"hierarchies": {"icd": {"prefix": [1, 3]}}})


# -- faces -----------------------------------------------------------------------------


def test_a_plan_holds_rules_and_objects_alike() -> None:
    objects = {"age": h.Ladder((10.0, 20.0), above=90), "icd": h.Prefix((1,))}
    made = tc.protect.Generalisation(k=4, hierarchies=objects)
    plan = tc.Plan.from_toml(tc.Plan.of(made).to_toml())
    assert plan.steps[0].parameters["hierarchies"]["icd"] == {"prefix": [1]}
    data = people()
    assert plan.mask(data).table.equals(made.fit_transform(data).table)


def test_rows_in_another_order_give_the_same_release() -> None:
    data = people()
    order = np.random.default_rng(3).permutation(data.n)
    for recoding in ("full", "local"):
        made = tc.protect.Generalisation(
            k=4, hierarchies=LADDER, suppression_limit=0.1, recoding=recoding
        )
        first = made.fit_transform(data).take(order).table
        assert made.fit_transform(data.take(order)).table.equals(first)


def test_what_is_released_looks_like_no_value() -> None:
    data = people()
    made = tc.protect.Generalisation(
        hierarchies=LADDER, levels={"age": 1}, columns=["age"], k=2
    )
    labels = set(made.fit_transform(data).table["age"].to_pylist())
    assert "90 and more" in labels
    assert not [label for label in labels if label.isdigit()]


def test_types_stay_where_nothing_was_generalised() -> None:
    frame = pd.DataFrame(
        {"age": np.repeat([30, 40], 10), "day": [date(2024, 1, 1)] * 20}
    )
    masked = tc.protect.Generalisation(k=5).fit_transform(frame)
    pd.testing.assert_frame_equal(masked, frame)


@pytest.mark.parametrize("recoding", ["full", "strict", "local"])
def test_the_intruder_who_knows_all_finds_one_in_k(recoding: str) -> None:
    data = people()
    codes = data.table["icd"].to_pylist()
    data = data.with_column("icd", ["Z99"] * 7 + codes[7:], kind=tc.Kind.code)
    made = tc.protect.Generalisation(
        k=5,
        hierarchies={**LADDER, "icd": {"prefix": [1]}},
        levels={"icd": 1},
        suppression_limit=0.1,
        recoding=recoding,
    )
    masked = made.fit_transform(data)
    found = tc.assess(data, masked, plan=made, risks=(), losses=())
    assert not found.failures
    assert made.suppressed_ > 0
    assert max(link.rate for link in found.attacks.values()) <= 1 / 5 + 1e-9
    # and does find them: the release is no noise
    assert found.attacks["aware"].rate > 1 / 40


def test_people_are_counted_and_not_rows() -> None:
    """Ten visits of one patient are one person, and all of them are blanked together."""
    rows = [("p0", 30)] * 10 + [(f"q{i}", 50) for i in range(6)] + [("q0", 30)]
    table = {"who": [who for who, _ in rows], "age": [age for _, age in rows]}
    data = tc.Microdata.of(table, person="who", quasi=["age"], continuous=["age"])
    made = tc.protect.Generalisation(
        k=5, hierarchies={"age": {"ladder": [10]}}, columns=["age"]
    )
    masked = made.fit_transform(data)
    assert made.levels_ == {"age": 2}
    assert set(masked.table["age"].to_pylist()) == {"*"}


def test_a_search_that_is_cut_short_says_what_it_does_not_know() -> None:
    table = make_adult(600, seed=2)
    data = tc.Microdata.of(
        table,
        quasi=table.column_names,
        continuous=["age"],
        nominal=[name for name in table.column_names if name != "age"],
    )
    rules = adult_hierarchies()
    whole = tc.protect.Generalisation(k=5, hierarchies=rules).fit(data)
    short = tc.protect.Generalisation(k=5, hierarchies=rules, most_checks=12).fit(data)
    assert whole.proven_
    assert whole.nodes_ == 12_960
    assert whole.checked_ < whole.nodes_ / 4
    assert not short.proven_
    assert short.bound_ <= whole.loss_ + 1e-12 <= short.loss_ + 1e-9


def test_local_recoding_keeps_more_than_a_third() -> None:
    """On the Adult-like file at k = 5 local recoding loses less by more than a third."""
    table = make_adult(4_000, seed=1)
    data = tc.Microdata.of(
        table,
        quasi=table.column_names,
        continuous=["age"],
        nominal=[name for name in table.column_names if name != "age"],
    )
    for limit in (0.0, 0.05):
        made = tc.protect.Generalisation(
            k=5,
            hierarchies=adult_hierarchies(),
            suppression_limit=limit,
            recoding="local",
        ).fit(data)
        assert made.local_loss_ <= made.loss_ * 2 / 3
