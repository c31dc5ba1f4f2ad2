"""Does row i of the release belong to row i of the original? Checked, never assumed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tacit.base.seeds import FIXED
from tacit.base.typing import Floats, Ints
from tacit.data.pair import Pair

# Above this many records a sample tells as much: the score grows with the square root of n
MOST_ROWS = 20_000
# Random pairings that the rows are compared with; their spread is known to 5 % from this many
PAIRINGS = 200
# Aligned releases were seen at 31 and above, shuffled ones within 1; a tail of 5 sd is no chance
ALIGNED = 5.0


@dataclass(frozen=True)
class Alignment:
    """How much nearer the rows of equal number are than random pairs, in standard deviations."""

    score: float

    @property
    def aligned(self) -> bool:
        """Rows of equal number belong together."""
        return self.score >= ALIGNED

    def __str__(self) -> str:
        word = "aligned" if self.aligned else "not aligned"
        return f"{word} (rows of equal number are {self.score:.1f} sd nearer than random pairs)"


def alignment(
    original: object,
    masked: object,
    columns: list[str] | None = None,
) -> Alignment:
    """Compare the mean distance of rows of equal number with that of random pairings.

    The distance is the mean over columns of the difference in ranks (of numbers and ordered
    categories) or of being different (nominal), so no outlier decides.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(200, 3))
    >>> alignment(x, x + 0.1).aligned, alignment(x, x[::-1]).aligned
    (True, False)
    """
    pair = Pair.of(original, masked, columns)
    n = pair.original.n
    if n != pair.masked.n or n < 2 or not pair.columns:
        return Alignment(float("nan"))
    rng = np.random.default_rng(FIXED)
    rows = np.sort(rng.choice(n, min(n, MOST_ROWS), replace=False))
    nominal = set(pair.columns) - set(pair.numeric)
    # column by column, and of each the rows that are compared: a file may be larger than memory
    sides = [
        (_codes(*pair.column(name), name in nominal, rows), name in nominal)
        for name in pair.columns
    ]
    distance = _distances(sides)
    all_of_them = np.arange(len(rows))
    own = distance(all_of_them, all_of_them)
    others = np.array(
        [distance(all_of_them, rng.permutation(len(rows))) for _ in range(PAIRINGS)]
    )
    spread = float(others.std())
    if spread == 0.0:
        return Alignment(0.0)  # every pairing is as good: nothing tells rows apart
    return Alignment(float((others.mean() - own) / spread))


def _codes(
    x: Floats,
    z: Floats,
    nominal: bool,
    rows: Ints,
) -> tuple[Floats, Floats]:
    """Rows of both columns on one scale: codes of categories, or ranks among all values."""
    if nominal:
        return x[rows], z[rows]
    both = np.sort(np.concatenate([x, z]))
    both = both[~np.isnan(both)]
    top = max(len(both) - 1, 1)
    return tuple(  # type: ignore[return-value]  # two sides in, two sides out
        np.where(np.isnan(side), np.nan, np.searchsorted(both, side) / top)
        for side in (x[rows], z[rows])
    )


def _distances(
    sides: list[tuple[tuple[Floats, Floats], bool]],
) -> Callable[[Ints, Ints], float]:
    """``_distance`` of these columns; numbers without gaps are compared all at once."""
    whole = [
        (x, z)
        for (x, z), nominal in sides
        if not nominal and not np.isnan(x.sum() + z.sum())
    ]
    if len(whole) < len(sides):
        return partial(_distance, sides)
    ours = np.stack([x for x, _ in whole], axis=1)
    theirs = np.stack([z for _, z in whole], axis=1)
    return lambda a, b: float(np.abs(ours[a] - theirs[b]).mean())


def _distance(
    sides: list[tuple[tuple[Floats, Floats], bool]],
    a: Ints,
    b: Ints,
) -> float:
    """Mean over columns of the mean difference between rows a of one file and b of the other."""
    total = 0.0
    for (x, z), nominal in sides:
        left, right = x[a], z[b]
        apart = ((left != right) if nominal else np.abs(left - right)).astype(float)
        # a sum is NaN where a value is: mostly none is, and nothing is to be filled
        if np.isnan(left.sum() + right.sum()):
            gap = np.isnan(left) != np.isnan(right)
            apart = np.where(gap, 1.0, np.nan_to_num(apart))
        total += float(apart.mean())
    return total / len(sides)
