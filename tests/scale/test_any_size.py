"""One face: ``tacit protect`` and ``verify`` on files and folders larger than memory."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit import scale as large
from tacit.base.errors import InputError, ParameterError
from tacit.cli import main
from tacit.data import io
from tacit.data.io.parquet_parts import ParquetParts
from tacit.plan.plan import Plan
from tacit.scale import any_size

N = 12_000
ROLES = ["--quasi", "income,age,sex", "--confidential", "debt", "--identifier", "name"]
PLAN = """
[[steps]]
method = "pram"
columns = ["sex"]
[[steps]]
method = "rank_swapping"
p = 10
columns = ["income", "age"]
[[steps]]
method = "noise"
percent = 5
columns = ["income"]
[[steps]]
method = "local_suppression"
k = 3
columns = ["age", "sex"]
"""


def table(n=N, seed=0):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "name": [f"p{i}" for i in rng.permutation(n)],
            "income": np.round(rng.lognormal(10, 0.5, n), 2),
            "age": rng.integers(18, 90, n),
            "debt": rng.gamma(2.0, 1000.0, n),
            "sex": rng.choice(["f", "m", "x"], n, p=[0.45, 0.45, 0.1]),
        }
    )


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(table(), "in.parquet", row_group_size=5000)
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "in.parquet"


@pytest.fixture
def little(monkeypatch):
    """So little memory that the file does not fit, and enough for any of its columns."""
    monkeypatch.setattr(any_size, "COPIES", 10**6)


def run(monkeypatch, *words, code=0):
    monkeypatch.setattr("sys.argv", ["tacit", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code or 0) == code


def test_a_plan_out_of_core_is_the_same_file_and_verifies(
    file, monkeypatch, capsys, tmp_path
):
    how = ["--plan", "plan.toml", "--seed", 4, *ROLES]
    run(monkeypatch, "protect", file, "a.parquet", *how)
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    run(monkeypatch, "protect", file, "b.parquet", *how)
    said = capsys.readouterr()
    assert "Out of core, on this machine" in said.err
    one, other = (tmp_path / name for name in ("a.parquet", "b.parquet"))
    assert one.read_bytes() == other.read_bytes()
    manifests = [
        json.loads((tmp_path / f"{name}.parquet.manifest.json").read_text())
        for name in "ab"
    ]
    for manifest in manifests:
        for changing in ("made", "seconds"):
            del manifest[changing]
        del manifest["output"]["path"]
    assert manifests[0] == manifests[1]
    run(monkeypatch, "verify", "b.parquet.manifest.json")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    run(monkeypatch, "verify", "b.parquet.manifest.json")
    # what was written meanwhile is gone
    assert [path.name for path in tmp_path.glob(".tacit-*")] == []


def test_rows_that_stay_in_order_have_the_bytes_of_memory_too(
    file, monkeypatch, tmp_path
):
    how = ["--method", "noise", "--seed", 4, "--set", "columns=income,age"]
    how += [*ROLES, "--keep-order", "--release-as-is", "sex"]
    run(monkeypatch, "protect", file, "a.parquet", *how)
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    run(monkeypatch, "protect", file, "b.parquet", *how)
    one, other = (tmp_path / name for name in ("a.parquet", "b.parquet"))
    assert one.read_bytes() == other.read_bytes()


def test_a_partitioned_folder_keeps_its_partition_column(file, monkeypatch, tmp_path):
    whole = table()
    pq.write_to_dataset(whole, tmp_path / "survey", partition_cols=["sex"])
    (tmp_path / "survey" / "_SUCCESS").write_text("")
    how = ["--method", "noise", "--seed", 4, *ROLES, "--release-as-is", "sex"]
    run(monkeypatch, "protect", "survey", "a.parquet", *how)
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    run(monkeypatch, "protect", "survey", "b.parquet", *how)
    one, other = (tmp_path / name for name in ("a.parquet", "b.parquet"))
    assert one.read_bytes() == other.read_bytes()
    assert pq.read_table(one).column_names == ["income", "age", "debt", "sex"]
    run(monkeypatch, "verify", "a.parquet.manifest.json")
    read = io.read_table("survey")
    assert sorted(read.column("name").to_pylist()) == sorted(
        whole.column("name").to_pylist()
    )
    of = dict(zip(whole["name"].to_pylist(), whole["sex"].to_pylist(), strict=True))
    for name, sex in zip(
        read["name"].to_pylist(), read["sex"].to_pylist(), strict=True
    ):
        assert of[name] == sex


def test_the_types_of_partitions(tmp_path):
    def folder(name, *parts):
        for part in parts:
            place = tmp_path / name / part
            place.mkdir(parents=True)
            pq.write_table(pa.table({"x": [1.0]}), place / "part-0.parquet")
        return io.read_table(tmp_path / name).column("y").to_pylist()

    assert folder("numbers", "y=2019", "y=2020") == [2019, 2020]
    assert folder("texts", "y=01", "y=02") == ["01", "02"]
    missing = "y=__HIVE_DEFAULT_PARTITION__"
    assert folder("gaps", "y=5", missing) == [5, None]
    assert folder("signs", "y=a%2Fb") == ["a/b"]


@pytest.mark.parametrize(
    ("second", "sentence"),
    [
        ({"x": [1.0]}, "has no column 'z'"),
        ({"x": [1.0], "z": [1], "w": [1]}, "has a column 'w'"),
        ({"x": ["a"], "z": [1]}, "column 'x' holds string, and in .* double"),
    ],
)
def test_files_of_a_folder_that_differ_are_refused(second, sentence, tmp_path):
    pq.write_table(pa.table({"x": [1.0], "z": [1]}), tmp_path / "part-1.parquet")
    pq.write_table(pa.table(second), tmp_path / "part-2.parquet")
    with pytest.raises(InputError, match=rf"part-2.parquet: {sentence}"):
        ParquetParts.of(tmp_path)


def test_partitions_that_differ_are_refused(tmp_path):
    for name in ("y=1", "z=1"):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"x": [1.0]}), tmp_path / name / "a.parquet")
    with pytest.raises(InputError, match=r"its folders say z=\.\.\., and those of"):
        ParquetParts.of(tmp_path)


def test_a_delta_table_without_its_log_is_refused_and_nothing_written(
    file, monkeypatch, capsys, tmp_path
):
    folder = tmp_path / "delta"
    (folder / "_delta_log").mkdir(parents=True)
    pq.write_table(table(100), folder / "part-0.parquet")
    before = sorted(tmp_path.iterdir())
    run(monkeypatch, "protect", folder, "out.parquet", "--method", "noise", code=2)
    said = " ".join(capsys.readouterr().err.split())
    assert "the log of this Delta table has gaps" in said
    assert sorted(tmp_path.iterdir()) == before


def test_blocks_do_not_lose_a_partition_column(file, tmp_path):
    pq.write_to_dataset(table(100), tmp_path / "survey", partition_cols=["sex"])
    with pytest.raises(InputError, match="hold the column 'sex', which work in blocks"):
        large.protect(tmp_path / "survey", tmp_path / "o", columns=["income"])


def test_too_little_memory_is_refused_with_what_would_do(
    file, little, monkeypatch, capsys
):
    how = ["--plan", "plan.toml", *ROLES, "--memory", "0.2GB"]
    run(monkeypatch, "protect", file, "out.parquet", *how, code=2)
    said = " ".join(capsys.readouterr().err.split())
    assert "is too little for 12,000 records: " in said
    assert "rank_swapping holds two windows of 10 % of the ranks" in said
    assert not (file.parent / "out.parquet").exists()


def test_what_needs_memory_says_so(file, little, monkeypatch, capsys, tmp_path):
    how = ["--method", "noise", *ROLES]
    run(monkeypatch, "protect", file, "o.parquet", *how, "--until", "risk<=0.1", code=2)
    assert "find the plan on a sample" in " ".join(capsys.readouterr().err.split())
    (tmp_path / "folder").mkdir()
    file.rename(tmp_path / "folder" / "in.parquet")
    run(monkeypatch, "protect", "folder", "folder/o.parquet", *how, code=2)
    assert "lies in the input itself" in " ".join(capsys.readouterr().err.split())
    run(monkeypatch, "protect", "folder", "out.csv", *how, code=2)
    assert "name a file that ends in .parquet" in " ".join(
        capsys.readouterr().err.split()
    )


def test_in_python_it_is_one_call(file, tmp_path):
    plan = Plan.from_toml(PLAN).seeded(4)
    roles = {"quasi": ["income", "age", "sex"], "identifier": "name"}
    roles["confidential"] = "debt"
    files = []
    for name, memory in (("a", "8GB"), ("b", "360MB")):
        out = tmp_path / f"{name}.parquet"
        with pytest.MonkeyPatch.context() as patch:
            if name == "b":
                patch.setattr(any_size, "COPIES", 100)
            large.release(plan, file, out, memory=memory, **roles)
        files.append(out.read_bytes())
    assert files[0] == files[1]


def test_the_choice_is_said_in_one_line(file, tmp_path):
    with any_size.place_of(file, tmp_path / "o", "8GB") as place:
        assert not place.on_disk
        assert place.sentence.startswith("In memory: about 25")
    with any_size.place_of(file, tmp_path / "o", "250MB") as place:
        assert place.on_disk
        assert place.sentence == (
            "Out of core, on this machine: in memory it would take about 253 MB of 250 MB."
        )
        held = place.folder
        assert held.is_dir()
    assert not held.exists()
    (tmp_path / "a.arff").write_text("a")
    on_spark = any_size.place_of(tmp_path / "a.arff", tmp_path / "o", engine="local[2]")
    with pytest.raises(InputError, match="a cluster reads Parquet"), on_spark:
        pass
    nowhere = any_size.place_of(file, tmp_path / "o", engine="nowhere")
    with pytest.raises(ParameterError, match="there is no engine 'nowhere'"), nowhere:
        pass


def test_the_limit_counts_what_a_step_holds(file, tmp_path):
    with any_size.place_of(file, tmp_path / "o", "250MB") as place:
        data = place.read(file, quasi=["income", "age"])
        for method, word in (
            ("noise", "a piece of each pass is held"),
            ("rank_swapping", "two windows of 5 % of the ranks"),
            ("microaggregation", "microaggregation holds the 2 columns"),
        ):
            step = f"[[steps]]\nmethod = '{method}'\n"
            if method == "microaggregation":
                step += "partition = 'pca'\n"
            plan = Plan.from_toml(step)
            with pytest.raises(ParameterError, match=word):
                place.in_blocks(plan, data)


@pytest.mark.parametrize(
    ("memory", "threads"),
    [("0.9GB", 1), ("2.3GB", 1), ("2.5GB", 2), ("5GB", 3), ("40GB", 8)],
)
def test_more_threads_do_pieces_where_the_memory_allows_it(
    memory, threads, file, little, monkeypatch
):
    monkeypatch.setattr("tacit.scale.engine.local._Local.number", 8, raising=False)
    with any_size.place_of(file, "out.parquet", memory) as place:
        assert place.on_disk
        assert place.engine.workers == threads
        # what they hold is no longer there for what a method or an attack holds
        taken = (threads - 1) * any_size.EACH_THREAD
        assert place.limit == any_size.bytes_of(memory) - taken
    # attacks on two files hold much, and come first
    with any_size.place_of(file, "out.parquet", memory, files=2) as place:
        assert place.engine.workers == (5 if memory == "40GB" else 1)
