"""Files of few different records: identical ones are looked for once and share their links, so that
the work grows with the classes and not with the square of the records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.attack import identical_rows, nearest
from tacit.attack.assignment import Assignment
from tacit.attack.base import scored
from tacit.attack.common_codes import one_sided_merged
from tacit.attack.distances import vectors
from tacit.attack.identical_rows import _by_value, distinct, shared_rows
from tacit.attack.informed import evidence_assignment
from tacit.attack.informed.plan_attackers import for_plan
from tacit.attack.nearest import Nearest
from tacit.attack.over_blocks import nearest_records
from tacit.attack.unit_votes import name_persons
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.units import Units
from tacit.kernels.voting import winners

KEYS = ["region", "job", "sex"]


def coarsened(n: int, *, new_labels: bool) -> tuple[pa.Table, pa.Table]:
    """Three nominal keys, two of them coarsened: to labels of their own, or to old ones."""
    rng = np.random.default_rng(4)
    region, job, sex = (rng.integers(0, top, n) for top in (12, 8, 2))
    sign = "c" if new_labels else ""
    ours = {"region": region, "job": job, "sex": sex}
    theirs = {"region": region // 4 * 4, "job": job // 4 * 4, "sex": sex}
    text = [
        {
            name: pa.array([f"{sign * place * (name != 'sex')}{v:02d}" for v in values])
            for name, values in table.items()
        }
        for place, table in enumerate((ours, theirs))
    ]
    return pa.table(text[0]), pa.table(text[1])


def both(tables: tuple[pa.Table, pa.Table]) -> tuple[Microdata, Microdata]:
    one, other = (Microdata.of(table, nominal=KEYS, quasi=KEYS) for table in tables)
    return one, other


def plainly(tables: tuple[pa.Table, pa.Table]) -> np.ndarray:
    """The chance of each original's own row, by counting equal cells of all pairs."""
    x, z = (np.array([t[name].to_pylist() for name in KEYS]).T for t in tables)
    agree = (x[:, None, :] == z[None, :, :]).sum(axis=2)
    nearest_ones = agree == agree.max(axis=1)[:, None]
    own = np.arange(len(x))
    return nearest_ones[own, own] / nearest_ones.sum(axis=1)


@pytest.mark.parametrize("new_labels", [False, True])
def test_identical_originals_look_once_and_share_a_list(
    new_labels: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identical_rows, "SOME", 100)
    monkeypatch.setattr(nearest, "MARGINS", 100)
    tables = coarsened(1200, new_labels=new_labels)
    looked: list[int] = []
    search = nearest.nearest_with_ties
    monkeypatch.setattr(
        nearest,
        "nearest_with_ties",
        lambda X, Y, **more: looked.append(len(X)) or search(X, Y, **more),
    )
    original, masked = both(tables)
    matching = Nearest()._link(original, masked, KEYS)
    # of 12 x 8 x 2 combinations those remain that the release can tell apart
    assert looked == [2 if new_labels else 4 * 3 * 2]
    assert len(matching.indptr) - 1 == looked[0]
    assert len(matching.classes) <= looked[0] * 3 * 2 * 2
    success, ties = scored(matching, np.arange(1200))
    assert success == pytest.approx(plainly(tables))
    # a list for each original says the same
    masked_class, indptr, _, _ = matching.named
    assert len(indptr) == 1201
    assert ties.min() >= 1
    assert len(masked_class) == 1200


