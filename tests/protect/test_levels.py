"""Households and persons: masked once for each, k persons in every class, nothing to read off."""

from __future__ import annotations

import os

import numpy as np
import pytest

import tacit as tc
from tacit.base.errors import InputError, ParameterError
from tacit.base.parameters import model_of
from tacit.data import units
from tacit.data.datasets import make_households, make_panel
from tacit.data.fill_in import filled
from tacit.data.microdata import Kind, Microdata
from tacit.protect.grouping.by_units import dealt
from tacit.protect.grouping.unit_anonymity import few_people

pytestmark = pytest.mark.filterwarnings("ignore::tacit.base.errors.TacitWarning")

os.environ.setdefault("TACIT_CONTRACT_KEY", "a secret of the tests only")
KEYS = {
    "panel": ["sex", "region", "schooling", "age", "married", "children"],
    "survey": ["region", "urban", "dwelling", "water", "sex", "age"],
}
UNIT = {"panel": "person", "survey": "household"}


def file_of(name: str, size: int = 120, seed: int = 1) -> Microdata:
    if name == "panel":
        table = make_panel(size, 5, seed)
        data = Microdata.of(table, person="person", quasi=KEYS[name])
    else:
        data = Microdata.of(
            make_households(size, seed), household="household", quasi=KEYS[name]
        )
    return data


def shared_columns(data: Microdata) -> list[str]:
    return [*units.household_columns(data), *units.person_columns(data)]


def units_of(data: Microdata) -> units.Units:
    homes = units.households(data)
    return units.persons(data) if homes is None else homes


def plain_people(data: Microdata, keys: list[str], missing: str) -> int:
    """The fewest persons that share the keys of a row, counted row by row."""
    codes = data.numbers(keys)
    gone = np.isnan(codes)
    people = units.persons(data).labels
    fewest = data.n
    for row in range(data.n):
        same = codes == codes[row]
        if missing == "any":
            same |= gone | gone[row]
        else:
            same |= gone & gone[row]
        fewest = min(fewest, len(set(people[same.all(axis=1)])))
    return fewest


# -- one value for all members -----------------------------------------------------------


def masked_once() -> list[str]:
    """Methods that mask columns of a file and take files with several rows per unit."""
    return [
        each
        for each, method in tc.protect.registry.items()
        if "columns" in model_of(method).model_fields
        and not method.one_row_each
        # moves households between areas and has tests of its own
        and each != "record_swapping"
        # neither file has dates
        and not method.kinds <= {Kind.date}
        and not method.changes_length
    ]


@pytest.mark.few(3)
@pytest.mark.parametrize("name", ["panel", "survey"])
@pytest.mark.parametrize("method", masked_once())
def test_members_stay_equal_where_they_were(name: str, method: str) -> None:
    """Every method, without an edit: equal values of a unit are equal after it."""
    kind = tc.protect.registry[method]
    data = file_of(name)
    names = [*KEYS[name], "income" if name == "panel" else "household_income"]
    columns = [each for each in names if data.schema[each].scale in kind.kinds]
    if not set(columns) & set(shared_columns(data)):
        pytest.fail(f"no column for {method}: {sorted(kind.kinds)}")
    given = {**kind.example, "columns": columns}
    if "random_state" in kind.__init__.__annotations__:
        given["random_state"] = 3
    made = kind(**given)
    masked = made.fit_transform(data)
    again = kind(**given).fit(data).transform(data)
    assert masked.table.equals(again.table)
    found = units_of(data)
    changed = False
    for column in columns:
        if column not in shared_columns(data):
            continue
        before = data.table.column(column).to_pylist()
        after = masked.table.column(column).to_pylist()
        changed |= before != after
        for unit in range(found.number):
            rows = found.rows(unit)
            for row in rows[1:]:
                if before[row] == before[rows[0]]:
                    assert after[row] == after[rows[0]]
    # whole years of schooling are round as they are; rare values may not be there
    assert changed or method in ("rounding", "recoding", "top_bottom_coding")


