"""Record linkage averaged over what the intruder knows.

The intruder knows s of the d attributes, s = 1 .. d/2. For each s the linkage is run on a
few sets of s attributes (all of them when there are no more than that), and the share of
correct links is averaged: over sets, then over s. Source: Domingo-Ferrer and Torra (2001).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import comb, fsum

import numpy as np

from tacit.attack import registry as attackers
from tacit.attack.linkage import Linkage
from tacit.base.errors import TacitError
from tacit.base.measure import Measure
from tacit.base.seeds import FIXED
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata
from tacit.data.pair import Pair

# Averages over many nearest-record linkages are taken on this many originals, each
# against the whole release: the standard error of a share is then at most 0.012.
LARGEST_SAMPLE = 2_000

# In a one-to-one linkage every record takes part, so no sample of originals can stand for
# the file; larger files are left out unless they are asked for.
LARGEST = 5_000

SETS = "sets of attributes for each number"
"""The detail of a measure that says of how many sets it is the average."""
ZERO = "no record is linked to its own"
HIGHER = "a larger share of the records is linked correctly"


@dataclass
class Tally:
    """Sums over linkages, from which the averages are made at the end."""

    success: Floats
    """Per original: sum of the probabilities of a correct link."""
    rate_with: Floats
    """Per column: sum of the rates of the linkages that used it."""
    runs_with: Floats
    """Per column: number of linkages that used it."""
    runs: int = 0
    rates: dict[int, list[float]] = field(default_factory=dict)
    """The rates by number of attributes known."""
    refused: dict[str, str] = field(default_factory=dict)
    """Why the linkage could not be made, by number of attributes known."""

    @classmethod
    def empty(
        cls,
        records: int,
        columns: int,
    ) -> Tally:
        """Nothing linked yet."""
        return cls(np.zeros(records), np.zeros(columns), np.zeros(columns))

    def add(
        self,
        success: Floats,
        rate: float,
        chosen: Sequence[int],
    ) -> None:
        """Count one linkage on the chosen columns."""
        self.runs += 1
        self.success += success
        self.rates.setdefault(len(chosen), []).append(rate)
        self.rate_with[list(chosen)] += rate
        self.runs_with[list(chosen)] += 1

    def rate_by_size(self) -> dict[str, float]:
        """Mean rate for each number of attributes known."""
        return {str(size): float(np.mean(rates)) for size, rates in self.rates.items()}

    def rate_by_column(self, names: Sequence[str]) -> dict[str, float]:
        """Mean rate of the linkages that used the column; unused columns are left out."""
        sums = zip(names, self.rate_with, self.runs_with, strict=True)
        return {name: float(total / runs) for name, total, runs in sums if runs}


def subsets(
    columns: int,
    size: int,
    draws: int,
    seed: int,
) -> list[tuple[int, ...]]:
    """Sets of `size` columns: all if there are at most `draws`, else as many random ones."""
    if comb(columns, size) <= draws:
        return list(combinations(range(columns), size))
    # The size is part of the seed, so that asking for more sizes does not change a draw.
    rng = np.random.default_rng([seed, columns, size])
    chosen: set[tuple[int, ...]] = set()
    while len(chosen) < draws:
        drawn = rng.choice(columns, size, replace=False)
        chosen.add(tuple(sorted(int(j) for j in drawn)))
    return sorted(chosen)


def originals_to_link(pair: Pair, attacker: str) -> Ints:
    """The rows of the original that are linked: all, or a sample of a large file."""
    records = pair.original.n
    # Only the nearest record is found for each original by itself; all other attackers
    # link the whole file at once and need every original.
    if attacker != "nearest" or records <= LARGEST_SAMPLE:
        return np.arange(records)
    # Every so many-th record in value order: the sample does not depend on row order.
    step = -(-records // LARGEST_SAMPLE)
    return np.sort(pair.canonical_at(np.arange(0, records, step)))


def average(
    original: object,
    masked: object,
    attacker: str,
    *,
    columns: Sequence[str] | None,
    draws: int,
    seed: int,
) -> Measure:
    """The average of the module's docstring for one registered attacker."""
    pair = Pair.of(original, masked, columns)
    names = pair.columns
    if not names:
        return Measure.absent("dld", "the files have no quasi-identifier in common")
    if not pair.aligned:
        return Measure.absent("dld", "the files differ in length")
    rows = originals_to_link(pair, attacker)
    tally = link_sets(pair, attacker, rows, draws=draws, seed=seed)
    by_size = tally.rate_by_size()
    if not by_size:
        return Measure.absent("dld", next(iter(tally.refused.values())))
    details = {
        "attacker": attacker,
        "rate by attributes known": by_size,
        SETS: draws,
        "originals linked": len(rows),
        "chance": 1 / max(pair.masked.n, 1),
    }
    if tally.refused:
        details["NOT COMPUTED for so many attributes"] = tally.refused
    whole_file = len(rows) == pair.original.n
    return Measure(
        "dld",
        float(np.mean(list(by_size.values()))),
        (0.0, 1.0),
        ZERO,
        HIGHER,
        details,
        tally.success / tally.runs if whole_file else None,
        tally.rate_by_column(names),
    )


