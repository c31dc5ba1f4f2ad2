"""Records that belong together are found together: households, persons with several rows, firms."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge

from tacit.attack.base import Matching, Release
from tacit.attack.group_links import CANDIDATES, GroupProblem, link_groups
from tacit.attack.group_nesting import link_nested, nested
from tacit.attack.group_structure import Structure, blurred, readable, shared
from tacit.attack.informed.aware import Aware
from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Rule, link_by
from tacit.attack.informed.fitted import Fitted
from tacit.attack.informed.row_order import restore
from tacit.attack.informed.steps import in_short
from tacit.base.errors import TacitWarning
from tacit.base.typing import Ints
from tacit.data.microdata import Microdata
from tacit.data.pair import read_as

TRIED = 3
"""Structures that are weighed against each other; a file rarely has more (household, person,
firm)."""
GAIN = 0.03
"""Share by which a structure must lower the cost against the same groups drawn at random, where no
schema says that the column numbers units. Ages swapped over half of 900 records, which are no
structure, lowered it by 0.025."""
MOST = 0.5
"""Share of that gain which must also be there against groups mixed with their neighbours, where
the column may as well be a quantity."""


class Groups(Informed):
    """Households, persons and firms are linked as a whole, and their members inside them.

    A household number, a person's number or a pseudonym that is kept (or drawn anew: its values are
    not looked at) says which masked records belong together. The intruder knows which originals do.
    Without such a column every record is a group of its own, and this is the optimal assignment.

    Parameters
    ----------
    plan : Plan, protector or list, optional
        How the file was masked, if the intruder knows it; otherwise it is estimated from the links.
    rounds : int
        How often the sizes of the disturbances are estimated from the links and the links renewed.
    rule : str
        Rule for records without structure; groups are always assigned one to one.
    columns : list of str, optional
        Columns to compare; the quasi-identifiers of both files unless given.

    Notes
    -----
    **Definition.** With c(x_i, z_j) the cost of a pair of records, two groups cost C(A, B) = min
    over one-to-one pairings of their members of the sum of c; groups are linked by the one-to-one
    pi of least sum C(A, B_pi(A)), and members by the pairing inside. c is minus the log likelihood
    of the plan, or standardised distances first, and then noise and changes as the links imply
    them. Groups of different size: see ``group_links.link_groups``. Of several structures the one
    is used that lowers the cost most against groups of the same sizes drawn at random, together
    with one that lies inside it or around it (the rows of a person, the persons of a household):
    then persons cost the sum over their rows, and households the sum over their persons.
    Source: households as a whole are linked in Fu, Christen and Boot (2011).
    **Guarantee.** of the groups that are weighed the assignment is optimal; row order, labels and
    names of groups play no part.
    **Cost.** k^3 steps for each pair of groups of k members; large files weigh the 48 groups of
    nearest mean only. Groups that find all of theirs taken look among those that are left, again
    the nearest, and then all are assigned once more; that linkage is not proven to be the best of
    all pairs. Many groups of few classes are assigned as classes, so that arcs grow with the
    classes.

    References
    ----------
    Fu, Z., Christen, P. and Boot, M. (2011). A supervised learning and group linking method for
    historical census household linkage. AusDM.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = {"hid": np.repeat(np.arange(60), 4)} | {name: rng.normal(size=240) for name in "ab"}
    >>> z = {name: x[name] + rng.normal(size=240) * (name != "hid") for name in x}
    >>> alone = [{name: file[name] for name in "ab"} for file in (x, z)]
    >>> Groups().link(x, z).rate > 2 * Groups().link(*alone).rate
    True
    """

    title = "Households and firms as a whole"
    patience = 2
    fills_in = True

    @classmethod
    def invited(cls, release: Release) -> bool:
        """Both files say which rows belong together."""
        return applies(release.original, release.masked)

    method = "groups"

    def __init__(
        self,
        plan: Any = None,
        rounds: Annotated[int, Ge(0)] = 3,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.plan = plan
        self.rounds = rounds
        self.rule = rule
        self.columns = columns

    @property
    def compares_classes(self) -> bool:
        """Who was told a plan reads labels by it; who was not compares them as classes."""
        return self.plan is None

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        how = (
            ""
            if self.plan is None
            else f", how the file was masked: {in_short(self.plan)}"
        )
        return self._says(
            f"which of them belong together (household, person, firm){how}"
        )

    def _link(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        pairs = shared(original, masked)[:TRIED]
        labels = {structure.name for pair in pairs for structure in pair}
        ours, theirs = (
            _order(original, columns, labels),
            _order(masked, columns, labels),
        )
        sorted_pairs = [(a.at(ours), b.at(theirs)) for a, b in pairs]
        grouped = self._grouped(
            original.take(ours), masked.take(theirs), columns, sorted_pairs
        )
        return restore(grouped, ours, theirs)

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Costs of pairs of records before any link: of the plan, or standardised distances."""
        if self.plan is not None:
            return Aware(plan=self.plan).evidence(original, masked, columns)
        return Fitted(original, read_as(original, masked), columns).start()

    def _grouped(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
        pairs: list[tuple[Structure, Structure]],
    ) -> Matching:
        weighed = []
        for ours, theirs in pairs:
            compared = _values(columns, [(ours, theirs)])
            evidence = self.evidence(original, masked, compared)
            problem = GroupProblem(evidence, ours.groups, theirs.groups)
            named = ours.named or theirs.named
            # where the schema says what the column is, no proof is needed; of a large file, where
            # there is no other, what it saves is not asked: that takes longer than the attack
            told = named and len(pairs) == 1 and problem.near_only
            saved = np.nan if told else gain(problem, ours, theirs)
            if named or saved > GAIN:
                weighed.append((saved, ours, theirs, problem))
        if not weighed:
            return link_by(self.evidence(original, masked, columns), self.rule)
        weighed.sort(key=_doubt)
        best = weighed[0]
        around = next((other for other in weighed[1:] if _fit(best, other)), None)
        levels = sorted(
            (found[1:3] for found in (best, around) if found is not None),
            key=lambda pair: -len(pair[0].labels),
        )
        compared = _values(columns, levels)
        if around is None:
            # the same columns are compared as when it was weighed
            _, ours, theirs, problem = best
            matching = link_groups(
                problem.evidence, ours.groups, theirs.groups, problem
            )
        else:
            evidence = self.evidence(original, masked, compared)
            matching = _linked(evidence, levels)
        if self.plan is None and compared:
            fitted = Fitted(original, read_as(original, masked), compared)
            for _ in range(self.rounds):
                matching = _linked(fitted.fit(matching.match), levels)
        matching.log[0] |= {"by": best[2].name}
        if not np.isnan(best[0]):
            matching.log[0] |= {"gain": best[0]}
        if around is not None:
            inner, outer = (theirs.name for _, theirs in levels)
            matching.log[0] |= {"by": inner, "inside": outer}
        _say_left_over(matching)
        return matching


