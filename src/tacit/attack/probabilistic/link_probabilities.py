"""Link probabilities: how probable is each candidate of an original, the link being a bijection?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Gt

from tacit.attack.base import Distinct, Matching
from tacit.attack.class_links import members_share
from tacit.attack.informed.aware import Aware
from tacit.attack.informed.base import Informed
from tacit.attack.informed.estimated import AwareEstimated
from tacit.attack.informed.evidence import Evidence, Rule
from tacit.attack.probabilistic.beliefs import (
    FRACTION,
    Beliefs,
    Reliability,
    link_probabilities,
    reliability,
)
from tacit.attack.probabilistic.candidate_graph import graph, unmatched
from tacit.attack.probabilistic.left_out import left_out
from tacit.attack.solver.csr import owners, pointers_of, take_rows
from tacit.base.typing import TIE, Floats, Ints
from tacit.data.microdata import Microdata

# The iteration has settled when no probability moves by more than this in a round; on a
# graph of candidates their choice errs by more.
TOLERANCE_WHOLE, TOLERANCE_SPARSE = 1e-5, 1e-4
# Relative difference below which two probabilities are the same: the iteration is not
# more exact.
SAME = 1e-6


@dataclass(frozen=True)
class Candidates:
    """The probabilities in one table, one row per candidate.

    Attributes
    ----------
    original, masked
        Row of the original, and of the masked record (the first of its identical copies).
    copies
        How many identical masked records share the candidate.
    probability
        That of one of them.
    rounds, restless
        Records (of both files) that were still moving after so many rounds.
    """

    original: Ints
    masked: Ints
    copies: Ints
    probability: Floats
    rounds: int
    restless: int

    @property
    def settled(self) -> bool:
        """No probability moved by more than the tolerance in the last round."""
        return self.restless == 0

    def of(self, i: int) -> list[tuple[int, float]]:
        """(masked row, probability) of original i, likeliest first."""
        entries = np.flatnonzero(self.original == i)
        order = np.argsort(-self.probability[entries], kind="stable")
        return [
            (int(self.masked[e]), float(self.probability[e])) for e in entries[order]
        ]


class LinkProbabilities(Informed):
    """Name the likeliest candidate of each original under the bijection.

    The score is its probability. ``risk`` gives the probabilities themselves, a calibrated
    risk of each record.

    Parameters
    ----------
    plan : plan, protector or list of protectors, optional
        How the file was masked; unless given, noise of an estimated covariance.
    candidates : int
        Edges kept for each record of a large file.
    dense : int
        Up to this many distinct records all pairs are kept.
    fraction : float
        Exponent of the fractional belief propagation: 1 is Bethe, 0 Sinkhorn.
    rounds : int
        Most rounds of the iteration.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** P(matching) is proportional to the product of exp(-cost), cost = minus
    the log likelihood of the plan's method; P(i -> j) is the sum over all matchings that
    link i to j, approximated by fractional belief propagation on each record's likeliest
    candidates, both ways (``kernels.assignment.bethe``); the likelihood of all others is
    estimated from a sample and counts as one more candidate (``probabilistic.left_out``).

    **Guarantee.** None on the approximation; docs/informed.md shows its calibration.

    **Cost.** Rounds times edges.

    References
    ----------
    Rodriguez Fernandez (2013), who calls this attack infeasible (a permanent); Chertkov,
    Kroc, Krzakala, Vergassola and Zdeborova (2010) for the Bethe form.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(50, 3))
    >>> LinkProbabilities().link(x, x + 0.01).rate > 0.9
    True
    """

    title = "Link probabilities"
    patience = 2

    method = "posterior"
    calibrated = True

    def __init__(
        self,
        plan: object = None,
        candidates: Annotated[int, Ge(1)] = 24,
        dense: Annotated[int, Ge(0)] = 1500,
        fraction: Annotated[float, Gt(0)] = FRACTION,
        rounds: Annotated[int, Ge(1)] = 1000,
        columns: list[str] | None = None,
    ) -> None:
        self.plan = plan
        self.candidates = candidates
        self.dense = dense
        self.fraction = fraction
        self.rounds = rounds
        self.columns = columns

    rule: Rule = "assignment"

    @property
    def compares_classes(self) -> bool:
        """Who was told a plan reads labels by it; who was not compares them as classes."""
        return self.plan is None

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        if self.plan is None:
            how = "that noise of a size they estimate was added"
        else:
            how = "how the file was masked"
        return self._says(f"{how}, and weighs all one-to-one links by their likelihood")

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """That of the plan, or of noise with an estimated covariance."""
        if self.plan is None:
            return AwareEstimated().evidence(original, masked, columns)
        return Aware(self.plan).evidence(original, masked, columns)

    def risk(
        self,
        original: object,
        masked: object,
    ) -> Candidates:
        """The table of candidates with their probabilities.

        Parameters
        ----------
        original, masked : frame, array, dict of columns or Microdata
            Both files.
        """
        our_file = Microdata.of(original)
        their_file = Microdata.of(masked)
        columns = self._columns(our_file, their_file)
        evidence = self.evidence(our_file, their_file, columns)
        ours, theirs = evidence.classes()
        beliefs = self._beliefs(evidence, ours, theirs)
        # every record has the candidates of its class
        indptr = pointers_of(beliefs.rows, len(ours.rows))
        taken, edge = take_rows(indptr, ours.inverse)
        their_class = beliefs.columns[edge]
        return Candidates(
            owners(taken),
            theirs.first[their_class],
            theirs.count[their_class],
            beliefs.probability[edge],
            beliefs.rounds,
            beliefs.restless,
        )

    def _match(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        evidence = self.evidence(original, masked, columns)
        ours, theirs = evidence.classes()
        beliefs = self._beliefs(evidence, ours, theirs)
        n = len(ours.rows)
        probability = beliefs.probability
        best = np.zeros(n)
        np.maximum.at(best, beliefs.rows, probability)
        # ties that the iteration left almost equal
        is_best = probability >= best[beliefs.rows] * (1 - SAME) - TIE
        second = np.zeros(n)
        np.maximum.at(second, beliefs.rows[~is_best], probability[~is_best])
        rows = beliefs.rows[is_best]
        target = beliefs.columns[is_best]
        size = theirs.count[target].astype(float)
        share = size / np.bincount(rows, size, n)[rows]
        indptr = pointers_of(rows, n)
        matching = members_share(
            ours,
            theirs,
            indptr,
            target,
            share,
            score=best,
            margin=best - second,
        )
        matching.log = [
            {
                "rounds": beliefs.rounds,
                "restless": beliefs.restless,
                "edges": len(beliefs.rows),
            }
        ]
        return matching

    def _beliefs(
        self,
        evidence: Evidence,
        ours: Distinct,
        theirs: Distinct,
    ) -> Beliefs:
        n = int(ours.count.sum())
        m = int(theirs.count.sum())
        rows, columns, cost, whole = graph(
            evidence,
            ours,
            theirs,
            self.candidates,
            self.dense,
        )
        # impossible pairs are no edges
        possible = np.isfinite(cost)
        rows = rows[possible]
        columns = columns[possible]
        cost = cost[possible]
        row_left = column_left = None
        if not whole:
            row_left, column_left = left_out(
                evidence, ours, theirs, rows, columns, cost
            )
        return link_probabilities(
            rows,
            columns,
            cost,
            (len(ours.rows), len(theirs.rows)),
            row_copies=ours.count.astype(float),
            column_copies=theirs.count.astype(float),
            row_free=unmatched(rows, cost, ours.count, m) if n > m else None,
            column_free=unmatched(columns, cost, theirs.count, n) if m > n else None,
            row_left=row_left,
            column_left=column_left,
            fraction=self.fraction,
            rounds=self.rounds,
            tolerance=TOLERANCE_WHOLE if whole else TOLERANCE_SPARSE,
        )


def calibration(
    found: Candidates,
    truth: Ints,
    masked_class: Ints,
    bins: int = 10,
) -> Reliability:
    """Stated probability against outcome over each original's likeliest candidate.

    Parameters
    ----------
    found : Candidates
        Of ``LinkProbabilities.risk``.
    truth : array of int
        The masked row of each original.
    masked_class : array of int
        The class of each masked record; a class of g copies counts 1/g.
    bins : int
        Bins of the probabilities.
    """
    order = np.lexsort((-found.probability, found.original))
    is_first = np.concatenate([[True], np.diff(found.original[order]) > 0])
    top = order[is_first]
    own_class = masked_class[truth[found.original[top]]]
    is_own = own_class == masked_class[found.masked[top]]
    return reliability(found.probability[top], is_own / found.copies[top], bins)
