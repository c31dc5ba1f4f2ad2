"""Any size: measures of keys give on the disk what they give in memory, with weights, with persons
and households, with gaps in keys, and with numbers as keys; and so does the look before protection.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contract.test_measures_any_size import same
from tacit import risk
from tacit.base.errors import InputError, TacitWarning
from tacit.base.facts import facts_of
from tacit.base.measure import jsonable
from tacit.data import io
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces
from tacit.data.repeated import Repeated
from tacit.data.spread import Spread
from tacit.risk.judged import Judged
from tacit.risk.look import look

NAMES = [
    name
    for name in risk.registry
    if facts_of(risk.registry[name]).passes in ("keys", "cells", "units")
]
CASES: dict[str, dict[str, Any]] = {
    "weights": {"weight": "w", "quasi": ["age", "region", "school"]},
    "no weights": {"quasi": ["age", "region", "school"]},
    "a key is confidential, too": {
        "quasi": ["age", "region", "ill"],
        "confidential": ["ill", "income"],
    },
    "persons": {"person": "pid", "weight": "w", "quasi": ["age", "region"]},
    "households": {"household": "hid", "quasi": ["age", "region", "school"]},
    "numbers as keys": {"quasi": ["income", "w"], "confidential": ["ill"]},
}
USUAL: dict[str, Any] = {
    "confidential": ["ill", "income"],
    "nominal": ["age", "region", "ill"],
    "ordinal": ["school"],
    "continuous": ["income", "w"],
    "other": ["pid", "hid"],
}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 97)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(4)
    n = 500

    def gaps(values: Any, share: float) -> pa.Array:
        return pa.array(values, mask=rng.random(n) < share)

    table = pa.table(
        {
            "age": rng.integers(20, 32, n),
            "region": gaps(rng.choice(list("abcdefg"), n), 0.05),
            "school": gaps(rng.integers(0, 4, n), 0.02),
            "ill": rng.choice(["no", "yes", "maybe"], n, p=[0.8, 0.15, 0.05]),
            "income": gaps(np.round(rng.lognormal(10, 0.6, n), -3), 0.03),
            "w": np.round(rng.uniform(0.5, 40, n), 2),
            "pid": rng.integers(0, 300, n),
            "hid": rng.integers(0, 200, n),
        }
    )
    file = tmp_path_factory.mktemp("keys") / "file.parquet"
    pq.write_table(table, file, row_group_size=120)
    return file


def both(path: Path, folder: Path, case: str) -> tuple[Any, Any]:
    roles = USUAL | CASES[case]
    roles["other"] = [
        name for name in USUAL["other"] if name not in CASES[case].values()
    ]
    return io.read(path, **roles), OnDisk.open(path, folder, **roles)


@pytest.mark.few(5)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", NAMES)
def test_measures_of_keys(name: str, case: str, path: Path, tmp_path: Path) -> None:
    memory, disk = both(path, tmp_path, case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        expected = risk.registry[name](memory, memory).to_dict()
        found = risk.registry[name](disk, disk).to_dict()
    assert same(found, expected)


@pytest.mark.parametrize("case", CASES)
def test_a_look(case: str, path: Path, tmp_path: Path) -> None:
    memory, disk = both(path, tmp_path, case)
    expected, found = (jsonable(look(data).to_dict()) for data in (memory, disk))
    expected.pop("seconds")
    found.pop("seconds")
    assert same(found, expected)


def test_of_each_person_the_most_exposed_record_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 16)
    n = 60
    # four records each, all of them alone with their age, and some with their sex as well
    table = pa.table(
        {
            "age": np.arange(n) // 2 + 100 * (np.arange(n) % 2),
            "sex": pa.array(np.where(np.arange(n) < 50, "f", "m")),
            "pid": np.arange(n)[::-1] // 4,
            "hid": np.arange(n)[::-1] // 8,
        }
    )
    file = tmp_path / "file.parquet"
    pq.write_table(table, file, row_group_size=17)
    roles: dict[str, Any] = {"quasi": ["age", "sex"], "person": "pid"}
    households: dict[str, Any] = {"household": "hid"}
    for more in ({}, households):
        folder = tmp_path / str(len(more))
        folder.mkdir()
        memory = look(io.read(file, **roles, **more)).to_dict()
        found = look(OnDisk.open(file, folder, **roles, **more)).to_dict()
        del memory["seconds"], found["seconds"]
        assert same(jsonable(found), jsonable(memory))
        assert [one.row for one in look(io.read(file, **roles)).riskiest] == [
            1, 5, 9, 13, 17, 21, 25, 29, 33, 37
        ]  # fmt: skip


def test_records_are_not_held(path: Path, tmp_path: Path) -> None:
    _, disk = both(path, tmp_path, "weights")
    judged = Judged.of(disk, disk)
    assert isinstance(judged.units, Repeated)
    assert judged.data.n < disk.n == judged.units.number
    (tmp_path / "persons").mkdir()
    _, disk = both(path, tmp_path / "persons", "persons")
    judged = Judged.of(disk, disk)
    assert isinstance(judged.units, Spread)
    assert judged.data.n < disk.n == judged.units.records


def test_a_bad_weight_is_named_by_its_row(tmp_path: Path) -> None:
    weights = np.ones(300)
    weights[250] = 0
    file = tmp_path / "file.parquet"
    pq.write_table(pa.table({"age": np.arange(300) % 9, "w": weights}), file)
    disk = OnDisk.open(
        file, tmp_path, quasi=["age"], nominal=["age"], continuous=["w"], weight="w"
    )
    with pytest.raises(InputError, match="column 'w', row 251: a sampling weight"):
        risk.individual(disk)
