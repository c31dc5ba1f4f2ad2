"""Persons whose rows stand for several records: from the disk in any pieces as in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.data.io.disk_table import SpillFolder
from tacit.data.out_of_core import pieces, unit_numbers
from tacit.data.out_of_core.number_files import NumberFiles, write_numbers
from tacit.data.out_of_core.unit_numbers import UnitNumbers
from tacit.data.repeated import Repeated
from tacit.data.spread import Spread
from tacit.data.units import Units
from tacit.risk.counting import count


def written(folder: SpillFolder, numbers: np.ndarray, dtype: str) -> NumberFiles:
    path = folder.next_file()
    return NumberFiles((path,), (write_numbers(path, numbers.astype(dtype)),), dtype)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_rows_of_combinations_say_what_records_say(
    seed: int, weighted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 40)
    monkeypatch.setattr(unit_numbers, "TOGETHER", 2)
    rng = np.random.default_rng(seed)
    n, rows, labelled = 200, 60, 25
    person = rng.integers(0, 70, n)
    _, label = np.unique(person, return_inverse=True)
    # the first rows are one record's each
    row = np.append(np.arange(rows), rng.integers(20, rows, n - rows))
    weight = rng.integers(1, 9, n).astype(float)
    folder = SpillFolder(tmp_path)
    who = UnitNumbers.of_keys([written(folder, person, "<u8")], folder)
    files = who.gathered(written(folder, row, "<i4"), "<i4")
    weights = who.gathered(written(folder, weight, "<f8")) if weighted else None
    times = np.bincount(row)
    ours = Spread.over(files, times, who, weights)
    plain = Units("person", label.astype(np.int64))
    assert len(who.pieces) > 3
    assert (ours.number, ours.records) == (plain.number, n)

    marked, values = rng.random(rows) < 0.1, rng.random(rows)
    assert ours.having(marked) == plain.having(marked[row])
    assert (ours.any(marked) == plain.any(marked[row])).all()
    assert ours.share(marked) == plain.share(marked[row])
    assert (ours.highest(values) == plain.highest(values[row])).all()
    assert ours.total(values) == pytest.approx(plain.total(values[row]), rel=1e-12)
    assert ours.row_mean(values) == pytest.approx(values[row].mean(), rel=1e-12)

    labels = np.append(np.arange(labelled), rng.integers(0, labelled, rows - labelled))
    each = weight if weighted else None
    # what rows weigh together, as a table of combinations says it
    summed = np.bincount(row, weight) if weighted else None
    for one, other in zip(
        ours.counted(labels, labelled, summed),
        plain.counted(labels[row], labelled, each),
        strict=True,
    ):
        assert other == pytest.approx(one, rel=1e-12)
    assert ours.people(summed) == pytest.approx(plain.people(each), rel=1e-12)
    if not weighted:
        # every record of a row weighs the same
        same = np.bincount(row, np.full(n, 3.0))
        _, F = ours.counted(labels, labelled, same)
        assert plain.counted(labels[row], labelled, np.full(n, 3.0))[1] == (
            pytest.approx(F, rel=1e-12)
        )
        assert ours.people(same) == pytest.approx(3.0 * ours.number, rel=1e-12)
    rare = labels.copy()
    rare[:10] = np.arange(10) + labelled
    rare = np.unique(rare, return_inverse=True)[1]
    assert (ours.owners(rare) == plain.owners(rare[row])).all()
    assert (ours.owners(rare) >= 0).any()
    assert ours.once(labels) == pytest.approx(
        np.bincount(row, plain.once(labels[row])), rel=1e-12
    )
    # gaps agree with every value
    codes = rng.integers(-1, 3, (rows, 3))
    f, F = count(codes, summed, units=ours)
    g, G = count(codes[row], each, units=plain)
    assert (f[row] == g).all()
    assert F[row] == pytest.approx(G, rel=1e-12)
    assert isinstance(ours, Repeated)
