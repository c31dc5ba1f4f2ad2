"""Large runs: same bytes in memory, out of core and in processes; guarantees; resuming."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit import scale as large
from tacit.attack import Assignment, Nearest
from tacit.base.errors import InputError, ParameterError, TacitError
from tacit.scale.link_over_blocks import sampled
from tacit.scale.memory import Budget, bytes_of
from tacit.scale.partition import OrthTree, microaggregate

KEEP = {"parameters": {"k": 4}, "columns": ["a", "b", "c"], "leaf": 500}


def table(n=6000, seed=0):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "id": np.arange(n),
            "a": rng.normal(size=n),
            "b": rng.uniform(size=n),
            "c": rng.integers(0, 500, n),
            "sex": rng.choice(["f", "m", "x"], n),
        }
    )


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "in.parquet"
    pq.write_table(table(), path, row_group_size=900)
    return path


def sha(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@pytest.mark.slow
def test_out_of_core_equals_in_memory_and_processes(file, tmp_path):
    run = large.protect(
        file, tmp_path / "out.parquet", memory="1GB", drop=["id"], **KEEP
    )
    whole = large.protect(pq.read_table(file), **KEEP)
    assert run.digest == whole.digest
    assert run.loss == whole.loss
    assert (
        large.protect(pq.read_table(file), engine="processes", **KEEP).digest
        == run.digest
    )
    out = pq.read_table(tmp_path / "out.parquet")
    assert out.column_names == ["a", "b", "c", "sex"]
    assert out.schema.field("c").type == pa.int64()
    assert out.column("sex").equals(pq.read_table(file).column("sex"))
    assert out.column("a").equals(whole.release.column("a"))
    assert not (tmp_path / "out.parquet.work").exists()


def test_every_combination_occurs_k_times_and_means_are_kept(file, tmp_path):
    large.protect(
        file,
        tmp_path / "out.parquet",
        parameters={"k": 4},
        columns=["a", "b"],
        leaf=500,
    )
    out, original = pq.read_table(tmp_path / "out.parquet"), pq.read_table(file)
    rows = np.column_stack([out.column("a"), out.column("b")])
    assert np.unique(rows, axis=0, return_counts=True)[1].min() >= 4
    assert rows.mean(axis=0) == pytest.approx(
        [np.mean(original.column("a")), np.mean(original.column("b"))]
    )


def test_many_small_bins_give_the_same_bytes(file, tmp_path, monkeypatch):
    large.protect(file, tmp_path / "one.parquet", **KEEP)
    monkeypatch.setattr(Budget, "of", classmethod(lambda cls, *a: cls(700, 1500, 800)))
    run = large.protect(file, tmp_path / "many.parquet", **KEEP)
    one, many = (
        pq.read_table(tmp_path / "one.parquet"),
        pq.read_table(tmp_path / "many.parquet"),
    )
    assert one.equals(many)
    assert run.blocks > 8


def test_rows_in_another_order_get_the_same_values(file):
    whole = table()
    order = np.random.default_rng(5).permutation(whole.num_rows)
    a = large.protect(whole, **KEEP).release
    b = large.protect(whole.take(pa.array(order)), **KEEP).release
    assert a.take(pa.array(order)).column("a").equals(b.column("a"))


def test_categories_can_be_split_on(file):
    run = large.protect(table(), split_on=["a", "b", "sex"], **KEEP)
    plain = large.protect(table(), split_on=["a", "b"], **KEEP)
    assert run.digest != plain.digest
    assert run.smallest >= 4


def test_a_random_method_draws_from_the_seed_of_its_block():
    settings = {
        "method": "rounding",
        "parameters": {"base": 0.5},
        "columns": ["a", "b"],
        "leaf": 500,
    }
    one = large.protect(table(), seed=1, **settings)
    assert one.digest == large.protect(table(), seed=1, engine=1, **settings).digest
    assert one.digest != large.protect(table(), seed=2, **settings).digest


def test_blocks_cost_little_and_the_price_is_reported():
    run = large.protect(
        table(), price=2000, parameters={"k": 4}, columns=["a", "b"], leaf=1000
    )
    assert run.price["loss_without_blocks"] > 0
    assert run.price["loss_with_blocks"] < 2 * run.price["loss_without_blocks"]


def test_in_core_blocks_are_the_same_groups():
    values = np.column_stack([table().column("a"), table().column("b")])
    done = microaggregate(values, 4, OrthTree(leaf=500, least=4))
    run = large.protect(table(), parameters={"k": 4}, columns=["a", "b"], leaf=500)
    assert np.array_equal(done.masked[:, 0], np.asarray(run.release.column("a")))
    assert run.loss == pytest.approx(done.loss, rel=1e-6)


SLOW_RUN = """
import sys, time
import tacit.scale.protect
from tacit.scale import memory, treatment as treat
run = sys.modules["tacit.scale.protect"]  # the room's public name `protect` is the function
# what is free when a run goes on is not what was free before
budget = [int(part) for part in sys.argv[4].split(",")]
memory.Budget.of = classmethod(lambda cls, *a: cls(*budget))
if sys.argv[3] == "slow":
    at_once = treat.run_block
    treat.run_block = lambda *a: (time.sleep(0.05), at_once(*a))[1]
