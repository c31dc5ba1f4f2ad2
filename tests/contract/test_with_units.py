"""The contract of every protector on a file with persons of several rows, and households."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from contract import examples
from tacit.data.microdata import Microdata

pytestmark = pytest.mark.filterwarnings("ignore::tacit.base.errors.TacitWarning")
ROLES = {"home": {"household": "home"}, "person": {"person": "person"}}


def frame(unit: str) -> pd.DataFrame:
    """The frame of the suite, each unit of three rows; region and debt are the unit's."""
    table = examples.frame()
    number = np.arange(len(table)) // 3
    table[unit] = np.random.default_rng(1).permutation(number.max() + 1)[number] + 500
    for name in ("region", "debt"):
        table[name] = table.groupby(unit)[name].transform("first")
    return table


@pytest.fixture(params=ROLES)
def unit(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.few(16)
@pytest.mark.parametrize("name", list(tc.protect.registry))
def test_contract_with_units(name: str, unit: str) -> None:
    kind = tc.protect.registry[name]
    table = frame(unit)
    before = table.copy(deep=True)
    data = Microdata.of(table, **ROLES[unit])
    if kind.one_row_each:
        # of a household only the columns that its members share
        with pytest.raises(tc.errors.InputError, match="one row"):
            examples.seeded(name, 7).fit_transform(data)
        return
    made = examples.seeded(name, 7)
    masked = made.fit_transform(data).to_native()
    # same seed, same bytes; fit and then transform the same; the input as it was
    again = examples.seeded(name, 7).fit(data).transform(data).to_native()
    pd.testing.assert_frame_equal(masked, again, check_exact=True)
    pd.testing.assert_frame_equal(table, before, check_exact=True)
    assert list(masked.columns) == list(table.columns)
    if not kind.changes_length:
        assert list(masked.index) == list(table.index)
    if not kind.changes_types:
        assert list(masked.dtypes) == list(table.dtypes)
    # the units stay, and what they share stays shared
    assert (masked[unit] == table.loc[masked.index, unit]).all()
    for column in ("region", "debt"):
        if column in masked:
            assert masked.groupby(unit)[column].nunique(dropna=False).max() == 1
