"""Told nothing: guess from the release how it was masked, say why, and run the attack that fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.attack.aware.base import Informed, continuous
from tacit.attack.aware.categories import AwarePRAM, unchanged
from tacit.attack.aware.estimated import AwareEstimated
from tacit.attack.aware.groups import AwareMicroaggregation, find_blocks
from tacit.attack.aware.intervals import AwareRounding, granularity
from tacit.attack.aware.noise import AwareNoise
from tacit.attack.aware.ranks import AwareRankSwapping, rank_range
from tacit.attack.aware.regression import AwareIPSO, AwareShuffling
from tacit.attack.base import Matching
from tacit.attack.evidence import Evidence, Rule, link_by
from tacit.attack.whiten import spread
from tacit.microdata import FloatArray, Kind, Microdata, Role


@dataclass(frozen=True)
class Guess:
    """What was probably done to some columns, and what in the release says so."""

    method: str
    columns: list[str]
    why: str
    attacker: Informed | None = None

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.method, "columns": self.columns, "why": self.why}


class Reverse(Informed):
    """The intruder knows the originals and nothing of the method; the release itself tells.

    Definition: a rule a method, in the order below, and then that method's attacker (`Aware`). Source: 003, whose
    conclusion asks for it. Guarantee: none; the guess and its evidence are in the log. Cost: a few sorts and
    moments a column, and the attack. Value multisets kept: swapping or shuffling. Averages repeated in groups:
    microaggregation. Few values on a regular grid: rounding. Means and covariances kept to the last digit, values
    new: IPSO. Otherwise noise, whose form (independent, correlated, multiplicative) second moments and signs tell.
    The guesses are in the linkage's log. Second moments need many records: with few the estimated covariance is
    used.

    >>> import numpy as np
    >>> import tacit as tc
    >>> x = np.random.default_rng(1).normal(size=(90, 3))
    >>> link = Reverse().link(x, tc.protect.Microaggregation(k=3).fit_transform(x))
    >>> "microaggregation" in str(link.log)
    True
    """

    method = "reverse"

    def __init__(self, rule: Rule = "assignment", columns: list[str] | None = None) -> None:
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        return self._says("and guesses from the release how it was masked")

    def guesses(self, original: Any, masked: Any) -> list[Guess]:
        """The guesses by themselves."""
        a, b = Microdata.of(original), Microdata.of(masked)
        return guess(a, b, self._columns(a, b))

    def _match(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        found = guess(original, masked, columns)
        total = Evidence.none(original.n, masked.n)
        for each in found:
            if each.attacker is None:
                total = total + unchanged(original, masked, each.columns)
            else:
                total = total + each.attacker.evidence(original, masked, each.columns)
        matching = link_by(total, self.rule)
        matching.log = [each.to_dict() for each in found]
        return matching


def guess(original: Microdata, masked: Microdata, columns: list[str]) -> list[Guess]:
    """One guess for each set of columns that seem to have been treated alike."""
    found: list[Guess] = []
    whole = _rows_kept(original, masked, columns)
    if whole is not None:
        return [whole]
    seen: dict[str, list[str]] = {"swapped": [], "grouped": [], "rounded": [], "moved": []}
    categories: list[str] = []
    for name in columns:
        if original.schema[name].kind is not Kind.continuous:
            categories.append(name)
            continue
        x, z = original.column(name), masked.column(name)
        seen[_column(x, z)].append(name)
    swapped, grouped, rounded, moved = seen.values()
    if swapped:
        found.append(_swapped(original, masked, swapped))
    if grouped:
        blocks = find_blocks(masked, grouped)
        sizes = [_group_sizes(masked, block) for block in blocks]
        why = f"averages repeat in {len(blocks)} block(s) of columns, at least {min(sizes)} times each"
        found.append(Guess("microaggregation", grouped, why, AwareMicroaggregation(blocks=blocks)))
    if rounded:
        steps = {name: granularity(masked.column(name)) for name in rounded}
        why = "all values are multiples of " + ", ".join(f"{v:g} ({k})" for k, v in steps.items())
        kind_ = "nearest" if _still_nearest(original, masked, rounded, steps) else "random"
        base = {name: float(v) for name, v in steps.items() if v is not None}
        found.append(Guess("rounding", rounded, why, AwareRounding(base=base, kind=kind_)))  # type: ignore[arg-type]
    if moved:
        found.append(_moved(original, masked, moved))
    if categories:
        kept = [n for n in categories if _share_kept(original, masked, n)]
        why = "categories: frequencies as before" if kept else "categories whose frequencies changed"
        found.append(Guess("pram", categories, why, AwarePRAM()))
    return found or [Guess("unchanged", [], "no column to compare")]


def _rows_kept(original: Microdata, masked: Microdata, columns: list[str]) -> Guess | None:
    """Every masked row is an original row: nothing was changed; perhaps a sample."""
    ours = {row.tobytes() for row in np.ascontiguousarray(original.numbers(columns)) + 0.0}
    theirs = np.ascontiguousarray(masked.numbers(columns)) + 0.0
    if not all(row.tobytes() in ours for row in theirs):
        return None
    if original.n == masked.n:
        distinct_rows = len({row.tobytes() for row in theirs})
        if distinct_rows * 2 < len(ours):
            return None
        return Guess("unchanged", columns, "every masked record is an original record")
    return Guess("sampling", columns, f"{masked.n} of {original.n} records, values untouched")


def _column(x: FloatArray, z: FloatArray) -> str:
    a, b = np.sort(x[~np.isnan(x)]), np.sort(z[~np.isnan(z)])
    if a.size == b.size and np.array_equal(a, b):
        return "swapped"
    before, (values, count) = len(np.unique(a)), np.unique(b, return_counts=True)
    if values.size <= 0.6 * before:
        step, own = granularity(values), granularity(a)
        # averages lie on no grid, or (of whole numbers) on a finer one than the originals
        if values.size > 3 and step is not None and (own is None or step > 1.5 * own):
            return "rounded"
        if np.median(count) >= 2:
            return "grouped"
    return "moved"


def _swapped(original: Microdata, masked: Microdata, names: list[str]) -> Guess:
    given = _given(masked, names)
    ranks = [tuple(rank_range(d.column(n), d.column(n)) for d in (original, masked)) for n in names]
    window = AwareRankSwapping()._window([(a, b) for a, b in ranks], original.n)
    share = 100.0 * window / max(original.n, 1)
    if given and share > 30:
        why = f"values kept, ranks moved by more than 30 percent of the file ({share:.0f})"
        return Guess("shuffling", names, why, AwareShuffling(given=given))
    why = f"the values of each column are kept; every record has a candidate within {share:.2g} percent of ranks"
    # the true limit is a little above the smallest that leaves everyone a candidate
    p = min(100.0, max(1.15 * share, 100.0 * 2 / max(original.n, 2)))
    return Guess("rank_swapping", names, why, AwareRankSwapping(p=p))


def _moved(original: Microdata, masked: Microdata, names: list[str]) -> Guess:
    x, z = original.numbers(names), masked.numbers(names)
    n = len(x)
    if n != len(z) or n < 30:
        return Guess("noise", names, "values are new; too few records to tell the form", AwareEstimated())
    before, after = spread(x), spread(z)
    size = np.sqrt(np.maximum(np.diag(before), 1e-300))
    change = (after - before) / np.outer(size, size)
    given = _given(masked, names)
    if given and np.abs(change).max() < 1e-6:
        why = "means and covariances are kept to the last digit and no value is"
        return Guess("ipso", names, why, AwareIPSO(confidential=given))
    zeros = np.array_equal((x == 0).sum(0), (z == 0).sum(0)) and bool((x == 0).any())
    signs = np.array_equal((x > 0).sum(0), (z > 0).sum(0))
    log_change = np.log(np.abs(z[z != 0])).std() - np.log(np.abs(x[x != 0])).std()
    lowest = bool(np.all(np.abs(z[x > 0].min() / x[x > 0].min()) < 3)) if (x > 0).any() else False
    if signs and (zeros or ((x > 0).all() and lowest and log_change < 0.5)) and _near_zero(x):
        return Guess("noise", names, "signs, zeros and small values are kept: multiplied", AwareNoise("multiplicative"))
    why = f"values are new; variances grew by {100 * float(np.diag(change).mean()):.1f} percent on average"
    if len(names) > 1:
        off = ~np.eye(len(names), dtype=bool)
        r = (before / np.outer(size, size))[off]
        slope = float((change[off] * r).sum() / max((r * r).sum(), 1e-12))
        level = float(np.diag(change).mean())
        error = np.sqrt(8.0 * max(level, 1e-9) / n)  # sd of a covariance of x with noise of this size, generously
        if (r * r).sum() > 0.5 and level > 3 * error and slope > 0.5 * level:
            return Guess("noise", names, why + ", covariances with them: correlated", AwareNoise("correlated"))
    return Guess("noise", names, why, AwareEstimated())


def _near_zero(x: FloatArray) -> bool:
    """Do values come near zero compared with their sd, so that added noise would have changed some sign?"""
    sd = np.sqrt(np.maximum(np.nanvar(x, axis=0), 1e-300))
    return bool((np.nanmin(np.abs(x), axis=0) < 0.05 * sd).any())


def _given(masked: Microdata, names: list[str]) -> list[str]:
    return [n for n in continuous(masked, masked.schema.names(role=Role.confidential)) if n not in names]


def _group_sizes(masked: Microdata, block: list[str]) -> int:
    rows = np.nan_to_num(masked.numbers(block), nan=np.inf)
    return int(np.unique(rows, axis=0, return_counts=True)[1].min())


def _still_nearest(original: Microdata, masked: Microdata, names: list[str], steps: dict[str, float | None]) -> bool:
    """Rounding every original to the nearest multiple gives exactly the released multiset."""
    for name in names:
        step = steps[name] or 1.0
        a = np.sort(np.rint(original.column(name) / step))
        b = np.sort(np.rint(masked.column(name) / step))
        if not np.array_equal(a, b, equal_nan=True):
            return False
    return True


def _share_kept(original: Microdata, masked: Microdata, name: str) -> bool:
    a, b = original.column(name), masked.column(name)
    return bool(np.array_equal(np.unique(a, return_counts=True)[1], np.unique(b, return_counts=True)[1]))
