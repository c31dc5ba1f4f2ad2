"""Dicts of numbers take a way of their own through push: it gives what arrays give."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from stream.streams import filters, numbers
from tacit.base.errors import TacitError

# the private one declares its columns by place
NAMES = [name for name in filters() if name != "dp microaggregation"]
# quotes, braces and spaces: names of columns are anything
COLUMNS = ["it's", '"b" {c}', "d\\n e"]
pytestmark = pytest.mark.filterwarnings("ignore:.*withheld")


def _as_dicts(values: np.ndarray) -> list[dict[str, float]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in values.tolist()]


def _books(releases: list[tc.stream.Release]) -> list[tuple[int, ...]]:
    return [tuple(release[1:]) for release in releases]


@pytest.mark.few(2)
@pytest.mark.parametrize("name", NAMES)
def test_dicts_leave_as_arrays_do(name: str) -> None:
    x = numbers(150)
    x[40, 1] = np.nan  # a missing value goes the long way, in and out
    by_array, by_name = filters()[name], filters()[name]
    arrays = [r for row in x for r in by_array.push(row)] + by_array.flush()
    dicts = [r for record in _as_dicts(x) for r in by_name.push(record)]
    dicts += by_name.flush()
    assert _books(dicts) == _books(arrays)
    assert all(list(r.record) == COLUMNS for r in dicts)
    # a missing value leaves as None, which no arithmetic passes over
    assert all(v is None or v == v for r in dicts for v in r.record.values())
    values = [[np.nan if v is None else v for v in r.record.values()] for r in dicts]
    np.testing.assert_array_equal(values, [r.record for r in arrays])


@pytest.mark.parametrize(
    "odd",
    [
        {"it's": 1.0, '"b" {c}': 2.0},
        {"it's": 1.0, '"b" {c}': 2.0, "other": 3.0},
        {"it's": 1.0, '"b" {c}': "text", "d\\n e": 3.0},
        {"it's": 1.0, '"b" {c}': np.inf, "d\\n e": 3.0},
    ],
    ids=["missing", "unknown", "text", "infinite"],
)
def test_a_record_that_is_not_usual_is_refused_and_leaves_no_trace(
    odd: dict[str, object],
) -> None:
    records = _as_dicts(numbers(60))
    untouched, disturbed = filters()["noise"], filters()["noise"]
    for record in records[:30]:
        untouched.push(record)
        disturbed.push(record)
    with pytest.raises(TacitError):
        disturbed.push(odd)
    for record in records[30:]:
        # another order of the same columns is the same record
        turned = dict(reversed(record.items()))
        assert disturbed.push(turned) == untouched.push(record)


def test_columns_may_be_named_by_anything_that_can_be_a_key() -> None:
    names = [("a", 1), np.str_("b"), 3, "d"]
    masked = filters()["rounding"].push(dict(zip(names, range(4), strict=True)))
    assert [list(release.record) for release in masked] == [names]
