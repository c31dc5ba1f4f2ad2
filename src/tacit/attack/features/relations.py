"""Released columns predicted from known ones: sums, differences, products, ratios, any rotation.

A column that is kept, derived, new, a weight or a total, and the order of rows, is a function of
what is known of a person as far as anything is. The function is fitted on the pairs that the
intruder knows and applied to other people; for the known pairs themselves each is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacit.attack.features.agreement import Learned, Near
from tacit.attack.features.feature import Feature
from tacit.attack.features.forest import grown
from tacit.attack.features.known_basis import basis, bends, known_numbers
from tacit.attack.features.ridge import Ridge
from tacit.attack.features.steady import steady
from tacit.attack.features.two_files import ROW, TwoFiles
from tacit.attack.features.values import by_rank
from tacit.base.typing import Floats

SUM, PRODUCT = "sum of known columns", "product of known columns"
BENT = "sum of bent known columns"
BY_ONE, BY_RANK = "told by one column", "told by the rank of one column"
EXACT = 1e-6
"""Share of the spread that is left where a column is a function of known ones: no tree adds."""
KEPT = 0.9
"""Share of known pairs with their own value from which a column was kept as it is."""
SHUFFLED = 0.98
"""Share of the spread that is left of the row numbers where the order tells next to nothing."""
RISING = 0.5
"""Correlation of ranks from which one known column is tried by itself."""


def relations(files: TwoFiles, pairs: Learned) -> Iterator[Feature]:
    """Linear in the known values and labels; linear in logarithms; by one column; by trees."""
    numbers = known_numbers(files)
    ridge = Ridge(basis(files, numbers, pairs), pairs)
    wanted: dict[str, Floats] = {}
    for name, shown in files.shown.items():
        low, high = np.nanmin(shown, initial=np.inf), np.nanmax(shown, initial=-np.inf)
        if not low < high:
            continue
        said, left = ridge.predicted(shown)
        yield Feature(SUM, (name,), "all", Near(said, shown))
        if low > 0:
            said, in_logs = ridge.predicted(np.log(shown))
            left = min(left, in_logs)
            yield Feature(PRODUCT, (name,), "all", Near(said, np.log(shown)))
        if left > EXACT and _own(files, name, pairs):
            # an order of rows that nothing at all goes with is a shuffle
            if name != ROW or left < SHUFFLED:
                wanted[name] = shown
            yield from _by_one(files, name, pairs)
    if wanted:
        yield from _bent(files, numbers, pairs, wanted)


def _bent(
    files: TwoFiles, numbers: list[Floats], pairs: Learned, wanted: dict[str, Floats]
) -> Iterator[Feature]:
    """Sums of bent functions of known columns, and what trees make of what these leave."""
    ridge = Ridge(basis(files, bends(numbers), pairs), pairs)
    for name, shown in wanted.items():
        said, left = ridge.predicted(shown)
        values = shown
        if np.nanmin(shown) > 0:
            in_logs, left_in_logs = ridge.predicted(np.log(shown))
            if left_in_logs < left:
                said, values = in_logs, np.log(shown)
        yield Feature(BENT, (name,), "all", Near(said, values))
        for way, told in grown(files, pairs, said, values):
            yield Feature(way, (name,), "all", Near(told, values))


def _own(files: TwoFiles, name: str, pairs: Learned) -> bool:
    """Was the column left as it is, or is it new? Protected ones are compared with themselves."""
    if name == ROW or name not in files.known:
        return True
    x, z = files.known[name][pairs.rows], files.shown[name][pairs.own]
    return bool(np.mean(x == z) >= KEPT)


def _by_one(files: TwoFiles, name: str, pairs: Learned) -> Iterator[Feature]:
    """Read off the known column that it rises or falls with most, between the nearest pairs."""
    own = files.shown[name][pairs.own]
    best, most = "", 0.0
    for source, known in files.known.items():
        size = _correlation(known[pairs.rows], own) if source != name else 0.0
        if abs(size) > max(RISING, abs(most)):
            best, most = source, size
    if not best:
        return
    shown = files.shown[name]
    yield Feature(
        BY_ONE,
        (name,),
        best,
        Near(_between(files.known[best], own, pairs), shown),
    )
    # sorted by that column: the place is its rank, to the row
    ranked = by_rank(np.sign(most) * files.known[best], shown)
    yield Feature(BY_RANK, (name,), best, Near(ranked, shown))


def _correlation(x: Floats, y: Floats) -> float:
    """Spearman's, over the pairs that have both."""
    there = ~(np.isnan(x) | np.isnan(y))
    if there.sum() < 3:
        return 0.0
    a, b = (_ranks(v[there]) for v in (x, y))
    spread = a.std() * b.std()
    return float(((a - a.mean()) * (b - b.mean())).mean() / spread) if spread else 0.0


def _ranks(values: Floats) -> Floats:
    ordered = np.sort(values)
    low, high = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return np.asarray(low + high, np.float64)


def _between(known: Floats, own: Floats, pairs: Learned) -> Floats:
    """On the line between the two known pairs around each value; a pair leaves itself out."""
    x = known[pairs.rows]
    there = ~(np.isnan(x) | np.isnan(own))
    rows, x, y = pairs.rows[there], x[there], own[there]
    # pairs of one value count by their mean
    distinct, place, count = np.unique(x, return_inverse=True, return_counts=True)
    total = np.bincount(place, weights=y)
    said = np.interp(known, distinct, total / count)
    said[np.isnan(known)] = np.nan
    others = np.maximum(count - 1, 1)[place]
    left_out = (total[place] - y) / others
    alone = count[place] == 1
    if len(distinct) > 2:
        step = np.arange(len(distinct))
        before, after = np.maximum(step - 1, 0), np.minimum(step + 1, len(distinct) - 1)
        mean = total / count
        width = np.maximum(distinct[after] - distinct[before], 1e-300)
        share = np.clip((distinct - distinct[before]) / width, 0.0, 1.0)
        # at an end the only neighbour tells
        share = np.where(before == step, 1.0, np.where(after == step, 0.0, share))
        around = mean[before] * (1 - share) + mean[after] * share
        left_out = np.where(alone, around[place], left_out)
    said[rows] = left_out
    return steady(said)
