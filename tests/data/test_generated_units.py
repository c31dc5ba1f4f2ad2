"""The generated panel and household survey: whole units, levels as the docs say, seeds."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.base.errors import ParameterError
from tacit.data.units import check, household_columns, person_columns, persons


def test_same_seed_same_table_other_seed_other_table() -> None:
    for make in (tc.datasets.make_panel, tc.datasets.make_households):
        assert make(50, seed=3).equals(make(50, seed=3))
        assert not make(50, seed=3).equals(make(50, seed=4))


def test_the_panel_has_persons_with_several_years() -> None:
    table = tc.datasets.make_panel(300, years=5, seed=2)
    data = tc.Microdata.of(table, person="person")
    units = persons(data)
    assert units.number == 300
    assert units.sizes.max() == 5
    assert np.mean(units.sizes == 5) > 0.7
    # schooling is the person's but for a few who study on
    assert person_columns(data) == ["sex", "region", "schooling"]
    assert person_columns(data, slips=0) == ["sex", "region"]
    born = data.column("year") - data.column("age")
    assert not units.split(born).any()
    pairs = np.stack([data.column("person"), data.column("year")], axis=1)
    assert len(np.unique(pairs, axis=0)) == data.n


def test_the_survey_has_columns_of_the_household() -> None:
    data = tc.Microdata.of(
        tc.datasets.make_households(300, seed=2),
        household="household",
        weight="weight",
    )
    check(data)
    assert household_columns(data) == [
        "region",
        "urban",
        "dwelling",
        "water",
        "household_income",
        "weight",
    ]
    table = data.table.to_pandas()
    heads = table[table["relation"] == "head"]
    assert (heads["member"] == 1).all()
    assert len(heads) == 300
    assert heads["age"].min() >= 20
    assert table["weight"].min() > 0


def test_sizes_below_one_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least 1"):
        tc.datasets.make_panel(0)
    with pytest.raises(ParameterError, match="at least 1"):
        tc.datasets.make_households(0)