keep = {"parameters": {"k": 4}, "columns": ["a", "b", "c"], "leaf": 500}
done = run.protect(sys.argv[1], sys.argv[2], resume=True, **keep)
print(done.resumed_bins)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "then"),
    [
        pytest.param("spill.done", "700,1500,800", marks=pytest.mark.slow),
        ("result-2.done", "411,900,1700"),
        pytest.param("result-2.done", "1300,2500,500", marks=pytest.mark.slow),
    ],
)
def test_kill_minus_nine_and_resume_give_the_same_bytes(file, tmp_path, stage, then):
    environment = os.environ | {"PYTHONPATH": str(Path(large.__file__).parents[2])}
    command = [sys.executable, "-c", SLOW_RUN, str(file)]
    calm = subprocess.run(
        [*command, str(tmp_path / "calm.parquet"), "fast", "700,1500,800"],
        env=environment,
        capture_output=True,
    )
    assert calm.returncode == 0, calm.stderr.decode()
    out = tmp_path / "killed.parquet"
    slow = [*command, str(out), "slow", "700,1500,800"]
    running = subprocess.Popen(slow, env=environment)
    work = tmp_path / "killed.parquet.work"
    for _ in range(6000):
        if (work / stage).exists():
            break
        time.sleep(0.05)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert not out.exists()
    again = subprocess.run(
        [*command, str(out), "fast", then],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert again.returncode == 0, again.stderr
    assert int(again.stdout) >= (3 if stage == "result-2.done" else 0)
    assert sha(out) == sha(tmp_path / "calm.parquet")


def test_the_bytes_do_not_depend_on_free_memory(file, tmp_path, monkeypatch):
    digests = set()
    for number, budget in enumerate([(700, 1500, 800), (411, 900, 1700)]):
        made = Budget(*budget)
        monkeypatch.setattr(Budget, "of", classmethod(lambda cls, *_, b=made: b))
        out = tmp_path / f"{number}.parquet"
        monkeypatch.setattr("tacit.scale.protect_local.ROW_GROUP", 1000)
        large.protect(file, out, seed=1, **KEEP)
        digests.add(sha(out))
    assert len(digests) == 1


def test_resume_refuses_another_run(file, tmp_path):
    work = tmp_path / "w"
    work.mkdir()
    (work / "state.json").write_text('{"run": "other"}')
    with pytest.raises(ParameterError, match="another input or other parameters"):
        large.protect(file, tmp_path / "o.parquet", resume=True, folder=work, **KEEP)


def test_blocked_linkage_finds_most_links_and_says_what_it_lost():
    # a covariance is of the whole file, so that it stays inside blocks
    within = {"attacker": "assignment", "parameters": {"distance": "mahalanobis"}}
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1500, 3))
    y = x + 0.02 * rng.normal(size=x.shape)
    p = rng.permutation(1500)
    found = large.link(x, y, leaf=400, price=300, **within)
    assert found.blocks >= 4
    assert not found.exact
    assert found.rate > 0.8
    assert found.correct <= 1500 - found.apart
    assert found.price["links_with_blocks"] <= found.price["links_without_blocks"]
    again = large.link(x[p], y[p], leaf=400, **within)
    assert again.correct == pytest.approx(found.correct)


