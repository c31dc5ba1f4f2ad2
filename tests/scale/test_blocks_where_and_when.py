"""Steps in blocks: by workers, after a kill, cut on other columns, in sizes that are chosen."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from scale.conftest import LOCAL, _stop_session
from scale.test_in_blocks import run, sorted_rows
from tacit import scale as large
from tacit.base.errors import TacitWarning
from tacit.cli import main
from tacit.scale import any_size, in_blocks
from tacit.scale.engine import Spark
from tacit.scale.engine.standalone import standalone
from tacit.scale.memory import Budget

N = 6000
HOW = ["--method", "microaggregation", "--set", "k=4", "--quasi", "income,age"]
ROLES = ["--confidential", "debt", "--release-as-is", "sex,row", "--seed", "3"]
BLOCKS = [*HOW, *ROLES, "--blocks", "800"]
# several bins, each of which takes its time
SLOW = """
import time
from tacit.cli import main
from tacit.scale import any_size, memory, treatment
memory.Budget.of = classmethod(lambda cls, *a: cls(700, 1500, 900))
at_once = treatment.run_block
treatment.run_block = lambda *a: (time.sleep(0.05), at_once(*a))[1]
main()
"""


def table(n: int = N) -> pa.Table:
    """Also names that blocks use themselves, and numbers without a sign."""
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "income": np.round(rng.lognormal(10, 0.5, n), 1),
            "age": pa.array(rng.integers(18, 90, n), pa.uint8()),
            "debt": rng.gamma(2.0, 1000.0, n),
            "sex": rng.choice(["f", "m"], n),
            "row": rng.choice(["x", "y", "z"], n),
        }
    )


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(table(), "in.parquet", row_group_size=2500)
    return tmp_path / "in.parquet"


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(any_size, "COPIES", 10**6)


def record_of(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(f"{path}.manifest.json").read_text())
    return found


def test_blocks_are_cut_on_other_columns_and_on_categories(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """The manifest says on which, and whoever repeats the plan cuts so."""
    words = [*BLOCKS, "--split-on", "income,sex,row"]
    run(monkeypatch, "protect", file, "a.parquet", *words)
    said = " ".join(capsys.readouterr().err.split())
    assert "(2^d-tree, cut on income, sex, row)" in said
    assert record_of("a.parquet")["in_blocks"] == {
        "1": {"leaf": 800, "split_on": ["income", "sex", "row"]}
    }
    run(monkeypatch, "protect", file, "plain.parquet", *BLOCKS)
    made = pq.read_table("a.parquet")
    assert not sorted_rows(made).equals(sorted_rows(pq.read_table("plain.parquet")))
    # the twin: the same blocks without a plan, a manifest and an order of rows
    given = large.protect(
        table().rename_columns(["income", "age", "debt", "sex", "other"]),
        parameters={"k": 4},
        columns=["income", "age"],
        split_on=["income", "sex", "other"],
        leaf=800,
        drop=[],
    ).release
    for name in ("income", "age"):
        there = np.sort(np.asarray(given.column(name)).astype(float))
        here = np.sort(np.asarray(made.column(name)).astype(float))
        assert np.abs(there - here).max() <= 0.05 + 1e-9  # rounded to one decimal
    run(monkeypatch, "verify", "a.parquet.manifest.json")
    record = record_of("a.parquet")
    record["in_blocks"]["1"]["split_on"] = ["income"]
    Path("a.parquet.manifest.json").write_text(json.dumps(record))
    run(monkeypatch, "verify", "a.parquet.manifest.json", code=1)


def test_the_size_that_was_chosen_is_in_the_manifest_and_the_price_is_said(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    words = [*HOW, *ROLES, "--blocks", "auto", "--price", "2000"]
    run(monkeypatch, "protect", file, "a.parquet", *words)
    said = " ".join(capsys.readouterr().out.split())
    assert "Price of the blocks on 2,000 records: loss" in said
    leaf = record_of("a.parquet")["in_blocks"]["1"]
    assert isinstance(leaf, int)
    assert leaf >= 1000
    run(monkeypatch, "verify", "a.parquet.manifest.json")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--blocks", "0"], "--blocks 0: give a number of records, or auto"),
        (["--blocks", "few"], "--blocks few: give a number of records, or auto"),
        (["--price", "100"], "--price goes with --blocks"),
        (["--split-on", "age"], "--split-on goes with --blocks"),
        (["--blocks", "800", "--split-on", "agee"], "agee"),
        (["--blocks", "800", "--split-on", "debt", "--date", "debt"], "it holds dates"),
    ],
)
def test_what_cannot_be_cut_so_is_refused(
    file: Path,
    words: list[str],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    run(monkeypatch, "protect", file, "a.parquet", *HOW, *ROLES, *words, code=2)
    said = " ".join(capsys.readouterr().err.split())
    assert sentence in said
    assert "Traceback" not in said
    assert not Path("a.parquet").exists()


def test_python_asks_for_blocks_too(file: Path) -> None:
    roles = {"quasi": ["income", "age"], "confidential": ["debt", "sex", "row"]}
    plan = tc.protect.Microaggregation(k=4)
    record = large.release(
        plan, file, "a.parquet", blocks=800, split_on=["age"], **roles
    )
    assert record["in_blocks"] == {"1": {"leaf": 800, "split_on": ["age"]}}


class Stopped(Exception):
    """The run was stopped here."""


@pytest.mark.parametrize("where", ["memory", "disk"])
def test_a_stopped_run_goes_on_from_its_finished_bins(
    where: str, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Whatever memory is free then, and at whichever bin it was stopped."""
    if where == "disk":
        monkeypatch.setattr(any_size, "COPIES", 10**6)
    run(monkeypatch, "protect", file, "a.parquet", *BLOCKS)
    budget = classmethod(lambda cls, *_: cls(700, 1500, 900))
    monkeypatch.setattr(Budget, "of", budget)
    from tacit.scale.protect_local import LocalStages

    treat, treated, stops = LocalStages.treat, [], [2]

    def first_ones(self: Any, part: int, *more: Any) -> object:
        if part in stops:
            stops.clear()
            raise Stopped
        treated.append(part)
        return treat(self, part, *more)

    asked = ["protect", str(file), "b.parquet", *BLOCKS, "--resume"]
    with monkeypatch.context() as inner:
        inner.setattr(LocalStages, "treat", first_ones)
        inner.setattr("sys.argv", ["tacit", *asked])
        with pytest.raises((Stopped, SystemExit)):
            main()
        assert Path("b.parquet.work").stat().st_mode & 0o77 == 0
        assert not Path("b.parquet").exists()
        monkeypatch.setattr(
            Budget, "of", classmethod(lambda cls, *_: cls(411, 900, 1700))
        )
        capsys.readouterr()
        run(inner, *asked)
    # no bin was treated twice
    assert sorted(treated) == list(range(len(treated)))
    assert "2 bins of an earlier run kept" in " ".join(capsys.readouterr().out.split())
    assert Path("a.parquet").read_bytes() == Path("b.parquet").read_bytes()
    assert not Path("b.parquet.work").exists()
    run(monkeypatch, "verify", "b.parquet.manifest.json")


