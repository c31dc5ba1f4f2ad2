"""What an assessment will cost, before it starts: bytes, passes, CPU time, and what will not run.

    CPU seconds = start + n / 10^6 * (opening x columns of both files
                                      + sum over parts of (microseconds of its way) x columns)

for n records. A part is an attacker or a measure; a measure's way is what it says itself
(``passes`` of ``facts.measure``), and columns are the compared ones, or the keys. The constants
of measures that go by pieces and of nearest record were fitted once, to 1,000,000 generated records
of six columns on one thread at 2.8 GHz; those of other attackers are taken from runs of 1,000,000
records. An assignment that is proven may take a tenth of what is said here, or seven times as much:
how hard it is depends on the noise, which nobody knows before. None is measured on the spot: that
would cost what it is to predict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tacit import loss, risk
from tacit.assess.held import Allowed
from tacit.attack.base import Attacker
from tacit.attack.nearest import Nearest
from tacit.attack.solver.near_optimal import EXACT
from tacit.base.facts import facts_of
from tacit.data.microdata import Kind, Microdata
from tacit.scale.any_size import fits
from tacit.scale.cost import Cost
from tacit.scale.memory import PROGRAM

# seconds of the program, its libraries and compiled kernels, and of the report
START = {"memory": 3.0, "disk": 4.0}
# microseconds per record and column of a file that is opened: kinds and roles
OPENED = {"memory": 0.05, "disk": 0.06}
# microseconds per record and compared column, by way of the measure
MEMORY: Mapping[str, float] = {
    "runs": 0.04,
    "pieces": 0.35,
    "sample": 0.5,
    "keys": 0.02,
    "cells": 0.05,
    "units": 0.1,
    "links": 0.1,
    "together": 2.0,
}
DISK: Mapping[str, float] = {
    "runs": 0.1,
    "pieces": 0.3,
    "sample": 2.0,
    "keys": 0.03,
    "cells": 0.1,
    "units": 0.1,
    "links": 0.1,
    "together": 2.0,
}
# Microseconds per record and compared column of an attacker. Nearest record; all records at once,
# proven (a rough mean: 3 of a microaggregated file, more than 200 of few columns under strong
# noise), over blocks on the disk (42 to 50 of 1,000,000 records under noise of 25 %), and where the
# linkage is taken at the end of the auction (5 to 6 of 1,000,000 x 10)
NEAREST, PROVEN, OVER_BLOCKS, AUCTIONED = 1.5, 30.0, 45.0, 6.0
# passes over a file: sums and what is centred at them; numbers, sort, ranks, counts; ...
PASSES = {
    "runs": 3,
    "pieces": 5,
    "sample": 20,
    "keys": 2,
    "cells": 3,
    "units": 2,
    "links": 1,
    "together": 1,
}
# bytes of a number of both files, and of a sorted column of both with its rows
NUMBERS, SORTED = 16, 32


@dataclass(frozen=True)
class AssessCost:
    """What an assessment is expected to cost."""

    cost: Cost
    parts: dict[str, float]
    """CPU seconds by attacker and measure that would run."""
    not_run: dict[str, str]
    """What would hold more than is allowed, and how much."""
    combinations: int | None = field(default=None)
    """How many combinations of keys may be held; None: in memory no measure is refused."""

    def sentences(self) -> list[str]:
        """For the command line."""
        said = [self.cost.sentence()]
        dearest = sorted(self.parts, key=lambda name: -self.parts[name])[:3]
        most = ", ".join(f"{name} ({self.parts[name]:,.0f} s)" for name in dearest)
        said.append(f"Most of it: {most}.")
        said += [
            f"{name} would not run: {reason}." for name, reason in self.not_run.items()
        ]
        if self.combinations is not None:
            said.append(
                "Measures of keys hold the different combinations of keys, which are counted "
                f"first: {self.combinations:,} may be held."
            )
        return said

    def to_dict(self) -> dict[str, object]:
        """Plain types."""
        return asdict(self.cost) | {
            "parts": self.parts,
            "not_run": self.not_run,
            "combinations": self.combinations,
        }


def assess_cost(
    original: Microdata,
    masked: Microdata,
    attackers: Mapping[str, Attacker],
    records: int,
    size: int,
    limit: int,
    *,
    on_disk: bool,
) -> AssessCost:
    """The cost of an assessment of files of so many records; both may be their heads.

    Parameters
    ----------
    original, masked : Microdata
        The files, or their first records.
    attackers : mapping
        Who attacks, by name.
    records, size : int
        Records of a file, and bytes of both.
    limit : int
        Bytes of memory that may be used.
    on_disk : bool
        Are the files larger than memory?
    """
    rates = DISK if on_disk else MEMORY
    schema, names = original.schema, original.quasi
    keys = [name for name in names if schema[name].scale is not Kind.continuous]
    counted = len(keys or names)
    allowed = Allowed(original, masked, limit, records, on_disk=on_disk)
    million = records / 1e6
    parts: dict[str, float] = {}
    refused: dict[str, str] = {}
    passes = 1
    for name, attacker in attackers.items():
        why = allowed.why_no_attack(attacker, len(parts))
        if why is not None:
            refused[name] = why
            continue
        each = _each(attacker, original, records, on_disk=on_disk)
        parts[name] = million * each * len(names)
        passes += PASSES["links"]
    for room in (risk.registry, loss.registry):
        for name in room:
            why = allowed.why_not(room[name])
            if why is not None:
                refused[name] = why
                continue
            way = facts_of(room[name]).passes
            columns = counted if way in ("keys", "cells", "units") else len(names)
            parts[name] = million * rates[way] * columns
            passes += PASSES[way]
    beside = (NUMBERS * len(names) + SORTED * (len(names) - len(keys))) * records
    where = "disk" if on_disk else "memory"
    opened = OPENED[where] * (len(original.names) + len(masked.names))
    seconds = START[where] + million * opened + sum(parts.values())
    cost = Cost(
        records, len(original.names), size, beside if on_disk else 0, passes, seconds
    )
    room_left = allowed.combinations(counted) if on_disk else None
    return AssessCost(cost, parts, refused, room_left)


def _each(
    attacker: Attacker, original: Microdata, records: int, *, on_disk: bool
) -> float:
    """Microseconds of an attacker for each record and compared column."""
    if isinstance(attacker, Nearest):
        return NEAREST
    if on_disk and attacker.goes_over_blocks(original):
        return OVER_BLOCKS
    return AUCTIONED if records > EXACT else PROVEN


def both_fit(source: str | Path, limit: int) -> bool:
    """Would two files of this size be worked on in memory?"""
    # twice what a file takes, and the program once
    return fits(source, f"{(limit + PROGRAM) // 2}B")
