"""What to do now, in one sentence that names a parameter or a column.

A verdict that is not safe says what is above its limit; this says what most likely mends it, the
cheapest first: drop what names people, protect what left as it is, part what belongs together,
strengthen the step that can be, recode the key that singles out most. It is advice and no promise:
the next run judges.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacit.assess.contents import Contents
from tacit.assess.evidence import Use
from tacit.assess.verdict import CROSSES, NEXT, Row, Verdict
from tacit.attack.group_structure import shared
from tacit.base.facts import title_of
from tacit.data.microdata import Kind, Microdata
from tacit.plan.knobs import Knob, knobs_of
from tacit.plan.plan import Plan
from tacit.protect import registry
from tacit.risk.classes import classes, codes

HOPELESS = 8.0
"""Above this many times its limit a risk is not mended by the same step a little stronger."""
SOME = 3
"""Columns that a sentence names."""
GROUPS = "groups"
"""The attack that needs to know who belongs together."""
TELLING = "everything"
"""The attack that knows what each column tells."""
MUCH = 0.5
"""Share of the bits that name a person from which one column tells much."""
ORDER = "(row)"


@dataclass(frozen=True)
class Adviser:
    """What a sentence may rest on: the plan, the release, and which rows are attacks."""

    plan: Plan | None = None
    records: int = 0
    original: Microdata | None = field(default=None, repr=False)
    masked: Microdata | None = field(default=None, repr=False)
    contents: Contents | None = field(default=None, repr=False)
    attacks: Collection[str] = ()
    numbers: Sequence[str] = ()
    """Released columns that say which records belong to one household or person."""
    told: Use | None = None
    """The released column that by itself tells most of whose record it is, if it tells much."""

    def __call__(self, verdict: Verdict) -> str:
        """The next step of a verdict; the general one where nothing better is known."""
        if verdict.state not in ("not safe", "borderline"):
            return NEXT[verdict.state]
        # what is above its limit comes before what only may be
        crossing = [row for row in verdict.rows if _crosses(row)]
        open_rows = verdict.failing or crossing
        for said in (
            self._dropped(open_rows),
            self._parted(open_rows),
            self._told(open_rows),
            self._stronger(open_rows),
            self._recoded(),
            self._raw(open_rows),
        ):
            if said:
                return said
        return NEXT[verdict.state]

    def _dropped(self, rows: Sequence[Row]) -> str:
        """Columns that name people."""
        named = self.contents.identifiers if self.contents else {}
        if not named or "identifiers_released" not in _names(rows):
            return ""
        return f"Drop {_columns(list(named))}: it names people."

    def _parted(self, rows: Sequence[Row]) -> str:
        """Only those find people who know which records belong together."""
        attacks = {row.name for row in rows if row.name in self.attacks}
        if attacks != {GROUPS}:
            return ""
        if not self.numbers:
            return self._blurred()
        return (
            f"Drop {_columns(self.numbers)} (give it the role identifier): only who knows which "
            "records belong together finds people."
        )

    def _blurred(self) -> str:
        """No number says who belongs together, but rare values that a household shares do."""
        if self.original is None or self.masked is None:
            return ""
        found = [theirs.name for _, theirs in shared(self.original, self.masked)]
        # keys are what the plan treats already
        others = [name for name in found if name not in self.original.quasi]
        names = list(dict.fromkeys(others or found))
        if not names:
            return ""
        return (
            f"Round or group {_columns(names)}: the exact values say which records belong "
            "together."
        )

    def _told(self, rows: Sequence[Row]) -> str:
        """One column alone says who most people are, by whatever known columns it goes with."""
        use = self.told
        if use is None or TELLING not in _names(rows):
            return ""
        by = "" if use.ways[0].by in ("all", use.column) else f", {use.ways[0].by}"
        share = f"{use.bits:.1f} of the {math.log2(max(self.records, 2)):.1f} bits"
        if use.column == ORDER:
            return f"Shuffle the rows: their order tells {share} that name a person."
        return (
            f"Drop or coarsen '{use.column}': it tells {share} that name a person "
            f"({use.ways[0].way}{by})."
        )

    def _stronger(self, rows: Sequence[Row]) -> str:
        """The same plan with its parameter set to what the excess asks for."""
        knobs = knobs_of(self.plan) if self.plan else []
        worst = max((_excess(row) for row in rows), default=1.0)
        if not knobs or worst > HOPELESS:
            return ""
        turned = [(knob, _turned(knob, worst, self.records)) for knob in knobs]
        moved = [(knob, value) for knob, value in turned if value != knob.value]
        if not moved or self.plan is None:
            return ""
        parts = [
            f"{knob.strength.parameter} = {value:.3g} in {_step(self.plan, knob.place)}"
            for knob, value in moved[:SOME]
        ]
        return f"Try {' and '.join(parts)}."

    def _recoded(self) -> str:
        """The key that singles out most, if its values are categories that can be merged."""
        name = most_telling(self.masked) if self.masked is not None else ""
        if not name:
            return ""
        return (
            f"Recode '{name}' into wider classes: of all keys it singles out most people; "
            "or drop it."
        )

    def _raw(self, rows: Sequence[Row]) -> str:
        """Columns that left as they were."""
        raw = list(self.contents.raw) if self.contents else []
        if not raw or "raw_columns" not in _names(rows):
            return ""
        leaves = (
            "it: it leaves as it is"
            if len(raw) == 1
            else "them: they leave as they are"
        )
        return f"Protect {_columns(raw)}, or drop {leaves}."


def most_telling(masked: Microdata) -> str:
    """The categorical key without which the fewest combinations of keys are left; '' for none.

    The number of combinations is the number of people that one who knows all keys is expected to
    find, so the difference is what the key adds to it. A key of two values cannot be recoded.
    """
    keys = [name for name in masked.quasi if name in masked.names]
    table = {
        name: codes(masked.numbers([name]))[:, 0]
        for name in keys
        if masked.schema[name].scale is not Kind.continuous
    }
    able = [name for name, code in table.items() if len(np.unique(code)) > 2]
    if len(table) < 2 or not able:
        return able[0] if able else ""

    def combinations(without: str) -> int:
        columns = [table[name] for name in table if name != without]
        return classes(np.column_stack(columns))[1]

    return min(able, key=combinations)


def _crosses(row: Row) -> bool:
    return row.standing == CROSSES


def _excess(row: Row) -> float:
    """How many times its limit a risk is, at the upper end where only that is above it."""
    value = row.interval[1] if _crosses(row) and row.interval else row.value
    if not row.threshold:
        return 2.0
    return max(value / row.threshold, 1.0)


def _turned(knob: Knob, excess: float, records: int) -> float:
    """The parameter as much stronger as the risk is above its limit, at least by a tenth."""
    return knob.turned(math.log2(max(excess, 1.1)), records)


def _names(rows: Sequence[Row]) -> set[str]:
    return {row.name for row in rows}


def _step(plan: Plan, place: int) -> str:
    method = plan.steps[place].method
    title = title_of(registry[method], method)
    return f"step {place + 1} ({title})" if len(plan.steps) > 1 else title


def _columns(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:SOME])
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return f"column {shown}" if len(names) == 1 else f"columns {shown}{more}"
