"""Domingo-Ferrer (2008), Tables 3.1 to 3.3 and Figures 3.1 to 3.5: 2^d-tree blocks against blocks by one
attribute.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.reproduce.model import Claim, Context, Experiment, Figure, Outcome, Params, Target, Values

Floats = NDArray[np.float64]
_SOURCE = "002 (2^d-tree blocking)"
_RECORDS = 2_500_000


def _uniform(n: int, d: int, seed: int) -> Floats:
    """The report's data: attribute values drawn from the range -10,000 to 10,000."""
    return np.random.default_rng(seed).uniform(-10_000, 10_000, (n, d))


def _tree_blocks(params: Params, seed: int, context: Context) -> tuple[int, int, int, int]:
    """Blocks by one attribute, cells and useful blocks of the tree, and its depth."""
    from tacit.partition import EqualInterval, OrthTree, split

    values = _uniform(_RECORDS, 2, seed)
    leaf = int(params["L"])
    tree = OrthTree(leaf=leaf, least=3).fit(values)
    return len(split(values, EqualInterval(leaf=leaf, least=3))), tree.cells, tree.leaves, tree.depth


def _blocks(params: Params, seed: int, context: Context) -> Outcome:
    univariate, cells, useful, _ = _tree_blocks(params, seed, context)
    return Outcome({"blocks_univariate": univariate, "blocks_tree": cells, "blocks_useful": useful})


def _full_level(params: Params, seed: int, context: Context) -> Outcome:
    """The fault: one overfull leaf is enough to count the whole next level, 4^depth cells."""
    univariate, _, _, depth = _tree_blocks(params, seed, context)
    return Outcome({"blocks_univariate": univariate, "blocks_tree": 4.0**depth})


def _sse_of(values: Floats, k: int, leaf: int) -> dict[str, float]:
    from tacit.partition import EqualInterval, OrthTree
    from tacit.partition.aggregate import microaggregate

    return {
        "sse_tree": microaggregate(values, k, OrthTree(leaf=leaf, least=k)).sse,
        "sse_univariate": microaggregate(values, k, EqualInterval(leaf=leaf, least=k)).sse,
    }


def _sse(params: Params, seed: int, context: Context) -> Outcome:
    n = int(params.get("n", _RECORDS))
    n = n // 20 if context.quick and "n" in params else n
    return Outcome(_sse_of(_uniform(n, int(params["d"]), seed), 3, int(params.get("L", 10_000))))


def _eia(params: Params, seed: int, context: Context) -> Outcome:
    from tacit.datasets.casc import missing, reference
    from tacit.datasets.census import make_census
    from tacit.partition.aggregate import microaggregate

    absent = missing("eia", context.directory())
    if absent is None:
        table = reference("eia", context.directory())
        kept = [c for c in table.column_names if np.issubdtype(table[c].to_numpy().dtype, np.number)]
        values = np.column_stack([table[c].to_numpy() for c in kept[-11:]]).astype(np.float64)
    else:
        table = make_census(4092, seed=0)
        values = np.column_stack([table[c].to_numpy() for c in table.column_names[:11]]).astype(np.float64)
        absent += "; 11 columns of make_census(4092, seed=0) stand for it"
    k = int(params["k"])
    if "L" in params:
        return Outcome(_sse_of(values, k, int(params["L"])), absent or "")
    return Outcome({"sse_whole": microaggregate(values, k).sse}, absent or "")


def _mean(values: Values, cell: str, measure: str) -> float:
    return float(np.mean(values[cell][measure]))


def _less_loss(values: Values) -> tuple[bool, str]:
    cells = [c for c in values if "sse_tree" in values[c]]
    ratio = {c: _mean(values, c, "sse_univariate") / _mean(values, c, "sse_tree") for c in cells}
    worst = min(ratio, key=lambda c: ratio[c])
    return ratio[
        worst
    ] > 1, f"univariate over tree: at least {ratio[worst]:.2f} ({worst}), at most {max(ratio.values()):.2f}"


def _by_leaf(values: Values, measure: str) -> dict[int, list[float]]:
    """SSE over the number of records, for each L."""
    out: dict[int, list[tuple[int, float]]] = {}
    for cell in values:
        given = dict(part.split("=") for part in cell.split())
        out.setdefault(int(given["L"]), []).append((int(given["n"]), _mean(values, cell, measure)))
    return {leaf: [v for _, v in sorted(points)] for leaf, points in out.items()}


def _steady(values: Values) -> tuple[bool, str]:
    ratios = {leaf: max(v) / min(v) for leaf, v in _by_leaf(values, "sse_tree").items()}
    return max(ratios.values()) < 1.25, f"largest over smallest SSE for one L: at most {max(ratios.values()):.2f}"


