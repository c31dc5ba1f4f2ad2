"""``tacit compare`` of a file larger than memory: on a sample, and never a recommendation."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.cli import main
from tacit.data.io.on_disk import OnDisk
from tacit.scale import any_size
from tacit.scale import sample as sampling

N = 20_000
PLANS = """
[[plans]]
method = "noise"
percent = "100..200..100"
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    home = np.repeat(np.arange(N // 4), 4)
    table = pa.table(
        {
            "home": rng.permutation(N // 4)[home],
            "income": np.round(rng.lognormal(10, 0.5, N)),
            "age": rng.integers(18, 90, N),
            "sex": pa.array(rng.choice(["f", "m"], N)).dictionary_encode(),
        }
    )
    pq.write_table(table, "in.parquet", row_group_size=3000)
    (tmp_path / "plans.toml").write_text(PLANS)
    return tmp_path / "in.parquet"


def on_disk(file, **roles):
    folder = file.parent / "work"
    folder.mkdir()
    return OnDisk.open(file, folder, **roles)


def test_the_sample_is_of_the_file_even_and_the_same_again(file):
    data = on_disk(file, quasi=["income", "age"])
    rows = sampling.sampled_rows(data, 2000)
    assert len(rows) == 2000
    assert (np.diff(rows) > 0).all()
    # as many of each tenth of the file: six standard errors
    tenths = np.bincount(rows * 10 // N, minlength=10)
    assert np.abs(tenths - 200).max() < 6 * np.sqrt(200)
    assert np.array_equal(rows, sampling.sampled_rows(data, 2000))
    some = sampling.sample(data, 2000)
    assert some.in_memory
    whole = pq.read_table(file)
    for name in some.names:
        expected = whole.column(name).take(pa.array(rows)).to_pylist()
        assert some.table.column(name).to_pylist() == expected


def test_households_stay_whole(file):
    data = on_disk(file, household="home", quasi=["income", "age"])
    some = sampling.sample(data, 1000)
    assert 1000 <= some.n < 1004
    _, size = np.unique(some.table.column("home").to_numpy(), return_counts=True)
    assert (size == 4).all()


def test_compare_says_that_it_is_a_sample_and_recommends_nothing(
    file, monkeypatch, capsys
):
    monkeypatch.setattr(any_size, "COPIES", 10**6)
    monkeypatch.setattr(sampling, "MOST", 500)
    monkeypatch.setattr(sampling, "LEAST", 500)
    words = ["compare", "in.parquet", "--plans", "plans.toml", "--quasi", "income,age"]
    words += ["--memory", "1GB", "--workers", "1", "--seeds", "1", "--bound", "0.9"]
    words += ["--identifier", "home", "--json", "c.json", "--html", "c.html"]
    monkeypatch.setattr("sys.argv", ["tacit", *words, "--save-plan", "best.toml"])
    with pytest.raises(SystemExit) as ended:
        main()
    # with this bound a plan would be safe if the file were no larger
    assert ended.value.code == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "Comparing on a SAMPLE of 500 of 20,000 records" in said
    full = "tacit protect in.parquet release.parquet --plan plan.toml --memory 1GB"
    assert full in said
    found = json.loads((file.parent / "c.json").read_text())
    assert found["records"] == N
    assert found["recommended"] is None
    assert found["settings"]["sampled_of"] == N
    assert {row["verdict"] for row in found["plans"]} == {"not assessed"}
    assert "A sample alone makes no plan safe" in (file.parent / "c.html").read_text()
    assert not (file.parent / "best.toml").exists()
