"""Microaggregation: project the originals onto the released averages, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.attack.informed.base import Informed, continuous, numbers
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.attack.informed.pram import replaced
from tacit.attack.informed.rank_swapping import gap, rank_range
from tacit.attack.whiten import spread, whitener
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata
from tacit.protect.file_parts import has_units

# Nats that a rank outside the group's ranks costs: all but impossible, yet finite where
# ties blur the ranks.
OUTSIDE = 50.0
# Share of categories taken to be replaced, where nothing says how many were
REPLACED = 0.2
# Weight of the distance beside the ranks: it decides only where ties blur them, the
# nearest average being the likelier one.
WHISPER = 1e-3
# Where a missing value sits in a hint: far from every rank
FAR = -1e6
# Two columns of one block may show this many times as many pairs as values: averages of
# some groups happen to coincide in one of them.
COINCIDENCE = 1.02


class AwareMicroaggregation(Informed):
    """The intruder knows which columns were averaged together, and that averages lie inside
    their groups.

    Parameters
    ----------
    blocks : list of lists of str, optional
        Columns averaged together; unless given, columns whose averages repeat together.
    runs : bool
        Are blocks of one column cut into runs of the sorted values (individual ranking)?
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** A block of several columns: (x - z) S^-1 (x - z)' / 2 with
    S = cov X - cov Z, the variance within groups, which averaging takes away exactly. A
    block of one column: the groups are runs of the sorted values, so the rank of an
    original must lie within the ranks that the g equal averages cover. Costs of the blocks
    add up: the candidates are those that fit in every block.

    **Guarantee.** None on the weights; links are exact under them. Nothing is ruled out
    for good, as ties can blur the ranks.

    **Cost.** Vectors for blocks of several columns; all pairs (candidates of a large file)
    for blocks of one.

    References
    ----------
    Nin, Herranz and Torra (2008), On the disclosure risk of multivariate microaggregation.

    Examples
    --------
    >>> x = np.arange(6.0)[:, None]
    >>> z = np.repeat([1.0, 4.0], 3)[:, None]
    >>> round(AwareMicroaggregation().link(x, z).correct, 6)
    2.0
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

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwareMicroaggregation:
        """The blocks are those that the method forms."""
        in_runs = protector.partition in ("individual", "mdav")
        # groups inside groups of households or persons are no runs of the sorted values
        runs = (in_runs or protector.groups == "MicIR") and not has_units(original)
        # the intruder can form the same groups of columns, without any group of records
        return cls(blocks=protector.blocks_of(original), runs=runs)

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says("which columns were averaged together in groups")

    def is_vectors(self, original: Microdata, columns: list[str]) -> bool:
        """Numbers alone, none of which was averaged by itself along its sorted values."""
        if self.blocks is None or continuous(original, columns) != columns:
            return False
        together = {name for block in self.blocks if len(block) > 1 for name in block}
        return not self.runs or set(columns) <= together

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Ranks within runs, and Mahalanobis distances within blocks of several columns."""
        names = continuous(original, columns)
        rest = [name for name in columns if name not in names]
        total = replaced(original, masked, rest, REPLACED)
        blocks = self.blocks
        if blocks is None:
            blocks = find_blocks(masked, names)
        in_blocks = {name for block in blocks for name in block}
        alone = [[name] for name in names if name not in in_blocks]
        for block in [*blocks, *alone]:
            compared = [name for name in block if name in names]
            if not compared:
                continue
            # ranks of samples are not those of the file
            if len(block) == 1 and self.runs and original.n == masked.n:
                name = compared[0]
                total = total + _run(original.column(name), masked.column(name))
            else:
                x, z = numbers(original, masked, compared)
                signal = spread(x)
                w = whitener(signal - spread(z), signal)
                total = total + Evidence(x @ w, z @ w)
        return total


def _run(x: Floats, z: Floats) -> Evidence:
    """One sorted column cut into runs: rank containment."""
    ours = rank_range(x, x)
    theirs = rank_range(z, z)
    # hints count ranks in groups: a typical group is one unit
    size = float(np.median(theirs[:, 1] - theirs[:, 0])) + 1.0
    our_middle = np.nan_to_num(ours.mean(1, keepdims=True) / size, nan=FAR)
    their_middle = np.nan_to_num(theirs.mean(1, keepdims=True) / size, nan=FAR)
    part = Part(
        np.nan_to_num(ours, nan=-1.0),
        np.nan_to_num(theirs, nan=-1.0),
        _contained,
        (our_middle, their_middle),
    )
    # of numbers near the end of doubles the spread is infinite
    with np.errstate(over="ignore"):
        sd = float(np.nanstd(x)) or 1.0
    mean = np.nanmean(x)
    x = np.nan_to_num(x - mean)
    z = np.nan_to_num(z - mean)
    return Evidence(x[:, None] / sd * WHISPER, z[:, None] / sd * WHISPER, [part])


def _contained(p: Floats, q: Floats) -> Floats:
    """0 where the ranks of original and group meet, OUTSIDE where they do not."""
    return np.minimum(OUTSIDE, gap(p, q) * OUTSIDE)


def find_blocks(masked: Microdata, names: list[str]) -> list[list[str]]:
    """Columns that were averaged together: the value of one decides that of the other, both ways.

    Parameters
    ----------
    masked : Microdata
        The release.
    names : list of str
        Continuous columns.
    """
    labels: dict[str, Ints] = {}
    for name in names:
        values = masked.column(name)
        found = np.unique(values, return_inverse=True)[1].ravel()
        # gaps that stayed say nothing of the groups
        labels[name] = np.where(np.isnan(values), -1, found)
    blocks: list[list[str]] = []
    for name in names:
        # a column joins the first block whose averages repeat with its own
        for block in blocks:
            if _same_groups(labels[name], labels[block[0]]):
                block.append(name)
                break
        else:
            blocks.append([name])
    return blocks


def _same_groups(a: Ints, b: Ints) -> bool:
    """Equal partitions of the records with both values, up to a few groups whose averages happen to
    coincide, or that share one because few of them had a value."""
    both = (a >= 0) & (b >= 0)
    if not both.any():
        return False
    a, b = a[both], b[both]
    # one number for each pair: sorting rows takes ten times as long
    pairs = len(np.unique(a * (int(b.max()) + 1) + b))
    groups = max(len(np.unique(a)), len(np.unique(b)))
    return pairs <= COINCIDENCE * (groups - 1) + 1.0
