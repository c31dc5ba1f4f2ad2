"""Abril, Navarro-Arribas and Torra (2012), Tables 5 and 6 and Figure 1: single columns.

What uneven noise does to the learned weights, what one column links alone, and how far rank
swapping moves values.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.reproduce.experiments.weights import (
    KNOWN,
    TRAIN,
    draw_order,
    file_order,
    learn,
    protect,
    standard_pairs,
)
from tacit.reproduce.model import Context, Outcome, Params

# Weights of Table 5, V1 to V7, as printed.
PRINTED = np.array([0.97970, 0.01484, 0.00500, 0.0, 0.0, 0.00046, 0.0])


def uneven_noise(context: Context, seed: int) -> tuple[Floats, Floats, str]:
    """V1 with 1 % of noise, V2 with 2 %, and so on; 400 records."""
    values, note = file_order(context)
    known = values[:, :KNOWN]
    draws = np.random.default_rng(seed).standard_normal(known.shape)
    percent = np.arange(1, KNOWN + 1)
    noise = draws * known.std(axis=0, ddof=1) * percent / 100
    masked = known + noise
    rows = draw_order(len(values), seed)[:TRAIN]
    return known[rows], masked[rows], note


@cache
def uneven_weights(context: Context, seed: int) -> Floats:
    """The learned weights of that file; all seven cells of Table 5 share them."""
    original, masked, _ = uneven_noise(context, seed)
    return learn(original, masked, seed, context.quick)[1]


def key_columns(params: Params, seed: int, context: Context) -> Outcome:
    """The weight of one column, and the percentage that it links alone (Tables 5 and 6)."""
    original, masked, note = uneven_noise(context, seed)
    # columns are called V1 to V7
    j = int(params["column"][1:]) - 1
    alone = standard_pairs(original[:, [j]], masked[:, [j]])
    single = 100 * alone.correct(np.ones(1)) / alone.n
    weight = float(uneven_weights(context, seed)[j])
    return Outcome({"weight": weight, "single": single}, note)


def moves(params: Params, seed: int, context: Context) -> Outcome:
    """Figure 1: how far rank swapping moves the values of V1."""
    values, note = file_order(context)
    swapped = protect(values, params | {"method": "rank_swapping"}, seed)
    before, after = values[:, 0], swapped[:, 0]
    moved = np.abs(_ranks(before) - _ranks(after))
    figures = {
        "largest_move_percent": 100 * float(moved.max()) / len(before),
        "correlation": float(np.corrcoef(before, after)[0, 1]),
    }
    return Outcome(figures, note)


def _ranks(values: Floats) -> Ints:
    """The rank of each value; equal ones in the order of the file."""
    order = np.argsort(values, kind="stable")
    return np.argsort(order, kind="stable")


@cache
def undetermined() -> str | None:
    """Do weights that look nothing like the printed ones link as many records?

    Then the optimum names none, and the sentence says so.
    """
    original, masked, _ = uneven_noise(Context(), 0)
    pairs = standard_pairs(original, masked)
    growing = np.arange(1.0, KNOWN + 1)
    equal = pairs.correct(np.full(KNOWN, 1 / KNOWN))
    # the worst guess an intruder could make: trust the noisiest column most
    backwards = pairs.correct(growing / growing.sum())
    theirs = pairs.correct(PRINTED / PRINTED.sum())
    if min(equal, backwards) < theirs:
        return None
    return (
        f"equal weights link {equal:.0f} of {pairs.n}, weights that grow with the noise "
        f"{backwards:.0f}, the printed weights {theirs:.0f}: the optimum does not "
        "determine the weights"
    )
