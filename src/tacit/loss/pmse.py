"""Propensity score: can a model tell masked records from original ones?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.seeds import FIXED
from tacit.base.typing import Floats, Ints
from tacit.data.pair import Pair
from tacit.loss.random_trees import class_shares, ranks
from tacit.loss.training_rows import training_rows

TREES = 10
"""Trees of each fold; twenty order the records a little better and take twice as long."""
LEAF = 3
"""Records of the smallest leaf: as few as the smallest group that a release may show."""


@facts.measure("Propensity score (pMSE)", passes="sample")
def pmse(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    folds: Annotated[int, Ge(2)] = 5,
    seed: Annotated[int, Ge(0)] = FIXED,
) -> Measure:
    """Propensity score mean squared error: pMSE / (c (1 - c)), can the files be told apart?

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that are compared; the common quasi-identifiers unless given.
    folds : int
        Parts of the cross-validation.
    seed : int
        Seed of the folds and of the trees.

    Notes
    -----
    **Definition.** pMSE = mean of (p_i - c)^2 over both files stacked. p_i: probability that
    record i is masked, by extremely randomised trees (``loss.random_trees``) cross-validated so
    that no record is judged by trees that saw it or its counterpart; c: share of masked records.
    **Range.** [0, 1]. 0: nobody can tell the files apart. Higher: easier to tell; 1:
    everybody can. The details give the area under the ROC curve (0.5 is guessing).
    Trees guess a little even where there is nothing to tell: two independent samples of 1,080
    records of one population score about 0.1, with an area of 0.5. In a small file leaves near the
    cut are mixed, and 1 is not reached: two files of 80 records that do not overlap score 0.7.

    References
    ----------
    Woo, Reiter, Oganian and Karr (2009); Snoke, Raab, Nowok, Dibben and Slavkovic (2018);
    Geurts, Ernst and Wehenkel (2006) for the trees.
    """
    pair = Pair.of(original, masked, columns)
    if not pair.columns:
        return Measure.absent("pMSE", "the files have no column in common")
    x, z = training_rows(pair)
    if min(len(x), len(z)) < 2 * folds:
        fewest = 2 * folds
        why = f"cross-validation in {folds} folds needs at least {fewest} records"
        return Measure.absent("pMSE", why)
    rows = np.vstack([x, z])
    is_masked = np.repeat([0, 1], [len(x), len(z)])
    rng = np.random.default_rng(seed)
    # A record and its counterpart are in one fold: trees that saw one would know the other.
    fold_of_x = rng.permutation(len(x)) % folds
    fold_of_z = fold_of_x if pair.aligned else rng.permutation(len(z)) % folds
    fold = np.concatenate([fold_of_x, fold_of_z])
    propensity = _propensity(rows, is_masked, fold, seed)
    share = len(z) / len(rows)
    error = float(((propensity - share) ** 2).mean())
    return Measure(
        "pMSE",
        # c (1 - c) is the error of scores that are all 0 or 1 and right
        error / (share * (1 - share)),
        (0.0, 1.0),
        "masked and original records cannot be told apart",
        "they can be told apart more often",
        {
            "pMSE": error,
            "area under the curve": _area(is_masked, propensity),
            "folds": folds,
            "records": len(x),
        },
    )


def _propensity(
    rows: Floats,
    is_masked: Ints,
    fold: Ints,
    seed: int,
) -> Floats:
    """Probability that each record is masked, by trees that did not see its fold."""
    rng = np.random.default_rng(seed)
    ranked = ranks(rows)
    propensity = np.empty(len(rows))
    for part in np.unique(fold):
        test = np.flatnonzero(fold == part)
        train = np.flatnonzero(fold != part)
        _, propensity[test] = class_shares(
            ranked,
            is_masked,
            train,
            test,
            classes=2,
            trees=TREES,
            leaf=LEAF,
            rng=rng,
        )
    return propensity


def _area(is_masked: Ints, score: Floats) -> float:
    """Area under the ROC curve: P(a masked record scores above an original), ties count half.

    The rank sum of Mann and Whitney, with mean ranks.
    """
    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    # the mean of the ranks that equal scores share
    mean_rank = np.cumsum(count) - (count - 1) / 2
    ones = int(is_masked.sum())
    zeros = len(is_masked) - ones
    rank_sum = mean_rank[place.ravel()][is_masked == 1].sum()
    return float((rank_sum - ones * (ones + 1) / 2) / (ones * zeros))
