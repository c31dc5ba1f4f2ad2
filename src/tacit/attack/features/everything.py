"""The intruder who uses everything that a record says."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import ArrayLike

from tacit.attack.base import Attacker, Distinct, Matching, distinct
from tacit.attack.class_links import members_share
from tacit.attack.features.agreement import Learned
from tacit.attack.features.candidates import candidates, cheapest
from tacit.attack.features.catalogue import catalogue
from tacit.attack.features.halves import hashes, in_order, marks, once
from tacit.attack.features.learning import Told, learned
from tacit.attack.features.two_files import TwoFiles
from tacit.attack.holding import COLUMNS, Holding
from tacit.attack.informed.evidence import Evidence, Part, Rule, link_by
from tacit.attack.informed.evidence_assignment import DENSE
from tacit.attack.informed.evidence_graph import links_among
from tacit.attack.linkage import Linkage
from tacit.attack.solver.csr import pointers_of
from tacit.attack.solver.solution import LogEntry
from tacit.attack.truth import true_rows
from tacit.base.errors import ColumnError
from tacit.base.typing import Bools, Floats, Ints
from tacit.data.microdata import Microdata
from tacit.kernels.arrays import rising

MOST_PAIRS = 1_500
"""Known pairs from which laws are learned."""
FEWEST = 8
"""Known pairs below which nothing can be learned."""
FEW = 1_000
"""Originals up to which the assignment is among all pairs; above among the cheapest of each."""
LISTED = 20
"""Cheapest pairs of each class that come into question for the assignment."""
BLOCK = 20_000
"""Originals of a large file that are linked at a time."""


class Everything(Attacker):
    """Links by every function of a record that both files have in common.

    Values, ranks, equal cells, last digits, categories under any code, differences and ratios of
    columns, and released columns told by known ones: sums, products, trees. How often each of them
    agrees for a person is learned from half of the people and used against the other half.

    Parameters
    ----------
    rule : {"assignment", "nearest", "likeliest"}
        Who is named.
    in_order : bool
        The rows of the release are in the order in which they were released, so that their order
        is evidence.
    columns : list of str, optional
        The columns that the intruder knows; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** For feature f let a_f(i, j) be how original i and released record j agree. The
    cost of a pair is -sum_f w_f log P_f(a) / Q_f(a), with P_f the frequency of a among own pairs,
    Q_f among strangers, and w by conditional logit. P and w are those of one half of the people (of
    whole households and of identical records) for the links of the other half: what holds for
    a person alone is never learned from that person.

    **Guarantee.** None for the law; links are those of least cost (``certified``).

    **Cost.** n m pairs for each feature that tells something; above 6,000 records candidates.

    References
    ----------
    Fellegi and Sunter (1969) for the ratio of frequencies; McFadden (1974) for the weights.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(200, 3))
    >>> turned = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    >>> Everything().link(x, x @ turned).rate > 0.95
    True
    """

    title = "Everything that a record says"
    usual = True
    patience = 2
    held = Holding(300, 100, COLUMNS)

    def __init__(
        self,
        rule: Rule = "assignment",
        in_order: bool = False,
        columns: list[str] | None = None,
    ) -> None:
        self.rule = rule
        self.in_order = in_order
        self.columns = columns

    @property
    def compares_classes(self) -> bool:
        """No: labels are compared with whatever goes with them."""
        return False

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return (
            "every known column of each original, and from other people how values, digits, "
            "categories, differences and sums of a person show in the release"
        )

    def _columns(self, original: Microdata, masked: Microdata) -> list[str]:
        """What is known need not be released under the same name."""
        names = original.quasi if self.columns is None else list(self.columns)
        if not names:
            raise ColumnError(
                "the original has no quasi-identifier; name the columns that an intruder knows "
                "(--quasi)"
            )
        return names

    def link(
        self,
        original: object,
        masked: object,
        *,
        truth: ArrayLike | None = None,
    ) -> Linkage:
        """As every attacker; half of the truth is known to who links the other half."""
        ours, theirs = Microdata.of(original), Microdata.of(masked)
        taught = copy.copy(self)
        taught._truth = true_rows(ours.n, theirs.n, truth)
        return Attacker.link(taught, ours, theirs, truth=truth)

    def _link(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        order = np.arange(masked.n) if self.in_order else None
        files = TwoFiles.of(original, masked, columns, order=order)
        numbers = marks(files)
        others = np.argsort(hashes(files.shown_values(), files.m), kind="stable")
        told = [
            _learned(
                files,
                (numbers & 1 != half) & (self._truth >= 0),
                self._truth,
                numbers,
                others,
            )
            for half in (0, 1)
        ]
        agreements = [one.feature.agreement for some in told for one in some]
        theirs = distinct(
            np.column_stack([np.zeros(files.m), *(a.theirs() for a in agreements)])
        )
        if max(files.n, files.m) <= DENSE:
            matching = _all_pairs(files, numbers & 1, told, theirs, self.rule)
        else:
            matching = _among_candidates(files, numbers & 1, told, theirs)
        matching.log = _log(told)
        return matching

    _truth: Ints


def _learned(
    files: TwoFiles, given: Bools, own: Ints, numbers: Ints, others: Ints
) -> list[Told]:
    """What these people tell of the others."""
    rows = once(files, np.flatnonzero(given), own, others)
    if len(rows) < FEWEST:
        return []
    known = rows[in_order(files, rows, own, numbers, others)][:MOST_PAIRS]
    pairs = Learned(known, own[known])
    return learned(catalogue(files, pairs), pairs, others)


def _all_pairs(
    files: TwoFiles, halves: Ints, told: list[list[Told]], theirs: Distinct, rule: Rule
) -> Matching:
    """Every pair of distinct records costs what the laws of the other half say."""
    agreements = [one.feature.agreement for some in told for one in some]
    ours = distinct(np.column_stack([halves, *(a.ours() for a in agreements)]))
    half = halves[ours.first]
    cost = np.zeros((len(ours.rows), len(theirs.rows)))
    for which in (0, 1):
        mine = np.flatnonzero(half == which)
        total = np.zeros((len(mine), len(theirs.rows)))
        for one in told[which]:
            one.law.take_off(total, ours.first[mine], theirs.first, one.weight)
        cost[mine] = total
    if rule != "assignment" or files.n > files.m or files.n <= FEW:
        return link_by(_of_costs(cost, ours, theirs), rule)
    listed = _cheapest_pairs(cost)
    # any complete linkage will do as the last resort
    spare = np.repeat(np.arange(len(theirs.rows)), theirs.count)[: files.n]
    owner, target, count, _ = links_among(listed, ours, theirs, spare)
    score = np.full(len(ours.rows), np.nan)
    score[owner] = cost[owner, target]
    share = count / ours.count[owner]
    indptr = pointers_of(owner, len(ours.rows))
    return members_share(ours, theirs, indptr, target, share, score=score)


def _of_costs(cost: Floats, ours: Distinct, theirs: Distinct) -> Evidence:
    """Costs of all pairs of classes as evidence."""

    def looked_up(a: Floats, b: Floats) -> Floats:
        return cost[np.ix_(a[:, 0].astype(np.int64), b[:, 0].astype(np.int64))]

    left = ours.inverse[:, None].astype(np.float64)
    right = theirs.inverse[:, None].astype(np.float64)
    return Evidence.of_part(Part(left, right, looked_up, None))


def _cheapest_pairs(cost: Floats) -> tuple[Ints, Ints, Floats]:
    """The pairs that are among the cheapest of their original or of their masked class."""
    n, m = cost.shape
    forth = np.argpartition(cost, min(LISTED, m) - 1, axis=1)[:, :LISTED]
    back = np.argpartition(cost, min(LISTED, n) - 1, axis=0)[:LISTED]
    key = np.concatenate(
        [
            (np.arange(n)[:, None] * m + forth).ravel(),
            (back * m + np.arange(m)).ravel(),
        ]
    )
    rows, columns = np.divmod(rising(key), m)
    return rows, columns, cost[rows, columns]


def _among_candidates(
    files: TwoFiles, halves: Ints, told: list[list[Told]], theirs: Distinct
) -> Matching:
    """Each original's likeliest among those that come into question."""
    links: list[tuple[Ints, Ints, Floats]] = []
    for half in (0, 1):
        mine = np.flatnonzero(halves == half)
        for start in range(0, len(mine), BLOCK):
            some = mine[start : start + BLOCK]
            place, others = candidates(told[half], some, files.m)
            cost = np.zeros(len(place))
            for one in told[half]:
                cost -= one.weight * one.law.of_pairs(some, place, others)
            if len(place):
                at, target, least = cheapest(place, others, cost, theirs.inverse)
                links.append((some[at], target, least))
    owner = np.concatenate([np.zeros(0, np.int64), *(one[0] for one in links)])
    target = np.concatenate([np.zeros(0, np.int64), *(one[1] for one in links)])
    cost = np.concatenate([np.zeros(0), *(one[2] for one in links)])
    order = np.argsort(owner, kind="stable")
    owner, target, cost = owner[order], target[order], cost[order]
    size = theirs.count[target].astype(np.float64)
    total = np.bincount(owner, weights=size, minlength=files.n)
    score = np.full(files.n, np.nan)
    score[owner] = cost
    everybody = Distinct(
        np.empty((files.n, 0)),
        np.arange(files.n),
        np.ones(files.n, np.int64),
        np.arange(files.n),
    )
    share = size / total[owner]
    return members_share(
        everybody, theirs, pointers_of(owner, files.n), target, share, score=score
    )


def _log(told: list[list[Told]]) -> list[LogEntry]:
    """What each feature tells, in bits, as learned from either half."""
    bits: dict[tuple[str, tuple[str, ...], str], float] = {}
    for some in told:
        for one in some:
            key = one.feature.way, one.feature.columns, one.feature.source
            bits[key] = bits.get(key, 0.0) + one.law.bits / len(told)
    ordered = sorted(bits.items(), key=lambda item: -item[1])
    return [
        {"way": way, "columns": list(columns), "by": source, "bits": each}
        for (way, columns, source), each in ordered
    ]
