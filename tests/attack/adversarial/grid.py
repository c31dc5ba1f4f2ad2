"""The tool against five intruders, on every protector and pair of protectors.

The tool's strongest rate over released records must be at least .95 of each attack's, in the mean
over several files. Counts of a few hundred records have chance in them: a cell below .95 is short
only if the difference is more than one standard deviation of the differences record by record.
Among hundreds of cells some are short by luck: such a cell is tried on other files, and these alone
count.
"""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

import tacit as tc
from attack.adversarial import (
    features,
    gap_pattern,
    likelihood,
    pairing,
    shadow,
    sinkhorn,
)
from attack.adversarial.counting import hits
from attack.adversarial.releases import FILES, MAKERS, Refused, Trial, trial

ATTACKS = {
    "likelihood": likelihood.attack,
    "sinkhorn": sinkhorn.attack,
    "shadow": shadow.attack,
    "pairing": pairing.attack,
    "gaps": gap_pattern.attack,
    "features": features.attack,
}
NEED_NO_PLAN = ("pairing", "gaps", "features")
ENOUGH = 0.95
SEEDS, MORE = 2, 8
"""Files of each cell, and other files where it was short."""
OTHERS = 100
METHODS = list(MAKERS)
MISHAP = re.compile(r"\w+(Error|Exception): ")
"""How the reason of an attack begins that broke down; one that does not apply says a sentence."""


@dataclass
class Cell:
    """One file, one or two methods: what was found, record by record and file by file."""

    file: str
    methods: tuple[str, ...]
    refused: str = ""
    tool: dict[str, dict[int, np.ndarray]] = field(default_factory=dict)
    attack: dict[str, dict[int, np.ndarray]] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)
    released: dict[int, int] = field(default_factory=dict)
    seeds: int = 0

    def rate(self, who: str) -> float:
        """Share of the released records that an attack, or 'plan' or 'no plan', finds.

        Of the files on which it ran: an attack may not apply to each.
        """
        found = self.attack.get(who) or self.tool[who]
        released = sum(self.released[seed] for seed in found)
        return float(sum(f.sum() for f in found.values()) / max(released, 1))

    def ratios(self) -> dict[str, tuple[float, float]]:
        """By attack: ratio of tool to attack, and by how many sd the tool is behind."""
        out = {}
        for know in self.tool:
            for name, found in self.attack.items():
                if know == "no plan" and name not in NEED_NO_PLAN:
                    continue
                theirs = np.concatenate(list(found.values()))
                # on the same files: an attack may not apply to each of them
                ours = np.concatenate([self.tool[know][seed] for seed in found])
                if theirs.sum() <= 0:
                    continue
                gap = theirs - ours
                sd = np.sqrt(((gap - gap.mean()) ** 2).sum())
                out[f"{name}, {know}"] = (
                    float(ours.sum() / theirs.sum()),
                    float(gap.sum() / max(sd, 1e-9)),
                )
        return out

    def short(self) -> dict[str, tuple[float, float]]:
        """The attacks that find more than the tool, beyond chance."""
        return {
            name: (ratio, sd)
            for name, (ratio, sd) in self.ratios().items()
            if ratio < ENOUGH and sd > 1.0
        }

    def worst(self, know: str) -> float:
        """The smallest ratio; NaN if no attack found anything."""
        mine = [
            r for name, (r, _) in self.ratios().items() if name.endswith(f", {know}")
        ]
        return min(mine, default=float("nan"))


def cells(sizes: tuple[int, ...] = (1, 2)) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every file with every method and every pair of methods."""
    for size in sizes:
        for methods in itertools.combinations(METHODS, size):
            for name in FILES:
                yield name, methods


def fight(
    name: str, methods: tuple[str, ...], seeds: int = SEEDS, more: int = MORE
) -> Cell:
    """Tool and intruders on releases of this sort."""
    cell = _fought(Cell(name, methods), range(1, seeds + 1))
    if cell.refused or not cell.short():
        return cell
    return _fought(Cell(name, cell.methods), range(OTHERS, OTHERS + more))


def _fought(cell: Cell, seeds: range) -> Cell:
    for seed in seeds:
        _round(cell, seed)
        if cell.refused:
            break
    return cell


def _round(cell: Cell, seed: int) -> None:
    made = _made(cell, seed)
    if made is None:
        return
    cell.seeds += 1
    cell.released[seed] = int((made.truth >= 0).sum())
    for know in ("plan", "no plan"):
        found, who = _tool(made, know == "plan")
        cell.tool.setdefault(know, {})[seed] = found
        cell.named.setdefault(know, []).append(who)
    for attack, run in ATTACKS.items():
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            named = run(made)
        if named is not None:
            cell.attack.setdefault(attack, {})[seed] = hits(named, made)


def _made(cell: Cell, seed: int) -> Trial | None:
    """The release, in the other order of steps if this one is refused."""
    try:
        return trial(cell.file, cell.methods, seed)
    except Refused as error:
        reason = str(error)
    if len(cell.methods) == 2 and not cell.seeds:
        other = cell.methods[::-1]
        try:
            made = trial(cell.file, other, seed)
        except Refused:
            pass
        else:
            cell.methods = other
            return made
    cell.refused = reason
    return None


def _tool(made: Trial, told: bool) -> tuple[np.ndarray, str]:
    """The strongest attack of the tool, and its name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = tc.assess(
            made.original,
            made.masked,
            plan=made.steps if told else None,
            truth=made.truth,
            risks=(),
            losses=(),
        )
    # an attack that breaks down is weak without saying so
    broken = [part for part in result.failures if MISHAP.match(part.reason)]
    assert not broken, broken
    best = result.strongest
    if best is None:
        return np.zeros(made.original.n), "none"
    return np.asarray(best[1].success), best[0]