def link_sets(
    pair: Pair,
    attacker: str,
    rows: Ints,
    *,
    draws: int,
    seed: int,
) -> Tally:
    """Run the attacker on every set of attributes of every size."""
    names = pair.columns
    whole_file = len(rows) == pair.original.n
    link = _by_pieces(pair, attacker, rows)
    if link is None:
        originals = pair.original if whole_file else pair.original.take(rows)
        link = partial(_linked, attacker, originals, pair.masked, rows)
    tally = Tally.empty(len(rows), len(names))
    # An intruder who knows one attribute is counted even where d/2 rounds down to none.
    most_known = max(1, len(names) // 2)
    for size in range(1, most_known + 1):
        for chosen in subsets(len(names), size, draws, seed):
            try:
                success, rate = link([names[j] for j in chosen])
            except TacitError as error:
                # What could not be computed is said, never counted as zero.
                tally.refused[str(size)] = str(error)
                continue
            tally.add(success, rate, chosen)
    return tally


def _linked(
    attacker: str,
    originals: Microdata,
    masked: Microdata,
    rows: Ints,
    known: list[str],
) -> tuple[Floats, float]:
    """Success and rate of a linkage by the known columns."""
    link: Linkage = attackers[attacker](columns=known).link(
        originals, masked, truth=rows
    )
    return link.success, link.rate


def _by_pieces(
    pair: Pair, attacker: str, rows: Ints
) -> Callable[[list[str]], tuple[Floats, float]] | None:
    """How some originals are linked to a release on the disk without holding it; None: it is held.

    Rows of persons and households vote together and fill each other's gaps, so they are held.
    """
    if attacker != "nearest" or pair.held or len(rows) == pair.original.n:
        return None
    # measured: what reads files is not loaded where they are in memory
    from tacit.attack.over_blocks.few_originals import found_among_all
    from tacit.attack.unit_counts import counted_units
    from tacit.data.io.on_disk import OnDisk

    schema = pair.original.schema
    if schema.names(role="person") or schema.names(role="household"):
        return None
    identifiers = schema.names(role="identifier")
    originals = pair.original.few(rows, [*pair.columns, *identifiers])
    if not counted_units(originals).single:
        return None
    masked = pair.masked
    assert isinstance(masked, OnDisk)

    def link(known: list[str]) -> tuple[Floats, float]:
        success = found_among_all(originals, masked, known, rows)
        # rounded as of ``Linkage.correct``
        return success, round(fsum(success), 9) / len(rows)

    return link


def of_the_unprotected(
    data: Microdata, names: Sequence[str], *, draws: int, seed: int = FIXED
) -> float:
    """The same average for a file that is released as it is.

    There every attacker of this module names one of the g records with the same values on the
    known columns, of which one is right: the share of correct links is the mean of 1/g, which is
    the number of different combinations over the number of records. NaN where values are
    missing: what a gap agrees with is for each attacker to say.
    """
    values = data.numbers(list(names))
    if not len(names) or np.isnan(values).any():
        return float("nan")
    codes = [np.unique(column, return_inverse=True)[1] for column in values.T]
    by_size = []
    for size in range(1, max(1, len(names) // 2) + 1):
        rates = []
        for chosen in subsets(len(names), size, draws, seed):
            together = codes[chosen[0]]
            for place in chosen[1:]:
                pairs = together * (codes[place].max() + 1) + codes[place]
                together = np.unique(pairs, return_inverse=True)[1]
            rates.append((together.max() + 1) / data.n)
        by_size.append(np.mean(rates))
    return float(np.mean(by_size))


def average_one_to_one(
    name: str,
    attacker: str,
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None,
    draws: int,
    seed: int,
    largest: int,
) -> Measure:
    """The average for an attacker who links all records at once, on files not too large."""
    if attacker not in attackers:
        why = f"NOT COMPUTED: there is no {attacker} attacker in this installation"
        return Measure.absent(name, why)
    records = Microdata.of(original).n
    if records > largest:
        why = (
            f"NOT COMPUTED: {records} records are more than largest={largest}; "
            "raise it to run"
        )
        return Measure.absent(name, why)
    averaged = average(
        original,
        masked,
        attacker,
        columns=columns,
        draws=draws,
        seed=seed,
    )
    return replace(averaged, name=name)
