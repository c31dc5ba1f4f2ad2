"""The experiments of the ESSnet report on 2^d-tree blocking: rows for its Figures 3.1 to 3.5 and Tables 3.1 and 3.2.

Files: n records of d columns, uniform on [-10000, 10000], seed 2008 (the report does not give one). MDAV with k = 3.
SSE is the sum over records and columns of squared distances to the group mean, on columns divided by their standard
deviation; the report does not say how it is scaled, but this scaling gives its figures for two columns (4.5 and 4.9).
Blocks: "tree" is ``blocks_tree``, the cells of the full level at which the tree stops, 2^(d depth), which is what the
report counts (empty ones included); ``useful_tree`` are the blocks with records, of which the report draws Figure 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.partition.aggregate import microaggregate
from tacit.partition.orthtree import OrthTree
from tacit.partition.univariate import EqualInterval

N = 2_500_000
SEED = 2008
LEAVES = (500, 1000, 2000, 5000, 10_000)
DIMENSIONS = (2, 3, 4, 5, 10)
Rows = Iterator[dict[str, Any]]


def uniform_file(n: int, d: int, seed: int = SEED) -> NDArray[np.float64]:
    """n records of d columns, uniform on [-10000, 10000]."""
    return np.random.default_rng([seed, d]).uniform(-10_000.0, 10_000.0, size=(n, d))


def block_counts(n: int = N, d: int = 2, k: int = 3, leaves: Sequence[int] = LEAVES) -> Rows:
    """Table 3.1 and Figure 3.1: blocks by L."""
    values = uniform_file(n, d)
    for leaf in leaves:
        tree = OrthTree(leaf=leaf, least=k).fit(values)
        line = EqualInterval(leaf=leaf, least=k).fit(values)
        yield {
            "L": leaf,
            "n_over_L": n // leaf,
            "blocks_univariate": line.pieces,
            "blocks_tree": 2 ** (d * tree.depth),
            "useful_univariate": len(line.sizes),
            "useful_tree": len(tree.sizes),
            "largest_tree": int(tree.sizes.max()),
        }


def sse_by_leaf(
    sizes: Sequence[int] = (500_000, 1_000_000, 1_500_000, 2_000_000),
    d: int = 2,
    k: int = 3,
    leaves: Sequence[int] = LEAVES,
    progress: Callable[[str], None] | None = None,
) -> Rows:
    """Figures 3.2 (both blockings), 3.3 (tree) and 3.4 (univariate): SSE by L and number of records."""
    for n in sizes:
        values = uniform_file(n, d)
        for leaf in leaves:
            if progress:
                progress(f"n = {n:,}, L = {leaf:,}")
            yield {"n": n, "L": leaf, **_both(values, leaf, k)}


def sse_by_dimension(
    n: int = N,
    dimensions: Sequence[int] = DIMENSIONS,
    k: int = 3,
    leaf: int = 10_000,
    progress: Callable[[str], None] | None = None,
) -> Rows:
    """Table 3.2 and Figure 3.5: SSE by number of columns."""
    for d in dimensions:
        if progress:
            progress(f"d = {d}")
        yield {"d": d, "n": n, "L": leaf, **_both(uniform_file(n, d), leaf, k)}


def sse_of_file(values: NDArray[np.float64], ks: Sequence[int] = (3, 5), leaves: Sequence[int] = (100, 200)) -> Rows:
    """Table 3.3 for any small file: SSE without blocks and with both blockings."""
    for k in ks:
        whole = microaggregate(values, k).sse
        for leaf in leaves:
            yield {"k": k, "L": leaf, "sse_without_blocks": whole, **_both(values, leaf, k)}


def _both(values: NDArray[np.float64], leaf: int, k: int) -> dict[str, Any]:
    tree = microaggregate(values, k, OrthTree(leaf=leaf, least=k))
    line = microaggregate(values, k, EqualInterval(leaf=leaf, least=k))
    return {
        "sse_tree": tree.sse,
        "sse_univariate": line.sse,
        "loss_tree": tree.loss,
        "loss_univariate": line.loss,
        "seconds_tree": tree.seconds,
        "seconds_univariate": line.seconds,
    }
