"""Measures that presume that released values are the person's own count the columns that may be.

k-anonymity, SUDA, the prosecutor and their like look at the release alone: who is alone in it is
found, they say, by whoever knows the person's keys. Where `own_values` has shown that a key is not
the person's, it is no key; where no key is left, the measure has nothing to say and says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature

from tacit.assess.own_values import OwnValues, own_values, size_of
from tacit.attack.base import Attacker
from tacit.attack.nearest import Nearest
from tacit.attack.unchanged_columns import unchanged
from tacit.base.facts import facts_of
from tacit.base.measure import Measure
from tacit.base.typing import Ints
from tacit.data.microdata import Microdata, Role
from tacit.data.pair import read_as
from tacit.risk import registry
from tacit.risk.judged import keys_of

OWN_COLUMNS = "own_columns"
"""The attack on the columns that hold the person's own values, and on no others."""
ROWS = ("household", "person")
"""Units of which a release may say how many rows they have."""


@dataclass(frozen=True)
class Presumed:
    """Whose values were released, for the measures that take it for granted."""

    found: OwnValues
    keys: list[str] = field(default_factory=list)
    """The keys that such measures count by default."""
    categories: bool = True
    """They are categories; numbers are keys only where there are none."""
    known: list[str] = field(default_factory=list)
    """Original columns that an intruder may know."""
    confidential: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls, original: Microdata, masked: Microdata, rows: Ints | None
    ) -> Presumed | None:
        """None where it is not known whose row is whose: everything is then taken for own."""
        if rows is None or not (rows >= 0).any():
            return None
        found = own_values(original, masked, rows)
        release = read_as(original, masked)
        categories = keys_of(release)
        secret = original.schema.names(role=Role.confidential)
        known = [name for name in original.names if name not in secret]
        told = release.schema.names(role=Role.confidential)
        keys = categories or list(release.quasi)
        return cls(found, keys, bool(categories), known, told)

    def intruders(
        self, original: Microdata, masked: Microdata, rows: Ints | None
    ) -> dict[str, Attacker]:
        """Who leaves out the columns of others, which only blur the link by one's own.

        Where all of one's own are as they were, whoever links by those does the same.
        """
        compared = [name for name in original.quasi if name not in self.found.others]
        follow = [name for name in compared if name in self.found.depends.get(name, ())]
        if not follow or len(compared) == len(original.quasi):
            return {}
        if set(follow) <= set(unchanged(original, masked, truth=rows)[0]):
            return {}
        return {OWN_COLUMNS: Nearest(columns=follow)}

    def settings(self, name: str, given: Mapping[str, object]) -> dict[str, object]:
        """The keys that a measure is to count; empty where nothing was disproved."""
        measure = registry[name]
        if not facts_of(measure).presumes or given.get("keys") is not None:
            return {}
        kept = [key for key in self.keys if key not in self.found.others]
        if kept == self.keys or (kept and not self.categories):
            return {}
        if not kept and self._still_told(name):
            return {}
        return {"keys": kept}

    def _still_told(self, name: str) -> bool:
        """Without any key a measure of confidential values or of rows may have something to say."""
        if "confidential" in signature(registry[name]).parameters:
            # a confidential value that goes with what is known of the person is read off
            return any(
                self.found.told_by(column, self.known) for column in self.confidential
            )
        sizes = {size_of(word) for word in ROWS if name == f"{word}_keys"}
        return bool(sizes & self.found.depends.keys())

    def absent(self, name: str) -> Measure:
        """A measure without a key."""
        return Measure.absent(name, self.found.sentence)
