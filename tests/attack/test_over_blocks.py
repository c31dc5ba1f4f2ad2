"""Nearest records over blocks on the disk: the links, scores and ties of the file in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.attack import nearest
from tacit.attack.linkage import Linkage
from tacit.attack.nearest import Nearest
from tacit.attack.over_blocks import (
    blocked_files,
    kept_blocks,
    laid_out,
    nearest_records,
)
from tacit.attack.over_blocks.block_tree import BlockTree
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata
from tacit.data.out_of_core.pieces import mapped_by
from tacit.kernels.trees.box_visits import EUCLIDEAN, MANHATTAN, visits
from tacit.scale.engine.local import Threads


def pair(seed: int, n: int = 900) -> tuple[dict[str, Any], dict[str, Any]]:
    """Numbers with ties and gaps, categories that change, identical records."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 3))
    numbers[:, 1] = np.round(numbers[:, 1])
    masked = numbers + 0.3 * rng.normal(size=numbers.shape)
    masked[:, 1] = np.round(masked[:, 1])
    words = rng.choice(list("abcd"), n)
    changed = np.where(rng.random(n) < 0.2, "z", words)
    if seed % 2:
        numbers[rng.random(n) < 0.1, 0] = np.nan
        masked[rng.random(n) < 0.1, 2] = np.nan
    if seed % 3 == 2:
        # groups of three identical masked records, and of identical originals
        masked = np.repeat(masked[::3], 3, axis=0)
        numbers[: n // 2] = np.round(numbers[: n // 2])
    names = ["x", "y", "z"]
    return (
        dict(zip(names, numbers.T, strict=True)) | {"w": words},
        dict(zip(names, masked.T, strict=True)) | {"w": changed},
    )


def same(one: Linkage, other: Linkage) -> None:
    for field in ("match", "score", "success", "ties", "truth"):
        assert np.array_equal(getattr(one, field), getattr(other, field)), field
    assert one.correct == other.correct


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many blocks, pieces and parts of a small file."""
    monkeypatch.setattr(nearest, "MARGINS", 10)
    monkeypatch.setattr(blocked_files, "BLOCK", 40)
    monkeypatch.setattr(nearest_records, "PART", 17)
    monkeypatch.setattr(kept_blocks, "KEPT", 3000)
    monkeypatch.setattr(laid_out, "PIECE", 200)


def on_disk(data: dict[str, Any], folder: Path, name: str) -> OnDisk:
    table = pa.table({key: pa.array(values) for key, values in data.items()})
    pq.write_table(table, folder / f"{name}.parquet")
    kinds: dict[str, Any] = {
        "nominal": [key for key in data if key == "w"],
        "continuous": [key for key in data if key != "w"],
    }
    spill = folder / name
    spill.mkdir()
    return OnDisk.open(folder / f"{name}.parquet", spill, quasi=list(data), **kinds)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("seed", "parameters"),
    [
        (0, {}),
        (1, {"scale": "range"}),
        (2, {"distance": "manhattan"}),
        (3, {"distance": "gower", "weights": {"w": 2.0}}),
        (5, {"scale": "max", "columns": ["w", "y"]}),
        (8, {"columns": ["x", "y", "z"]}),
    ],
    ids=str,
)
def test_links_over_blocks_are_those_of_memory(
    seed: int, parameters: dict[str, Any], small: None, tmp_path: Path
) -> None:
    original, masked = pair(seed)
    ours, theirs = (
        on_disk(original, tmp_path, "original"),
        on_disk(masked, tmp_path, "masked"),
    )
    attacker = Nearest(**parameters)
    names = list(original)
    held = attacker.link(ours.held(names), theirs.held(names))
    same(attacker.link(ours, theirs), held)
    with mapped_by(Threads(3).map):
        same(attacker.link(ours, theirs), held)
    # nothing is left behind
    assert not list(tmp_path.rglob("nearest-*"))


def test_it_went_over_many_blocks(small: None, tmp_path: Path) -> None:
    original, masked = pair(0)
    ours, theirs = (
        on_disk(original, tmp_path, "original"),
        on_disk(masked, tmp_path, "masked"),
    )
    _, found = Nearest().linked_over_blocks(ours, theirs, ["x", "y", "z"])
    assert found.blocks > 10
    # the masked record of many is in another block than they are
    assert found.apart > 100


def test_eight_records_tie_and_lie_in_several_blocks(
    small: None, tmp_path: Path
) -> None:
    """An original in the middle of a cube of masked records is as near to each corner."""
    corners = np.stack(np.meshgrid(*3 * [np.arange(9.0)]), axis=-1).reshape(-1, 3)
    middles = np.clip(corners + 0.5, 0.5, 7.5)
    order = np.random.default_rng(1).permutation(len(corners))
    names = ["x", "y", "z"]
    ours, theirs = (
        on_disk(dict(zip(names, values.T, strict=True)), tmp_path, name)
        for values, name in ((middles, "original"), (corners[order], "masked"))
    )
    attacker = Nearest(scale="none")
    held = attacker.link(ours.held(names), theirs.held(names))
    assert (held.ties == 8).all()
    same(attacker.link(ours, theirs), held)


def test_all_records_alike_are_one_block_of_ties(small: None) -> None:
    data = Microdata.of({"x": np.ones(50), "y": np.zeros(50)})
    matching, found = Nearest().linked_over_blocks(data, data, ["x", "y"])
    assert found.blocks == 1
    assert np.array_equal(matching.match, np.zeros(50))
    assert found.theirs.count.tolist() == [50]


@pytest.mark.parametrize("kind", [0, EUCLIDEAN, MANHATTAN])
@pytest.mark.parametrize("weighed", [False, True])
def test_visits_are_all_boxes_below_the_limit(kind: int, weighed: bool) -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(400, 3))
    tree = BlockTree.of(points, 20)
    label = tree.assign(points)
    blocks = range(tree.blocks)
    low = np.array([points[label == b].min(axis=0) for b in blocks])
    high = np.array([points[label == b].max(axis=0) for b in blocks])
    tree = tree.boxed(low, high)
    queries = rng.normal(size=(60, 3))
    limits = rng.uniform(0, 1.5, 60)
    limits[0] = np.inf
    weight = rng.normal(size=len(points)) if weighed else np.zeros(len(points))
    largest = np.array([weight[label == b].max() for b in blocks])
    boxes = (tree.below, tree.block, tree.low, tree.high, tree.largest(largest))
    args = (queries, limits, *boxes, kind, 2)
    gap = np.maximum(np.maximum(low - queries[:, None], queries[:, None] - high), 0)
    apart = (gap if kind == MANHATTAN else gap**2).sum(axis=2)
    apart = (np.sqrt(apart) if kind == EUCLIDEAN else apart) - largest
    wanted = {
        (i, b) for i in range(60) for b in blocks if b != 2 and apart[i, b] < limits[i]
    }
    for run in (visits, visits.py_func):
        who, where = run(*args)
        assert set(zip(who.tolist(), where.tolist(), strict=True)) == wanted
        assert len(who) == len(wanted)
