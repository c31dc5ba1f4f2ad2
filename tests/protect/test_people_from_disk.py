"""Local suppression for people of a file on the disk does what it does in memory, bit for bit."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.base.errors import TacitWarning
from tacit.base.estimator import clone
from tacit.data import io
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces
from tacit.protect import by_address
from tacit.protect.grouping import people_from_disk

N = 900
ROLES: dict[str, Any] = {
    "both": {"person": "who", "household": "home"},
    "persons": {"person": "who"},
    "households": {"household": "home"},
    "one row each": {"person": "row"},
}
KEYS = ["region", "sex", "job", "year"]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 400)
    monkeypatch.setattr(by_address, "BLOCK", 256)


def survey(seed: int, n: int = N) -> pa.Table:
    """A region of the household, a sex of the person, a job of the row with gaps."""
    rng = np.random.default_rng(seed)
    who = rng.permutation(np.sort(rng.integers(0, n // 3, n)))
    home = who // 2
    job = rng.choice(
        [*"abcdefghij"], n, p=np.array([40, 20, 15, 9, 6, 4, 2, 2, 1, 1]) / 100
    )
    region = rng.choice([*"nesw"], n, p=[0.6, 0.3, 0.09, 0.01])[home]
    region[rng.random(n) < 0.002] = "x"
    return pa.table(
        {
            "row": np.arange(n),
            "who": who,
            "home": home,
            "region": region,
            "sex": rng.integers(0, 2, n)[who],
            "job": pa.array(job, mask=rng.random(n) < 0.05),
            "year": 2000 + rng.integers(0, 3, n),
        }
    )


def released(method: Any, data: Any) -> tuple[Any, Any]:
    made = clone(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        return made.fit_transform(data), made


HOW = [
    *((roles, {"k": 3}) for roles in ROLES),
    ("both", {"k": 90}),
    ("households", {"k": 120}),
    ("both", {"k": 7, "keys": [["region", "job"], ["sex", "job"]]}),
    ("both", {"k": 20, "importance": {"job": 5.0}}),
]


@pytest.mark.few(2)
@pytest.mark.parametrize("missing", ["any", "value"])
@pytest.mark.parametrize(("whose", "more"), HOW, ids=str)
def test_cells_and_counts_are_those_of_memory(
    whose: str, missing: Any, more: Any, tmp_path: Path
) -> None:
    roles = ROLES[whose]
    pq.write_table(survey(more["k"]), tmp_path / "in.parquet", row_group_size=500)
    how = {"nominal": KEYS, "quasi": KEYS, **roles}
    disk = OnDisk.open(tmp_path / "in.parquet", tmp_path, **how)
    method = tc.protect.LocalSuppression(
        missing=missing, columns=KEYS, random_state=3, **more
    )
    assert method.passes_of(disk) == "keys"
    assert method.holds(disk)[0] == 0
    memory, one = released(method, io.read(tmp_path / "in.parquet", **how))
    release, other = released(method, disk)
    assert isinstance(release, OnDisk)
    for name in memory.names:
        left = release.disk.column(name).combine_chunks()
        assert left.equals(memory.table.column(name).combine_chunks()), name
    assert other.outcome() == one.outcome()
    assert other.violations_ == one.violations_
    assert other.violations_[missing] == 0
    assert other.suppressions_ > 0
    # transform draws what fit_transform drew
    again = other.transform(disk)
    assert again.disk.column("job").equals(release.disk.column("job"))


def test_every_turn_of_the_search_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The searches leave something, columns go one by one, and in the end whole records."""
    taken = []
    for name in ("_column_by_column", "_smallest_class"):
        real = getattr(people_from_disk, name)

        def seen(*given: Any, real: Any = real, name: str = name) -> Any:
            taken.append(name)
            return real(*given)

        monkeypatch.setattr(people_from_disk, name, seen)
    # pairs of person and class that are drawn in pieces, and as one
    for seed, k, block in ((1, 7, 30), (4, 5, 30), (1, 7, 290)):
        monkeypatch.setattr(by_address, "BLOCK", block)
        table = survey(seed, 1500).slice(0, 300)
        pq.write_table(table, tmp_path / "in.parquet")
        how = {"nominal": KEYS, "quasi": KEYS, "person": "who", "household": "home"}
        method = tc.protect.LocalSuppression(
            k=k, missing="value", columns=KEYS, random_state=3
        )
        memory, one = released(method, io.read(tmp_path / "in.parquet", **how))
        release, other = released(
            method, OnDisk.open(tmp_path / "in.parquet", tmp_path, **how)
        )
        assert other.outcome() == one.outcome()
        for name in KEYS:
            left = release.disk.column(name).combine_chunks()
            assert left.equals(memory.table.column(name).combine_chunks()), name
    assert set(taken) == {"_column_by_column", "_smallest_class"}


def test_a_gap_that_a_relative_fills_is_searched_for_in_memory(tmp_path: Path) -> None:
    table = survey(2)
    region = table["region"].to_pylist()
    table = table.set_column(3, "region", pa.array([None, *region[1:]]))
    pq.write_table(table, tmp_path / "in.parquet")
    how = {"nominal": KEYS, "quasi": KEYS, "person": "who", "household": "home"}
    disk = OnDisk.open(tmp_path / "in.parquet", tmp_path, **how)
    method = tc.protect.LocalSuppression(k=4, columns=KEYS, random_state=3)
    assert method.passes_of(disk) == "together"
    assert method.holds(disk)[0] > 0
    assert tc.protect.LocalSuppression(columns=["job"]).passes_of(disk) == "keys"
