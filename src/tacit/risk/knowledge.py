"""Risk by record linkage, averaged over what the intruder knows, and in the worst case.

The intruder knows s of the d attributes, s = 1 .. d/2; for each s the linkage is run on a few sets of s attributes
(all of them when there are no more than that), and the share of correct links is averaged: over sets, then over s.
Source: Domingo-Ferrer and Torra 2001. The worst case is all attributes and the strongest attacker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from tacit.attack import registry as attackers
from tacit.attack.panel import panel
from tacit.errors import TacitError
from tacit.measure import Measure
from tacit.microdata import Microdata
from tacit.pair import Pair

LARGEST_SAMPLE = 2_000
"""Averages over many linkages are taken on a sample of this many originals (against the whole release)."""

ZERO = "no record is linked to its own"
HIGHER = "a larger share of the records is linked correctly"


def subsets(d: int, size: int, draws: int, seed: int) -> list[tuple[int, ...]]:
    """Sets of `size` columns out of d: all if there are at most `draws`, else `draws` different random ones."""
    if comb(d, size) <= draws:
        return list(combinations(range(d), size))
    rng = np.random.default_rng([seed, d, size])
    chosen: set[tuple[int, ...]] = set()
    while len(chosen) < draws:
        chosen.add(tuple(sorted(int(j) for j in rng.choice(d, size, replace=False))))
    return sorted(chosen)


def average(
    original: Any, masked: Any, attacker: str, *, columns: Sequence[str] | None, draws: int, seed: int
) -> Measure:
    """The average of the module's docstring for one registered attacker."""
    pair = Pair.of(original, masked, columns)
    names, d = pair.columns, len(pair.columns)
    if not d or not pair.aligned:
        why = "the files have no quasi-identifier in common" if not d else "the files differ in length"
        return Measure.absent("dld", why)
    one_to_one = attacker != "nearest"  # a bijection needs every original
    rows = np.arange(pair.original.n)
    if pair.original.n > LARGEST_SAMPLE and not one_to_one:
        # every (n / sample)-th record in value order: does not depend on row order
        order = pair.canonical()
        rows = np.sort(order[:: max(1, -(-pair.original.n // LARGEST_SAMPLE))])
    some = pair.original if len(rows) == pair.original.n else pair.original.take(rows)
    sizes: dict[str, float] = {}
    success = np.zeros(len(rows))
    with_column, runs_with = np.zeros(d), np.zeros(d)
    runs = 0
    refused: dict[str, str] = {}
    for size in range(1, max(1, d // 2) + 1):
        rates = []
        for chosen in subsets(d, size, draws, seed):
            intruder = attackers[attacker](columns=[names[j] for j in chosen])
            try:
                link = intruder.link(some, pair.masked, truth=rows)
            except TacitError as error:
                refused[str(size)] = str(error)
                continue
            rates.append(link.rate)
            success += link.success
            runs += 1
            with_column[list(chosen)] += link.rate
            runs_with[list(chosen)] += 1
        if rates:
            sizes[str(size)] = float(np.mean(rates))
    if not sizes:
        return Measure.absent("dld", next(iter(refused.values())))
    per_column = {
        name: float(total / times) for name, total, times in zip(names, with_column, runs_with, strict=True) if times
    }
    per_record = None
    if len(rows) == pair.original.n:
        per_record = success / runs
    details = {
        "attacker": attacker,
        "rate by attributes known": sizes,
        "sets of attributes for each number": draws,
        "originals linked": len(rows),
        "chance": 1 / max(pair.masked.n, 1),
    }
    if refused:
        details["NOT COMPUTED for so many attributes"] = refused
    return Measure(
        "dld", float(np.mean(list(sizes.values()))), (0.0, 1.0), ZERO, HIGHER, details, per_record, per_column
    )


def dld(original: Any, masked: Any, *, columns: Sequence[str] | None = None, draws: int = 3, seed: int = 0) -> Measure:
    """Distance-based linkage disclosure: average share of correct links by nearest record (see the module).

    Range [0, 1]. 0: no record is linked to its own. Higher: more are; compare with ``chance`` in the details.
    Per column: the average share over the sets that contain it. Ties are shared, so row order does not matter.
    """
    return average(original, masked, "nearest", columns=columns, draws=draws, seed=seed)


LARGEST = 5_000
"""Every record takes part in each one-to-one linkage of an average, so larger files are left out unless asked for."""


def dld_assignment(
    original: Any,
    masked: Any,
    *,
    columns: Sequence[str] | None = None,
    draws: int = 1,
    seed: int = 0,
    largest: int = LARGEST,
) -> Measure:
    """Distance-based linkage disclosure by optimal assignment: as ``dld``, all records linked at once, one to one.

    Range [0, 1]. 0: no record is linked to its own. Higher: more are. Files of more than ``largest`` records are left
    out: d/2 linkages of all records take long.
    """
    return _one_to_one("dld_assignment", "assignment", original, masked, columns, draws, seed, largest)


def pld(
    original: Any,
    masked: Any,
    *,
    columns: Sequence[str] | None = None,
    draws: int = 1,
    seed: int = 0,
    largest: int = LARGEST,
) -> Measure:
    """Probabilistic linkage disclosure: as ``dld`` with probabilistic (Fellegi-Sunter, EM) record linkage.

    Range [0, 1]. 0: no record is linked to its own. Higher: more are. Where it cannot be computed the measure says so
    and has no value: not computed is not zero. Files of more than ``largest`` records are left out: all pairs are
    compared in each of the d/2 linkages.
    """
    if PROBABILISTIC not in attackers:
        return Measure.absent("pld", "NOT COMPUTED: there is no probabilistic attacker in this installation")
    return _one_to_one("pld", PROBABILISTIC, original, masked, columns, draws, seed, largest)


PROBABILISTIC = "probabilistic"


def _one_to_one(
    name: str,
    attacker: str,
    original: Any,
    masked: Any,
    columns: Sequence[str] | None,
    draws: int,
    seed: int,
    largest: int,
) -> Measure:
    records = Microdata.of(original).n
    if records > largest:
        return Measure.absent(name, f"NOT COMPUTED: {records} records are more than largest={largest}; raise it to run")
    return replace(average(original, masked, attacker, columns=columns, draws=draws, seed=seed), name=name)


def strongest(
    original: Any,
    masked: Any,
    *,
    columns: Sequence[str] | None = None,
    attacks: Mapping[str, Any] | None = None,
) -> Measure:
    """The worst case: share of correct links of the strongest attacker who knows all attributes.

    ``attacks``: linkages already made, by attacker name; without them those of ``attack.panel`` are run: nearest
    record, optimal assignment and, where some compared columns are unchanged, nearest record on those alone.
    Range [0, 1]. 0: no record is linked to its own. Higher: more are. Per record: the highest probability, over the
    attackers, that the record is linked correctly. Per column: how much the nearest-record share falls when the
    intruder does not know the column.
    """
    pair = Pair.of(original, masked, columns)
    if not pair.columns:
        return Measure.absent("strongest", "the files have no quasi-identifier in common")
    failed: dict[str, str] = {}
    if not attacks:
        attacks = {}
        for name, attacker in panel(pair.original, pair.masked, columns=pair.columns).items():
            try:
                attacks[name] = attacker.link(pair.original, pair.masked)
            except TacitError as error:
                failed[name] = f"not computed: {error}"
    if not attacks:
        return Measure.absent("strongest", "; ".join(failed.values()))
    best = max(attacks, key=lambda name: (attacks[name].rate, name))
    link = attacks[best]
    details = {
        "attacker": best,
        "knows": link.knows,
        "interval": list(link.interval),
        "chance": link.chance,
        "rates": {name: found.rate for name, found in attacks.items()},
    } | failed
    per_record = np.max([found.success for found in attacks.values()], axis=0)
    return Measure("strongest", link.rate, (0.0, 1.0), ZERO, HIGHER, details, per_record, _without(pair))


def _without(pair: Pair) -> dict[str, float] | None:
    """Fall of the nearest-record share when one column is not known (on a sample when the file is large)."""
    if len(pair.columns) < 2 or not pair.aligned or pair.original.n * pair.masked.n > 4_000_000:
        return None
    nearest = attackers["nearest"]

    def rate(names: list[str]) -> float:
        return float(nearest(columns=names).link(pair.original, pair.masked).rate)

    whole = rate(pair.columns)
    return {name: whole - rate([other for other in pair.columns if other != name]) for name in pair.columns}