def test_blocks_cost_the_nearest_record_nothing(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1500, 3))
    y = x + 0.5 * rng.normal(size=x.shape)
    plain = Nearest().link(x, y)
    found = large.link(x, y, leaf=100, price=300)
    assert found.exact
    assert found.blocks > 10
    assert found.apart > 300
    assert np.array_equal(found.match, plain.match)
    assert found.correct == pytest.approx(plain.correct, abs=1e-9)
    assert found.price["links_with_blocks"] == found.price["links_without_blocks"]
    for name, values in (("x", x), ("y", y)):
        table = pa.table(dict(zip("abc", values.T, strict=True)))
        pq.write_table(table, tmp_path / f"{name}.parquet")
    files = tmp_path / "x.parquet", tmp_path / "y.parquet"
    links = tmp_path / "out" / "links"
    from_disk = large.link(*files, leaf=100, out=links)
    assert from_disk.digest == found.digest
    written = pq.read_table(links)
    assert written.column("match").to_pylist() == plain.match.tolist()
    assert [path.name for path in links.parent.iterdir()] == ["links"]


@pytest.mark.slow
def test_blocks_cost_the_assignment_nothing(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1200, 3))
    y = x + 0.4 * rng.normal(size=x.shape)
    plain = Assignment().link(x, y)
    found = large.link(x, y, attacker="assignment", leaf=100, price=300)
    assert found.exact
    assert found.certified
    assert found.gap == pytest.approx(0, abs=1e-12)
    assert found.blocks > 5
    assert found.apart > 300
    assert found.cost == pytest.approx(plain.cost, rel=1e-12)
    assert np.array_equal(found.match, plain.match)
    assert found.correct == pytest.approx(plain.correct, abs=1e-9)
    assert found.price["links_with_blocks"] == found.price["links_without_blocks"]
    assert found.to_dict()["gap"] == found.gap
    by_processes = large.link(x, y, attacker="assignment", leaf=300, engine="processes")
    assert by_processes.digest == found.digest


def test_a_sample_of_originals_against_all_masked_records():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1500, 3))
    y = x + 0.3 * rng.normal(size=x.shape)
    every = large.link(x, y, leaf=100)
    some = large.link(x, y, leaf=100, sample=300)
    assert (some.records, some.sampled_of, some.masked_records) == (300, 1500, 1500)
    assert some.chance == every.chance
    rows = sampled(1500, 300)
    # each of them is linked as among all
    assert np.array_equal(some.match, every.match[rows])
    assert np.array_equal(some.success, every.success[rows])
    low, high = some.interval
    assert low < every.rate < high
    with pytest.raises(ParameterError, match="links all at once"):
        large.link(x, y, attacker="assignment", sample=300)


@pytest.mark.slow
def test_linkage_gives_the_same_links_in_processes():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 3))
    y = x + 0.02 * rng.normal(size=x.shape)
    here = large.link(x, y, leaf=200)
    assert here.blocks > 1
    assert large.link(x, y, leaf=200, engine="processes").digest == here.digest


def test_linkage_of_microaggregated_file_respects_one_in_k():
    x = np.random.default_rng(1).normal(size=(1200, 2))
    masked = microaggregate(x, 5).masked
    assert large.link(x, masked, leaf=300).rate <= 0.2 + 1e-9


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"columns": ["nothing"]}, InputError),
        ({"columns": ["sex"], "parameters": {"k": 0}}, ParameterError),
        ({"parameters": {"kk": 3}}, ParameterError),
        ({"memory": "lots"}, ParameterError),
        ({"memory": "1MB"}, ParameterError),
        ({"leaf": -3}, ParameterError),
        ({"method": "nosuch"}, TacitError),
    ],
)
def test_bad_requests_say_what_to_do(file, tmp_path, change, error):
    with pytest.raises(error):
        large.protect(file, tmp_path / "o.parquet", **(KEEP | change))


def holes(n=3000):
    """Missing values in a float and in an integer column."""
    rng = np.random.default_rng(4)
    whole = table(n)
    a, c = (
        pa.array(whole.column(name).to_numpy(), mask=rng.random(n) < 0.1)
        for name in ("a", "c")
    )
    return whole.set_column(1, "a", a).set_column(3, "c", c)


