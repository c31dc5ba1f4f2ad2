"""Linkage: certified assignment, its solver alone and the nearest record, beside what others use
for them.

The instances go from easy to well protected (``bench.instances``); the hard ones are where
disclosure control works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from bench.instances import EASY_TO_HARD, PROTECTED, files
from bench.row import Row, measure, side_by_side
from bench.solvers import DENSE, ON_GRAPH, candidates


def _optimum(x: np.ndarray, z: np.ndarray) -> dict[str, Any]:
    """Our certified run, and what is said about it."""
    from tacit.attack.solver.assign import assign

    found = assign(x, z)
    own = int((found.match == np.arange(len(x))).sum())
    return {
        "cost": found.cost,
        "certified": found.certified,
        "rounds": len(found.log),
        "own": own,
    }


def certified(
    n: int, how: str, peers: dict[str, Callable[..., Any]] = DENSE
) -> list[Row]:
    """The optimum over all pairs; the peers fill a matrix of all distances."""
    x, z = files(n, how)

    def say(mine: dict[str, Any], cost: float) -> str:
        return (
            f"{'certified' if mine['certified'] else 'NOT certified'} in {mine['rounds']} rounds; "
            f"peer's cost differs by {abs(cost / mine['cost'] - 1):.0e}"
        )

    return side_by_side(
        f"optimal assignment, {how}",
        partial(_optimum, x, z),
        {peer: partial(solve, x, z) for peer, solve in peers.items()},
        say,
        size=n,
        series=f"optimal assignment, {how}",
    )


def on_graph(n: int, how: str) -> list[Row]:
    """One solve of the same candidate graph: our solver without pricing and theirs; both miss the
    other pairs.
    """
    from tacit.attack.solver.assign_graph import assign_graph

    x, z = files(n, how)
    graph, best = candidates(x, z), _optimum(x, z)["cost"]

    def ours() -> float:
        found = assign_graph(
            graph.indptr,
            graph.cols,
            graph.cost,
            len(graph.capacity),
            capacities=graph.capacity,
        )
        return found.cost

    def say(mine: float, theirs: float) -> str:
        same = abs(theirs / mine - 1)
        agree = "same cost" if same < 1e-8 else f"COSTS DIFFER by {same:.1e}"
        return f"{agree}, {100 * (mine / best - 1):.3g} % above the optimum of all pairs; neither certifies on a graph"

    peers = {peer: partial(solve, graph) for peer, solve in ON_GRAPH.items()}
    name = f"solver on the candidate graph, {how}"
    return side_by_side(name, ours, peers, say, size=n, series=name, limit=60)


def _twelve_both_ways(x: np.ndarray, z: np.ndarray) -> None:
    from scipy.spatial import cKDTree

    cKDTree(z).query(x, 12, workers=-1)
    cKDTree(x).query(z, 12, workers=-1)


def beside_a_search(n: int, how: str) -> list[Row]:
    """Where no matrix fits: the whole certified run beside one search for the 12 nearest in both
    directions.
    """
    x, z = files(n, how)
    return side_by_side(
        f"optimal assignment, {how}",
        partial(_optimum, x, z),
        {"scipy cKDTree, 12 both ways": partial(_twelve_both_ways, x, z)},
        lambda mine, _: (
            f"{'certified' if mine['certified'] else 'NOT certified'} in {mine['rounds']} rounds, "
            f"{mine['own']:,} links are right; the peer only looks for neighbours"
        ),
        size=n,
        series=f"optimal assignment, {how}",
    )


def _ties(x: np.ndarray, z: np.ndarray) -> tuple[float, int]:
    from tacit.attack.solver.ties import nearest_with_ties

    distance, indptr, _ = nearest_with_ties(x, z)
    return float(distance.sum()), int(indptr[-1]) - len(x)


def _ckdtree(x: np.ndarray, z: np.ndarray) -> float:
    from scipy.spatial import cKDTree

    return float(cKDTree(z).query(x, 1, workers=-1)[0].sum())


def _sklearn(algorithm: str, x: np.ndarray, z: np.ndarray) -> float:
    from sklearn.neighbors import NearestNeighbors

    fitted = NearestNeighbors(n_neighbors=1, algorithm=algorithm, n_jobs=-1).fit(z)
    return float(fitted.kneighbors(x)[0].sum())


NEIGHBOURS = {
    "scipy cKDTree": _ckdtree,
    "scikit-learn kd_tree": partial(_sklearn, "kd_tree"),
    "scikit-learn brute": partial(_sklearn, "brute"),
}


def nearest(
    n: int, how: str, peers: dict[str, Callable[..., Any]] = NEIGHBOURS
) -> list[Row]:
    """The nearest masked record of each original, on all cores; ours with all ties, theirs one of
    them.
    """
    x, z = files(n, how)

    def say(mine: tuple[float, int], theirs: float) -> str:
        same = (
            "same distances"
            if np.isclose(mine[0], theirs)
            else f"DISTANCES DIFFER: {mine[0]:.6g}, {theirs:.6g}"
        )
        return f"{same}; {mine[1]:,} ties, which the peer does not report"

    name = f"nearest record, {how}"
    calls = {peer: partial(find, x, z) for peer, find in peers.items()}
    return side_by_side(
        name, partial(_ties, x, z), calls, say, size=n, series=name, limit=90
    )


def votes(n: int, how: str) -> list[Row]:
    """Tables 5.1 to 5.3 of the source: blocks and votes against nearest record, and the partition
    that fails.
    """
    from tacit.attack.blocks import Blocks
    from tacit.attack.nearest import Nearest

    x, z = files(n, how)

    def links(partition: str) -> float:
        return Blocks(scale="none", size=n // 3, partition=partition).link(x, z).correct

    voted = measure(partial(links, "attribute"), repeat=0)
    near = Nearest(scale="none").link(x, z).correct
    ranks, clusters = links("ranks"), links("clusters")
    note = f"right links: nearest {near:,.0f}, votes {voted.answer:,.0f}; "
    note += f"one cut by ranks {ranks:,.0f}, by clusters {clusters:,.0f}"
    name = f"blocks of a third with votes, {how}"
    return [Row(name, voted.seconds, memory_mb=voted.memory_mb, note=note, size=n)]


def _compile() -> None:
    """In this process, so that the forked ones measure and neither compile nor import."""
    from tacit.kernels.assignment import all_pairs

    for peer in (
        "scipy.spatial",
        "scipy.optimize",
        "sklearn.neighbors",
        "lap",
        "ortools.graph.python",
    ):
        if find_spec(peer.partition(".")[0]):
            import_module(peer)
    # small files are solved without kernels until they are there: these bring all of them
    for how in EASY_TO_HARD:
        _optimum(*files(2_500, how))
        _ties(*files(2_500, how))
    for name in ("fill", "match", "ways"):
        getattr(all_pairs, name).compiled()
    for how in EASY_TO_HARD:
        _optimum(*files(1_080, how))


def run(full: bool) -> Iterator[Row]:
    """Quick: up to 20,000 records, matrices of all pairs up to 4,000. Full: more of both, and
    149,642 records.
    """
    _compile()
    hard = ("noise 25 %", *PROTECTED)
    some = hard if full else hard[::2]
    scipy = {name: solve for name, solve in DENSE.items() if name.startswith("scipy")}
    work = [partial(certified, 1_080, how) for how in EASY_TO_HARD]
    work += [partial(certified, 4_000, how) for how in some]
    if full:
        work += [partial(certified, 13_500, how, scipy) for how in hard]
    work += [partial(on_graph, n, how) for n in (1_080, 4_000) for how in hard]
    work += [partial(on_graph, 13_500, how) for how in some]
    work += [
        partial(nearest, n, how)
        for n in (1_080, 4_000, 13_500)
        for how in ("noise 5 %", *some)
    ]
    # where others win: small and easy files; and where growth shows
    tree = {"scipy cKDTree": _ckdtree}
    work += [
        partial(nearest, n, how, tree)
        for n in (500, 50_000)
        for how in ("noise 5 %", "noise 15 %", "noise 25 %")
    ]
    work += [partial(nearest, n, "noise 15 %", tree) for n in (1_080, 4_000, 13_500)]
    work += [partial(beside_a_search, 20_000, "noise 25 %")]
    if full:
        work += [partial(beside_a_search, 50_000, "noise 25 %")]
        work += [partial(beside_a_search, 149_642, how) for how in EASY_TO_HARD[:3]]
        work += [partial(nearest, 149_642, how) for how in ("noise 5 %", "noise 25 %")]
    work += [partial(votes, 13_500 if full else 4_000, how) for how in EASY_TO_HARD[:3]]
    for part in work:
        yield from part()
