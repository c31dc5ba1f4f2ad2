"""Linkage over possible links: what remains when impossible one-to-one linkages are ruled out.

A pair is *possible* when the masking can have moved one record to the other (Rodriguez
Fernandez 2013, chapter 4, after Tassa 2012). Of the possible pairs only those in some
complete one-to-one linkage can be true ("perfectly matchable"). They are found in linear
time: take one complete linkage (Hopcroft and Karp 1973); a pair (i, j) is in another one if
and only if i and the owner of j lie on a common cycle, that is in one strongly connected
component.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Gt

from tacit.attack.base import Attacker, Matching, distinct
from tacit.attack.distances import Scale, vectors
from tacit.attack.solver.assign import shares
from tacit.attack.solver.assign_graph import assign_graph
from tacit.attack.solver.csr import owners, pointers_of
from tacit.attack.solver.neighbours import KIND
from tacit.attack.solver.solution import LogEntry, Solution
from tacit.base.errors import InputError
from tacit.base.typing import TIE, Bools, Floats, Ints
from tacit.data.microdata import Kind, Microdata
from tacit.kernels.assignment.graph import pair_costs
from tacit.kernels.matching import pairs_within


def perfectly_matchable(
    indptr: Ints,
    indices: Ints,
    columns: int,
) -> tuple[Ints, Ints]:
    """(indptr, indices) of the arcs that are in some complete one-to-one linkage.

    Parameters
    ----------
    indptr, indices : arrays of int
        Row i may be linked to ``indices[indptr[i]:indptr[i + 1]]``.
    columns : int
        Number of columns; as many as rows.

    Raises
    ------
    InputError
        When there is no complete linkage at all.
    """
    # here, because importing them takes a third of a second and not every attack comes this way
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import (
        connected_components,
        maximum_bipartite_matching,
    )

    n = len(indptr) - 1
    if n != columns:
        raise InputError(
            f"complete linkages need files of equal length, not {n} and {columns}"
        )
    arcs = np.ones(len(indices), np.int8)
    possible = csr_matrix((arcs, indices, indptr), shape=(n, columns))
    own = maximum_bipartite_matching(possible, perm_type="column").astype(np.int64)
    if (own < 0).any():
        raise InputError(
            f"{int((own < 0).sum())} of {n} records cannot be linked one-to-one within "
            "the possible links: widen them"
        )
    # the row that holds each column in the one complete linkage
    owner = np.empty(n, np.int64)
    owner[own] = np.arange(n)
    # row i -> the row whose column i could take: cycles are other complete linkages
    could_take = csr_matrix((arcs, owner[indices], indptr), shape=(n, n))
    _, component = connected_components(
        could_take,
        directed=True,
        connection="strong",
    )
    rows = owners(indptr)
    survives = component[rows] == component[owner[indices]]
    return pointers_of(rows[survives], n), indices[survives]


def mean_success(indptr: Ints) -> float:
    """P = mean over records of 1 / (number of its remaining possible links)."""
    return float(np.mean(1.0 / np.diff(indptr)))


class Possible(Attacker):
    """Link within the possible links that survive.

    Parameters
    ----------
    reach : float
        How far masking can have moved a value of a continuous column, in units of the
        scale; categories may have changed only if it is at least 1.
    strategy : {"any", "best"}
        Name one of the surviving links at random, or take the complete linkage of least
        total distance among them.
    scale : {"std", "max", "range", "none"}
        How continuous columns are brought to one unit.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** i and j may be linked when no column lies further apart than masking can
    have moved it; of these a link survives when some complete linkage uses it. With
    ``strategy="any"`` the success is 1/degree. The log of the result holds the number of
    possible and of surviving links, and mean(1/degree).

    **Guarantee.** The surviving links are exactly those of the complete linkages.

    **Cost.** A range search, one matching and its strongly connected components: linear in
    the possible links.

    References
    ----------
    Rodriguez Fernandez (2013), definition 8; Tassa (2012).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0], [1.0], [5.0]])
    >>> Possible(reach=1.0, scale="none").link(x, x + 0.5).correct
    3.0
    """

    title = "Possible links"

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
        """Who the intruder is and what they know, in one phrase."""
        if self.strategy == "any":
            how = "names any possible link"
        else:
            how = "takes the closest complete linkage"
        return (
            "every compared column of each original, that masking moved no value by more "
            f"than {self.reach:g} ({self.scale}), and that the linkage is one-to-one; {how}"
        )

    def _link(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        X, Y, _ = vectors(
            original,
            masked,
            columns,
            "manhattan",
            self.scale,
        )
        is_indicator = _indicators(
            original,
            masked,
            columns,
            self.scale,
        )
        # an indicator differs by one half when the category differs
        reach = np.where(is_indicator, self.reach / 2, self.reach) * (1 + TIE)
        # in value order, so that row order plays no part
        order = np.lexsort(X.T[::-1])
        back = np.lexsort(Y.T[::-1])
        A = np.ascontiguousarray(X[order])
        B = np.ascontiguousarray(Y[back])
        indptr, possible = pairs_within(A, B, reach)
        indptr, surviving = perfectly_matchable(indptr, possible, len(B))
        log: list[LogEntry] = [
            {
                "possible": len(possible),
                "surviving": len(surviving),
                "mean_inverse_degree": mean_success(indptr),
            }
        ]
        if self.strategy == "best":
            E, F, _ = vectors(
                original,
                masked,
                columns,
                "euclidean",
                self.scale,
            )
            arc_cost = pair_costs(
                E[order],
                F[back],
                owners(indptr),
                surviving,
                KIND["euclidean"],
            )
            solved = assign_graph(
                indptr,
                surviving,
                arc_cost,
                len(B),
            )
            # back to the order of the files
            match = np.empty(len(X), np.int64)
            match[order] = back[solved.match]
            best = Solution(
                match,
                solved.cost,
                solved.bound,
                certified=True,
                log=log,
            )
            matching = shares(X, Y, best)
        else:
            owner = order[owners(indptr)]
            matching = _uniform(X, Y, owner, back[surviving])
            matching.log = log
        gaps = X - Y[matching.match]
        matching.score[:] = np.sqrt((gaps**2).sum(axis=1))
        return matching


def _uniform(
    X: Floats,
    Y: Floats,
    owner: Ints,
    named: Ints,
) -> Matching:
    """Each surviving record is named with 1/degree; identical records together.

    Original ``owner[e]`` can be linked to masked record ``named[e]``.
    """
    theirs = distinct(Y)
    classes = len(theirs.count)
    key = owner * classes + theirs.inverse[named]
    pair, size = np.unique(key, return_counts=True)
    owner, target = np.divmod(pair, classes)
    # identical records count each: the intruder names a record
    degree = np.bincount(
        owner,
        weights=size.astype(np.float64),
        minlength=len(X),
    )
    indptr = pointers_of(owner, len(X))
    return Matching(
        match=theirs.first[target[indptr[:-1]]],
        score=np.full(len(X), np.nan),
        masked_class=theirs.inverse,
        indptr=indptr,
        classes=target,
        probability=size / degree[owner],
    )


def _indicators(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    scale: Scale,
) -> Bools:
    """Which coordinates of the vectors say that a category is the value of a column."""
    flags = []
    for name in columns:
        part, _, _ = vectors(
            original,
            masked,
            [name],
            "manhattan",
            scale,
        )
        is_nominal = original.schema[name].scale is Kind.nominal
        flags.append(np.full(part.shape[1], is_nominal))
    return np.concatenate(flags)
