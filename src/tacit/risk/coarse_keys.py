"""Who stands out while keys are published in wider classes, level by level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Ints
from tacit.data.hierarchies.tree import Coded
from tacit.data.microdata import Kind, Microdata
from tacit.data.units import Units, persons
from tacit.risk.counting import count
from tacit.risk.frequencies import key_codes

USUAL_K = (2, 3, 5, 10)
"""The sizes of a group in common use, which are counted."""


SHARED = 4
"""Records that share a number on average, from which on it is looked up as a category is."""


@dataclass(frozen=True)
class Standing:
    """Units (persons, or records) in groups below k when a column is published at one level."""

    level: int
    classes: int
    below: Mapping[int, int]


@dataclass(frozen=True)
class CoarseKeys:
    """The keys of a file as codes; some of them may be published in classes.

    Examples
    --------
    >>> from tacit.data.hierarchies.known_rules import rule_of
    >>> from tacit.data.hierarchies.tree import coded
    >>> data = Microdata.of({"icd": ["J45", "J46", "K20", "K21"]}, quasi=["icd"])
    >>> keys = CoarseKeys.of(data, ["icd"])
    >>> tree = coded(rule_of({"prefix": [1]}), data, "icd")
    >>> [one.below[2] for one in keys.by_level("icd", tree)]
    [4, 0, 0]
    """

    names: tuple[str, ...]
    codes: Ints
    units: Units

    @classmethod
    def of(cls, data: Microdata, names: Sequence[str]) -> CoarseKeys:
        """The keys as they stand in the file."""
        return cls(tuple(names), key_codes(data, names), persons(data))

    def at(self, name: str, tree: Coded, level: int) -> CoarseKeys:
        """The same with one key published at a level of its hierarchy; a gap stays a gap."""
        codes = self.codes.copy(order="F")
        codes[:, self.names.index(name)] = _at_level(tree, level)
        return CoarseKeys(self.names, codes, self.units)

    def below(self, ks: Sequence[int] = USUAL_K) -> dict[int, int]:
        """Units of whom some record has a key that fewer than k units share.

        A gap is a value of its own, which never makes a group larger.
        """
        found, _ = count(self.codes, None, any_matches=False, units=self.units)
        return {k: self.units.having(found < k) for k in ks}

    def by_level(
        self,
        name: str,
        tree: Coded,
        ks: Sequence[int] = USUAL_K,
    ) -> list[Standing]:
        """The counts for each level of one key, from its values to its widest class."""
        return [
            Standing(
                level,
                len(tree.tree.labels[level]),
                self.at(name, tree, level).below(ks),
            )
            for level in range(tree.tree.height + 1)
        ]


def usual_keys(data: Microdata) -> list[str]:
    """Quasi-identifiers whose groups mean something.

    Categories and dates, and numbers that repeat as ages do; with incomes nearly everybody is
    alone, whatever becomes of the other keys.
    """
    return [name for name in data.quasi if _repeats(data, name)]


def _repeats(data: Microdata, name: str) -> bool:
    if data.schema[name].scale is not Kind.continuous:
        return True
    values = data.column(name)
    distinct = len(np.unique(values[~np.isnan(values)]))
    return distinct * SHARED <= data.n


def class_sizes(tree: Coded, level: int) -> Ints:
    """Records in each class of a level."""
    classes = _at_level(tree, level)
    size = len(tree.tree.labels[level])
    held = np.bincount(classes[classes >= 0], minlength=size)
    return held.astype(np.int64)


def _at_level(tree: Coded, level: int) -> Ints:
    """The class of each row at a level; -1 where it has no value."""
    if not len(tree.tree.labels[0]):
        return tree.codes
    classes = tree.tree.classes[level][tree.codes]
    return np.where(tree.codes < 0, -1, classes).astype(np.int64)