def test_a_member_who_differs_is_masked_apart_and_nobody_else_is():
    data = file_of("survey")
    homes = units.households(data)
    large = int(np.argmax(homes.sizes))
    region = data.table.column("region").to_pylist()
    odd = int(homes.rows(large)[0])
    region[odd] = "islands" if region[odd] != "islands" else "north"
    data = data.with_column("region", region, kind=Kind.nominal)
    assert "region" in units.household_columns(data)
    masked = tc.protect.RankSwapping(p=50, columns=["region"], random_state=2)
    after = masked.fit_transform(data).table.column("region").to_pylist()
    assert len({after[row] for row in homes.rows(large)[1:]}) == 1


def test_noise_is_drawn_once_per_household():
    data = file_of("survey")
    noise = tc.protect.Noise(columns=["household_income", "age"], random_state=1)
    masked = noise.fit_transform(data)
    moved = masked.column("household_income") - data.column("household_income")
    homes = units.households(data)
    assert not homes.split(moved).any()
    assert list(noise.parts_.levels) == ["household", "record"]
    # age is a person's, and members get noise of their own
    assert homes.split(masked.column("age") - data.column("age")).any()


def test_strata_of_units():
    """Regions cut households; years cut rows, and no person."""
    data = file_of("panel")
    swapping = tc.protect.RankSwapping(
        p=100, columns=["schooling", "income"], by=["year", "region"], random_state=1
    )
    masked = swapping.fit_transform(data)
    person, record = (
        {key[1:] for key in swapping.parts_.fitted if key[0] == word}
        for word in ("person", "record")
    )
    assert {len(key) for key in person} == {1}
    assert {len(key) for key in record} == {2}
    frame, before = masked.table.to_pandas(), data.table.to_pandas()
    assert (
        frame.groupby(["year", "region"]).income.apply(sorted).tolist()
        == before.groupby(["year", "region"]).income.apply(sorted).tolist()
    )


# -- k persons ---------------------------------------------------------------------------


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["panel", "survey"])
@pytest.mark.parametrize("partition", ["mdav", "vmdav", "mu-approx", "pca"])
def test_microaggregation_has_k_persons_in_every_class(name, partition):
    data = file_of(name)
    masked = tc.protect.Microaggregation(k=4, partition=partition).fit_transform(data)
    assert plain_people(masked, KEYS[name], "value") >= 4
    assert not units_of(masked).split(masked.column("region")).any()


def test_microaggregation_of_people_does_not_depend_on_row_order():
    data = file_of("panel")
    order = np.random.default_rng(1).permutation(data.n)
    method = tc.protect.Microaggregation(k=4)
    once = method.fit_transform(data).take(order)
    again = method.fit_transform(data.take(order))
    names = KEYS["panel"]
    # rows that are equal in every key may change places
    key = np.lexsort(np.hstack([data.take(order).numbers(), once.numbers(names)]).T)
    other = np.lexsort(np.hstack([data.take(order).numbers(), again.numbers(names)]).T)
    same = once.numbers(names)[key] == again.numbers(names)[other]
    assert same.mean() > 0.99


def test_within_years_a_group_has_k_persons_or_is_refused():
    data = file_of("panel")
    moving = ["age", "income"]
    within = tc.protect.Microaggregation(k=4, columns=moving, by=["year"])
    frame = within.fit_transform(data).table.to_pandas()
    assert frame.groupby(["year", *moving]).person.nunique().min() >= 4
    # schooling is one for all years, and some groups of persons lack a year
    both = tc.protect.Microaggregation(k=4, columns=["schooling", "age"], by=["year"])
    with pytest.raises(ParameterError, match=r"same schooling has only . of them"):
        both.fit_transform(data)
    with pytest.raises(ParameterError, match=r"k=500 is larger .* persons \(120\)"):
        tc.protect.Microaggregation(k=500).fit_transform(data)


def test_rows_are_dealt_so_that_k_persons_are_in_each_piece():
    rng = np.random.default_rng(5)
    for _ in range(50):
        people = rng.integers(0, 9, 40)
        parent = (people > 4).astype(int)
        k = min(
            int(rng.integers(1, 4)), *(len(set(people[parent == p])) for p in (0, 1))
        )
        label = dealt(rng.normal(size=40), people, parent, k)
        for piece in np.unique(label):
            rows = label == piece
            assert len(set(parent[rows])) == 1
            assert len(set(people[rows])) >= k


