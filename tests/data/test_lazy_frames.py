"""polars LazyFrames and DuckDB relations go in and come out, in memory and from the disk.

Spark DataFrames: tests/scale/test_spark_frames.py.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import tacit as tc
from contract import examples
from tacit.assess.exposure import with_risk
from tacit.base.errors import InputError, TacitWarning
from tacit.data.io.on_disk import OnDisk
from tacit.data.lazy import reading
from tacit.data.microdata import Kind
from tacit.protect import by_address, registry


def arrow(n: int = 60) -> pa.Table:
    table = pa.Table.from_pandas(examples.frame(n), preserve_index=False)
    school = table.column("school").cast(pa.string())
    return table.set_column(table.column_names.index("school"), "school", school)


def lazy_polars(table: pa.Table) -> Any:
    frame: Any = pl.from_arrow(table)
    return frame.lazy()


def relation(table: pa.Table) -> Any:
    return duckdb.connect().from_arrow(table)


def collected(frame: Any) -> pa.Table:
    if isinstance(frame, pl.LazyFrame):
        return frame.collect().to_arrow()
    return frame.to_arrow_table()


MAKERS = pytest.mark.parametrize("make", [lazy_polars, relation])
Maker = Callable[[pa.Table], Any]


@pytest.fixture(params=["memory", "disk"])
def where(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Held, or written to a folder because nothing fits."""
    monkeypatch.setenv("TACIT_SCRATCH", str(tmp_path))
    with reading.limited_to(10**12 if request.param == "memory" else 0):
        yield request.param


def quiet(name: str, frame: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        return without_order(name).fit_transform(frame)


def without_order(name: str) -> Any:
    """The method on columns that it can mask in a frame whose text has no order."""
    kinds = registry[name].kinds
    if Kind.nominal in kinds or Kind.ordinal not in kinds:
        return examples.seeded(name, 7)
    columns = [one for one in examples.columns_for(name) if one != "school"]
    return examples.seeded(name, 7, columns=columns)


@pytest.mark.few(8)
@MAKERS
@pytest.mark.parametrize("name", list(registry))
def test_every_protector_gives_the_kind_and_the_values_back(
    name: str, make: Maker, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_address, "BLOCK", 64)
    table = arrow(150)
    frame = make(table)
    masked = quiet(name, frame)
    assert type(masked) is type(frame)
    same_values(collected(masked), quiet(name, table))


def same_values(one: pa.Table, other: pa.Table) -> None:
    assert one.column_names == other.column_names
    for name in other.column_names:
        plain = _plain(other.column(name))
        assert _plain(one.column(name)).cast(plain.type).equals(plain), name


def _plain(column: pa.ChunkedArray) -> pa.Array:
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    whole = column.combine_chunks()
    # polars writes long text
    return whole.cast(pa.string()) if pa.types.is_large_string(whole.type) else whole


@MAKERS
def test_assess_risk_and_attacks_take_them(make: Maker, where: str) -> None:
    table = arrow(80).select(["income", "tax", "age"]).slice(10)
    frame = make(table)
    protector = tc.protect.RankSwapping(p=5, random_state=1)
    masked = protector.fit_transform(frame)
    plain = protector.fit_transform(table)
    found = tc.assess(
        frame, masked, attackers=["nearest"], risks=["dld"], losses=["IL"]
    )
    known = tc.assess(table, plain, attackers=["nearest"], risks=["dld"], losses=["IL"])
    assert found.attacks["nearest"].correct == known.attacks["nearest"].correct
    assert found.loss["IL"].value == known.loss["IL"].value
    counts = tc.risk.frequencies(frame, keys=["age"])
    assert list(counts.sample) == list(tc.risk.frequencies(table, keys=["age"]).sample)
    plan = tc.Plan.of(protector)
    assert type(plan.apply(frame)) is type(frame)


@MAKERS
def test_columns_that_hold_lists_or_bytes_are_left_out_and_said(
    make: Maker, where: str
) -> None:
    table = arrow(30).select(["income", "age"])
    table = table.append_column("visits", pa.array([[1, 2]] * 30))
    table = table.append_column("scan", pa.array([b"x"] * 30))
    with pytest.warns(TacitWarning, match=r"left out.*visits \(lists.*scan \(bytes"):
        data = tc.Microdata.of(make(table))
    assert data.names == ["income", "age"]


@MAKERS
def test_odd_names_nulls_and_types(make: Maker, where: str) -> None:
    n = 40
    table = pa.table(
        {
            "row": pa.array([None, *(i % 20 for i in range(1, n))], pa.int32()),
            "block": pa.array([f"b{i % 3}" for i in range(n)]),
            "a.b c": pa.array([i * 0.25 for i in range(n)]),
            'q"uote': pa.array([i % 2 == 0 for i in range(n)]),
            "day": pa.array(range(n), pa.int32()).cast(pa.date32()),
            "money": pa.array([Decimal(i) for i in range(n)], pa.decimal128(10, 2)),
        }
    )
    noise = tc.protect.Noise(percent=10, columns=["row", "a.b c"], random_state=2)
    out = collected(noise.fit_transform(make(table)))
    same_values(out, noise.fit_transform(table))
    assert out.schema.field("money").type == pa.decimal128(10, 2)
    assert out.column("row").null_count == 1


@MAKERS
def test_what_is_too_large_is_on_the_disk_and_removed_with_its_frame(
    make: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACIT_SCRATCH", str(tmp_path))
    frame = make(arrow(30))
    with reading.limited_to(1000):
        data = tc.Microdata.of(frame)
    assert isinstance(data, OnDisk)
    assert len(list(tmp_path.iterdir())) == 1
    # read once: the same columns stand for the same frame
    assert tc.Microdata.of(frame).disk.folder is data.disk.folder  # type: ignore[attr-defined]
    assert oct(next(tmp_path.iterdir()).stat().st_mode)[-3:] == "700"
    del data, frame
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_an_unordered_query_is_read_once() -> None:
    """Two readings of a query without an order may differ; a release is compared with the first."""
    frame = lazy_polars(arrow(50)).select(pl.all().shuffle())
    noise = tc.protect.Noise(percent=1e-9, columns=["income"], random_state=1)
    masked = noise.fit_transform(frame)
    linkage = tc.attack.Nearest().link(
        tc.Microdata.of(frame).select(["income"]),
        tc.Microdata.of(masked).select(["income"]),
    )
    assert linkage.correct == 50


def test_a_scratch_folder_that_is_not_there_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TACIT_SCRATCH", "/no/such/folder")
    with (
        reading.limited_to(0),
        pytest.raises(InputError, match="there is no such folder"),
    ):
        tc.Microdata.of(lazy_polars(arrow(30)))


@MAKERS
def test_exposed_records_come_as_the_kind_that_was_assessed(make: Maker) -> None:
    frame = make(arrow(60).select(["income", "age"]))
    masked = tc.protect.Noise(percent=10, random_state=1).fit_transform(frame)
    found = tc.assess(frame, masked, attackers=["nearest"], risks=[], losses=[])
    told = with_risk(found)
    assert type(told) is type(frame)
