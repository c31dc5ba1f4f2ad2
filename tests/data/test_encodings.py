"""Columns that say the same as others, found by their values; and columns that do not."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.data.disk_encodings import encodings_of
from tacit.data.encodings import Encodings, numbers_rows
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces

N = 300


@pytest.fixture(scope="module")
def people() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    region = rng.choice(["north", "south", "east", "west"], N)
    age = rng.integers(18, 90, N).astype(float)
    return {
        "name": np.array([f"p{i:04d}" for i in rng.permutation(N)]),
        "age": age,
        "region": region,
        "income": np.round(rng.lognormal(10, 1, N)),
        "sex": rng.choice(["f", "m"], N),
        "rare": (rng.random(N) < 0.03).astype(float),
    }


def relation(people: dict[str, np.ndarray], values: np.ndarray, *of: str) -> str:
    """What a new column of these values is found to say about the others."""
    data = tc.Microdata.of({**people, "new": values}, nominal=["sex", "region"])
    found = Encodings(data).of("new", of or people)
    said = "" if found is None else str(found)
    assert said == from_disk(data, *(of or people))
    return said


def from_disk(data: tc.Microdata, *of: str, piece: int = 64) -> str:
    """The same of the file on the disk, in pieces."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", piece)
        path = Path(folder, "in.parquet")
        pq.write_table(data.table, path)
        found = encodings_of(OnDisk.open(path, folder, data.schema)).of("new", of)
    return "" if found is None else str(found)


@pytest.mark.parametrize(("wrong", "found"), [(0.015, ""), (0.0, "it determines")])
def test_slips_are_counted_in_all_classes_of_values(wrong: float, found: str) -> None:
    """So few that no class alone is too much, and a first look sees hardly a value twice."""
    rng = np.random.default_rng(3)
    n = 30_000
    value = rng.permutation(np.repeat(np.arange(n // 2), 2))
    part = np.where(rng.random(n) < wrong, value + 1, value) % 4
    columns = {"new": value * 7 + 0.5, "part": np.array(["a", "b", "c", "d"])[part]}
    data = tc.Microdata.of(columns, nominal=["part"])
    seen = Encodings(data).of("new", ["part"])
    assert (seen.relation if seen else "") == found
    assert from_disk(data, "part", piece=4096) == (str(seen) if seen else "")


def test_row_numbers_in_any_order(people) -> None:
    order = np.random.default_rng(1).permutation(N)
    for numbers in (np.arange(N), 5000 - np.arange(N), order + 17):
        assert relation(people, numbers) == "it numbers the records"


def test_the_order_of_an_identifier(people) -> None:
    ranks = np.argsort(np.argsort(people["name"]))
    told = "it has the order of 'name'"
    assert relation(people, 1.7 * ranks**2) == told
    assert relation(people, -0.31 * ranks) == told
    assert relation(people, np.array([f"x{r:07.1f}" for r in 1.7 * ranks])) == told


def test_copies_other_units_and_other_codes(people) -> None:
    changed = people["age"].copy()
    changed[:5] += 1
    assert relation(people, changed) == "it has the same values as 'age'"
    months = 12 * people["age"] - 3
    assert relation(people, months) == "it has, in other units, the values of 'age'"
    codes = np.unique(people["region"], return_inverse=True)[1] * 10
    assert relation(people, codes) == "it determines 'region'"


def test_a_finer_code_determines_the_coarse_one(people) -> None:
    """A postcode gives the region away, however the region was masked."""
    part = np.random.default_rng(2).integers(0, 3, N).astype(str)
    postcode = np.char.add(people["region"], part)
    assert relation(people, postcode, "region") == "it determines 'region'"
    assert relation(people, people["region"], "age") == ""


def test_a_slip_of_the_pen_hides_no_code(people) -> None:
    codes = np.unique(people["region"], return_inverse=True)[1] * 10
    slipped = codes.copy()
    slipped[7] = 20 if codes[7] == 10 else 10
    assert relation(people, slipped) == "it determines 'region'"
    wrong = np.where(np.arange(N) % 10 == 0, np.roll(codes, 1), codes)
    assert relation(people, wrong, "region") == ""


def test_two_columns_of_the_same_two_values_are_not_copies(people) -> None:
    """Nearly all of one agrees with the rare value of the other."""
    rng = np.random.default_rng(9)
    flag = np.where(rng.random(N) < 0.3, 2.0, 1.0)
    mostly = np.where(rng.random(N) < 0.96, 2.0, 1.0)
    assert relation({**people, "flag": flag}, mostly, "flag") == ""


def test_numbers_of_households_are_not_determined_by_their_values(people) -> None:
    """An income that differs between households is no code of their number."""
    household = np.repeat(np.arange(N // 3), 3) * 3.0
    income = np.random.default_rng(3).permutation(N // 3) * 97.0 % 1009
    income = np.repeat(income, 3) ** 2
    data = tc.Microdata.of({"hid": household, "income": income, "code": 7 * household})
    seen = Encodings(data)
    assert seen.of("income", [], numbers=["hid"]) is None
    assert str(seen.of("code", [], numbers=["hid"])) == (
        "it has, in other units, the values of 'hid'"
    )


@given(st.integers(0, 2**32 - 1))
def test_columns_that_have_nothing_to_do_with_each_other(seed: int) -> None:
    """No false alarm: skewed binaries, codes, weights, incomes, all independent."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 400))
    data = tc.Microdata.of(
        {
            "flag": (rng.random(n) < rng.uniform(0, 0.1)).astype(float),
            "sex": rng.choice(["f", "m"], n, p=[0.95, 0.05]),
            "code": rng.integers(1, int(rng.integers(2, n)), n),
            "income": np.round(rng.lognormal(10, 1, n)),
            "weight": rng.uniform(50, 150, n),
        }
    )
    seen = Encodings(data)
    assert [seen.of(name, data.names) for name in data.names] == [None] * 5


def test_incomes_do_not_number_rows() -> None:
    rng = np.random.default_rng(0)
    assert not numbers_rows(np.round(rng.lognormal(10, 1, 100)))
    assert not numbers_rows(np.arange(10.0))
    assert not numbers_rows(np.arange(100.0) / 10)