def _grows(values: Values) -> tuple[bool, str]:
    ratios = {leaf: v[-1] / v[0] for leaf, v in _by_leaf(values, "sse_univariate").items()}
    small, large = min(ratios), max(ratios)
    holds = ratios[small] > 1.2 and ratios[small] > ratios[large]
    return (
        holds,
        f"SSE at most records over fewest: {ratios[small]:.2f} for L={small}, {ratios[large]:.2f} for L={large}",
    )


def _more_blocks(values: Values) -> tuple[bool, str]:
    ratio = {c: _mean(values, c, "blocks_useful") / _mean(values, c, "blocks_univariate") for c in values}
    return min(ratio.values()) > 1, f"useful tree blocks over n/L: at least {min(ratio.values()):.2f}"


_AGGREGATE = ("tacit.partition:OrthTree", "tacit.partition.aggregate:microaggregate")
_COUNT = Experiment("orthtree-blocks", _blocks, ("tacit.partition:OrthTree",))
_SSE = Experiment("orthtree-sse", _sse, _AGGREGATE)
_GRID = tuple(
    f"n={n} d=2 L={leaf}"
    for n in (500_000, 1_000_000, 1_500_000, 2_000_000)
    for leaf in (500, 1000, 2000, 5000, 10_000)
)
_LEVEL = "literature.md#blocks-that-were-counted-by-level"
_BETTER = {"sse_tree": "lower", "sse_univariate": "lower", "sse_whole": "lower"}

TARGETS = (
    Target(
        "orthtree-3.1",
        f"{_SOURCE}, Table 3.1",
        "number of blocks, 2.5 million records, d = 2",
        _COUNT,
        seeds=3,
        quick_seeds=1,
        fault=Experiment("orthtree-level", _full_level, ("tacit.partition:OrthTree",)),
        explained=_LEVEL,
        figure=Figure("L", ("blocks_univariate", "blocks_tree"), "blocks", log_x=True, log_y=True),
    ),
    Target(
        "orthtree-3.2",
        f"{_SOURCE}, Table 3.2",
        "SSE after microaggregation in blocks, 2.5 million records, k = 3",
        _SSE,
        better=dict(_BETTER),  # type: ignore[arg-type]
        seeds=3,
        quick_seeds=2,
        quick=lambda p: p["d"] in {"2", "3"},
        claims=(Claim("2^d-tree blocks always lose less than blocks by one attribute", _less_loss),),
        figure=Figure("d", ("sse_tree", "sse_univariate"), "SSE", log_y=True),
    ),
    Target(
        "orthtree-3.3",
        f"{_SOURCE}, Table 3.3",
        "SSE on the EIA file, with and without blocks",
        Experiment("orthtree-eia", _eia, _AGGREGATE),
        better=dict(_BETTER),  # type: ignore[arg-type]
        seeds=1,
        quick_seeds=1,
        claims=(Claim("2^d-tree blocks always lose less than blocks by one attribute", _less_loss),),
    ),
    Target(
        "orthtree-fig3.1",
        f"{_SOURCE}, Figure 3.1",
        "useful blocks over L, 2.5 million records, d = 2",
        _COUNT,
        seeds=3,
        quick_seeds=1,
        cells=tuple(f"L={leaf}" for leaf in (500, 1000, 2000, 5000, 10_000)),
        claims=(Claim("the tree has more useful blocks than n/L", _more_blocks),),
        figure=Figure("L", ("blocks_univariate", "blocks_useful"), "useful blocks", log_x=True, log_y=True),
    ),
    *(
        Target(
            f"orthtree-fig3.{number}",
            f"{_SOURCE}, Figure 3.{number}",
            title,
            _SSE,
            seeds=2,
            quick_seeds=1,
            cells=_GRID,
            quick=lambda p: p["L"] in {"500", "2000"},
            claims=(Claim(text, check),),
            figure=Figure("L", measures, "SSE", log_x=True, log_y=True),
        )
        for number, title, measures, text, check in (
            (
                2,
                "SSE over L, both kinds of blocks",
                ("sse_tree", "sse_univariate"),
                "the tree always loses less",
                _less_loss,
            ),
            (
                3,
                "SSE over L, 2^d-tree",
                ("sse_tree",),
                "the tree's SSE hardly depends on the number of records",
                _steady,
            ),
            (
                4,
                "SSE over L, univariate blocks",
                ("sse_univariate",),
                "SSE grows with the records, most for small L",
                _grows,
            ),
        )
    ),
    Target(
        "orthtree-fig3.5",
        f"{_SOURCE}, Figure 3.5",
        "SSE over d, 2.5 million records, L = 10,000",
        _SSE,
        seeds=1,
        quick_seeds=1,
        cells=tuple(f"d={d}" for d in range(2, 11)),
        quick=lambda p: p["d"] in {"2", "3"},
        claims=(Claim("the tree always loses less", _less_loss),),
        figure=Figure("d", ("sse_tree", "sse_univariate"), "SSE", log_y=True),
    ),
)
