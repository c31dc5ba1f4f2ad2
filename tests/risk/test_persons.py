"""Where a person has several rows, risk counts persons; and what relatives show is not hidden."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tacit as tc
from tacit.base.typing import Ints
from tacit.data.units import Units
from tacit.risk.class_shares import shares
from tacit.risk.counting import count
from tacit.risk.judged import Judged
from tacit.risk.l_diversity import distinct, entropy, recursive
from tacit.risk.suda_scores import minimal_sample_uniques

TABLES = st.integers(0, 14).flatmap(
    lambda n: st.tuples(
        arrays(np.int64, (n, 3), elements=st.integers(-1, 2)),
        arrays(np.int64, n, elements=st.integers(0, 4)),
    )
)


def _units(raw: Ints) -> Units:
    return Units("person", np.unique(raw, return_inverse=True)[1].astype(np.int64))


@given(TABLES, st.booleans())
def test_counting_persons_equals_the_definition(
    table: tuple[Ints, Ints], any_matches: bool
) -> None:
    codes, raw = table
    units = _units(raw)
    weights = 1.0 + np.arange(len(codes))
    mean = [weights[units.rows(u)].mean() for u in range(units.number)]
    f, F = count(codes, weights, any_matches=any_matches, units=units)
    for i, ours in enumerate(codes):
        agree = set()
        for j, theirs in enumerate(codes):
            same = ours == theirs
            if any_matches:
                same = same | (ours < 0) | (theirs < 0)
            if same.all():
                agree.add(int(units.labels[j]))
        assert f[i] == len(agree)
        assert F[i] == pytest.approx(sum(mean[u] for u in agree))


@given(TABLES)
def test_special_uniques_are_persons(table: tuple[Ints, Ints]) -> None:
    codes, raw = table
    units = _units(raw)
    row, sets = minimal_sample_uniques(codes, units=units)
    found = {
        (tuple(codes[i]), int(units.labels[i]), int(bits))
        for i, bits in zip(row, sets, strict=True)
    }
    expected = set()
    for i in range(len(codes)):
        minimal: list[set[int]] = []
        for size in (1, 2, 3):
            for chosen in combinations(range(3), size):
                columns = list(chosen)
                if (codes[i, columns] < 0).any():
                    continue
                if any(smaller <= set(chosen) for smaller in minimal):
                    continue
                same = (codes[:, columns] == codes[i, columns]).all(axis=1)
                if len(set(units.labels[same])) == 1:
                    minimal.append(set(chosen))
        for columns_set in minimal:
            bits = sum(1 << c for c in columns_set)
            expected.add((tuple(codes[i]), int(units.labels[i]), bits))
    assert found == expected


PANEL = {
    "id": [1, 1, 1, 2, 3, 3],
    "region": ["n", "n", "n", "s", "s", "s"],
    "ill": ["a", "b", "c", "a", "b", "b"],
}


def _panel() -> tc.Microdata:
    return tc.Microdata.of(
        PANEL, person="id", quasi=["region"], confidential=["ill"], nominal=["ill"]
    )


def test_three_rows_of_one_man_are_one_man() -> None:
    data = _panel()
    assert tc.risk.frequencies(data, ["region"]).sample.tolist() == [1, 1, 1, 2, 2, 2]
    measure = tc.risk.k_anonymity(data, data, k=2)
    # one of three persons, and not half of the rows
    assert measure.value == pytest.approx(1 / 3)
    assert measure.details["persons below k"] == 1
    assert measure.details["records below k"] == 3
    assert measure.details["classes of k records and fewer persons"] == 1
    plain = data.drop(["id"])
    assert tc.risk.k_anonymity(plain, plain, k=2).value == 0


def test_a_release_without_numbers_is_counted_by_the_original() -> None:
    data = _panel()
    assert tc.risk.k_anonymity(data, data.drop(["id"]), k=2).value == pytest.approx(
        1 / 3
    )
    # each row a number of its own: six persons, says the release
    alone = data.with_column("id", list(range(6)))
    assert tc.risk.k_anonymity(data, alone, k=2).value == pytest.approx(1 / 3)


def test_the_illnesses_of_one_man_are_no_diversity() -> None:
    data = _panel()
    measure = tc.risk.l_diversity(data, data, l=2)
    assert measure.value == pytest.approx(1 / 3)
    units = _units(np.array(PANEL["id"]))
    cells = shares(np.array([0, 0, 0, 1, 1, 1]), 2, np.array([0, 1, 2, 0, 1, 1]), units)
    assert cells.size.tolist() == [1, 2]
    assert distinct(cells).tolist() == [1, 2]
    # two persons with one illness each: shares 1/2 and 1/2
    assert entropy(cells) == pytest.approx([1, 2])
    assert recursive(cells, 2.0).tolist() == [1, 2]


def test_individual_risk_is_over_persons() -> None:
    data = _panel()
    risk = tc.risk.individual(data, ["region"])
    assert risk.person.tolist() == [1, 0.5, 0.5]
    assert risk.expected == 2
    assert risk.rate == pytest.approx(2 / 3)
    assert tc.risk.marketer(data, data, keys=["region"]).value == pytest.approx(2 / 3)
    assert tc.risk.prosecutor(data, data, keys=["region"]).value == 1
    uniques = tc.risk.population_uniques(data, data, keys=["region"])
    assert uniques.value == pytest.approx(1 / 3)


def test_a_person_is_in_the_household_once() -> None:
    table = PANEL | {"hid": [1, 1, 1, 1, 2, 2]}
    data = tc.Microdata.of(table, person="id", household="hid", quasi=["region"])
    risk = tc.risk.individual(data, ["region"])
    assert risk.household is not None
    # 1 - (1 - 1)(1 - 1/2); 1/2 and not 3/4 for the household with two rows of one person
    assert risk.household.tolist() == pytest.approx([1, 1, 1, 1, 0.5, 0.5])
    assert tc.risk.household(data, data).value == pytest.approx((1 + 1 + 0.5) / 3)


def _ignoring_units(data: tc.Microdata, k: int) -> tc.Microdata:
    """Local suppression that knows neither persons nor households, as version 0.1."""
    roles = ("person", "household")
    numbers = [name for role in roles for name in data.schema.names(role=role)]
    blind = data.with_schema(data.schema.set(other=numbers))
    release = tc.protect.LocalSuppression(k=k, random_state=1).fit_transform(blind)
    return tc.Microdata.of(release).with_schema(data.schema)


def test_suppressed_cells_are_read_off_other_years() -> None:
    keys = ["sex", "region", "schooling", "age"]
    data = tc.Microdata.of(
        tc.datasets.make_panel(500, seed=1), person="person", quasi=keys, nominal=keys
    )
    release = _ignoring_units(data, 5)
    judged = Judged.of(data, release)
    assert judged.suppressed > 300
    assert judged.read_off >= 0.8 * judged.suppressed
    # what is read off is the truth, in all but the years in which somebody studied on
    right = wrong = 0
    for name in keys:
        read = release.missing(name) & ~judged.data.missing(name)
        same = [
            a == b
            for a, b, shown in zip(
                data.table[name].to_pylist(),
                judged.data.table[name].to_pylist(),
                read,
                strict=True,
            )
            if shown
        ]
        right, wrong = right + sum(same), wrong + len(same) - sum(same)
    assert right >= 0.98 * (right + wrong)
    # records alone say that all is well, persons say that it is not
    number = ["person"]
    blind = tc.risk.k_anonymity(data.drop(number), release.drop(number), k=5)
    assert blind.value == 0
    measure = tc.risk.k_anonymity(data, release, k=5)
    assert measure.value > 0.5
    assert measure.details["read off"] == judged.read_off


def test_suppressed_cells_are_read_off_relatives() -> None:
    keys = ["region", "dwelling", "water", "sex", "education"]
    data = tc.Microdata.of(
        tc.datasets.make_households(500, seed=1),
        household="household",
        weight="weight",
        quasi=keys,
        nominal=keys,
    )
    release = _ignoring_units(data, 5)
    of_household = ["region", "dwelling", "water"]
    suppressed = sum(int(release.missing(name).sum()) for name in of_household)
    judged = Judged.of(data, release)
    assert suppressed > 300
    assert judged.read_off >= 0.8 * suppressed
    for name in of_household:
        shown = ~judged.data.missing(name)
        before = data.column(name)[shown]
        assert np.array_equal(before, judged.data.column(name)[shown])
    number = ["household"]
    blind = tc.risk.k_anonymity(data.drop(number), release.drop(number), k=5)
    assert blind.value == 0
    measure = tc.risk.k_anonymity(data, release, k=5)
    assert measure.value > 0.2
    assert measure.details["read off"] == judged.read_off