_Weighed = tuple[float, Structure, Structure, GroupProblem]
"""What a structure saves, its columns in both files, and the groups with their costs."""
_Levels = list[tuple[Structure, Structure]]
"""One structure, or an inner one and the outer one that holds it."""


def _values(columns: list[str], levels: _Levels) -> list[str]:
    """The columns but for numbers of groups, which are labels whatever the schema says."""
    labels = {structure.name for pair in levels for structure in pair}
    return [name for name in columns if name not in labels]


def _doubt(found: _Weighed) -> tuple[bool, float]:
    """The surest structure comes first: named in the schema and of use, then what saves most.

    A quantity with few distinct values partitions the records too. It is then not compared, so
    that what it saves is a share of another cost: by itself that does not outweigh a name.
    """
    saved, ours, theirs, _ = found
    return not ((ours.named or theirs.named) and saved > GAIN), -saved


def _fit(one: _Weighed, other: _Weighed) -> bool:
    """One structure lies inside the other, in both files."""
    here = one[1].groups, other[1].groups
    there = one[2].groups, other[2].groups
    within = nested(*here) and nested(*there)
    return within or (nested(*here[::-1]) and nested(*there[::-1]))


def _linked(evidence: Evidence, levels: _Levels) -> Matching:
    """The linkage of groups, at one level or at both."""
    sides = [(ours.groups, theirs.groups) for ours, theirs in levels]
    if len(sides) == 1:
        return link_groups(evidence, *sides[0])
    return link_nested(evidence, *sides)


def _say_left_over(matching: Matching) -> None:
    """Groups that are not linked because not all pairs were weighed may make the rate too low.

    The interval holds what it would be if all of them were found: what was not looked at is not
    zero.
    """
    found = matching.log[0]
    if not (found.get("left_over") and found.get("near_only")):
        return
    left, every = int(str(found["left_over"])), int(str(found["groups"]))
    matching.tolerance = left / every
    warnings.warn(
        f"{left:,} of {every:,} groups found no partner, because in a "
        f"file of this size the {CANDIDATES} nearest kinds of groups were weighed only; they "
        "count as not found, and a full search could find more",
        TacitWarning,
        stacklevel=2,
    )


def applies(original: Any, masked: Any) -> bool:
    """Both files say which records belong together: some column of each partitions them alike."""
    return bool(shared(Microdata.of(original), Microdata.of(masked)))


def gain(
    problem: GroupProblem,
    ours: Structure,
    theirs: Structure,
) -> float:
    """Share by which the groups lower the cost of the linkage against groups of the same sizes
    drawn at random.

    Groups that are no structure of the release are as dear as random ones. A quantity whose values
    moved a little partitions the records too, almost; but there it hardly matters when members of
    neighbouring values are mixed, while each household is its own. Then the answer is 0.
    """
    # fixed draws over rows in value order: the answer is the same each time
    rng = np.random.default_rng(0)
    sizes = np.sort(np.bincount(theirs.groups))
    drawn = np.repeat(np.arange(len(sizes)), sizes)[rng.permutation(len(theirs.groups))]
    saved = _saved(problem, ours.groups, drawn)
    if readable(ours, theirs) and saved > GAIN:
        mixed = _saved(problem, ours.groups, blurred(theirs, rng))
        return saved if mixed >= MOST * saved else 0.0
    return saved


def _saved(
    problem: GroupProblem,
    ours: Ints,
    others: Ints,
) -> float:
    """Share of the cost that the groups of the problem save against the groups ``others``."""
    # who is left over counts alike on both sides, so nobody need look again
    actual = problem.first_links
    drawn = GroupProblem(problem.evidence, ours, others, problem.pair_costs)
    chance = drawn.first_links
    # a group without a possible partner is as bad as the worst pair of all, at least
    price = max(actual.dearest, chance.dearest, 1.0)
    cost, usual = (links.cost + price * links.left_over for links in (actual, chance))
    return float((usual - cost) / abs(usual)) if usual else 0.0


def _order(
    data: Microdata,
    columns: list[str],
    labels: set[str],
) -> Ints:
    """Rows in the order of their values; numbers of groups come last, so that new numbers change
    nothing."""
    compared = [name for name in columns if name not in labels]
    last = [name for name in data.names if name in labels]
    rest = [name for name in data.names if name not in {*compared, *last}]
    values = data.numbers([*compared, *rest, *last])
    return np.lexsort(values.T[::-1])
