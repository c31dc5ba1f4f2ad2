"""Columns that became classes: which label does a value of the original get?

Labels that are intervals say so themselves ("[20, 30)", "20 to 29", "< 20"); a category that
kept its name is its own label; what other labels hold is learned from the links that the other
columns make. A missing value is a label of its own, so that gaps count as evidence too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Bools, Floats, Ints
from tacit.data.microdata import Kind, Microdata

# Classes in which values of a continuous column are counted where its labels are no intervals
CLASSES = 40
# Probability that a value does not get the label that holds it: labels may be changed as well
ELSEWHERE = 0.02
# Probability that a category keeps its name, before anything was learned
KEEPS_NAME = 0.8
# Probability that a gap is filled, or arises where no more gaps were released than before
NEW_GAP = 0.002

# Probability of what is impossible, unless something else happened to the file
NEVER = 1e-9
# Combinations of gaps from which their numbers tell that gaps have stayed
FEWEST_PATTERNS = 4

NUMBER = r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"
# "[20, 30)", "(20,30]", "20 - 29", "20 to 29", "20..29"
BETWEEN = re.compile(
    rf"^\s*([\[(]?)\s*({NUMBER})\s*(?:,|;|to|\.\.|-|–)\s*({NUMBER})\s*([\])]?)\s*$"
)
# "< 20", ">= 65", "65+", "under 20", "65 and more"
BELOW = re.compile(rf"^\s*(?:<|<=|≤|under|below)\s*({NUMBER})\s*$")
ABOVE = re.compile(
    rf"^\s*(?:>|>=|≥|over)\s*({NUMBER})\s*$"
    rf"|^\s*({NUMBER})\s*(?:\+|and (?:more|over|above))\s*$"
)


@dataclass(frozen=True)
class Labelled:
    """One column as codes of both files, and the probability of each label for each code.

    The last code of both files is that of missing values.
    """

    name: str
    ours: Ints
    theirs: Ints
    chance: Floats
    fixed: bool = False
    """Nothing is to be learned: the probabilities are known."""


def interval(label: object) -> tuple[float, float, bool] | None:
    """(low, high, whether high belongs to it) of a label that says so; None: it does not.

    Parameters
    ----------
    label : object
        A released category.

    Examples
    --------
    >>> interval("[20, 30)"), interval("65+"), interval("north")
    ((20.0, 30.0, False), (65.0, inf, True), None)
    """
    text = str(label)
    # the class of all values, as generalisation writes it
    if text.strip() == "*":
        return -np.inf, np.inf, True
    match = BETWEEN.match(text)
    if match:
        low, high = float(match[2]), float(match[3])
        # "20 to 29" holds both ends; "[20, 30)" says that it does not
        return (low, high, match[4] != ")") if low <= high else None
    match = BELOW.match(text)
    if match:
        return -np.inf, float(match[1]), "=" in text or "≤" in text
    match = ABOVE.match(text)
    if match:
        return float(match[1] or match[2]), np.inf, True
    return None


def labelled(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> Labelled:
    """A column of categories or labels, as codes with the first guess of their probabilities.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    name : str
        A column that is not continuous in both.
    """
    # categories that the release shows as numbers are categories still
    if masked.schema[name].scale is Kind.continuous:
        masked = masked.with_schema(masked.schema.set(nominal=[name]))
    values, ours = _distinct_values(original, name)
    labels = list(masked.categories(name))
    codes = masked.column(name)
    theirs = np.where(np.isnan(codes), len(labels), codes).astype(np.int64)
    holds, certain = _holds(values, labels)
    many = original.schema[name].scale is Kind.continuous and len(values) > CLASSES
    if many and not certain:
        # each value alone is too rare to learn from: neighbours share a label
        holds = np.zeros((CLASSES, len(labels)), dtype=bool)
        ours = _in_classes(original.column(name))
    return Labelled(
        name,
        ours,
        theirs,
        _first_guess(holds, ours, theirs, certain),
    )


def gaps(
    original: Microdata,
    masked: Microdata,
    names: list[str],
) -> list[Labelled]:
    """Whether values are missing, as columns of their own where either file has gaps.

    Where the release has exactly the combinations of gaps that the original has, as often,
    gaps have stayed with their records, and a record with others is impossible.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    names : list of str
        Continuous columns.
    """
    ours = np.isnan(original.numbers(names)).astype(np.int64)
    theirs = np.isnan(masked.numbers(names)).astype(np.int64)
    stayed = _same_patterns(ours, theirs)
    holds = np.ones((1, 1), dtype=bool)
    found = []
    for k, name in enumerate(names):
        a, b = ours[:, k], theirs[:, k]
        if not a.any() and not b.any():
            continue
        if stayed:
            chance = np.where(np.eye(2) > 0, 1 - NEVER, NEVER)
        else:
            chance = _first_guess(holds, a, b, True)
        found.append(Labelled(name, a, b, chance, stayed))
    return found


def _same_patterns(ours: Ints, theirs: Ints) -> bool:
    """Do both files have the same combinations, of more than one kind, equally often?"""
    if ours.shape != theirs.shape:
        return False
    before, times = np.unique(ours, axis=0, return_counts=True)
    after, again = np.unique(theirs, axis=0, return_counts=True)
    # two kinds (gap or none) agree in number by chance or for other reasons
    if len(before) < FEWEST_PATTERNS:
        return False
    return np.array_equal(before, after) and np.array_equal(times, again)


def _distinct_values(data: Microdata, name: str) -> tuple[list[object], Ints]:
    """The values of a column, and the code of each record; missing values come last."""
    column = data.column(name)
    missing = np.isnan(column)
    if data.schema[name].scale is not Kind.continuous:
        values: list[object] = list(data.categories(name))
        return values, np.where(missing, len(values), column).astype(np.int64)
    seen, code = np.unique(column[~missing], return_inverse=True)
    ours = np.full(len(column), len(seen), dtype=np.int64)
    ours[~missing] = code.ravel()
    return list(seen), ours


def _in_classes(column: Floats) -> Ints:
    """CLASSES classes of about equally many values; missing values come last."""
    missing = np.isnan(column)
    cuts = np.quantile(column[~missing], np.arange(1, CLASSES) / CLASSES)
    code = np.searchsorted(cuts, column, side="right")
    return np.where(missing, CLASSES, code).astype(np.int64)


def _holds(values: list[object], labels: list[object]) -> tuple[Bools, bool]:
    """Which label can hold which value, as far as labels say so themselves."""
    holds = np.zeros((len(values), len(labels)), dtype=bool)
    numbers = np.array([_number(value) for value in values])
    said = 0
    for k, label in enumerate(labels):
        ends = interval(label)
        if ends is not None and np.isfinite(numbers).any():
            low, high, closed = ends
            below = numbers <= high if closed else numbers < high
            holds[:, k] = (numbers >= low) & below
            said += 1
        else:
            holds[:, k] = [_same(value, label) for value in values]
            said += bool(holds[:, k].any())
    return holds, said == len(labels)


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return np.nan


def _same(value: object, label: object) -> bool:
    """Is a label the name of the value, as text or as a number?"""
    return str(value) == str(label) or _number(value) == _number(label)


def _first_guess(
    holds: Bools,
    ours: Ints,
    theirs: Ints,
    certain: bool,
) -> Floats:
    """P(label | value), missing values last in both: labels that hold the value share it."""
    values, labels = holds.shape
    frequency = np.bincount(theirs, minlength=labels + 1).astype(float)
    shown = frequency[:labels] / max(frequency[:labels].sum(), 1.0)
    chance = np.zeros((values + 1, labels + 1))
    # a value without a label of its own may have any
    known = holds.sum(axis=1) > 0
    spread = (1 - ELSEWHERE) if certain else KEEPS_NAME
    inside = holds / np.maximum(holds.sum(axis=1, keepdims=True), 1)
    chance[:values, :labels] = np.where(
        known[:, None],
        spread * inside + (1 - spread) * shown,
        shown,
    )
    _with_gaps(chance, ours, theirs)
    return chance


def _with_gaps(
    chance: Floats,
    ours: Ints,
    theirs: Ints,
) -> None:
    """Gaps stay; what the release has more of them were values before."""
    last, none = chance.shape[0] - 1, chance.shape[1] - 1
    before = float((ours == last).mean())
    after = float((theirs == none).mean())
    new = np.clip((after - before) / max(1 - before, 1e-9), NEW_GAP, 1 - NEW_GAP)
    chance[:last, :none] *= 1 - new
    chance[:last, none] = new
    frequency = np.bincount(theirs, minlength=none + 1)[:none].astype(float)
    filled = np.clip((before - after) / max(before, 1e-9), NEW_GAP, 1 - NEW_GAP)
    chance[last, :none] = filled * frequency / max(frequency.sum(), 1.0)
    chance[last, none] = 1 - filled
