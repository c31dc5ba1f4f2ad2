"""Table 8 of Abril, Navarro-Arribas and Torra (2012): does the file determine a printed weight?

One weight of the printed vector is replaced by the one that our search finds on the same 400
records, the others stay. Where that links no fewer records, nothing in the file speaks for the
printed number, and another solver prints another one.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from tacit.attack.learned.weights_search import search_weights
from tacit.base.typing import Floats
from tacit.reproduce.experiments.weights import (
    KNOWN,
    TRAIN,
    draw_order,
    file_order,
    protect,
    standard_pairs,
)
from tacit.reproduce.model import Context, params
from tacit.reproduce.transcript import published

DRAWS = 10
"""Samples of 400 records, as the paper has ten executions."""
LINES = 150
"""Lines along which the weights are searched; any good weights will do here, not only the best."""


def undetermined_weight(cell: str, measure: str, text: str) -> str | None:
    """The sentence that refutes a printed weight, or None where the file does speak for it.

    Refuted: over the draws the links change by no less than minus two standard errors.
    """
    place = int(measure.removeprefix("weight_V")) - 1
    printed, swapped = _links(cell)
    change = swapped[:, place] - printed
    error = float(change.std(ddof=1)) / np.sqrt(DRAWS)
    if change.mean() < -2 * error:
        return None
    return (
        f"with our {measure.removeprefix('weight_')} in place of {text} the printed weights link "
        f"{swapped[:, place].mean():.1f} % instead of {printed.mean():.1f} %: the file does not "
        "determine it"
    )


@cache
def _links(cell: str) -> tuple[Floats, Floats]:
    """Percent linked by the printed weights, and with each of them replaced, by draw."""
    values, _ = file_order(Context())
    given = params(cell)
    printed = np.array(_printed(cell))
    of_printed = np.empty(DRAWS)
    of_swapped = np.empty((DRAWS, KNOWN))
    for seed in range(DRAWS):
        # groups on raw units, which is how the figures of Tables 7 to 9 come out
        masked = protect(values, given, seed, "raw")
        rows = draw_order(len(values), seed)[:TRAIN]
        pairs = standard_pairs(values[rows, :KNOWN], masked[rows, :KNOWN])
        ours = search_weights(pairs, lines=LINES, seed=seed).weights
        of_printed[seed] = pairs.correct(printed / printed.sum())
        for place in range(KNOWN):
            mixed = printed.copy()
            mixed[place] = ours[place]
            of_swapped[seed, place] = pairs.correct(mixed / mixed.sum())
    return 100 * of_printed / TRAIN, 100 * of_swapped / TRAIN


def _printed(cell: str) -> list[float]:
    """The seven weights of a row of the table."""
    row = published()["weights-8"][cell]
    return [float(row[f"weight_V{j}"].text) for j in range(1, KNOWN + 1)]
