"""Domingo-Ferrer (2008), Tables 3.1 to 3.3, Figures 3.1 to 3.5: 2^d-tree against other blocks."""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats
from tacit.data.datasets.casc import missing, reference
from tacit.data.datasets.census import make_census
from tacit.reproduce.experiments.eia_blocks import (
    block_sse,
    sorted_runs,
    tree_blocks,
)
from tacit.reproduce.model import (
    Better,
    Claim,
    Context,
    Experiment,
    Figure,
    Outcome,
    Params,
    Target,
    Values,
    params,
)
from tacit.scale.partition import EqualInterval, OrthTree, split
from tacit.scale.partition.aggregate import microaggregate

_SOURCE = "Domingo-Ferrer (2008)"
# Tables 3.1 and 3.2.
_RECORDS = 2_500_000
# The EIA file has so many records, and the report uses eleven of its columns.
_EIA_RECORDS, _EIA_COLUMNS = 4092, 11


def _uniform(n: int, d: int, seed: int) -> Floats:
    """The report's data: attribute values drawn from the range -10,000 to 10,000."""
    return np.random.default_rng(seed).uniform(-10_000, 10_000, (n, d))


def _tree_blocks(
    params: Params, seed: int, context: Context
) -> tuple[int, int, int, int]:
    """Blocks by one attribute, cells and useful blocks of the tree, and its depth."""
    values = _uniform(_RECORDS, 2, seed)
    leaf = int(params["L"])
    # blocks of fewer than k = 3 records cannot be microaggregated
    tree = OrthTree(leaf=leaf, least=3).fit(values)
    univariate = split(values, EqualInterval(leaf=leaf, least=3))
    return len(univariate), tree.cells, tree.leaves, tree.depth


def _blocks(params: Params, seed: int, context: Context) -> Outcome:
    univariate, cells, useful, _ = _tree_blocks(params, seed, context)
    counts = (univariate, cells, useful)
    names = ("blocks_univariate", "blocks_tree", "blocks_useful")
    return Outcome(dict(zip(names, counts, strict=True)))


def _full_level(params: Params, seed: int, context: Context) -> Outcome:
    """The fault: one overfull leaf is enough to count the whole next level.

    That level has 4^depth cells.
    """
    univariate, _, _, depth = _tree_blocks(params, seed, context)
    return Outcome({"blocks_univariate": univariate, "blocks_tree": 4.0**depth})


def _sse_of(values: Floats, k: int, leaf: int) -> dict[str, float]:
    """The loss of microaggregation within both kinds of blocks."""
    tree = OrthTree(leaf=leaf, least=k)
    univariate = EqualInterval(leaf=leaf, least=k)
    return {
        "sse_tree": microaggregate(values, k, tree).sse,
        "sse_univariate": microaggregate(values, k, univariate).sse,
    }


def _sse(params: Params, seed: int, context: Context) -> Outcome:
    n = int(params.get("n", _RECORDS))
    # quick: the figures over n show the same shape with a twentieth of the records
    n = n // 20 if context.quick and "n" in params else n
    values = _uniform(n, int(params["d"]), seed)
    return Outcome(_sse_of(values, 3, int(params.get("L", 10_000))))


def _eia_file(context: Context) -> tuple[Floats, str]:
    """The EIA file, or a drawn one with a note that it stands for it."""
    absent = missing("eia", context.directory())
    if absent is None:
        table = reference("eia", context.directory())
        # the number of the utility and the ten amounts; neither year nor month
        amounts = table.column_names[-(_EIA_COLUMNS - 1) :]
        kept = [table[name].to_numpy() for name in ("UTILITYID", *amounts)]
        note = ""
    else:
        table = make_census(_EIA_RECORDS, seed=0)
        names = table.column_names[:_EIA_COLUMNS]
        kept = [table[name].to_numpy() for name in names]
        note = f"{absent}; 11 columns of make_census(4092, seed=0) stand for it"
    return np.column_stack(kept).astype(np.float64), note


def _eia(params: Params, seed: int, context: Context) -> Outcome:
    values, note = _eia_file(context)
    k = int(params["k"])
    if "L" not in params:
        return Outcome({"sse_whole": microaggregate(values, k).sse}, note)
    leaf = int(params["L"])
    runs = sorted_runs(values, leaf, seed)
    tree = tree_blocks(values, leaf, k)
    return Outcome(
        {
            "sse_univariate": block_sse(values, runs, k),
            "sse_tree": block_sse(values, tree, k),
        },
        note,
    )


def _mean(values: Values, cell: str, measure: str) -> float:
    return float(np.mean(values[cell][measure]))


