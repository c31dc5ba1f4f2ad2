"""Propensity score: can a model tell masked records from original ones?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.seeds import FIXED
from tacit.base.typing import Floats, Ints
from tacit.data.pair import Pair
from tacit.loss.training_rows import training_rows


@facts.measure("Propensity score (pMSE)")
def pmse(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    folds: int = 5,
    seed: int = FIXED,
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
    record i is masked, by trees cross-validated so that no record is judged by trees that
    saw it or its counterpart; c: share of masked records.
    **Range.** [0, 1]. 0: nobody can tell the files apart. Higher: easier to tell; 1:
    everybody can. The details give the area under the ROC curve (0.5 is guessing).

    References
    ----------
    Woo, Reiter, Oganian and Karr (2009); Snoke, Raab, Nowok, Dibben and Slavkovic (2018).
    """
    # scikit-learn takes long to import, and only those who ask for pMSE need its metrics
    from sklearn.metrics import roc_auc_score

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
            "area under the curve": float(roc_auc_score(is_masked, propensity)),
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
    from sklearn.ensemble import RandomForestClassifier

    propensity = np.empty(len(rows))
    for part in np.unique(fold):
        test = fold == part
        # Leaves of five records smooth the probabilities; all columns are tried at each
        # split, since one changed column among many must be found.
        trees = RandomForestClassifier(
            20,
            min_samples_leaf=5,
            max_features=None,
            random_state=seed,
            n_jobs=1,
        )
        trees.fit(rows[~test], is_masked[~test])
        propensity[test] = trees.predict_proba(rows[test])[:, 1]
    return propensity
