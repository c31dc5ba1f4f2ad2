"""Evidence: what one masked value says about one original, and the rules that make links of it.

The cost of 'masked j came from original i', in nats, is 1/2 |u_i - v_j|^2 plus the costs of
any further parts: minus the logarithm of the likelihood up to a constant. Pieces of evidence
on different columns add up. Vectors scale to large files; parts that are not distances
(interval containment, transition probabilities) are computed pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np

from tacit.attack.base import Distinct, Matching, distinct
from tacit.attack.class_links import members_share
from tacit.attack.informed.evidence_assignment import DENSE, assignment
from tacit.attack.solver.csr import pointers
from tacit.attack.solver.ties import nearest_with_ties
from tacit.base.scipy_parts import cdist
from tacit.base.typing import TIE, Floats

Rule = Literal["assignment", "nearest", "likeliest"]
"""Who is named: the bijection of least total cost; each original's cheapest masked record; or
the masked record that is likeliest to be the original's, exp(-cost_ij) over the sum of
exp(-cost_lj) of all originals l. The last corrects for masked records in crowded places, which
are near to many; it needs costs that are true log likelihoods."""

# Parts are looked up in a table where it has so many times fewer cells than there are pairs
FEWER = 3
# Pairs that are written down at a time: 32 MB of costs
PAIRS = 4_000_000


@dataclass(frozen=True)
class Part:
    """A cost that is no distance.

    Attributes
    ----------
    a, b
        What the cost looks at: one row per original, one per masked record.
    cost
        ``cost(a, b)`` gives the matrix for blocks of rows; inf = impossible.
    hint
        Vectors of both files whose nearness proposes candidates when a file is too large
        for all pairs.
    """

    a: Floats
    b: Floats
    cost: Callable[[Floats, Floats], Floats]
    hint: tuple[Floats, Floats] | None = None


@dataclass(frozen=True)
class Evidence:
    """Vectors u (originals) and v (masked), and further parts."""

    u: Floats
    v: Floats
    parts: list[Part] = field(default_factory=list)

    @classmethod
    def none(
        cls,
        n: int,
        m: int,
    ) -> Evidence:
        """No evidence about n originals and m masked records: what others are added to."""
        return cls(np.empty((n, 0)), np.empty((m, 0)))

    @classmethod
    def of_part(cls, part: Part) -> Evidence:
        """The evidence of one part alone."""
        return cls(np.empty((len(part.a), 0)), np.empty((len(part.b), 0)), [part])

    def __add__(self, other: Evidence) -> Evidence:
        return Evidence(
            np.hstack([self.u, other.u]),
            np.hstack([self.v, other.v]),
            [*self.parts, *other.parts],
        )

    @property
    def pure(self) -> bool:
        """Only vectors: kd-trees and sparse candidate graphs apply."""
        return not self.parts

    def handed_over(self) -> Iterator[Floats]:
        """u and then v, which the evidence has no longer: for whoever writes them to the disk.

        Callers up to the attacker hold the evidence, and it may be a tenth of all memory.
        """
        for name in ("u", "v"):
            values = getattr(self, name)
            object.__setattr__(self, name, np.empty((0, values.shape[1])))
            yield values

    def classes(self) -> tuple[Distinct, Distinct]:
        """Distinct originals and masked records, as far as the evidence can tell them apart."""
        ours = distinct(np.hstack([self.u, *(part.a for part in self.parts)]))
        theirs = distinct(np.hstack([self.v, *(part.b for part in self.parts)]))
        return ours, theirs

    def block(
        self,
        ours: Floats,
        theirs: Floats,
    ) -> Floats:
        """Costs of all pairs of some distinct originals with some distinct masked records.

        Parameters
        ----------
        ours, theirs : arrays
            Rows of ``classes()``: vectors first, then what each part looks at.
        """
        at = self.u.shape[1]
        # differences, not products: a large offset must not eat the digits
        if at:
            total = cdist(ours[:, :at], theirs[:, :at], "sqeuclidean")
            total *= 0.5
        elif len(self.parts) == 1:
            # one table is the cost: nothing to add up
            return np.asarray(self.parts[0].cost(ours, theirs), np.float64)
        else:
            total = np.zeros((len(ours), len(theirs)))
        if self.parts:
            self._add_parts(total, ours, theirs)
        return total

    def _add_parts(
        self,
        total: Floats,
        ours: Floats,
        theirs: Floats,
    ) -> None:
        """Add what the parts cost, in place; where records differ in vectors mostly, from a table
        of what the parts can tell apart."""
        at = self.u.shape[1]
        left = distinct(ours[:, at:])
        right = distinct(theirs[:, at:])
        few = len(left.rows) * len(right.rows) <= total.size // FEWER
        x, z = (left.rows, right.rows) if few else (ours[:, at:], theirs[:, at:])
        table = np.zeros((len(x), len(z)))
        for part, here, there in self.places():
            table += part.cost(
                x[:, here.start - at : here.stop - at],
                z[:, there.start - at : there.stop - at],
            )
        total += table[np.ix_(left.inverse, right.inverse)] if few else table

    def places(self) -> Iterator[tuple[Part, slice, slice]]:
        """Each part, and where in the rows of ``classes()`` stands what it looks at.

        A part may look at more of an original than of a masked record: the places of the next
        part then differ on the two sides.
        """
        left = right = self.u.shape[1]
        for part in self.parts:
            ours = slice(left, left + part.a.shape[1])
            theirs = slice(right, right + part.b.shape[1])
            yield part, ours, theirs
            left, right = ours.stop, theirs.stop


def link_by(evidence: Evidence, rule: Rule, spill: Path | None = None) -> Matching:
    """The matching of the rule: each record on its own, or all at once as a bijection.

    Parameters
    ----------
    evidence : Evidence
        Costs of pairs.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named.
    spill : path, optional
        Where files on the disk have their columns (``evidence_assignment``).
    """
    if rule == "assignment":
        return assignment(evidence, spill)
    return nearest(evidence, crowded=rule == "likeliest")


def nearest(evidence: Evidence, *, crowded: bool = False) -> Matching:
    """Each original names the masked record of least cost; equal costs share.

    Parameters
    ----------
    evidence : Evidence
        Costs of pairs.
    crowded : bool
        Add log sum_l exp(-cost_lj), the log density of originals' images at masked record j.
    """
    ours, theirs = evidence.classes()
    n = len(ours.rows)
    m = len(theirs.rows)
    if evidence.pure and not crowded and max(n, m) > DENSE:
        return _near_vectors(ours, theirs)
    if crowded:
        crowd = _crowd(evidence, ours, theirs)
    else:
        crowd = np.zeros(m)
    degree = np.zeros(n, np.int64)
    least = np.full(n, np.inf)
    margin = np.full(n, np.nan)
    targets = [np.zeros(0, np.int64)]
    for rows in _blocks(n, m):
        cost = evidence.block(ours.rows[rows], theirs.rows) + crowd
        low = cost.min(1)
        has_any = np.isfinite(low)
        limit = low + TIE * (1.0 + np.abs(low))
        # an original for which nothing is possible names nobody
        tied = (cost <= limit[:, None]) & has_any[:, None]
        degree[rows] = tied.sum(1)
        targets.append(np.nonzero(tied)[1])
        least[rows] = low
        second = np.where(tied, np.inf, cost).min(1)
        # how much more the best that is not tied costs
        ahead = second - np.where(has_any, low, 0.0)
        margin[rows] = np.where(np.isfinite(second), ahead, np.nan)
    indptr = pointers(degree)
    target = np.concatenate(targets)
    size = theirs.count[target].astype(float)
    # sums of slices: reduceat would misread rows without links
    total = np.array([size[a:b].sum() for a, b in pairwise(indptr)])
    share = size / np.repeat(total, degree)
    return members_share(
        ours,
        theirs,
        indptr,
        target,
        share,
        score=least,
        margin=margin,
    )


def _blocks(n: int, m: int) -> Iterator[slice]:
    """Slices of n rows such that each has at most PAIRS pairs with m columns."""
    step = max(1, PAIRS // max(1, m))
    for start in range(0, n, step):
        yield slice(start, start + step)


def _crowd(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
) -> Floats:
    """log sum over originals of exp(-cost) for each masked class; 0 where none is possible.

    A running sum of exponentials: ``total`` is in units of exp(``top``), the largest seen.
    """
    top = np.full(len(theirs.rows), -np.inf)
    total = np.zeros(len(theirs.rows))
    for rows in _blocks(len(ours.rows), len(theirs.rows)):
        copies = np.log(ours.count[rows])[:, None]
        gain = copies - evidence.block(ours.rows[rows], theirs.rows)
        new_top = np.maximum(top, gain.max(0))
        safe = np.where(np.isfinite(new_top), new_top, 0.0)
        total = total * np.exp(top - safe) + np.exp(gain - safe).sum(0)
        top = new_top
    safe = np.where(np.isfinite(top), top, 0.0)
    return np.where(total > 0, safe + np.log(np.maximum(total, 1e-300)), 0.0)


def _near_vectors(ours: Distinct, theirs: Distinct) -> Matching:
    """Vectors only, many records: nearest with ties by kd-tree."""
    distance, indptr, target = nearest_with_ties(ours.rows, theirs.rows)
    size = theirs.count[target].astype(float)
    total = np.add.reduceat(size, indptr[:-1])
    share = size / np.repeat(total, np.diff(indptr))
    return members_share(
        ours,
        theirs,
        indptr,
        target,
        share,
        score=0.5 * distance**2,
        margin=np.full(len(distance), np.nan),
    )