@pytest.mark.parametrize("attacker", [Nearest(), Assignment()], ids=str)
def test_from_the_disk_as_in_memory(
    attacker: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = coarsened(900, new_labels=False)
    files = []
    for name, table in zip("xz", tables, strict=True):
        (tmp_path / name).mkdir()
        pq.write_table(table, tmp_path / f"{name}.parquet")
        path = tmp_path / f"{name}.parquet"
        files.append(OnDisk.open(path, tmp_path / name, nominal=KEYS, quasi=KEYS))
    linked: list[int] = []
    link = nearest_records.LinkOriginals._linked

    def counted(self: Any, X: Any, *rest: Any) -> Any:
        linked.append(len(X))
        return link(self, X, *rest)

    monkeypatch.setattr(nearest_records.LinkOriginals, "_linked", counted)
    found = attacker.linked_over_blocks(*files, KEYS)
    matching = found[0] if isinstance(found, tuple) else found.matching
    plain = attacker.link(*both(tables))
    success, ties = scored(matching, np.arange(900))
    if isinstance(attacker, Nearest):
        assert sum(linked) == 4 * 3 * 2
        assert success == pytest.approx(plain.success)
        assert ties.tolist() == plain.ties.tolist()
        assert matching.match.tolist() == plain.match.tolist()
    else:
        # of equally good linkages another may be taken
        assert matching.cost == pytest.approx(plain.cost)


def test_categories_of_one_file_share_a_coordinate() -> None:
    original, masked = both(coarsened(200, new_labels=True))
    X, Y, _ = vectors(original, masked, KEYS)
    # one for each file of region and job, two of sex, and one for missing values of each
    assert X.shape[1] == 3 + 3 + 3
    apart = np.sqrt(((X[:, None] - Y[None]) ** 2).sum(axis=2))
    unlike = [
        np.not_equal.outer(original.table[n].to_pylist(), masked.table[n].to_pylist())
        for n in KEYS
    ]
    assert apart == pytest.approx(np.sqrt(np.sum(unlike, axis=0)))


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_merged_codes_agree_where_codes_do(ours: list[int], theirs: list[int]) -> None:
    x, z = np.array(ours, float), np.array(theirs, float)
    x[::3] = np.nan
    a, b, size = one_sided_merged(x, z, 6)
    equal = x[:, None] == z[None, :]
    assert np.array_equal(a[:, None] == b[None, :], equal)
    assert np.array_equal(np.isnan(a), np.isnan(x))
    every = np.concatenate([a, b])
    assert size >= len(set(every[~np.isnan(every)]))


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 6))
def test_classes_by_hash_are_those_by_value(seed: int, width: int, values: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, values, (60, width)) / 4
    table[rng.random(table.shape) < 0.1] = np.nan
    table[rng.random(table.shape) < 0.1] = -0.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identical_rows, "SOME", 1)
        found, some = distinct(table), shared_rows(table)
    plain = _by_value(table + 0.0)
    for one in ("rows", "inverse", "count", "first"):
        assert np.array_equal(
            getattr(found, one), getattr(plain, one), equal_nan=one == "rows"
        )
    if some is not None:
        assert np.array_equal(some.rows[some.inverse], table + 0.0, equal_nan=True)


def test_informed_assignment_of_few_classes_weighs_every_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evidence_assignment, "DENSE", 50)
    rng = np.random.default_rng(2)
    table = {"a": rng.integers(0, 3, 400).astype(str), "b": rng.integers(0, 4, 400)}
    data = tc.Microdata.of(table, nominal=["a", "b"], quasi=["a", "b"])
    plan = tc.protect.PRAM(random_state=1)
    masked = plan.fit_transform(data)
    (attacker,) = for_plan(plan)
    link = attacker.link(data, masked)
    assert link.certified


def test_votes_compiled_are_votes_in_plain_code() -> None:
    rng = np.random.default_rng(8)
    ours, theirs = (Units("person", rng.permutation(60) // 3) for _ in range(2))
    masked_class = np.unique(rng.integers(0, 9, 60), return_inverse=True)[1]
    classes = masked_class[rng.permutation(60)]
    named = masked_class, np.arange(61), classes, np.ones(60), np.arange(60)
    plain = name_persons(*named, ours, theirs)
    assert winners.compiled() is not None
    compiled = name_persons(*named, ours, theirs)
    assert compiled.success.tolist() == plain.success.tolist()
    assert compiled.margin.tolist() == plain.margin.tolist()
