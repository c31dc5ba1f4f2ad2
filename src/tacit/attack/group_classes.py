"""Groups that nothing tells apart form a class, and so do their members who are alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.attack.base import Distinct
from tacit.base.typing import Ints


@dataclass(frozen=True)
class GroupClasses:
    """Groups with the same members' values form a class, since nothing tells them apart.

    Members of class g are the classes of records ``member[start[g]:start[g + 1]]`` in order.
    """

    member: Ints
    start: Ints
    count: Ints
    of_row: Ints

    @property
    def size(self) -> Ints:
        """Members of one group of each class."""
        return np.diff(self.start)

    @classmethod
    def of(
        cls,
        records: Ints,
        groups: Ints,
    ) -> GroupClasses:
        """From the class of each record and the group of each record.

        Classes come in the order of size and members, so that labels and row order play no part.
        """
        order = np.lexsort((records, groups))
        label, head = np.unique(groups[order], return_index=True)
        ranked = records[order]
        ends = np.append(head[1:], len(order))
        content = [
            (int(b - a), ranked[a:b].tobytes()) for a, b in zip(head, ends, strict=True)
        ]
        kinds = sorted(
            set(content), key=lambda item: (item[0], *np.frombuffer(item[1], np.int64))
        )
        number = {item: place for place, item in enumerate(kinds)}
        group_class = np.array([number[item] for item in content], np.int64)
        members = [np.frombuffer(item[1], np.int64) for item in kinds]
        start = np.concatenate([[0], np.cumsum([item[0] for item in kinds])])
        return cls(
            np.concatenate(members),
            start.astype(np.int64),
            np.bincount(group_class, minlength=len(kinds)).astype(np.int64),
            group_class[np.searchsorted(label, groups)],
        )


@dataclass(frozen=True)
class Members:
    """Records that are alike and are in groups that are alike: one class each."""

    classes: Distinct
    of_member: Ints
    """The class of each entry of ``GroupClasses.member``."""


def members_of(records: Distinct, groups: GroupClasses) -> Members:
    """Classes of records by their group's class and their own."""
    width = len(records.rows)
    own = np.repeat(np.arange(len(groups.count)), groups.size) * width + groups.member
    key, of_member = np.unique(own, return_inverse=True)
    inverse = np.searchsorted(key, groups.of_row * width + records.inverse)
    count = np.bincount(inverse, minlength=len(key)).astype(np.int64)
    first = np.full(len(key), len(inverse), np.int64)
    np.minimum.at(first, inverse, np.arange(len(inverse)))
    return Members(Distinct(np.empty((len(key), 0)), inverse, count, first), of_member)


def same_sizes(ours: GroupClasses, theirs: GroupClasses) -> bool:
    """Both files have as many groups of each size."""
    top = max(int(ours.size.max()), int(theirs.size.max())) + 1
    left = np.bincount(ours.size, weights=ours.count, minlength=top)
    right = np.bincount(theirs.size, weights=theirs.count, minlength=top)
    return bool(np.array_equal(left, right))
