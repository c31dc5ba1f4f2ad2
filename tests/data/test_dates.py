"""Text dates: read in the order of time, written back as they were."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.data.dates import FORMATS, TIMES, read_date, write_date

MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1))


@given(MOMENTS, st.sampled_from(FORMATS), st.sampled_from(TIMES))
def test_what_is_written_is_read_again(moment: datetime, form: str, time: str) -> None:
    # two figures of a year stand for 1969 to 2068
    if "%y" in form:
        moment = moment.replace(year=1969 + moment.year % 100, day=1)
    text = write_date(moment, form + time)
    read = read_date(text, form + time)
    assert read is not None
    assert write_date(read, form + time) == text


def test_order_is_that_of_time() -> None:
    texts = ["02/01/2021", "15/03/2020", None, "01/12/2020"]
    data = tc.Microdata.of({"d": texts}, date="d")
    codes = data.column("d")
    assert np.array_equal(codes, [2, 0, np.nan, 1], equal_nan=True)
    back = data.with_numbers(["d"], codes[:, None]).to_native()["d"].to_pylist()
    assert back == texts


@given(st.lists(st.dates(date(1900, 1, 1), date(2100, 1, 1)), min_size=1, max_size=20))
def test_days_and_back(days: list[date]) -> None:
    for values in (
        pa.array(days),
        pa.array([datetime.combine(day, datetime.min.time()) for day in days]),
        pa.array([str(day) for day in days]),
    ):
        data = tc.Microdata.of(pa.table({"d": values}), date="d")
        numbers = data.days("d")
        assert numbers.tolist() == [(day - date(1970, 1, 1)).days for day in days]
        assert data.with_days("d", numbers).to_native()["d"].to_pylist() == (
            values.to_pylist()
        )


def test_pandas_dates_stay_pandas_dates() -> None:
    frame = pd.DataFrame({"d": pd.to_datetime(["2020-01-31", None])})
    data = tc.Microdata.of(frame)
    moved = data.with_days("d", data.days("d") + 1).to_native()
    assert moved["d"].dtype == frame["d"].dtype
    assert str(moved["d"][0].date()) == "2020-02-01"


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["13/01/2020", "31/02/2020"], r"row 2: '31/02/2020' is no date .*%d/%m/%Y"),
        (["2020-01-01", "0020-01-01"], "row 2: '0020-01-01' is no date"),
        (["01/02/2020", "03/04/2020"], "row 1: '01/02/2020' may have the day or the"),
        (["soon"], "row 1: 'soon' is no date that is known"),
    ],
)
def test_bad_dates_are_named_by_row(texts: list[str], sentence: str) -> None:
    data = tc.Microdata.of({"visit": texts}, date="visit")
    with pytest.raises(tc.errors.InputError, match=rf"column 'visit', {sentence}"):
        data.column("visit")


def test_the_schema_says_which_comes_first() -> None:
    text = '[columns.d]\nkind = "date"\nrole = "quasi"\ndate_format = "{}"\n'
    texts = {"d": ["02/01/2020", "01/03/2020"]}
    for form, first in (("%d/%m/%Y", 0), ("%m/%d/%Y", 1)):
        schema = tc.Schema.from_toml(text.format(form))
        codes = tc.Microdata.of(texts, schema).column("d")
        assert int(np.argmin(codes)) == first
