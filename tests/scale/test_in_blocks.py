"""Microaggregation whose columns do not fit goes by blocks, says so, and verifies."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from scale.large_manifest import written_in_blocks
from tacit import scale as large
from tacit.base.errors import InputError, TacitWarning
from tacit.cli import main
from tacit.plan import manifest
from tacit.scale import any_size

N = 12_000
COMMAND = ["--method", "microaggregation", "--set", "k=5", "--memory", "1GB"]
ROLES = ["--quasi", "income,age", "--confidential", "debt", "--seed", "3"]


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    table = pa.table(
        {
            "income": np.round(rng.lognormal(10, 0.5, N), 1),
            "age": rng.integers(18, 90, N),
            "debt": rng.gamma(2.0, 1000.0, N),
            "sex": rng.choice(["f", "m"], N),
        }
    )
    pq.write_table(table, "in.parquet", row_group_size=5000)
    return tmp_path / "in.parquet"


@pytest.fixture
def little(monkeypatch):
    """The file does not fit, and nor do the columns of a step that holds them."""
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    monkeypatch.setattr("tacit.protect.through_large_file.EACH_OF_SEVERAL", 1e6)
    monkeypatch.setattr(any_size, "LEAF", 4000)


def run(monkeypatch, *words, code=0):
    """The command; ``code`` None: whatever the verdict is."""
    monkeypatch.setattr("sys.argv", ["tacit", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert code is None or (ended.value.code or 0) == code


def sorted_rows(table):
    return table.sort_by([(name, "ascending") for name in table.column_names])


def test_it_says_so_shuffles_and_verifies_in_any_memory(
    file, little, monkeypatch, capsys
):
    run(monkeypatch, "protect", file, "out.parquet", *COMMAND, *ROLES)
    said = " ".join(capsys.readouterr().err.split())
    assert "In blocks: the columns of step 1 (microaggregation)" in said
    record = manifest.load("out.parquet.manifest.json")
    assert record["in_blocks"] == {"1": 4000}
    assert record["order"]["shuffled"]
    release = pq.read_table("out.parquet")
    keys = ["income", "age"]
    count = release.group_by(keys).aggregate([("age", "count")])["age_count"]
    assert min(count.to_pylist()) >= 5
    # the groups are those of the blocks alone, in the decimals that the file has
    large.protect(
        file, "blocks.parquet", parameters={"k": 5}, columns=keys, leaf=4000, seed=1
    )
    blocks = pq.read_table("blocks.parquet")
    rounded = pa.array(np.round(blocks["income"].to_numpy(), 1))
    blocks = blocks.set_column(0, "income", rounded)
    assert sorted_rows(release).equals(sorted_rows(blocks))
    run(monkeypatch, "verify", "out.parquet.manifest.json", "--memory", "1GB")
    # with enough memory it is repeated there, in the same blocks
    monkeypatch.setattr(any_size, "COPIES", 7)
    run(monkeypatch, "verify", "out.parquet.manifest.json")
    record["in_blocks"] = {"1": 2000}
    (file.parent / "out.parquet.manifest.json").write_text(json.dumps(record))
    run(monkeypatch, "verify", "out.parquet.manifest.json", code=1)


def test_as_one_step_of_a_plan_and_in_python(file, little):
    plan = [
        {"method": "noise", "percent": 5, "columns": ["income"], "seed": 1},
        {"method": "microaggregation", "k": 5},
    ]
    recipe = any_size.Plan.from_dict({"steps": plan, "key": 7})
    roles = {"quasi": ["income", "age"], "release_as_is": ["sex"]}
    with pytest.warns(TacitWarning, match="step 2 \\(microaggregation\\) do not fit"):
        record = large.release(recipe, file, "out.parquet", memory="1GB", **roles)
    assert record["in_blocks"] == {"2": 4000}
    with pytest.raises(InputError, match="repeat them with tacit verify"):
        manifest.verify("out.parquet.manifest.json")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--quasi", "income,age,sex"], "microaggregation holds the 3 columns"),
        (["--set", "partition=pca"], "microaggregation holds the"),
        (["--quasi", "income,age", "--weight", "debt"], "microaggregation holds the"),
    ],
)
def test_what_would_mean_something_else_in_blocks_is_refused(
    file, little, monkeypatch, capsys, words, why
):
    """Modes, lines through the whole file and weighted means are those of the file."""
    more = [] if "--quasi" in words else ["--quasi", "income,age"]
    command = ["protect", file, "out.parquet", *COMMAND, *words, *more]
    run(monkeypatch, *command, "--allow-unprotected", code=2)
    assert why in " ".join(capsys.readouterr().err.split())
    assert not (file.parent / "out.parquet").exists()


def test_who_runs_it_again_does_so_in_blocks(file, little, monkeypatch):
    """On the whole file other groups come out: the attack would look weaker than it is."""
    roles = ["--quasi", "income,age", "--confidential", "debt,sex", "--seed", "3"]
    run(monkeypatch, "protect", file, "out.parquet", *COMMAND, *roles)
    record = "out.parquet.manifest.json"
    # a machine with room enough for the file
    monkeypatch.undo()
    monkeypatch.chdir(file.parent)
    words = ["--plan", record, "--attackers", "nearest", "--json", "a.json"]
    run(monkeypatch, "assess", file, "out.parquet", *words, code=None)
    found = json.loads((file.parent / "a.json").read_text())["attacks"]["rerun"]
    # every group of five or more is recognised, and nobody inside it
    assert 0.9 / 5.2 < found["rate"] <= 1 / 5


def test_python_does_not_take_it_for_a_plan_on_the_whole_file(file, little):
    with pytest.warns(TacitWarning):
        large.release(
            tc.protect.Microaggregation(k=5),
            file,
            "out.parquet",
            memory="1GB",
            quasi=["income", "age"],
            confidential=["debt", "sex"],
        )
    with pytest.raises(InputError, match="done in blocks"):
        tc.assess(
            pq.read_table(file),
            pq.read_table("out.parquet"),
            plan="out.parquet.manifest.json",
        )


@pytest.mark.slow
def test_who_runs_a_release_of_tacit_large_again_does_so_in_blocks(file, monkeypatch):
    written_in_blocks(
        file,
        file.parent / "out.parquet",
        parameters={"k": 5},
        columns=["income", "age"],
        split_on=["age", "sex"],
        categorical=[],
        leaf=4000,
    )
    words = ["--plan", "out.parquet.manifest.json", "--attackers", "nearest"]
    roles = ["--quasi", "income,age", "--confidential", "debt,sex", "--json", "a.json"]
    run(monkeypatch, "assess", file, "out.parquet", *words, *roles, code=None)
    found = json.loads((file.parent / "a.json").read_text())["attacks"]["rerun"]
    assert 0.9 / 5.2 < found["rate"] <= 1 / 5


def test_blocks_that_were_asked_for(file, monkeypatch, capsys):
    """The file fits; its groups are formed in blocks all the same, and the manifest says so."""
    words = [*COMMAND, *ROLES, "--release-as-is", "sex"]
    run(monkeypatch, "protect", file, "plain.parquet", *words)
    run(monkeypatch, "protect", file, "blocks.parquet", *words, "--blocks", 3000)
    assert "inside blocks of at most 3,000" in " ".join(capsys.readouterr().err.split())
    record = json.loads((file.parent / "blocks.parquet.manifest.json").read_text())
    assert record["in_blocks"] == {"1": 3000}
    plain, blocks = (
        pq.read_table(name) for name in ("plain.parquet", "blocks.parquet")
    )
    assert not sorted_rows(plain).equals(sorted_rows(blocks))
    pairs = blocks.group_by(["income", "age"]).aggregate([("debt", "count")])
    assert min(pairs["debt_count"].to_pylist()) >= 5
    run(monkeypatch, "verify", "blocks.parquet.manifest.json")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--method", "noise"], "no step of the plan forms groups"),
        (["--method", "microaggregation", "--until", "risk<=0.5"], "--until and"),
    ],
)
def test_blocks_that_would_not_be_there_are_refused(
    file, monkeypatch, capsys, words, sentence
):
    run(
        monkeypatch,
        *["protect", file, "out.parquet", *words, *ROLES, "--blocks", 3000],
        code=2,
    )
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert not (file.parent / "out.parquet").exists()