@pytest.mark.parametrize("gaps", ["keep", "fill"])
def test_missing_values_stay_or_get_their_groups_mean(tmp_path, gaps):
    whole = holes()
    how = {**KEEP, "parameters": {**KEEP["parameters"], "gaps": gaps}}
    pq.write_table(whole, tmp_path / "in.parquet", row_group_size=700)
    run = large.protect(
        tmp_path / "in.parquet", tmp_path / "out.parquet", memory="1GB", **how
    )
    out = pq.read_table(tmp_path / "out.parquet")
    assert run.digest == large.protect(whole, **how).digest
    was, now = (np.isnan(t.column("a").to_numpy()) for t in (whole, out))
    if gaps == "keep":
        assert (was == now).all()
    else:
        # left where a whole group has none
        assert now.sum() < was.sum() / 2
    rows = np.column_stack([out.column(name).to_numpy() for name in ("a", "b", "c")])
    # with gaps kept a row may be told by which of its cells are blank
    for seen in [rows] if gaps == "fill" else rows.T:
        seen = np.nan_to_num(seen, nan=-1e9)
        assert np.unique(seen, axis=0, return_counts=True)[1].min() >= 4
    order = np.random.default_rng(5).permutation(whole.num_rows)
    again = large.protect(whole.take(pa.array(order)), **how).release
    assert again.column("a").equals(out.take(pa.array(order)).column("a"))


@pytest.mark.parametrize("partition", ["mdav", "vmdav"])
def test_a_block_with_few_values_of_a_column_gives_them_the_mean_of_the_file(partition):
    rng = np.random.default_rng(3)
    a = np.repeat([0.0, 1000.0], 100) + rng.normal(size=200)
    b = np.where(a < 500, rng.normal(50, 1, 200), np.nan)
    # two of the other block have a value, and no average of four is among them
    b[[150, 160]] = [7.0, 9.0]
    whole = pa.table({"a": a, "b": pa.array(b, from_pandas=True)})
    how = {"parameters": {"k": 4, "partition": partition}, "columns": ["a", "b"]}
    if partition == "mdav":
        how["parameters"].pop("partition")
    out = large.protect(whole, leaf=120, split_on=["a"], **how).release
    masked = out.column("b").to_numpy()
    assert (np.isnan(masked) == np.isnan(b)).all()
    assert masked[[150, 160]] == pytest.approx(np.nanmean(b))
    few = whole.set_column(1, "b", pa.array([1.0, 2.0] + [None] * 198))
    with pytest.raises(ParameterError, match="'b' has values of only 2 record"):
        large.protect(few, leaf=120, split_on=["a"], **how)


def test_missing_values_in_one_block_are_as_in_the_method_itself():
    from tacit.protect import Microaggregation

    whole = holes(400).select(["a", "b"])
    run = large.protect(whole, parameters={"k": 4}, columns=["a", "b"], leaf=1000)
    plain = Microaggregation(k=4, columns=["a", "b"]).fit_transform(whole)
    for name in ("a", "b"):
        assert run.release.column(name).to_numpy() == pytest.approx(
            plain.column(name).to_numpy(), nan_ok=True
        )


def test_bad_files_are_refused(tmp_path):
    with pytest.raises(InputError, match="'a' has no value at all"):
        large.protect(
            pa.table({"a": pa.array([None, None], pa.float64()), "b": [1.0, 2.0]}),
            columns=["a", "b"],
        )
    with pytest.raises(InputError, match="'a' has missing values"):
        large.link(
            pa.table({"a": [1.0, None]}),
            pa.table({"a": [1.0, 2.0]}),
            columns=["a"],
            attacker="assignment",
            parameters={"distance": "mahalanobis"},
        )
    with pytest.raises(InputError, match="no such file"):
        large.protect(tmp_path / "none.parquet", tmp_path / "o.parquet")
    (tmp_path / "text.parquet").write_text("not parquet")
    with pytest.raises(InputError, match="not a Parquet file"):
        large.protect(tmp_path / "text.parquet", tmp_path / "o.parquet")


def test_amounts_of_memory():
    assert bytes_of("2GB") == 2 * 10**9
    assert bytes_of("1.5 GiB") == 1.5 * 2**30
    assert bytes_of(500) == 500


def test_identifiers_are_dropped_and_quasi_columns_masked_unless_named(file, tmp_path):
    run = large.protect(file, tmp_path / "o.parquet", parameters={"k": 4}, leaf=500)
    out = pq.read_table(tmp_path / "o.parquet")
    assert "id" not in out.column_names
    assert not out.column("c").equals(pq.read_table(file).column("c"))
    assert (
        large.protect(pq.read_table(file), parameters={"k": 4}, leaf=500).digest
        == run.digest
    )
