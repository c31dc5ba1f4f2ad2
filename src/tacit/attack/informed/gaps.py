"""Missing values as evidence: what a method does to gaps says which records cannot be the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from tacit.attack.informed.evidence import Evidence, Part
from tacit.attack.informed.gap_reasons import reason_evidence
from tacit.base.typing import Bools, Floats
from tacit.data.microdata import Microdata

Fate = Literal["kept", "added", "filled", "unknown"]
"""What became of a column's gaps: they are where they were; others came; some were filled; no
telling."""
KEPT = 0.9
"""Share of records with gaps whose pattern must be found again for gaps to count as kept in place.
Gaps that were put
elsewhere agree by chance only where a pattern is common."""
DOUBT = 0.01
"""Chance of a cell that does not follow a guessed fate: five nats, which other columns can
outweigh."""
HINT = 3.0
"""Distance by which one differing gap parts two records when candidates are looked for."""


def gap_evidence(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    keeps: bool,
) -> Evidence:
    """What gaps say when it is known what the method does to them.

    Parameters
    ----------
    original, masked : Microdata
        The two files.
    columns : list of str
        The compared columns.
    keeps : bool
        True: gaps stay where they are (noise, swapping, microaggregation), so records whose gaps
        differ cannot be the same. False: the method only adds gaps (local suppression).

    Notes
    -----
    With g = 1 for a gap, the cost is -sum_k log P_k(g(z_k) | g(x_k)). Kept: P = 1 where they
    agree and 0 elsewhere. Added: a gap stays one, and a value becomes one with probability
    p_k = (gaps of z_k - gaps of x_k) / values of x_k, as shares of the two files.

    Examples
    --------
    >>> x = Microdata.of({"a": [1.0, None], "b": [1.0, 2.0]})
    >>> cost = gap_evidence(x, x, ["a", "b"], keeps=True)
    >>> cost.parts[0].cost(cost.parts[0].a, cost.parts[0].b).tolist()
    [[0.0, inf], [inf, 0.0]]
    """
    fates: dict[str, Fate] = dict.fromkeys(columns, "kept" if keeps else "added")
    return evidence_of(original, masked, fates)


def guessed_gaps(
    original: Microdata,
    masked: Microdata,
    fates: Mapping[str, Fate],
) -> Evidence:
    """What gaps say when their fates are guessed (``fates_of``): a guess that is no proof is
    believed with a doubt."""
    kept = [name for name, fate in fates.items() if fate == "kept"]
    certain = all(fate in ("kept", "unknown") for fate in fates.values())
    if certain and found_again(gaps_of(original, kept), gaps_of(masked, kept)) == 1.0:
        return evidence_of(original, masked, fates)
    return evidence_of(original, masked, fates, DOUBT)


def fates_of(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
) -> dict[str, Fate]:
    """What became of the gaps of each column, told without knowing which records belong together.

    Gaps that are kept have the same count in each column, and the patterns of whole records are
    the same multiset (files of different length: about the same shares). Columns are left out one
    by one until that holds for the rest.
    """
    x, z = gaps_of(original, columns), gaps_of(masked, columns)
    n, m = len(x), len(z)
    share_x, share_z = x.mean(axis=0), z.mean(axis=0)
    # a sample's share differs by its sampling error; files of equal length have no such excuse
    error = (
        3 * np.sqrt(share_x * (1 - share_x) / m)
        if n != m
        else np.full(len(columns), 0.5 / n)
    )
    near = np.abs(share_x - share_z) <= error
    kept = [k for k in range(len(columns)) if near[k] and share_x[k] > 0]
    while kept:
        # looked at for each column among the records with a gap there: one moved column is few of
        # all records
        again = [found_again(x[x[:, k]][:, kept], z[z[:, k]][:, kept]) for k in kept]
        if min(again) >= KEPT:
            break
        kept.pop(int(np.argmin(again)))
    fates: dict[str, Fate] = {}
    for k, name in enumerate(columns):
        if k in kept:
            fates[name] = "kept"
        elif near[k]:
            fates[name] = "unknown" if share_x[k] > 0 else "kept"
        else:
            fates[name] = "added" if share_z[k] > share_x[k] else "filled"
    return fates


def found_again(x: Bools, z: Bools) -> float:
    """Share of records with gaps, of the file with fewer of them, whose pattern the other file has
    left to give."""
    if not x.shape[1]:
        return 1.0
    patterns = []
    for gaps in (x, z):
        holding = gaps[gaps.any(axis=1)]
        rows, count = np.unique(
            np.packbits(holding, axis=1), axis=0, return_counts=True
        )
        patterns.append(
            {row.tobytes(): int(c) for row, c in zip(rows, count, strict=True)}
        )
    ours, theirs = patterns
    smaller = min(sum(ours.values()), sum(theirs.values()))
    common = sum(min(count, theirs.get(row, 0)) for row, count in ours.items())
    return common / smaller if smaller else 1.0


def evidence_of(
    original: Microdata,
    masked: Microdata,
    fates: Mapping[str, Fate],
    doubt: float = 0.0,
) -> Evidence:
    """The evidence of gaps of these fates, column by column; ``doubt``: chance of a cell that does
    not follow."""
    names = [name for name, fate in fates.items() if fate != "unknown"]
    x, z = gaps_of(original, names), gaps_of(masked, names)
    seen = [k for k in range(len(names)) if x[:, k].any() or z[:, k].any()]
    if not seen:
        return Evidence.none(original.n, masked.n)
    x, z = x[:, seen], z[:, seen]
    chances = np.stack(
        [_chances(x[:, t], z[:, t], fates[names[k]]) for t, k in enumerate(seen)]
    )
    with np.errstate(divide="ignore"):
        # abs: the log of 1 is 0, and minus 0 is shown with its sign
        tables = np.abs(np.log((1.0 - doubt) * chances + 0.5 * doubt))
    a, b = x.astype(np.float64), z.astype(np.float64)
    part = Part(a, b, _Table(tables), (HINT * a, HINT * b))
    kept = [names[k] for k in seen if fates[names[k]] == "kept"]
    return Evidence.of_part(part) + reason_evidence(original, masked, kept, doubt)


def _chances(
    x: Bools,
    z: Bools,
    fate: Fate,
) -> Floats:
    """P(gap or not in z | gap or not in x): rows x, columns z, 1 for a gap."""
    before, after = float(x.mean()), float(z.mean())
    # at least half a record, so that what was seen to happen is never impossible
    least_x, least_z = 0.5 / max(len(x), 1), 0.5 / max(len(z), 1)
    if fate == "added":
        p = (after - before) / max(1.0 - before, least_x)
        p = float(np.clip(p, least_z, 1.0 - least_z))
        return np.array([[1.0 - p, p], [0.0, 1.0]])
    if fate == "filled":
        q = (before - after) / max(before, least_x)
        q = float(np.clip(q, least_z, 1.0 - least_z))
        return np.array([[1.0, 0.0], [q, 1.0 - q]])
    return np.eye(2)


class _Table:
    """Cost of gap patterns: the sum over columns of the table of each."""

    def __init__(self, tables: Floats) -> None:
        self.tables = tables

    def __call__(
        self,
        p: Floats,
        q: Floats,
    ) -> Floats:
        total = np.zeros((len(p), len(q)))
        for k, table in enumerate(self.tables):
            total += table[np.ix_(p[:, k].astype(np.int64), q[:, k].astype(np.int64))]
        return total


def gaps_of(data: Microdata, columns: list[str]) -> Bools:
    """Where each column has no value."""
    if not columns:
        return np.zeros((data.n, 0), bool)
    return np.stack([data.missing(name) for name in columns], axis=1)
