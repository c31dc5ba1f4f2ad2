"""The likelihood of the candidates that a sparse graph leaves out, from a sample of the other file.

A record in a crowded place has more candidates than a graph can hold; each is unlikely, all
together are not. Left out of sight they would make the few that are kept look too likely.
Estimated for record i:

    left_i = sum of exp(-cost_ij) over the sampled j that are no edge of i,
             times records / sampled records.

The sample is every s-th distinct record in the order of values, so it depends neither on a seed
nor on the order of rows.
"""

from __future__ import annotations

import numpy as np

from tacit.attack.base import Distinct
from tacit.attack.informed.evidence import Evidence
from tacit.base.typing import Floats, Ints

# Distinct records of the other file that are sampled, about
SAMPLE = 4_000
# Pairs that are written down at a time
PAIRS = 2_000_000


def left_out(
    evidence: Evidence,
    ours: Distinct,
    theirs: Distinct,
    rows: Ints,
    columns: Ints,
    cost: Floats,
) -> tuple[Floats, Floats]:
    """Minus the log likelihood that the edges leave out, for each distinct record of both files.

    Parameters
    ----------
    evidence : Evidence
        Costs of pairs.
    ours, theirs : Distinct
        Its classes.
    rows, columns, cost : arrays
        The edges, between classes.
    """
    forth = _one_side(
        evidence,
        ours,
        theirs,
        rows,
        columns,
        cost,
        turned=False,
    )
    back = _one_side(
        evidence,
        theirs,
        ours,
        columns,
        rows,
        cost,
        turned=True,
    )
    return forth, back


def _one_side(
    evidence: Evidence,
    here: Distinct,
    there: Distinct,
    at: Ints,
    other: Ints,
    cost: Floats,
    *,
    turned: bool,
) -> Floats:
    """Of the records ``here``; edges go from ``at`` to ``other``."""
    step = max(1, len(there.rows) // SAMPLE)
    sample = np.arange(step // 2, len(there.rows), step)
    copies = there.count[sample]
    # each sampled record stands for its share of the whole file
    weight = copies * (there.count.sum() / copies.sum())
    place = np.full(len(there.rows), -1)
    place[sample] = np.arange(len(sample))
    # edges that lead to the sample, by record: they are known and not left out
    known = np.flatnonzero(place[other] >= 0)
    known = known[np.argsort(at[known], kind="stable")]
    known_at = at[known]
    # likelihoods relative to the best edge, so that exp neither overflows nor vanishes
    best = np.full(len(here.rows), np.inf)
    np.minimum.at(best, at, cost)
    best[~np.isfinite(best)] = 0.0
    left = np.zeros(len(here.rows))
    size = max(1, PAIRS // len(sample))
    for start in range(0, len(left), size):
        block = slice(start, start + size)
        pairs = _costs(
            evidence,
            here.rows[block],
            there.rows[sample],
            turned,
        )
        first, last = np.searchsorted(known_at, [start, start + size])
        edges = known[first:last]
        pairs[at[edges] - start, place[other[edges]]] = np.inf
        left[block] = np.exp(best[block, None] - pairs) @ weight
    with np.errstate(divide="ignore"):
        return np.asarray(best - np.log(left), float)


def _costs(
    evidence: Evidence,
    here: Floats,
    sample: Floats,
    turned: bool,
) -> Floats:
    """Costs of some records with the sample.

    Of vectors by a matrix product: an estimate may lose a few digits.
    """
    if evidence.pure:
        norms = (here**2).sum(1)[:, None] + (sample**2).sum(1)
        return np.asarray(0.5 * norms - here @ sample.T, float)
    if turned:
        return evidence.block(sample, here).T.copy()
    return evidence.block(here, sample)
