"""Rows leave in random order; the owner's manifest says which is whose, and repeats it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.base.errors import InputError
from tacit.cli import app
from tacit.plan import manifest, row_order
from tacit.plan.row_order import RowOrder

N = 60
NOISE = ["--method", "noise", "--set", "percent=1"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(100, 30, (N, 3)), columns=list("abc"))
    frame.to_csv("in.csv", index=False)
    return tmp_path


def call(*words: str) -> tuple[int, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = CliRunner().invoke(app, words)
    return done.exit_code, str(done.exception or "") + done.output


def protect(*words: str) -> None:
    code, said = call("protect", "in.csv", "out.csv", *words)
    assert code == 0, said


def standing(answer: dict, name: str) -> dict:
    """The row of a verdict by its name."""
    rows = answer["verdict"]["rows"]
    return next(row for row in rows if row["name"] == name)


def rank_correlation() -> float:
    """Of row i of both files: 1 where rows are in place."""
    ours, theirs = (pd.read_csv(name)["a"].rank() for name in ("in.csv", "out.csv"))
    return float(np.corrcoef(ours, theirs)[0, 1])


def test_rows_are_shuffled_unless_asked(folder: Path) -> None:
    protect(*NOISE)
    assert abs(rank_correlation()) < 0.5
    assert call("verify", "out.csv.manifest.json")[0] == 0
    with pytest.warns(UserWarning, match="keep the order of the original"):
        CliRunner().invoke(app, ["protect", "in.csv", "o2.csv", *NOISE, "--keep-order"])
    protect(*NOISE, "--keep-order", "--force")
    assert rank_correlation() > 0.99
    assert call("verify", "out.csv.manifest.json")[0] == 0
    record = json.loads((folder / "out.csv.manifest.json").read_text())
    assert record["order"] == {"shuffled": False}
    assert record["plan"]["key"] > 2**100


def test_the_manifest_says_whose_row_is_whose(folder: Path) -> None:
    protect(*NOISE)
    beside = folder / "out.csv.manifest.json"
    truth = manifest.truth_of(manifest.load(beside), N, beside)
    ours, theirs = pd.read_csv("in.csv"), pd.read_csv("out.csv")
    assert np.abs(ours.to_numpy() - theirs.to_numpy()[truth]).max() < 3
    assert beside.stat().st_mode & 0o077 == 0


def test_a_list_that_is_left_out_is_made_again_from_the_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a file of more than a million records."""
    monkeypatch.setattr(row_order, "MOST_LISTED", N - 1)
    protect(*NOISE)
    beside = folder / "out.csv.manifest.json"
    record = manifest.load(beside)
    assert row_order.LISTED not in record["order"]
    truth = manifest.truth_of(record, N, beside)
    ours, theirs = pd.read_csv("in.csv"), pd.read_csv("out.csv")
    assert np.abs(ours.to_numpy() - theirs.to_numpy()[truth]).max() < 3
    assert call("verify", beside.name)[0] == 0


def test_neither_key_nor_truth_is_printed(folder: Path) -> None:
    _, said = call("protect", "in.csv", "out.csv", *NOISE, "--json")
    shown = json.loads(said)
    assert shown["order"] == {"shuffled": True}
    assert "key" not in shown["plan"]
    assert "seed" not in shown["plan"]["steps"][0]
    assert manifest.load(folder / "out.csv.manifest.json")["order"]["key"] > 2**100


@pytest.mark.parametrize("method", ["noise", "microaggregation"])
def test_same_seed_same_bytes(folder: Path, method: str) -> None:
    """Also where no step draws anything, and the order alone is random."""
    texts = []
    for _ in range(2):
        protect("--method", method, "--seed", "5", "--force")
        texts.append((folder / "out.csv").read_bytes())
    assert texts[0] == texts[1]
    protect("--method", method, "--seed", "6", "--force")
    assert (folder / "out.csv").read_bytes() != texts[0]
    protect("--method", method, "--force")
    assert (folder / "out.csv").read_bytes() != texts[0]


