"""How was a release masked? Guesses from what it shows, each with its reason."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tacit.attack.informed.guessed_plan import Guess
from tacit.attack.informed.learned_labels import AwareLabels, numbers_in_both
from tacit.attack.informed.microaggregation import AwareMicroaggregation, find_blocks
from tacit.attack.informed.new_values import new_values
from tacit.attack.informed.rank_swapping import AwareRankSwapping, rank_range
from tacit.attack.informed.rounding import AwareRounding, granularity
from tacit.attack.informed.synthetic import (
    AwareShuffling,
    confidential_columns,
)
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata

# Share of the original's distinct values below which values were merged, not moved
REPEATED = 0.6
# Values on a grid are rounded only if there are more: any two or three lie on some
# grid.
FEWEST_MULTIPLES = 3
# The released grid is coarser than the original's own by more than this factor
COARSER = 1.5
# Percent of the file: ranks that moved further were shuffled, not swapped within a
# window.
WIDE = 30.0
# The true limit of swaps is a little above the smallest that leaves everyone a
# candidate.
ABOVE_SMALLEST = 1.15

Sign = Literal["swapped", "grouped", "rounded", "moved"]
"""What the values of one column show."""


def guess(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
) -> list[Guess]:
    """One guess for each set of columns that seem to have been treated alike.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    columns : list of str
        The columns that are compared.
    """
    # records first: single columns say nothing when whole rows are kept
    rows_kept = _rows_kept(original, masked, columns)
    if rows_kept is not None:
        return [rows_kept]
    by_sign: dict[Sign, list[str]] = {}
    categories: list[str] = []
    for name in columns:
        if numbers_in_both(original, masked, name):
            sign = _sign(original.column(name), masked.column(name))
            by_sign.setdefault(sign, []).append(name)
        else:
            categories.append(name)
    guesses: list[Guess] = []
    if "swapped" in by_sign:
        guesses.append(_swapped(original, masked, by_sign["swapped"]))
    if "grouped" in by_sign:
        guesses.append(_grouped(masked, by_sign["grouped"]))
    if "rounded" in by_sign:
        guesses.append(_rounded(original, masked, by_sign["rounded"]))
    if "moved" in by_sign:
        guesses.extend(new_values(original, masked, by_sign["moved"]))
    guesses.extend(_categories(original, masked, categories))
    numbers = [name for names in by_sign.values() for name in names]
    with_gaps = [
        name
        for name in numbers
        if np.isnan(original.column(name)).any() or np.isnan(masked.column(name)).any()
    ]
    if with_gaps:
        guesses.append(_gaps(original, masked, with_gaps))
    return guesses or [Guess("unchanged", [], "no column to compare")]


def _rows_kept(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
) -> Guess | None:
    """Every masked row is an original row: nothing was changed; perhaps a sample."""
    for name in columns:
        # codes of other categories are other values
        if not _same_values(original, masked, name):
            return None
    ours = _row_bytes(original, columns)
    theirs = _row_bytes(masked, columns)
    if not theirs <= ours:
        return None
    if original.n != masked.n:
        why = f"{masked.n} of {original.n} records, values untouched"
        return Guess("sampling", columns, why)
    # many records made equal to a few originals: a method did that
    if len(theirs) * 2 < len(ours):
        return None
    return Guess("unchanged", columns, "every masked record is an original record")


def _same_values(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> bool:
    """Do equal numbers mean equal values in both files?"""
    if original.schema[name].scale is not masked.schema[name].scale:
        return False
    if original.schema[name].scale is Kind.continuous:
        return True
    return list(original.categories(name)) == list(masked.categories(name))


def _row_bytes(data: Microdata, columns: list[str]) -> set[bytes]:
    """The distinct rows."""
    # adding zero makes -0.0 and 0.0 the same bytes
    values = np.ascontiguousarray(data.numbers(columns)) + 0.0
    return {row.tobytes() for row in values}


def _sign(x: Floats, z: Floats) -> Sign:
    """What the values of one column show, by themselves."""
    before = np.sort(x[~np.isnan(x)])
    after = np.sort(z[~np.isnan(z)])
    if np.array_equal(before, after):
        return "swapped"
    values, count = np.unique(after, return_counts=True)
    if values.size > REPEATED * len(np.unique(before)):
        return "moved"
    step = granularity(values)
    own = granularity(before)
    # averages lie on no grid, or (of whole numbers) on a finer one than the originals
    on_grid = values.size > FEWEST_MULTIPLES and step is not None
    if on_grid and step is not None and (own is None or step > COARSER * own):
        return "rounded"
    return "grouped" if np.median(count) >= 2 else "moved"


def _swapped(
    original: Microdata,
    masked: Microdata,
    names: list[str],
) -> Guess:
    """Values kept: swapped within a window, or shuffled over the file."""
    given = confidential_columns(masked, names)
    ranks = []
    for name in names:
        x = original.column(name)
        z = masked.column(name)
        ranks.append((rank_range(x, x), rank_range(z, z)))
    window = AwareRankSwapping().window(ranks, original.n)
    percent = 100.0 * window / max(original.n, 1)
    if given and percent > WIDE:
        why = (
            "values kept, ranks moved by more than 30 percent of the file "
            f"({percent:.0f})"
        )
        return Guess(
            "shuffling",
            names,
            why,
            AwareShuffling(given=given),
        )
    why = (
        "the values of each column are kept; every record has a candidate within "
        f"{percent:.2g} percent of ranks"
    )
    # a window has at least two ranks
    least = 100.0 * 2 / max(original.n, 2)
    p = min(100.0, max(ABOVE_SMALLEST * percent, least))
    return Guess(
        "rank_swapping",
        names,
        why,
        AwareRankSwapping(p=p),
    )


def _grouped(masked: Microdata, names: list[str]) -> Guess:
    """Averages repeat: microaggregation."""
    # columns of one block repeat together
    blocks = find_blocks(masked, names)
    smallest = min(_smallest_group(masked, block) for block in blocks)
    why = (
        f"averages repeat in {len(blocks)} block(s) of columns, at least {smallest} "
        "times each"
    )
    return Guess(
        "microaggregation",
        names,
        why,
        AwareMicroaggregation(blocks=blocks),
    )


def _smallest_group(masked: Microdata, block: list[str]) -> int:
    """How often the rarest combination of averages occurs."""
    rows = np.nan_to_num(masked.numbers(block), nan=np.inf)
    _, count = np.unique(rows, axis=0, return_counts=True)
    return int(count.min())


def _rounded(
    original: Microdata,
    masked: Microdata,
    names: list[str],
) -> Guess:
    """All values are multiples of some step."""
    base: dict[str, float] = {}
    for name in names:
        step = granularity(masked.column(name))
        assert step is not None  # that is why the column is here
        base[name] = float(step)
    steps = ", ".join(f"{step:g} ({name})" for name, step in base.items())
    kind: Literal["random", "nearest"] = "random"
    if _still_nearest(original, masked, base):
        kind = "nearest"
    attacker = AwareRounding(base=base, kind=kind)
    return Guess(
        "rounding",
        names,
        f"all values are multiples of {steps}",
        attacker,
    )


def _still_nearest(
    original: Microdata,
    masked: Microdata,
    base: dict[str, float],
) -> bool:
    """Rounding every original to the nearest multiple gives exactly the released multiset."""
    for name, step in base.items():
        expected = np.sort(np.rint(original.column(name) / step))
        released = np.sort(np.rint(masked.column(name) / step))
        if not np.array_equal(expected, released, equal_nan=True):
            return False
    return True


def _categories(
    original: Microdata,
    masked: Microdata,
    names: list[str],
) -> list[Guess]:
    """Categories that kept their names (PRAM, whatever frequencies say), and new labels."""
    renamed = [name for name in names if _has_labels(original, masked, name)]
    same = [name for name in names if name not in renamed]
    guesses = []
    if renamed:
        why = "values became labels of classes, which are compared as what they hold"
        guesses.append(Guess("recoding", renamed, why, AwareLabels()))
    if same:
        if any(_frequencies_kept(original, masked, name) for name in same):
            why = "categories: frequencies as before"
        else:
            why = "categories whose frequencies changed"
        guesses.append(Guess("pram", same, why, AwareLabels()))
    return guesses


def _has_labels(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> bool:
    """Are there released categories that the original does not have?"""
    if Kind.continuous in (original.schema[name].scale, masked.schema[name].scale):
        return True
    return not set(masked.categories(name)) <= set(original.categories(name))


def _gaps(
    original: Microdata,
    masked: Microdata,
    names: list[str],
) -> Guess:
    """Missing values of numbers: where they are."""
    before = sum(int(np.isnan(original.column(name)).sum()) for name in names)
    after = sum(int(np.isnan(masked.column(name)).sum()) for name in names)
    why = f"{before} values are missing in the original and {after} in the release"
    return Guess("gaps", names, why, AwareLabels())


def _frequencies_kept(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> bool:
    """Every category is as frequent as before."""
    # codes are of each file, so frequencies are compared in code order
    _, before = np.unique(original.column(name), return_counts=True)
    _, after = np.unique(masked.column(name), return_counts=True)
    return bool(np.array_equal(before, after))
