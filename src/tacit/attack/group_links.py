"""Groups are linked first, by the evidence summed over their members, and then members inside
linked groups.

Whoever knows which records belong together needs to find the group only: the evidence of five
weak records is that of one strong one. The cost of linking two groups is the least sum of costs
over all ways to pair their members; the groups are then assigned one to one.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tacit.attack.base import Distinct, Matching
from tacit.attack.class_links import members_share
from tacit.attack.group_assignment import GroupLinks, assign_groups
from tacit.attack.group_classes import GroupClasses, members_of, same_sizes
from tacit.attack.group_looks import look_again
from tacit.attack.informed.evidence import Evidence, link_by
from tacit.attack.informed.listed_pairs import PairCosts
from tacit.attack.solver.neighbours import nearest_both_ways
from tacit.base.typing import Floats, Ints
from tacit.kernels.arrays import rising
from tacit.kernels.assignment.small import group_costs, group_pairing, member_pairs

CELLS = 30_000_000
"""Pairs of members up to which every pair of groups is weighed; beyond, near groups only."""
CANDIDATES = 48
"""Groups of nearest mean that are weighed for each group of a large file, both ways."""
CHUNK = 4_000_000
"""Pairs of members whose costs are held at a time (32 MB for each array)."""
SAMPLE = 500
"""Originals from which the cost of a stranger is estimated."""


def link_groups(
    evidence: Evidence,
    ours: Ints,
    theirs: Ints,
    problem: GroupProblem | None = None,
) -> Matching:
    """Link the groups ``ours[i]`` of originals with the groups ``theirs[j]`` of masked records.

    Parameters
    ----------
    evidence : Evidence
        Cost of each pair of records, of any attacker; rows in the order of values.
    ours, theirs : array of int
        Which group a record belongs to; the labels of the two files need not agree.
    problem : GroupProblem, optional
        The same, where its costs are known already.

    Notes
    -----
    The cost of two groups is min over pairings of sum c(x_i, z_j). Where both files have the same
    numbers of groups of each size, only groups of equal size are compared. Otherwise a masked
    member who is left over costs -log mean_i exp(-c(x_i, z_j)), as a stranger, and an original who
    is left over minus the log of the share of records that were not released.
    """
    if _alone(ours) and _alone(theirs):
        return link_by(evidence, "assignment")
    if problem is None:
        problem = GroupProblem(evidence, ours, theirs)
    return problem.members()


class GroupProblem:
    """Two grouped files, and what it costs to link their groups."""

    def __init__(
        self,
        evidence: Evidence,
        ours: Ints,
        theirs: Ints,
        pair_costs: PairCosts | None = None,
    ) -> None:
        self.evidence = evidence
        self.left, self.right = evidence.classes()
        self.ours = GroupClasses.of(self.left.inverse, ours)
        self.theirs = GroupClasses.of(self.right.inverse, theirs)
        self.pair_costs = pair_costs or PairCosts(evidence)
        self.sizes_kept = same_sizes(self.ours, self.theirs)
        n = len(ours)
        m = len(theirs)
        # at most one expected record is taken to be missing where none is, so that the log is
        # finite
        missing = max(1.0 - m / n, 1.0 / (n + 1))
        self.charge = -float(np.log(missing))
        # in groups of one size nobody is left over
        self.stranger = np.zeros(len(self.right.rows))
        if not self.sizes_kept:
            self.stranger = self._strangers()

    def _strangers(self) -> Floats:
        """-log of the mean likelihood of each masked class over originals, evenly spaced in value
        order."""
        n = len(self.left.rows)
        m = len(self.right.rows)
        even = np.linspace(0, n - 1, min(n, SAMPLE))
        chosen = np.unique(even.astype(np.int64))
        total = np.zeros(m)
        step = max(1, CHUNK // len(chosen))
        for s in range(0, m, step):
            some = np.arange(s, min(m, s + step))
            rows = np.repeat(self.left.first[chosen], len(some))
            columns = np.tile(self.right.first[some], len(chosen))
            listed = self.pair_costs(rows, columns)
            cost = listed.reshape(len(chosen), len(some))
            # the least cost is taken out of the exponent, where it might underflow
            low = cost.min(axis=0)
            safe = np.where(np.isfinite(low), low, 0.0)
            mean = np.exp(safe - cost).mean(axis=0)
            with np.errstate(divide="ignore"):
                total[some] = safe - np.log(mean)
        # nobody explains it: it is a stranger to all groups alike
        return np.where(np.isfinite(total), total, 0.0)

    @cached_property
    def first_links(self) -> GroupLinks:
        """The one-to-one linkage of groups of least total cost among the pairs that are weighed."""
        return assign_groups(self.ours.count, self.theirs.count, *self.first_pairs)

    @cached_property
    def links(self) -> GroupLinks:
        """The same of a large file after who was left over has looked again (``group_looks``)."""
        if not self.first_links.left_over or not self.near_only:
            return self.first_links
        return look_again(self)

    @cached_property
    def first_pairs(self) -> tuple[Ints, Ints, Floats]:
        """Classes that may be linked, of those that are weighed first, with their costs."""
        return self.possible_pairs(*self.pairs())

    def possible_pairs(self, a: Ints, b: Ints) -> tuple[Ints, Ints, Floats]:
        """The possible ones of these pairs, with their costs."""
        cost = self.costs(a, b)
        possible = np.isfinite(cost)
        return a[possible], b[possible], cost[possible]

    def blocks(self) -> list[tuple[Ints, Ints]]:
        """Classes of both files that may be linked: those of one size, where sizes were kept."""
        sizes_a = self.ours.size
        sizes_b = self.theirs.size
        if not self.sizes_kept:
            return [(np.arange(len(sizes_a)), np.arange(len(sizes_b)))]
        return [
            (np.flatnonzero(sizes_a == size), np.flatnonzero(sizes_b == size))
            for size in np.unique(sizes_a)
        ]

    def _cells_to_weigh(self, blocks: list[tuple[Ints, Ints]]) -> float:
        """Pairs of members of all pairs of these classes."""
        sizes_a = self.ours.size
        sizes_b = self.theirs.size
        return sum(
            float(sizes_a[rows].sum()) * float(sizes_b[columns].sum())
            for rows, columns in blocks
        )

    @cached_property
    def near_only(self) -> bool:
        """Is the file so large that each group weighs its nearest kinds only?"""
        return self._cells_to_weigh(self.blocks()) > CELLS

    def pairs(self, blocks: list[tuple[Ints, Ints]] | None = None) -> tuple[Ints, Ints]:
        """Pairs of classes of groups to weigh: all that can be, or those near by their means.

        ``blocks``: classes that may be linked, where it is not everybody.
        """
        blocks = self.blocks() if blocks is None else blocks
        if self._cells_to_weigh(blocks) <= CELLS:
            pairs = [
                (np.repeat(rows, len(columns)), np.tile(columns, len(rows)))
                for rows, columns in blocks
            ]
        else:
            pairs = [self._near(rows, columns) for rows, columns in blocks]
        a = np.concatenate([rows for rows, _ in pairs])
        b = np.concatenate([columns for _, columns in pairs])
        return a, b

    def _near(
        self,
        rows: Ints,
        columns: Ints,
    ) -> tuple[Ints, Ints]:
        """Pairs of these classes that are near by their means.

        Both ways: a group that nobody is nearest to must have candidates, too.
        """
        every_a, every_b = self.every_feature
        forth, back = nearest_both_ways(every_a[rows], every_b[columns], CANDIDATES)
        a, b = rows, columns
        from_a = np.repeat(np.arange(len(a)), forth.shape[1])
        from_b = np.repeat(np.arange(len(b)), back.shape[1])
        key_forth = from_a * len(b) + forth.ravel()
        key_back = back.ravel() * len(b) + from_b
        key = np.concatenate([key_forth, key_back])
        near_a, near_b = np.divmod(rising(key), len(b))
        return rows[near_a], columns[near_b]

    @cached_property
    def every_feature(self) -> tuple[Floats, Floats]:
        """Where each class of both files lies."""
        return (
            self._features(self.ours, self.left, ours=True),
            self._features(self.theirs, self.right, ours=False),
        )

    def _features(
        self,
        groups: GroupClasses,
        records: Distinct,
        *,
        ours: bool,
    ) -> Floats:
        """Means times the square root of the size, whose squared distance is a part of the cost;
        and the size."""
        vectors = [self.evidence.u if ours else self.evidence.v]
        for part in self.evidence.parts:
            if part.hint is not None:
                vectors.append(part.hint[0] if ours else part.hint[1])
        values = np.hstack(vectors)[records.first][groups.member]
        size = groups.size
        total = np.add.reduceat(values, groups.start[:-1], axis=0)
        root = np.sqrt(size)[:, None]
        # a member more or less changes the cost by about that of one link
        members = size[:, None].astype(np.float64)
        features = np.hstack([total / root, members])
        return np.ascontiguousarray(features)

    def costs(
        self,
        a: Ints,
        b: Ints,
    ) -> Floats:
        """Cost of linking class a[p] with class b[p], for each p."""
        rows = self.ours.size[a]
        columns = self.theirs.size[b]
        bounds = np.concatenate([[0], np.cumsum(rows * columns)])
        out = np.empty(len(a))
        first = 0
        while first < len(a):
            full = bounds[first] + CHUNK
            fits = int(np.searchsorted(bounds, full, "right")) - 1
            # one pair at least, however large its groups are
            last = max(first + 1, fits)
            here = slice(first, last)
            out[here] = group_costs(
                self._cells(a[here], b[here]),
                bounds[here] - bounds[first],
                rows[here],
                columns[here],
                self.stranger[self.theirs.member],
                self.theirs.start[b[here]],
                self.charge,
            )
            first = last
        return out

    def _cells(
        self,
        a: Ints,
        b: Ints,
    ) -> Floats:
        """Costs of all members of a[p] with all of b[p], matrix after matrix."""
        rows, columns = member_pairs(
            a,
            b,
            self.ours.start,
            self.theirs.start,
            self.left.first[self.ours.member],
            self.right.first[self.theirs.member],
        )
        return self.pair_costs(rows, columns)

    def members(self) -> Matching:
        """From linked groups to records: what is alike in like groups shares its links."""
        links = self.links
        left = members_of(self.left, self.ours)
        right = members_of(self.right, self.theirs)
        owners: list[Ints] = []
        targets: list[Ints] = []
        shares: list[Floats] = []
        costs: list[Floats] = []
        listed = self._cells(links.ours, links.theirs)
        at = 0
        for a, b, number in zip(links.ours, links.theirs, links.number, strict=True):
            here_a = slice(self.ours.start[a], self.ours.start[a + 1])
            here_b = slice(self.theirs.start[b], self.theirs.start[b + 1])
            size_a = here_a.stop - here_a.start
            size_b = here_b.stop - here_b.start
            cells = listed[at : at + size_a * size_b]
            at += size_a * size_b
            strangers = self.stranger[self.theirs.member[here_b]]
            column = group_pairing(cells, size_a, size_b, strangers, self.charge)
            paired = np.flatnonzero(column >= 0)
            partner = column[paired]
            owner = left.of_member[here_a][paired]
            owners.append(owner)
            targets.append(right.of_member[here_b][partner])
            # one of count[a] equal groups, and in it one of the members that are alike
            shares.append(number / left.classes.count[owner])
            costs.append(cells[paired * size_b + partner])
        owner = _joined(owners)
        target = _joined(targets)
        width = max(1, len(right.classes.count))
        pair = owner * width + target
        flow, first, place = np.unique(pair, return_index=True, return_inverse=True)
        share = np.zeros(len(flow))
        np.add.at(share, place, _joined_floats(shares))
        cost = _joined_floats(costs)[first]
        owner = owner[first]
        target = target[first]
        many = len(left.classes.count)
        # unique pairs come sorted by owner
        start = np.searchsorted(owner, np.arange(many + 1))
        best = np.full(many, np.inf)
        np.minimum.at(best, owner, cost)
        done = members_share(
            left.classes,
            right.classes,
            start,
            target,
            share,
            score=best,
        )
        done.cost = links.cost
        done.certified = False
        done.log = [
            {
                "groups": int(self.ours.count.sum()),
                "masked_groups": int(self.theirs.count.sum()),
                "sizes_kept": self.sizes_kept,
                "left_over": links.left_over,
                "near_only": self.near_only,
            }
        ]
        if self.near_only:
            # who found a partner only when those left over looked among each other
            late = self.first_links.left_over - links.left_over
            done.log[0]["looked_again"] = late
        return done


def _alone(groups: Ints) -> bool:
    """Every record is a group of its own."""
    return len(np.unique(groups)) == len(groups)


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _joined_floats(parts: list[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.zeros(0)
