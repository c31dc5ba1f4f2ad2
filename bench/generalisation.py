"""The best node of a lattice: ours against a plain search and against anjana, and how it grows.

The file is like Adult (nine keys, 12,960 nodes). The plain search is what one would write with pandas:
the nodes in the order of their loss, each counted by ``groupby``, nodes below a failed one left
out. anjana generalises greedily and does not say whether its node is the best.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from pyarrow import csv

import tacit as tc
from bench.row import Row, beside, measure
from bench.venvs import Peer
from tacit.data.hierarchies import rule_of
from tacit.data.hierarchies.tree import coded

K = 5
SMALL = 3_000
FEW = 6
"""Records and keys on which the plain search ends: all nine keys take minutes, on any file."""


def adult(n: int, keys: int = 9) -> tc.Microdata:
    """The Adult-like file, or its first columns."""
    table = tc.datasets.make_adult(n)
    table = table.select(table.column_names[:keys])
    names = [name for name in table.column_names if name != "age"]
    return tc.Microdata.of(
        table, quasi=table.column_names, continuous=["age"], nominal=names
    )


def ours(data: tc.Microdata, limit: float, recoding: str = "full") -> Any:
    """A fitted search."""
    rules = tc.datasets.adult_hierarchies()
    return tc.protect.Generalisation(
        k=K,
        hierarchies={name: rules[name] for name in data.names},
        suppression_limit=limit,
        recoding=recoding,
    ).fit(data)


def tables(data: tc.Microdata) -> dict[str, list[tuple[str, ...]]]:
    """Each hierarchy as rows: value, classes."""
    rules = tc.datasets.adult_hierarchies()
    return {
        name: coded(rule_of(rules[name], name), data, name).tree.rows
        for name in data.names
    }


def plainly(data: tc.Microdata, limit: float) -> float:
    """The loss of the best node: every node in the order of its floor, by pandas."""
    frame = data.table.to_pandas().astype(str)
    rows = tables(data)
    n, keys = len(frame), data.names
    generalised: dict[tuple[str, int], Any] = {}
    lost: dict[tuple[str, int], Any] = {}
    for name in keys:
        for level in range(len(rows[name][0])):
            up = {line[0]: line[level] for line in rows[name]}
            labels = frame[name].map(up)
            inside = labels.map(
                {v: sum(x == v for x in up.values()) for v in set(up.values())}
            )
            generalised[name, level] = labels
            lost[name, level] = (inside - 1) / max(len(up) - 1, 1)
    heights = [range(len(rows[name][0])) for name in keys]
    nodes = list(product(*heights))
    means = {at: float(column.mean()) for at, column in lost.items()}

    def floor_of(node: tuple[int, ...]) -> float:
        pairs = zip(keys, node, strict=True)
        return sum(means[pair] for pair in pairs) / len(keys)

    nodes.sort(key=floor_of)
    failed: list[tuple[int, ...]] = []
    best = float("inf")
    for node in nodes:
        if floor_of(node) >= best:
            break
        if any(all(a <= b for a, b in zip(node, high, strict=True)) for high in failed):
            continue
        columns = {
            key: generalised[key, level] for key, level in zip(keys, node, strict=True)
        }
        table = type(frame)(columns)
        size = table.groupby(keys, sort=False)[keys[0]].transform("size")
        out = size < K
        if out.sum() > limit * n or 0 < out.sum() < K:
            failed.append(node)
            continue
        kept = sum(lost[key, level] for key, level in zip(keys, node, strict=True))
        loss = float(np.where(out, 1.0, kept / len(keys)).mean())
        best = min(best, loss)
    return best


def run(full: bool = False) -> Iterator[Row]:
    """Optimal search at 0 % and 5 % suppression, peers, growth."""
    sizes: tuple[int, ...] = (10_000, 30_162)
    if full:
        # ten million are held in memory: about 4 GB at the first count
        sizes = (*sizes, 100_000, 1_000_000, 10_000_000)
    for limit in (0.0, 0.05):
        what = f"optimal generalisation, nine keys, 12,960 nodes, k = 5, {limit:.0%} suppressed"
        for n in sizes:
            data = adult(n)
            mine = measure(
                lambda data=data, limit=limit: float(ours(data, limit).loss_)
            )
            yield Row(
                what,
                mine.seconds,
                memory_mb=mine.memory_mb,
                size=n,
                series=f"optimal generalisation, {limit:.0%} suppressed",
                note=f"loss {mine.answer:.4f}; CPU {mine.cpu:.2f} s",
            )
        data = adult(SMALL, FEW)
        yield beside(
            f"the same, six keys, 720 nodes, {limit:.0%} suppressed",
            measure(lambda data=data, limit=limit: float(ours(data, limit).loss_)),
            "plain search with pandas",
            lambda data=data, limit=limit: measure(lambda: plainly(data, limit)),
            lambda a, b: f"loss: ours {a:.4f}, peer {b:.4f}",
            size=SMALL,
        )
    yield from _anjana(30_162 if full else SMALL)
    local = ours(adult(30_162), 0.0, "local")
    yield Row(
        "local recoding",
        measure(lambda: ours(adult(30_162), 0.0, "local") is None).seconds,
        size=30_162,
        note=f"loss {local.local_loss_:.4f} against {local.loss_:.4f} of the best node",
    )


def _anjana(n: int) -> Iterator[Row]:
    data = adult(n)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        csv.write_csv(data.table, path)
        asked = {
            "file": str(path),
            "keys": data.names,
            "k": K,
            "limit": 0.05,
            "tables": tables(data),
        }
        peer = Peer("anjana", asked)

        def classes() -> int:
            made = ours(data, 0.05)
            masked = made.transform(data)
            return len(
                set(
                    zip(*[masked.table[c].to_pylist() for c in data.names], strict=True)
                )
            )

        yield beside(
            "k-anonymity by generalisation, 5 % suppressed",
            measure(classes),
            "anjana",
            peer("classes"),
            lambda a, b: f"classes that are left (more are finer): ours {a}, peer {b}",
            size=n,
        )