@pytest.mark.parametrize("n", [N, 9000])
def test_the_order_is_no_other_order_in_disguise(n: int) -> None:
    """Turned, rotated or cut into runs, a file tells whose row is whose to who knows one row."""
    for key in (1, 2):
        plan = tc.Plan((tc.Step("noise", {"percent": 5.0}, 7),), key=key)
        rows = RowOrder.of(plan).rows(n)
        assert sorted(rows) == list(range(n))
        steps = np.diff(rows) % n
        # of a random order two records in n follow each other, or are followed
        assert np.isin(steps, [1, n - 1]).mean() < 0.15
        # and no step is usual
        assert np.unique(steps, return_counts=True)[1].max() <= 6


def test_a_plan_file_with_seeds_gives_the_same_bytes(folder: Path) -> None:
    tc.Plan((tc.Step("noise", {"percent": 5.0}, 7),)).save("plan.toml")
    texts = []
    for _ in range(2):
        protect("--plan", "plan.toml", "--force")
        texts.append((folder / "out.csv").read_bytes())
    assert texts[0] == texts[1]


def test_assess_finds_the_rows_by_the_manifest(folder: Path) -> None:
    protect(*NOISE)
    words = ["assess", "in.csv", "out.csv", "--attackers", "nearest", "--json", "-"]
    blind = json.loads(call(*words)[1])
    alignment = standing(blind, "alignment")
    assert alignment["standing"] == "not computed"
    assert "RELEASE.manifest.json" in alignment["why"]
    # copies with a little noise are seen in any order
    assert standing(blind, "near_copies")["standing"] == "fails"
    seen = json.loads(call(*words, "--plan", "out.csv.manifest.json")[1])
    assert seen["attacks"]["nearest"]["rate"] > 0.9
    # loss is measured between a record and its own masked one
    assert seen["loss"]["IL1"]["value"] < 0.1 < blind["loss"]["IL1"]["value"]


def test_the_manifest_of_another_release_aligns_nothing(folder: Path) -> None:
    protect(*NOISE)
    (folder / "out.csv.manifest.json").rename("first.manifest.json")
    protect(*NOISE, "--force")
    words = ["assess", "in.csv", "out.csv", "--attackers", "nearest", "--json", "-"]
    seen = json.loads(call(*words, "--plan", "first.manifest.json")[1])
    assert standing(seen, "alignment")["standing"] == "not computed"


def test_a_broken_order_is_one_sentence(folder: Path) -> None:
    protect(*NOISE)
    beside = folder / "out.csv.manifest.json"
    record = json.loads(beside.read_text())
    record["order"]["released_row_of_each_original"] = "1 1 2"
    beside.write_text(json.dumps(record))
    code, said = call("assess", "in.csv", "out.csv", "--plan", beside.name)
    assert code != 0
    assert "does not name each of the 60 records once" in said


def test_a_manifest_of_an_older_version_still_verifies(folder: Path) -> None:
    protect(*NOISE, "--keep-order")
    beside = folder / "out.csv.manifest.json"
    record = json.loads(beside.read_text())
    del record["order"], record["leaving"]
    beside.write_text(json.dumps(record))
    assert call("verify", beside.name)[0] == 0


def test_whose_row_is_unknown_where_the_plan_leaves_it_open() -> None:
    for step in (tc.Step("sampling", {"fraction": 0.5}, 1), tc.Step("massc", {}, 1)):
        order = RowOrder.of(tc.Plan((step,)))
        assert order.truth(10) is None
        assert "released_row_of_each_original" not in order.to_dict(10)


@pytest.mark.parametrize("order", ["1 1 3", "0 1 2", "1 2", "1 2 3 4", "2 1 x"])
def test_an_order_that_names_a_row_twice_or_none_is_refused(order: str) -> None:
    """Believed, it would align two people with one row and find neither."""
    entry = {"shuffled": True, "released_row_of_each_original": order}
    with pytest.raises(InputError, match="does not name each of the 3 records once"):
        row_order.read_truth(entry, 3, "m.json")
    entry["released_row_of_each_original"] = "3 1 2"
    assert row_order.read_truth(entry, 3, "m.json").tolist() == [2, 0, 1]
