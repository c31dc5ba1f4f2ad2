"""The likelihood of the candidates that a sparse graph leaves out, from a sample of the other file.

A record in a crowded place has more candidates than a graph can hold; each is unlikely, all together are not. Left
out of sight they would make the few that are kept look too likely. Estimated for record i:
    left_i = sum of exp(-cost_ij) over the sampled j that are no edge of i, times records / sampled records.
The sample is every s-th distinct record in the order of values, so it depends neither on a seed nor on the rows' order.
"""

from __future__ import annotations

import numpy as np

from tacit.attack.base import Distinct
from tacit.attack.evidence import Evidence
from tacit.microdata import FloatArray

SAMPLE = 4_000
PAIRS = 2_000_000
"""Pairs that are written down at a time."""


def left_out(
    evidence: Evidence, ours: Distinct, theirs: Distinct, rows: np.ndarray, columns: np.ndarray, cost: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Minus the log likelihood that the edges leave out, for each distinct original and each distinct masked record."""
    forth = _one_side(evidence, ours, theirs, rows, columns, cost, turned=False)
    back = _one_side(evidence, theirs, ours, columns, rows, cost, turned=True)
    return forth, back


def _one_side(
    evidence: Evidence,
    here: Distinct,
    there: Distinct,
    at: np.ndarray,
    other: np.ndarray,
    cost: FloatArray,
    *,
    turned: bool,
) -> FloatArray:
    step = max(1, len(there.rows) // SAMPLE)
    pick = np.arange(step // 2, len(there.rows), step)
    weight = there.count[pick] * (there.count.sum() / there.count[pick].sum())
    place = np.full(len(there.rows), -1)
    place[pick] = np.arange(len(pick))
    kept = np.flatnonzero(place[other] >= 0)
    kept = kept[np.argsort(at[kept], kind="stable")]
    best = np.full(len(here.rows), np.inf)
    np.minimum.at(best, at, cost)
    best[~np.isfinite(best)] = 0.0
    left = np.zeros(len(here.rows))
    size = max(1, PAIRS // len(pick))
    for s in range(0, len(left), size):
        pair = _costs(evidence, here.rows[s : s + size], there.rows[pick], turned)
        known = kept[np.searchsorted(at[kept], s) : np.searchsorted(at[kept], s + size)]
        pair[at[known] - s, place[other[known]]] = np.inf
        left[s : s + size] = np.exp(best[s : s + size, None] - pair) @ weight
    with np.errstate(divide="ignore"):
        return np.asarray(best - np.log(left), float)


def _costs(evidence: Evidence, here: FloatArray, sample: FloatArray, turned: bool) -> FloatArray:
    """Costs of some records with the sample; of vectors by a matrix product: an estimate may lose a few digits."""
    if evidence.pure:
        return np.asarray(0.5 * ((here**2).sum(1)[:, None] + (sample**2).sum(1)) - here @ sample.T, float)
    return evidence.block(sample, here).T.copy() if turned else evidence.block(here, sample)
