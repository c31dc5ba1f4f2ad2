"""Linkage over possible links: what remains when impossible one-to-one linkages are ruled out.

Chapter 4 of Rodriguez Fernandez 2013 (after Tassa 2012): a pair is *possible* when the masking can have moved one
record to the other. Of the possible pairs only those in some complete one-to-one linkage can be true ("perfectly
matchable"). They are found in linear time: take one complete linkage (Hopcroft and Karp 1973); a pair (i, j) is in
another one iff i and the owner of j lie on a common cycle, that is in one strongly connected component.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Gt
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from tacit.attack.base import Attacker, Matching, distinct
from tacit.attack.distances import Scale, vectors
from tacit.attack.neighbours import Ints
from tacit.attack.solve import Assigned, shares
from tacit.attack.solve_graph import assign_graph
from tacit.errors import InputError
from tacit.kernels.assignment_graph import pair_costs
from tacit.kernels.matching import pairs_within
from tacit.microdata import Kind, Microdata


def perfectly_matchable(indptr: Ints, indices: Ints, columns: int) -> tuple[Ints, Ints]:
    """The subgraph of arcs that are in some complete one-to-one linkage of the rows (as many columns as rows).

    Raises InputError when there is no complete linkage at all.
    """
    n = len(indptr) - 1
    if n != columns:
        raise InputError(f"complete linkages need files of equal length, not {n} and {columns}")
    full = csr_matrix((np.ones(len(indices), np.int8), indices, indptr), shape=(n, columns))
    own = maximum_bipartite_matching(full, perm_type="column").astype(np.int64)
    if (own < 0).any():
        raise InputError(
            f"{int((own < 0).sum())} of {n} records cannot be linked one-to-one within the possible links: widen them"
        )
    owner = np.empty(n, np.int64)
    owner[own] = np.arange(n)
    turned = csr_matrix((np.ones(len(indices), np.int8), owner[indices], indptr), shape=(n, n))
    _, component = connected_components(turned, directed=True, connection="strong")
    rows = np.repeat(np.arange(n), np.diff(indptr))
    kept = component[rows] == component[owner[indices]]
    return np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=n))]).astype(np.int64), indices[kept]


def mean_success(indptr: Ints) -> float:
    """P = mean over records of 1 / (number of its remaining possible links)."""
    return float(np.mean(1.0 / np.diff(indptr)))


class Possible(Attacker):
    """Link within the possible links that survive.

    Definition: i and j may be linked when no column lies further apart than masking can have moved it; of these a
    link survives when some complete linkage uses it. Source: 000, Definition 8. Guarantee: the surviving links are
    exactly those of the complete linkages. Cost: a range search, one matching and its strongly connected
    components, linear in the possible links.

    ``reach``: how far masking can have moved a value of a continuous column, in units of ``scale``; categories may
    have changed only if ``reach`` is at least 1. ``strategy``: ``any`` names one of the surviving links at random
    (success 1/degree); ``best`` takes the complete linkage of least total distance among them.
    The result's ``log`` holds the number of possible and of surviving links, and mean(1/degree).

    >>> import numpy as np
    >>> x = np.array([[0.0], [1.0], [5.0]])
    >>> Possible(reach=1.0, scale="none").link(x, x + 0.5).correct
    3.0
    """

    def __init__(
        self,
        reach: Annotated[float, Gt(0)] = 1.0,
        strategy: Literal["any", "best"] = "any",
        scale: Scale = "std",
        columns: list[str] | None = None,
    ) -> None:
        self.reach = reach
        self.strategy = strategy
        self.scale = scale
        self.columns = columns

    @property
    def knows(self) -> str:
        how = "names any possible link" if self.strategy == "any" else "takes the closest complete linkage"
        return (
            f"every compared column of each original, that masking moved no value by more than {self.reach:g} "
            f"({self.scale}), and that the linkage is one-to-one; {how}"
        )

    def _link(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        X, Y, _ = vectors(original, masked, columns, "manhattan", self.scale)
        # an indicator differs by one half when the category differs
        nominal = np.concatenate(
            [np.full(_width(original, masked, name, self.scale), original.schema[name].kind is Kind.nominal)
             for name in columns]
        )  # fmt: skip
        reach = np.where(nominal, self.reach / 2, self.reach) * (1 + 1e-12)
        order, back = np.lexsort(X.T[::-1]), np.lexsort(Y.T[::-1])
        A, B = np.ascontiguousarray(X[order]), np.ascontiguousarray(Y[back])
        indptr, indices = pairs_within(A, B, reach)
        possible = len(indices)
        indptr, indices = perfectly_matchable(indptr, indices, len(B))
        facts = {"possible": possible, "surviving": len(indices), "mean_inverse_degree": mean_success(indptr)}
        named = indices[indptr[:-1]]
        total = None
        if self.strategy == "best":
            rows = np.repeat(np.arange(len(A)), np.diff(indptr))
            E, F, _ = vectors(original, masked, columns, "euclidean", self.scale)
            cost = pair_costs(E[order], F[back], rows, indices, 1)
            solved = assign_graph(indptr, indices, cost, len(B))
            named, total = solved.match, solved.cost
        match = np.empty(len(X), np.int64)
        match[order] = back[named]
        if self.strategy == "best":
            assert total is not None
            zero = np.zeros(0)
            matching = shares(X, Y, Assigned(match, total, total, True, zero, zero, [facts]))
            matching.duals = None
        else:
            matching = _uniform(X, Y, order, back, indptr, indices, facts)
        gaps = X - Y[matching.match]
        matching.score[:] = np.sqrt((gaps**2).sum(axis=1))
        return matching


def _uniform(X: Any, Y: Any, order: Ints, back: Ints, indptr: Ints, indices: Ints, facts: dict[str, Any]) -> Matching:
    """Each surviving record is named with 1/degree; identical records together."""
    theirs = distinct(Y)
    rows = np.repeat(np.arange(len(X)), np.diff(indptr))
    pair, size = np.unique(order[rows] * len(theirs.count) + theirs.inverse[back[indices]], return_counts=True)
    owner, target = np.divmod(pair, len(theirs.count))
    degree = np.bincount(owner, weights=size.astype(np.float64), minlength=len(X))
    at = np.searchsorted(owner, np.arange(len(X) + 1)).astype(np.int64)
    return Matching(
        theirs.first[target[at[:-1]]], np.full(len(X), np.nan), theirs.inverse, at, target, size / degree[owner],
        log=[facts],
    )  # fmt: skip


def _width(original: Microdata, masked: Microdata, name: str, scale: Scale) -> int:
    return int(vectors(original, masked, [name], "manhattan", scale)[0].shape[1])
