"""Links of rows are counted as links of persons and firms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.attack.unit_counts import counted_units
from tacit.data.microdata import Microdata


def test_a_row_that_leads_to_the_person_is_right() -> None:
    """Two persons of two rows and one of one; by hand."""
    frame = pd.DataFrame({"id": [1, 1, 2, 2, 3], "v": [0.0, 1.0, 10.0, 11.0, 20.0]})
    x = Microdata.of(frame, person="id", quasi=["v"])
    # rows of person 1 change places, one row of person 2 seems to be person 3's
    masked = frame[["v"]].assign(v=[1.0, 0.0, 10.0, 20.2, 19.9])
    link = tc.attack.registry["nearest"](scale="none").link(x, masked)
    assert link.match.tolist() == [1, 0, 2, 2, 4]
    assert link.success.tolist() == [1.0, 1.0, 1.0, 1.0, 1.0]
    assert (link.correct, link.counted, link.counts) == (3.0, 3, "persons")
    assert link.chance == pytest.approx(1 / 3)
    assert link.to_dict()["counts"] == "persons"


def test_persons_not_released_count_nowhere() -> None:
    frame = pd.DataFrame({"id": [1, 1, 2, 2], "v": [0.0, 1.0, 10.0, 11.0]})
    x = Microdata.of(frame, person="id", quasi=["v"])
    link = tc.attack.registry["nearest"](scale="none").link(
        x, frame[["v"]].iloc[:1], truth=[0, -1, -1, -1]
    )
    assert (link.released, link.released_rate) == (1, 1.0)
    assert link.rate == 0.5


def test_identical_rows_of_one_person_are_no_tie() -> None:
    frame = pd.DataFrame({"id": [1, 1, 2, 3], "v": [0.0, 0.0, 0.0, 9.0]})
    x = Microdata.of(frame, person="id", quasi=["v"])
    link = tc.attack.registry["nearest"](scale="none").link(x, frame[["v"]])
    # two of the three rows that look alike are person 1's
    assert link.success.tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3, 1.0])
    assert link.correct == pytest.approx(2 / 3 + 1 / 3 + 1)


@pytest.mark.parametrize(
    ("columns", "units"),
    [
        ({"firm": list("aabbccdd")}, 4),
        ({"firm": list("aabbccdd"), "row": list("12345678")}, 8),
        ({"name": list("aabbccdd"), "number": list("aabbccde")}, 5),
        ({"name": list("abcdefgh")}, 8),
    ],
    ids=["firms", "a number for each row", "the finest", "one row each"],
)
def test_an_identifier_that_repeats_names_units(columns, units: int) -> None:
    frame = pd.DataFrame({**columns, "v": np.arange(8.0)})
    data = Microdata.of(frame, identifier=list(columns), quasi=["v"])
    assert counted_units(data).number == units
