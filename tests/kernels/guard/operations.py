"""Count what the kernels do, without a clock: operations executed when numba is switched off.

A kernel's compiled loop and its plain-Python run execute the same statements, so the
number of executed lines inside ``tacit/kernels``, each times the operations that are written on it
(``weights``), does not depend on the machine, and it grows when an algorithm visits more nodes,
evaluates more distances, needs more rounds, or does more on a line.

They are counted loop by loop (``loops``): a loop that does a fifth more work is a small part of a
workload, and a total would hide it.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType

import numpy as np

Trace = Callable[[FrameType, str, object], object]
"""What Python calls at each line (``sys.settrace``)."""


def _census(n: int) -> np.ndarray:
    """A census-like file of n records."""
    from tacit.data.datasets.census import make_census

    table = make_census(n, seed=0)
    return np.column_stack([table[c].to_numpy() for c in table.column_names]).astype(
        float
    )


def mdav(n: int) -> Callable[[], object]:
    """Microaggregation by MDAV."""
    from tacit.protect import Microaggregation

    values = _census(n)
    return lambda: Microaggregation(k=3).fit_transform(values)


def mdav_of_two_columns(n: int) -> Callable[[], object]:
    """The same in a plane, where its trees leave most records out."""
    from tacit.protect import Microaggregation

    values = np.random.default_rng(0).normal(size=(n, 2))
    return lambda: Microaggregation(k=3).fit_transform(values)


def individual_ranking(n: int) -> Callable[[], object]:
    """Microaggregation column by column."""
    from tacit.protect import Microaggregation

    values = _census(n)
    return lambda: Microaggregation(k=3, partition="individual").fit_transform(values)


def vmdav(n: int) -> Callable[[], object]:
    """Microaggregation with groups of variable size."""
    from tacit.protect import Microaggregation

    values = _census(n)
    return lambda: Microaggregation(k=3, partition="vmdav").fit_transform(values)


def rank_swapping(n: int) -> Callable[[], object]:
    """Rank swapping of all columns."""
    from tacit.protect import RankSwapping

    values = _census(n)
    return lambda: RankSwapping(p=5, random_state=0).fit_transform(values)


def orthtree(n: int) -> Callable[[], object]:
    """A 2^d-tree: fitted, and its leaves assigned."""
    from tacit.scale.partition import OrthTree

    values = np.random.default_rng(0).random((n, 3))
    return lambda: OrthTree(leaf=50).fit(values).assign(values)


def suda(n: int) -> Callable[[], object]:
    """Minimal sample uniques of five keys."""
    import tacit as tc

    rng = np.random.default_rng(0)
    frame = {f"c{j}": rng.geometric(0.4, n).clip(1, 6) for j in range(5)}
    data = tc.Microdata.of(frame, nominal=list(frame))
    return lambda: tc.risk.suda(data, keys=list(frame))


def _census_pair(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A standardised file and one with noise of half a standard deviation."""
    original = _census(n)
    original /= original.std(axis=0)
    return original, original + 0.5 * np.random.default_rng(0).normal(
        size=original.shape
    )


def kdtree_build(n: int) -> Callable[[], object]:
    """The kd-tree of a census-like file."""
    from tacit.kernels.trees import kdtree

    points = _census(n)
    return lambda: kdtree.build(points)


def _with_plain_lanes() -> None:
    """The lanes of the kd-tree are vector code; here they are numpy's (each call is one line)."""
    from kernels.guard.plain_lanes import first, least, near
    from tacit.kernels.trees import kdtree

    for function in (first, least):
        setattr(kdtree, function.__name__, function)
    for kind in range(3):
        setattr(kdtree, f"points_{kind}", near(False, kind))
        setattr(kdtree, f"boxes_{kind}", near(True, kind))


def kdtree_search(n: int) -> Callable[[], object]:
    """Four nearest of a quarter of the points; the walk over the tree is the kernel's own."""
    from tacit.kernels.trees import kdtree

    _with_plain_lanes()
    # few columns: it must leave most of the tree out
    points = np.random.default_rng(0).normal(size=(n, 3))
    tree, queries = kdtree.build(points), points[::4] + 0.05
    rows = np.arange(len(queries))
    limits, stop = np.full(len(rows), np.inf), np.zeros(1, np.int8)
    value, index = np.empty((len(rows), 4)), np.empty((len(rows), 4), np.int64)
    return lambda: kdtree.search(
        queries, rows, limits, tree, kdtree.weigh(tree), 0, -1.0, value, index, stop
    )