# -- suppression: nothing to read off ----------------------------------------------------


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["panel", "survey"])
@pytest.mark.parametrize("missing", ["any", "value"])
def test_what_is_suppressed_cannot_be_read_off(name, missing):
    """The attack of the issue: relatives and other years show nothing, and k persons are left."""
    data = file_of(name)
    given = {"k": 3, "missing": missing, "random_state": 1}
    method = tc.protect.LocalSuppression(**given)
    masked = method.fit_transform(data)
    assert method.suppressions_ == int(np.isnan(masked.numbers(KEYS[name])).sum()) > 0
    reader = filled(masked, data)
    assert reader.number == 0
    assert plain_people(reader.data, KEYS[name], missing) >= 3
    assert method.violations_[missing] == 0
    # without the role: most cells of the unit are there for the reading
    unaware = data.with_schema(data.schema.set(other=[UNIT[name]]))
    naive = tc.protect.LocalSuppression(**given).fit_transform(unaware)
    again = filled(naive.with_schema(data.schema), data)
    assert again.number > 0
    assert plain_people(again.data, KEYS[name], missing) < 3


def test_gaps_of_the_input_that_a_reader_fills_count_as_filled():
    table = {
        "home": [1, 1, 2, 2, 3, 3, 4, 4],
        "region": ["n", None, "n", "n", "s", "s", "s", "s"],
        "sex": ["f", "m", "f", "m", "f", "m", "f", "m"],
    }
    data = Microdata.of(table, household="home", quasi=["region", "sex"])
    method = tc.protect.LocalSuppression(k=2, random_state=1).fit(data)
    assert method.suppressions_ == 0
    assert method.violations_ == {"any": 0, "value": 0}


def test_few_people_counts_as_by_hand():
    rng = np.random.default_rng(3)
    for _ in range(30):
        codes = rng.integers(-1, 3, (25, 3))
        people = rng.integers(0, 12, 25)
        for missing in ("any", "value"):
            for k in (1, 2, 4):
                found = few_people(codes, people, k, missing)
                for row in range(25):
                    same = codes == codes[row]
                    if missing == "any":
                        same |= (codes < 0) | (codes[row] < 0)
                    number = len(set(people[same.all(axis=1)]))
                    assert found[row] == (number < k)


def test_fewer_persons_than_k_is_one_sentence():
    data = file_of("panel", 4)
    with pytest.raises(
        ParameterError, match=r"larger than the number of persons \(4\)"
    ):
        tc.protect.LocalSuppression(k=5).fit(data)


# -- methods that take one row per person ------------------------------------------------


def test_private_methods_refuse_people_with_several_rows():
    panel, survey = file_of("panel"), file_of("survey")
    age = {"columns": ["age"], "bounds": {"age": (0.0, 120.0)}}
    for method in (tc.protect.Laplace, tc.protect.DPMicroaggregation):
        with pytest.raises(InputError, match="takes one row per person"):
            method(**age).fit_transform(panel)
        method(**age).fit_transform(survey)
        shared = {
            "columns": ["household_income"],
            "bounds": {"household_income": (0.0, 1e6)},
        }
        with pytest.raises(InputError, match="'household_income' is the household's"):
            method(**shared).fit_transform(survey)
    with pytest.raises(InputError, match="MASSC treats every row on its own"):
        tc.protect.MASSC(columns=["region", "age"]).fit_transform(survey)


def test_a_person_in_two_households_is_one_sentence():
    table = {"id": [1, 1, 2], "home": [1, 2, 2], "x": [1.0, 2.0, 3.0]}
    data = Microdata.of(table, person="id", household="home", quasi=["x"])
    with pytest.raises(InputError, match="person 1 is in"):
        tc.protect.Noise().fit_transform(data)


@pytest.mark.parametrize("name", UNIT)
@pytest.mark.parametrize("groups", ["all", 2])
def test_blocks_of_columns_are_known_without_forming_a_group(name, groups):
    """Who knows the method knows which columns are averaged together, level by level."""
    data = file_of(name)
    method = tc.protect.Microaggregation(k=3, groups=groups)
    known = method.blocks_of(data)
    method.fit(data)
    assert known == [list(block) for block in method.blocks_]
    assert len(known) > 1