def _less_loss(values: Values) -> tuple[bool, str]:
    """Cells without blocks (the whole file) take no part."""
    cells = [cell for cell in values if "sse_tree" in values[cell]]
    ratio = {
        cell: _mean(values, cell, "sse_univariate") / _mean(values, cell, "sse_tree")
        for cell in cells
    }
    worst = min(ratio, key=lambda cell: ratio[cell])
    least = f"at least {ratio[worst]:.2f} ({worst})"
    most = f"at most {max(ratio.values()):.2f}"
    return ratio[worst] > 1, f"univariate over tree: {least}, {most}"


def _by_leaf(values: Values, measure: str) -> dict[int, list[float]]:
    """SSE over the number of records, for each L."""
    out: dict[int, list[tuple[int, float]]] = {}
    for cell in values:
        given = params(cell)
        point = (int(given["n"]), _mean(values, cell, measure))
        out.setdefault(int(given["L"]), []).append(point)
    return {leaf: [sse for _, sse in sorted(points)] for leaf, points in out.items()}


def _steady(values: Values) -> tuple[bool, str]:
    """Steady: within a quarter, from the fewest records to the most."""
    by_leaf = _by_leaf(values, "sse_tree")
    worst = max(max(sse) / min(sse) for sse in by_leaf.values())
    return worst < 1.25, f"largest over smallest SSE for one L: at most {worst:.2f}"


def _grows(values: Values) -> tuple[bool, str]:
    """Grows: by a fifth for the smallest L, and by less for the largest."""
    by_leaf = _by_leaf(values, "sse_univariate")
    ratios = {leaf: sse[-1] / sse[0] for leaf, sse in by_leaf.items()}
    small, large = min(ratios), max(ratios)
    holds = ratios[small] > 1.2 and ratios[small] > ratios[large]
    first = f"{ratios[small]:.2f} for L={small}"
    last = f"{ratios[large]:.2f} for L={large}"
    return holds, f"SSE at most records over fewest: {first}, {last}"


def _more_blocks(values: Values) -> tuple[bool, str]:
    least = min(
        _mean(values, cell, "blocks_useful") / _mean(values, cell, "blocks_univariate")
        for cell in values
    )
    return least > 1, f"useful tree blocks over n/L: at least {least:.2f}"


# What must be there for a target to run; without it the target is "not available".
_AGGREGATE = (
    "tacit.scale.partition:OrthTree",
    "tacit.scale.partition.aggregate:microaggregate",
)
_COUNT = Experiment("orthtree-blocks", _blocks, ("tacit.scale.partition:OrthTree",))
_SSE = Experiment("orthtree-sse", _sse, _AGGREGATE)
# The cells of Figures 3.2 to 3.4.
_GRID = tuple(
    f"n={n} d=2 L={leaf}"
    for n in (500_000, 1_000_000, 1_500_000, 2_000_000)
    for leaf in (500, 1000, 2000, 5000, 10_000)
)
# Where the docs explain the count of Table 3.1.
_LEVEL = "literature.md#blocks-that-were-counted-by-level"
# A loss is better when it is smaller.
_BETTER: dict[str, Better] = {
    "sse_tree": "lower",
    "sse_univariate": "lower",
    "sse_whole": "lower",
}

# Millions of records per run, so there are few seeds.
TARGETS = (
    Target(
        "orthtree-3.1",
        f"{_SOURCE}, Table 3.1",
        "number of blocks, 2.5 million records, d = 2",
        _COUNT,
        seeds=3,
        quick_seeds=1,
        fault=Experiment(
            "orthtree-level", _full_level, ("tacit.scale.partition:OrthTree",)
        ),
        explained=_LEVEL,
        figure=Figure(
            "L", ("blocks_univariate", "blocks_tree"), "blocks", log_x=True, log_y=True
        ),
    ),
    Target(
        "orthtree-3.2",
        f"{_SOURCE}, Table 3.2",
        "SSE after microaggregation in blocks, 2.5 million records, k = 3",
        _SSE,
        better=_BETTER,
        seeds=3,
        quick_seeds=2,
        quick=lambda p: p["d"] in {"2", "3"},
        claims=(
            Claim(
                "2^d-tree blocks always lose less than blocks by one attribute",
                _less_loss,
            ),
        ),
        figure=Figure("d", ("sse_tree", "sse_univariate"), "SSE", log_y=True),
    ),
    Target(
        "orthtree-3.3",
        f"{_SOURCE}, Table 3.3",
        "SSE on the EIA file, with and without blocks",
        Experiment("orthtree-eia", _eia, _AGGREGATE),
        better=_BETTER,
        # a seed is an order of equal values
        seeds=8,
        quick_seeds=4,
        claims=(
            Claim(
                "2^d-tree blocks always lose less than blocks by one attribute",
                _less_loss,
            ),
        ),
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
        figure=Figure(
            "L",
            ("blocks_univariate", "blocks_useful"),
            "useful blocks",
            log_x=True,
            log_y=True,
        ),
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