def _candidates(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A graph of ten candidates each way, of a hard file: (indptr, columns, costs)."""
    from scipy.spatial.distance import cdist

    cost = cdist(*_census_pair(n))
    linked = np.eye(n, dtype=bool)
    for axis in (0, 1):
        linked |= cost <= np.partition(cost, 9, axis=axis).take([9], axis=axis)
    indptr = np.concatenate([[0], np.cumsum(linked.sum(axis=1))])
    return indptr, np.nonzero(linked)[1], cost[linked]


def assignment_solver(n: int) -> Callable[[], object]:
    """The whole solver on that graph: auction and refined duals."""
    from tacit.attack.solver.assign_graph import assign_graph

    graph = _candidates(n)
    return lambda: assign_graph(*graph, n)


def assignment_pricing(n: int) -> Callable[[], object]:
    """Rounds of solving and pricing as of a large file: every search goes down the tree."""
    from tacit.attack.solver import neighbours, rounds, scan
    from tacit.kernels.trees.kdtree import EUCLIDEAN

    _with_plain_lanes()
    # this process counts and does nothing else
    scan.FEW = neighbours.FEW = rounds.SMALL = 0
    # few columns, and few candidates: pricing has something to find
    rng = np.random.default_rng(0)
    original = rng.normal(size=(n, 3))
    masked = original + 0.5 * rng.normal(size=(n, 3))
    once = np.ones(n, np.int64)

    def run() -> None:
        solving = rounds.Rounds(original, once, masked, once, EUCLIDEAN, 4)
        solving.go()
        assert solving.certified

    return run


def assignment_refine(n: int) -> Callable[[], object]:
    """Duals fitted to the links of one coarse phase of the auction, which are far off."""
    from tacit.kernels.assignment.auction import auction, new_state
    from tacit.kernels.assignment.refine import refine

    indptr, cols, cost = _candidates(n)
    state = new_state(np.arange(n), np.ones(n, np.int64))
    v, far, go_on = np.zeros(n), np.full(n, np.inf), np.zeros(1, np.int8)
    eps = 0.02 * float(np.median(cost))
    auction(indptr, cols, cost, far, v, state, eps, 100 * n, go_on)
    return lambda: refine(indptr, cols, cost, v, state, 6 * n, go_on)


def assignment_paths(n: int) -> Callable[[], object]:
    """Shortest paths alone, for every row of the same graph."""
    from tacit.kernels.assignment.auction import new_state
    from tacit.kernels.assignment.paths import augment

    indptr, cols, cost = _candidates(n)
    state = new_state(np.arange(n), np.ones(n, np.int64))
    go_on = np.zeros(1, np.int8)
    return lambda: augment(indptr, cols, cost, np.zeros(n), state, go_on)


def assignment_of_all_pairs(n: int) -> Callable[[], object]:
    """A small file on the matrix of its costs: filled, linked, and the ways of its duals."""
    from tacit.attack.solver import at_hand, dense
    from tacit.kernels.trees.kdtree import EUCLIDEAN

    # looked up once in a process, before anything is counted
    at_hand._fills_alike()
    rng = np.random.default_rng(0)
    original = rng.normal(size=(n, 3))
    # much noise: most records are not the nearest to their own
    masked = original + rng.normal(size=(n, 3))
    once = np.ones(n, np.int64)
    return lambda: dense.solve(original, once, masked, once, EUCLIDEAN)


def assignment_places(n: int) -> Callable[[], object]:
    """Columns of several places, more than there are rows: heaps of prices, and duals of zero."""
    from scipy.spatial.distance import cdist

    from tacit.attack.solver.assign_graph import assign_dense

    cost = cdist(*_census_pair(n))[:, : n // 4]
    return lambda: assign_dense(cost, capacities=np.full(n // 4, 5))


def bethe(n: int) -> Callable[[], object]:
    """Link probabilities by belief propagation on all pairs, as a large graph's: by the kernel."""
    from scipy.spatial.distance import cdist

    from tacit.attack.probabilistic import beliefs

    # this process counts and does nothing else
    beliefs.SMALL = 0
    link_probabilities = beliefs.link_probabilities
    rows, columns = np.divmod(np.arange(n * n), n)
    cost = 2 * cdist(*_census_pair(n), "sqeuclidean").ravel()
    return lambda: link_probabilities(rows, columns, cost, (n, n), rounds=20)


def bethe_of_rivals(n: int) -> Callable[[], object]:
    """The same where several records compete for each: no edge outweighs the others."""
    from scipy.spatial.distance import cdist

    from tacit.attack.probabilistic import beliefs

    beliefs.SMALL = 0
    link_probabilities = beliefs.link_probabilities
    rows, columns = np.divmod(np.arange(n * n), n)
    cost = 0.2 * cdist(*_census_pair(n), "sqeuclidean").ravel()
    return lambda: link_probabilities(rows, columns, cost, (n, n), rounds=20)


def bethe_at_rest(n: int) -> Callable[[], object]:
    """The same on a graph of candidates until nothing moves; most rows rest long before."""
    from tacit.attack.probabilistic import beliefs

    beliefs.SMALL = 0
    link_probabilities = beliefs.link_probabilities
    indptr, columns, cost = _candidates(n)
    rows = np.repeat(np.arange(n), np.diff(indptr))
    return lambda: link_probabilities(rows, columns, 2 * cost**2, (n, n), rounds=300)


def trees(n: int) -> Callable[[], object]:
    """Randomised trees of two classes: cuts, and records that go down."""
    from tacit.kernels import tree_cuts, tree_descent
    from tacit.loss.random_trees import class_shares, ranks

    for kernel in (tree_cuts._random_cuts, tree_descent._descend):
        kernel.pays = lambda _: True  # type: ignore[method-assign]
    rng = np.random.default_rng(0)
    rows = ranks(rng.random((n, 3)).round(2))
    label = (rows[:, 0] + 20 * rng.random(n) > rows[:, 0].mean() + 10).astype(np.int64)
    options = {"classes": 2, "trees": 3, "leaf": 5, "rng": np.random.default_rng(0)}
    every = np.arange(n)
    return lambda: class_shares(rows, label, every, every, **options)


def rank_gaps(n: int) -> Callable[[], object]:
    """Costs of all pairs by their ranks in two columns."""
    from tacit.kernels.rank_gaps import range_costs

    first = np.random.default_rng(0).integers(0, n, (n, 2))
    ranks = np.stack([first, first + 1], axis=2).reshape(n, 4).astype(float)
    cost = np.append(np.arange(n // 4) / n, np.inf)
    return lambda: range_costs(ranks, ranks, cost)


def stream_microaggregation(n: int) -> Callable[[], object]:
    """Microaggregation of a stream, window 40."""
    from tacit.stream import Microaggregation

    values = np.random.default_rng(0).random((n, 4))
    return lambda: Microaggregation(k=3, window=40).apply(values)


def stream_rank_swapping(n: int) -> Callable[[], object]:
    """Rank swapping of a stream, window 40."""
    from tacit.stream import RankSwapping

    values = np.random.default_rng(0).random((n, 4))
    return lambda: RankSwapping(p=10, window=40, random_state=0).apply(values)


def stream_push(n: int) -> Callable[[], object]:
    """Usual records, one by one."""
    from tacit.stream import RankSwapping

    rows = np.random.default_rng(0).random((n, 4)).tolist()
    records = [dict(zip("abcd", row, strict=True)) for row in rows]

    def run() -> None:
        swapping = RankSwapping(p=10, window=40, random_state=0)
        for record in records:
            swapping.push(record)

    return run


def stream_clusters(n: int) -> Callable[[], object]:
    """Clusters of four persons of a stream, of whom some come twice."""
    from tacit.stream import DelayBoundClusters

    rng = np.random.default_rng(0)
    values = np.column_stack([rng.integers(0, 30, n), rng.random((n, 3))])
    return lambda: DelayBoundClusters(k=4, delay=30, person=0).apply(values)


def stream_noise(n: int) -> Callable[[], object]:
    """Noise on a stream."""
    from tacit.stream import Noise

    values = np.random.default_rng(0).random((n, 4))
    return lambda: Noise(percent=50, random_state=0).apply(values)


#: workload -> the two sizes at which it is counted (two, so that the growth is guarded as well)
WORKLOADS: dict[Callable[[int], Callable[[], object]], tuple[int, int]] = {
    mdav: (200, 400),
    mdav_of_two_columns: (300, 600),
    individual_ranking: (200, 400),
    vmdav: (100, 200),
    rank_swapping: (200, 400),
    orthtree: (500, 1000),
    suda: (100, 200),
    kdtree_build: (500, 1000),
    kdtree_search: (1000, 2000),
    assignment_solver: (100, 200),
    assignment_refine: (100, 200),
    assignment_pricing: (60, 120),
    assignment_paths: (50, 100),
    assignment_of_all_pairs: (20, 40),
    assignment_places: (40, 80),
    bethe: (15, 30),
    bethe_of_rivals: (15, 30),
    bethe_at_rest: (20, 40),
    trees: (60, 120),
    rank_gaps: (15, 30),
    stream_microaggregation: (200, 400),
    stream_rank_swapping: (200, 400),
    stream_clusters: (200, 400),
    stream_noise: (200, 400),
}


def lines(
    function: Callable[[], object], where: str = "kernels"
) -> Counter[tuple[str, int]]:
    """How often each line of tacit/kernels (or another part) is executed by ``function``."""
    executed: Counter[tuple[str, int]] = Counter()
    marker = f"{os.sep}tacit{os.sep}{where}{os.sep}"

    def local(frame: FrameType, event: str, argument: object) -> Trace | None:
        if event == "line":
            executed[frame.f_code.co_filename, frame.f_lineno] += 1
        return local

    def trace(frame: FrameType, event: str, argument: object) -> Trace | None:
        file = frame.f_code.co_filename
        # what hands a kernel to numba is no work of the kernel
        return local if marker in file and not file.endswith("compiler.py") else None

    sys.settrace(trace)
    threading.settrace(trace)  # the solver works in a thread
    try:
        function()
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    return executed


OPERATIONS = (
    ast.BinOp,
    ast.BoolOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Call,
    ast.Subscript,
    ast.IfExp,
    ast.AugAssign,
)
"""What counts as an operation, wherever it is written; bytecode would differ between Pythons."""


@cache
def weights(file: str) -> Counter[int]:
    """How many operations are written on each line, less the one that every line counts for."""
    written = ast.walk(ast.parse(Path(file).read_text()))
    return Counter(node.lineno for node in written if isinstance(node, OPERATIONS))


def count(function: Callable[[], object], where: str = "kernels") -> int:
    """Operations executed in all."""
    executed = lines(function, where)
    return sum(
        times * (1 + weights(file)[at]) for (file, at), times in executed.items()
    )


@cache
def _loop_of(file: str) -> dict[int, str]:
    """Line -> 'function' outside loops, 'function 2' in its second loop (the innermost one)."""
    names: dict[int, str] = {}

    def name_lines(node: ast.AST, name: str) -> None:
        for at in range(node.lineno, (node.end_lineno or node.lineno) + 1):  # type: ignore[attr-defined]
            names[at] = name

    for function in ast.walk(ast.parse(Path(file).read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        name_lines(function, function.name)
        loops = [n for n in ast.walk(function) if isinstance(n, ast.For | ast.While)]
        # outer loops begin earlier: an inner one overwrites their name on its lines
        for number, loop in enumerate(
            sorted(loops, key=lambda n: (n.lineno, -n.end_lineno)), 1
        ):  # type: ignore[operator]
            name_lines(loop, f"{function.name} {number}")
    return names


def loops(function: Callable[[], object], where: str = "kernels") -> dict[str, int]:
    """Operations in each loop of each kernel, and in each kernel outside its loops."""
    parts: Counter[str] = Counter()
    for (file, line), times in lines(function, where).items():
        part = f"{Path(file).stem}.{_loop_of(file).get(line, 'module')}"
        parts[part] += times * (1 + weights(file)[line])
    return dict(sorted(parts.items()))


def measure() -> dict[str, dict[str, int] | int]:
    """Counts by 'workload n=size', each loop by itself."""
    from kernels.guard import plain_lanes
    from tacit.kernels import compiler

    # the kernels are counted, not what stands in for them on small files
    compiler.PATIENCE = -1.0

    counts: dict[str, dict[str, int] | int] = {
        f"{workload.__name__} n={n}": loops(workload(n))
        for workload, sizes in WORKLOADS.items()
        for n in sizes
    }
    # compiled, a search spends its time in the lanes
    for name, workload in (
        ("kdtree_lanes", kdtree_search),
        ("pricing_lanes", assignment_pricing),
    ):
        for n in WORKLOADS[workload]:
            search, plain_lanes.calls = workload(n), 0
            search()
            counts[f"{name} n={n}"] = plain_lanes.calls
    # pushed one by one, half of the time is the face's
    for n in (200, 400):
        counts[f"stream_push n={n}"] = loops(stream_push(n), "stream")
    return counts


if __name__ == "__main__":  # with NUMBA_DISABLE_JIT=1 (see everything.py)
    print(json.dumps(measure()))
