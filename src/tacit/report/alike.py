"""How many look alike: sizes of groups, before and after, by both ways to count a gap.

k-anonymity lets a gap agree with every value, so that a record with a gap stands in many groups. An
intruder who compares what is printed takes a gap for a value of its own. One file then has two
smallest groups; both are shown, with the sentence that says why.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.assess.assessment import Assessment
from tacit.base.measure import Measure
from tacit.base.typing import Ints
from tacit.data.microdata import Microdata
from tacit.data.repeated import Repeated
from tacit.data.units import Units, persons
from tacit.report.charts.spark import share_bar
from tacit.report.content import Row
from tacit.report.words import count, percent
from tacit.risk.counting import count as members
from tacit.risk.frequencies import key_codes
from tacit.risk.judged import Judged

# Sizes of groups that are told apart: their lower ends.
BANDS = (1, 2, 3, 5, 10, 20, 50)
GAP_RULE = "a gap agrees with every value"


@dataclass(frozen=True)
class Sizes:
    """How many share a key, and how many records have such a key."""

    shared: Ints
    records: Ints
    """One each; of a file on the disk, the records of each combination of keys."""

    @property
    def alone(self) -> int:
        """Records that are the only one of their kind."""
        return int(self.records[self.shared == 1].sum())

    def share(self, low: int, high: int | None) -> float:
        """Share of the records in groups of such a size."""
        inside = self.shared >= low
        if high is not None:
            inside &= self.shared < high
        total = int(self.records.sum())
        return float(self.records[inside].sum() / total) if total else 0.0


@dataclass(frozen=True)
class Alike:
    """How many share the key of records: in the original, in the release, by printed cells."""

    keys: list[str]
    words: str
    before: Sizes
    after: Sizes
    """As k-anonymity counts: a gap agrees with every value."""
    printed: Sizes | None
    """A gap is a value of its own; None where there are none, and both counts are the same."""

    @classmethod
    def of(cls, assessment: Assessment) -> Alike | None:
        """Counted on the keys of k-anonymity; None without keys or records."""
        judged = Judged.of(assessment.original, assessment.masked)
        names = judged.keys or [
            name for name in judged.data.quasi if name in assessment.original.names
        ]
        if not names or judged.data.n == 0:
            return None
        has_gaps = any(judged.data.missing(name).any() for name in names)
        units = judged.units
        after = _sizes(judged.data, names, units)
        printed = None
        if has_gaps:
            printed = _sizes(judged.data, names, units, any_matches=False)
        before = _before(assessment.original, names)
        return cls(names, units.words, before, after, printed)

    @property
    def smallest(self) -> int:
        """The smallest group, as k-anonymity counts."""
        return int(self.after.shared.min())

    @property
    def explained(self) -> str:
        """Why k-anonymity and the printed cells differ, with both counts; empty if they agree."""
        if self.printed is None:
            return ""
        return (
            f"Counted so that {GAP_RULE}; where a gap is a value of its own, "
            f"{count(self.printed.alone)} records are the only one of their kind."
        )


def _sizes(
    data: Microdata, names: list[str], units: Units, *, any_matches: bool = True
) -> Sizes:
    """How many units share the values of these columns."""
    coded = key_codes(data, names)
    found, _ = members(coded, None, any_matches=any_matches, units=units)
    records = np.ones(len(found), np.int64)
    return Sizes(found, units.times if isinstance(units, Repeated) else records)


def _before(original: Microdata, names: list[str]) -> Sizes:
    """The same of the file before protection, from its combinations where it is on the disk."""
    if original.in_memory:
        return _sizes(original, names, persons(original))
    # measured: what reads files is not loaded where they are in memory
    from tacit.data.io.on_disk import OnDisk
    from tacit.risk.combinations import Combinations, has_units

    assert isinstance(original, OnDisk)
    who = persons(original) if has_units(original) else None
    found = Combinations.of(original, names, who=who)
    return _sizes(found.data, names, found.units)


def part(assessment: Assessment, alike: Alike) -> Row:
    """The section of the report: a table of sizes, and what the counts mean."""
    kinds = {
        "Original": alike.before,
        "Release": alike.after,
    }
    if alike.printed is not None:
        kinds["Release, a gap as a value of its own"] = alike.printed
    rows = []
    ends = [*BANDS[1:], None]
    for low, high in zip(BANDS, ends, strict=True):
        shares = [sizes.share(low, high) for sizes in kinds.values()]
        if any(shares):
            cells = [
                {"text": percent(share), "bar": str(share_bar(share)), "order": share}
                for share in shares
            ]
            rows.append({"size": _size(low, high), "cells": cells})
    lead = (
        f"Share of the records by how many {alike.words} have their values of "
        f"{', '.join(alike.keys)}. The smallest group of the release has "
        f"{count(alike.smallest)}."
    )
    return {
        "lead": lead,
        "heads": list(kinds),
        "rows": rows,
        "caption": _caption(assessment, alike),
    }


def _caption(assessment: Assessment, alike: Alike) -> str:
    """The gap rule where it matters, and that lonely records of changed values may be safe."""
    if alike.printed is not None:
        measure = assessment.risk.get("k_anonymity")
        passes = isinstance(measure, Measure) and measure.value == 0
        verb = "k-anonymity passes" if passes else "k-anonymity is counted"
        alone = count(alike.printed.alone)
        return (
            f"{verb} by the second column: {GAP_RULE}, because an intruder cannot know what "
            f"stood there. Whoever reads the gaps as they are printed sees the third: {alone} "
            "records are the only one of their kind. The attack by the pattern of gaps uses that."
        )
    return (
        "A record that is alone in the release can still be safe, if its values were changed "
        "enough: the attacks judge that."
    )


def _size(low: int, high: int | None) -> str:
    if low == 1:
        return "alone"
    if high is None:
        return f"{low} and more"
    return str(low) if high == low + 1 else f"{low} to {high - 1}"
