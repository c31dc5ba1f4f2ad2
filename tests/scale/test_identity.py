"""Which run a checkpoint belongs to, which key a block has, and what a block may hold."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit import scale as large
from tacit.attack.linkage import wilson
from tacit.base.errors import ParameterError
from tacit.data.microdata import Microdata
from tacit.scale.checkpoint import Checkpoint
from tacit.scale.digest import digest
from tacit.scale.engine import Threads, seed_of
from tacit.scale.link_block import LinkBlock
from tacit.scale.memory import Budget
from tacit.scale.partition import OrthTree, microaggregate
from tacit.scale.partition.aggregate import aggregate_block
from tacit.scale.protect_cluster import ClusterStages
from tacit.scale.protect_local import LocalStages
from tacit.scale.request import Request
from tacit.scale.run_result import BlockLinkage
from tacit.scale.spill import bins_of
from tacit.scale.treatment import Method, run_block

REQUEST = Request(
    method="microaggregation",
    parameters={"k": 4},
    columns=("a",),
    split_on=("a",),
    categorical=(),
    leaf=100,
    seed=None,
)


def parquet(path: Path, n: int = 50) -> Path:
    rng = np.random.default_rng(1)
    table = pa.table({"id": np.arange(n) + 10_000, "a": rng.normal(size=n)})
    pq.write_table(table, path)
    return path


def identity(path: Path, limit: int = 10**9) -> dict[str, object]:
    out = str(path.with_name("out.parquet"))
    return LocalStages(str(path), out, Threads(1), limit, None).identity()


def test_a_checkpoint_is_that_of_its_file_in_any_memory(tmp_path: Path) -> None:
    one, other = parquet(tmp_path / "a.parquet"), parquet(tmp_path / "b.parquet")
    first = identity(one)
    assert identity(one) == first
    assert identity(other) != first
    # what is free when a run goes on is not what was free before
    assert identity(one, limit=2 * 10**9) == first
    os.utime(one, (1, 1))
    assert identity(one) != first


def test_on_a_cluster_too() -> None:
    stages = [
        SimpleNamespace(source=SimpleNamespace(files=files), engine=Threads(1))
        for files in ([("a", 1, 2, "t")], [("b", 1, 2, "t")])
    ]
    one, other = (ClusterStages.identity(stage) for stage in stages)
    assert one != other


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    work = tmp_path / "work"
    run = {"input": "a", "k": 3}
    key = Checkpoint.open(work, run, resume=False).key
    assert Checkpoint.open(work, run, resume=True).key == key
    with pytest.raises(ParameterError, match="another input or other parameters"):
        Checkpoint.open(work, run | {"input": "b"}, resume=True)
    assert Checkpoint.open(work, run, resume=False).key != key


def test_what_a_run_keeps_is_its_owners(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Checkpoint.open(tmp_path / "work", {}, resume=False)
    finally:
        os.umask(before)
    modes = [
        stat.S_IMODE(path.stat().st_mode)
        for path in (tmp_path / "work", tmp_path / "work" / "state.json")
    ]
    assert modes == [0o700, 0o600]


def test_a_run_killed_before_its_state_was_whole_can_be_begun_again(
    tmp_path: Path,
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "state.new").write_text("{")
    assert Checkpoint.open(work, {}, resume=True).key
    assert [file.name for file in work.iterdir()] == ["state.json"]


def test_a_checkpoint_runs_no_code(tmp_path: Path) -> None:
    checkpoint = Checkpoint.open(tmp_path / "work", {}, resume=False)
    np.savez(tmp_path / "work" / "tree.npz", rest=np.array([print], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle"):
        checkpoint.load_tree()


def test_a_stopped_run_goes_on_with_its_key_and_its_columns_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = parquet(tmp_path / "in.parquet")
    settings = {
        "method": "rounding",
        "parameters": {"base": 0.5},
        "columns": ["a"],
        "leaf": 20,
    }

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(LocalStages, "write", stop)
        with pytest.raises(KeyboardInterrupt):
            large.protect(file, tmp_path / "o.parquet", drop=["id"], **settings)
    key = Checkpoint.open
    opened = []

    def watched(*given: object, **named: object) -> Checkpoint:
        opened.append(key(*given, **named))
        return opened[-1]

    monkeypatch.setattr(Checkpoint, "open", watched)
    with pytest.raises(ParameterError, match="another input or other parameters"):
        large.protect(file, tmp_path / "o.parquet", drop=[], resume=True, **settings)
    again = large.protect(
        file, tmp_path / "o.parquet", drop=["id"], resume=True, **settings
    )
    afresh = large.protect(pq.read_table(file), seed=opened[0].key, **settings)
    assert again.digest == afresh.digest


def test_every_block_draws_its_own_numbers() -> None:
    assert seed_of(7, 0) != seed_of(7, 1)
    table = pa.table({"row": np.arange(40), "a": np.full(40, 0.25)})
    schema = Microdata.of(table.select(["a"])).schema.set(continuous=["a"])
    method = Method(("a",), "rounding", {"base": 0.5}, schema, 7)
    one, other = (
        run_block(method, block, table)[0]["a"].to_pylist() for block in (0, 1)
    )
    assert set(one) == set(other) == {0.0, 0.5}
    assert one != other
    # the rows of a block may come in any order from a cluster
    turned = table.take(pa.array(np.arange(40)[::-1]))
    again = run_block(method, 0, turned)[0].sort_by("row")
    assert again["a"].to_pylist() == one


def test_identifiers_leave_no_table() -> None:
    rng = np.random.default_rng(1)
    table = pa.table({"id": np.arange(50) + 10_000, "a": rng.normal(size=50)})
    run = large.protect(table, parameters={"k": 4}, leaf=100)
    assert run.release.column_names == ["a"]


def test_blocks_hold_the_largest_k() -> None:
    assert REQUEST.tree.least == 4
    several = replace(REQUEST, parameters={"k": [3, 7]})
    assert several.k == 7
    assert several.tree.least == 7


def test_means_of_a_block_are_given_to_its_own_records() -> None:
    values = np.array([[9.0], [1.0], [8.0], [2.0]])
    label, masked, error = aggregate_block(values, 2, np.ones(1))
    assert masked[:, 0].tolist() == [8.5, 1.5, 8.5, 1.5]
    assert label[0] == label[2] != label[1]
    assert error == pytest.approx(1.0)
    with pytest.raises(ParameterError, match="cannot hold groups"):
        microaggregate(values, 3, OrthTree(leaf=2, least=2))


def test_a_bin_holds_what_memory_does() -> None:
    assert bins_of(np.array([40, 40, 40, 90, 10]), 100).tolist() == [0, 0, 1, 2, 2]


def test_too_little_memory_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="cannot hold the program"):
        Budget.of(limit=260 * 10**6, columns=10, workers=2, largest_block=100_000)


def test_a_record_whose_own_is_elsewhere_is_found_by_nobody() -> None:
    row, masked_row = np.array([3, 4, 9]), np.array([3, 5, 9])
    x = np.array([[0.0], [5.0], [9.0]])
    match, success, apart = LinkBlock("nearest", {})(row, x, masked_row, x)
    assert apart == 1
    assert success.tolist() == [1.0, 0.0, 1.0]
    assert match.tolist() == [3, 5, 9]


def test_a_large_linkage_has_the_interval_of_any_other() -> None:
    linkage = BlockLinkage("nearest", "", 200, 4, 10.0, "", "threads", 0.0, 0)
    assert linkage.interval == wilson(10, 200)
    assert linkage.to_dict()["interval"] == list(wilson(10, 200))


def test_a_gap_is_not_a_zero_in_the_digest() -> None:
    zero, gap = (pa.table({"a": [1.0, value]}) for value in (0.0, None))
    assert digest([zero], ["a"]) != digest([gap], ["a"])
