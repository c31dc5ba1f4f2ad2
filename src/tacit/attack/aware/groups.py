"""Microaggregation: project the originals onto the released averages, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.attack.aware.base import Informed, continuous, numbers
from tacit.attack.aware.categories import replaced
from tacit.attack.aware.ranks import gap, rank_range
from tacit.attack.evidence import Evidence, Part, Rule
from tacit.attack.whiten import spread, whitener
from tacit.microdata import FloatArray, Microdata

OUTSIDE = 50.0
"""Nats that a rank outside the group's ranks costs: all but impossible, yet finite where ties blur the ranks."""


class AwareMicroaggregation(Informed):
    """The intruder knows which columns were averaged together, and that averages lie inside their groups.

    Definition: a block of several columns: (x - z) S^-1 (x - z)' / 2 with S = cov X - cov Z, the variance within
    groups, which averaging takes away exactly. A block of one column: the groups are runs of the sorted values, so the
    rank of an original must lie within the ranks that the g equal averages cover. Costs of the blocks add up: the
    candidates are those that fit in every block. Source: Nin, Herranz and Torra (2008), On the disclosure risk of
    multivariate microaggregation.

    Parameters: `blocks`: lists of columns averaged together (default: found from the release: columns whose
    averages repeat together). `runs`: are single columns cut into runs (individual ranking)?
    """

    method = "microaggregation"

    def __init__(
        self,
        blocks: list[list[str]] | None = None,
        runs: bool = True,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.blocks = blocks
        self.runs = runs
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        return self._says("which columns were averaged together in groups")

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        names = continuous(original, columns)
        rest = [name for name in columns if name not in names]
        found = replaced(original, masked, rest, 0.2) if rest else Evidence.none(original.n, masked.n)
        given = self.blocks if self.blocks is not None else find_blocks(masked, names)
        told = {name for block in given for name in block}
        for block in [*given, *([n] for n in names if n not in told)]:
            use = [name for name in block if name in names]
            if not use:
                continue
            if len(block) == 1 and self.runs and original.n == masked.n:
                found = found + _run(original.column(use[0]), masked.column(use[0]))
            else:
                x, z = numbers(original, masked, use)
                signal = spread(x)
                w = whitener(signal - spread(z), signal)
                found = found + Evidence(x @ w, z @ w)
        return found


def _run(x: FloatArray, z: FloatArray) -> Evidence:
    """One sorted column cut into runs: rank containment."""
    a, b = rank_range(x, x), rank_range(z, z)
    size = float(np.median(b[:, 1] - b[:, 0])) + 1.0
    middle = [np.nan_to_num(r.mean(1, keepdims=True) / size, nan=-1e6) for r in (a, b)]
    part = Part(np.nan_to_num(a, nan=-1.0), np.nan_to_num(b, nan=-1.0), _contained, (middle[0], middle[1]))
    sd = float(np.nanstd(x)) or 1.0
    x, z = np.nan_to_num(x - np.nanmean(x)), np.nan_to_num(z - np.nanmean(x))
    # a whisper of distance: where ties blur the ranks the nearest average is the likelier one
    return Evidence(x[:, None] / sd * 1e-3, z[:, None] / sd * 1e-3, [part])


def _contained(p: FloatArray, q: FloatArray) -> FloatArray:
    return np.minimum(OUTSIDE, gap(p, q) * OUTSIDE)


def find_blocks(masked: Microdata, names: list[str]) -> list[list[str]]:
    """Columns that were averaged together: the value of one decides the value of the other, both ways."""
    labels: dict[str, Any] = {}
    for name in names:
        values = masked.column(name)
        labels[name] = np.unique(np.nan_to_num(values, nan=np.inf), return_inverse=True)[1].ravel()
    blocks: list[list[str]] = []
    for name in names:
        for block in blocks:
            if _same_groups(labels[name], labels[block[0]]):
                block.append(name)
                break
        else:
            blocks.append([name])
    return blocks


def _same_groups(a: FloatArray, b: FloatArray) -> bool:
    """Equal partitions up to a few groups whose averages happen to coincide."""
    joint = len(np.unique(np.stack([a, b], 1), axis=0))
    return joint <= 1.02 * max(int(a.max()), int(b.max())) + 1.0