def test_a_step_that_was_finished_is_not_done_again(
    file: Path, on_disk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped while the release is written; other blocks are another run."""
    asked = ["protect", file, "b.parquet", *BLOCKS, "--resume"]
    with monkeypatch.context() as inner:
        inner.setattr("tacit.plan.release.write", _stop)
        inner.setattr("sys.argv", ["tacit", *map(str, asked)])
        with pytest.raises((Stopped, SystemExit)):
            main()
    assert list(Path("b.parquet.work").glob("blocks-1-here/figures.json"))
    other = [*asked[:-2], "900", "--resume"]
    run(monkeypatch, *other, code=2)
    monkeypatch.setattr("tacit.scale.block_step.protect", _stop)
    run(monkeypatch, *asked)
    assert record_of("b.parquet")["in_blocks"] == {"1": 800}


def _stop(*_: Any, **__: Any) -> None:
    raise Stopped


def begin(*asked: str) -> subprocess.Popen[bytes]:
    source = str(Path(tc.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, *asked],
        env=os.environ | {"PYTHONPATH": source},
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def killed_at(mark: str, *asked: str) -> None:
    """By SIGKILL, when a file of this name is there."""
    process = begin(*asked)
    while process.poll() is None and not list(Path().glob(mark)):
        time.sleep(0.01)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not Path("b.parquet").exists()


@pytest.mark.slow
def test_kill_minus_nine_and_resume_give_the_same_bytes(file: Path) -> None:
    assert begin("protect", "in.parquet", "a.parquet", *BLOCKS).wait() == 0
    asked = ["protect", "in.parquet", "b.parquet", *BLOCKS, "--resume"]
    killed_at("b.parquet.work/blocks-1-here/in.parquet", *asked)
    killed_at("b.parquet.work/blocks-1-here/*.work/result-2.done", *asked)
    assert begin(*asked).wait() == 0
    assert Path("b.parquet").read_bytes() == Path("a.parquet").read_bytes()
    assert not Path("b.parquet.work").exists()


@pytest.mark.slow
@pytest.mark.needs("java")
@pytest.mark.parametrize("master", ["local[2]", "standalone"])
def test_workers_treat_the_blocks_with_the_same_bytes(
    master: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for, or for want of memory; with categories to cut on; and verified there."""
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    words = [*BLOCKS, "--split-on", "income,sex,row"]
    run(monkeypatch, "protect", file, "here.parquet", *words)
    _stop_session()
    if master == "local[2]":
        _on_workers(file, words, Spark(master, LOCAL), monkeypatch)
    else:
        settings = {"spark.executor.memory": "800m", "spark.cores.max": "2"}
        with standalone(tmp_path / "spark") as cluster:
            engine = Spark(cluster.url, LOCAL | settings)
            _on_workers(file, words, engine, monkeypatch)
            _stop_session()


def _on_workers(
    file: Path, words: list[str], engine: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tacit.scale import protect_cluster

    monkeypatch.setattr(any_size, "engine_of", lambda _: engine)
    # several groups, and this machine treats no block
    monkeypatch.setattr(protect_cluster, "GROUP", 1500)
    monkeypatch.setattr("tacit.scale.protect_local.LocalStages.treat", _stop)
    there = ["--engine", engine.master]
    run(monkeypatch, "protect", file, "there.parquet", *words, *there)
    assert Path("here.parquet").read_bytes() == Path("there.parquet").read_bytes()
    assert (
        record_of("there.parquet")["in_blocks"]
        == record_of("here.parquet")["in_blocks"]
    )
    run(monkeypatch, "verify", "here.parquet.manifest.json", *there)
    kept = ["--resume", "--force"]
    run(monkeypatch, "protect", file, "there.parquet", *words, *there, *kept)
    assert Path("here.parquet").read_bytes() == Path("there.parquet").read_bytes()
    assert not list(Path().glob(".tacit-work-*"))
    monkeypatch.setattr("tacit.protect.through_large_file.EACH_OF_SEVERAL", 1e6)
    monkeypatch.setattr(any_size, "LEAF", 800)
    plan = tc.protect.Microaggregation(k=4)
    with pytest.warns(TacitWarning, match="do not fit"):
        record = large.release(
            plan,
            file,
            "auto.parquet",
            engine=engine.master,
            memory="1GB",
            quasi=["income", "age"],
            confidential=["debt", "sex", "row"],
        )
    assert record["in_blocks"] == {"1": in_blocks.Cut(800).leaf}
