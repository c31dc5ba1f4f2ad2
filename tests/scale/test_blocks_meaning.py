"""On blocks a method means what it means on the file, or it is refused before anything starts."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit import scale as large
from tacit.base.errors import ColumnError, ParameterError
from tacit.cli import main
from tacit.protect import registry

#: method -> parameters with which it runs on blocks
RUNS = {
    "microaggregation": [
        {"k": 4},
        {"k": 4, "partition": "vmdav"},
        {"k": 4, "partition": "mu-approx"},
        {"k": 4, "aggregate": "median"},
        {"k": [4, 6], "groups": [["a", "b"], ["c"]]},
    ],
    "rounding": [{"base": 0.25}, {"base": 5, "kind": "nearest"}],
    "top_bottom_coding": [
        {"low": {"a": -1}, "high": {"a": 1, "c": 400}, "tails": [0, 0]}
    ],
}
#: the same methods with parameters that need the whole file
NEEDS_FILE = [
    ("microaggregation", {"partition": "individual"}),
    ("microaggregation", {"partition": "zscores"}),
    ("microaggregation", {"partition": "pca"}),
    ("microaggregation", {"groups": "MicIR"}),
    ("microaggregation", {"groups": "MicPCP-3"}),
    ("rounding", {}),
    ("rounding", {"base": {"a": 1}}),
    ("top_bottom_coding", {}),
    (
        "top_bottom_coding",
        {"low": {"a": -1}, "high": {"a": 1}, "tails": [0, 0], "by": "mean"},
    ),
]
REFUSED = [
    *NEEDS_FILE,
    *((name, dict(registry[name].example)) for name in registry if name not in RUNS),
]
COLUMNS = ["a", "b", "c"]


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    n = 3000
    columns = {
        "a": rng.normal(size=n),
        "b": rng.uniform(size=n),
        "c": rng.integers(0, 500, n),
    }
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({**columns, "sex": rng.choice(["f", "m"], n)}), path)
    return path


def test_every_method_is_in_one_of_the_two_lists():
    assert {name for name in registry if registry[name].scales} == set(RUNS)


@pytest.mark.parametrize(
    ("name", "parameters"), [(name, p) for name in RUNS for p in RUNS[name]], ids=str
)
def test_an_accepted_method_keeps_its_promise_on_the_emitted_file(
    name, parameters, file, tmp_path
):
    out = tmp_path / "out.parquet"
    run = large.protect(
        file, out, method=name, parameters=parameters, columns=COLUMNS, leaf=300
    )
    assert run.blocks > 5
    masked, original = pq.read_table(out), pq.read_table(file)
    assert not masked.column("a").equals(original.column("a"))
    if registry[name].scales == "blocks":
        parts = zip(
            parameters.get("groups", [COLUMNS]),
            np.atleast_1d(parameters["k"]),
            strict=True,
        )
        for columns, k in parts:
            rows = np.column_stack([masked.column(c) for c in columns])
            assert np.unique(rows, axis=0, return_counts=True)[1].min() >= k
    elif parameters.get("kind", "random") == "random" and name == "rounding":
        base = parameters["base"]
        for c in ("a", "b"):
            moved = np.abs(np.subtract(masked.column(c), original.column(c)))
            assert moved.max() < base
            assert np.array_equal(
                np.rint(np.divide(masked.column(c), base)) * base,
                np.asarray(masked.column(c)),
            )
    else:  # nothing is random, so blocks and the file give the same bytes
        whole = registry[name](**parameters, columns=COLUMNS).fit_transform(original)
        assert masked.equals(whole)


@pytest.mark.parametrize(("name", "parameters"), NEEDS_FILE, ids=str)
def test_a_name_of_before_asks_for_no_blocks_where_they_would_mean_something_else(
    name, parameters, file, capsys, monkeypatch
):
    """``tacit large protect`` then runs on the whole file, and says the command."""
    monkeypatch.chdir(file.parent)
    command = ["tacit", "large", "protect", "in.parquet", "out.parquet"]
    command += ["--method", name]
    for key, value in parameters.items():
        command += ["--set", f"{key}={toml(value)}"]
    ran = []
    monkeypatch.setattr(
        "tacit.plan.release.write", lambda recipe, *_, **more: ran.append(more["more"])
    )
    monkeypatch.setattr("sys.argv", [*command, "--quasi", "a,b,c"])
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().err
    assert f"is now: tacit protect in.parquet out.parquet --method {name}" in said
    assert "--blocks" not in said
    assert ran in ([], [{}])


@pytest.mark.parametrize(("name", "parameters"), REFUSED, ids=str)
def test_a_refused_method_is_refused_in_memory_too(name, parameters, file):
    with pytest.raises(ParameterError, match="does not mean the same in blocks"):
        large.protect(pq.read_table(file), method=name, parameters=parameters)


def test_a_column_that_the_method_cannot_mask_leaves_nothing_behind(file):
    before = sorted(file.parent.iterdir())
    with pytest.raises(ColumnError, match="'sex' is not numeric"):
        large.protect(
            file,
            file.parent / "o.parquet",
            method="rounding",
            parameters={"base": 1},
            columns=["a", "sex"],
        )
    assert sorted(file.parent.iterdir()) == before


def toml(value):
    """A value as a person writes it after --set."""
    import json

    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{key} = {toml(held)}" for key, held in value.items())
            + "}"
        )
    return value if isinstance(value, str) else json.dumps(value)
