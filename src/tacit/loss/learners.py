"""Losses that a model sees: telling the files apart (pMSE), and learning from the masked file.

Records are put in an order that depends on their values only before they are dealt into folds, so that row order does
not change a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.loss.moments import FloatArray
from tacit.measure import Measure
from tacit.microdata import Kind, Microdata
from tacit.pair import Pair

LARGEST = 5_000
"""Models are trained on at most this many records of each file, spread evenly over the value order."""


def _some(pair: Pair) -> tuple[FloatArray, FloatArray]:
    x, z = pair.numbers()
    if pair.aligned:
        order = pair.canonical()
        x, z = x[order], z[order]
    else:
        x, z = x[np.lexsort(x.T[::-1])], z[np.lexsort(z.T[::-1])]
    return x[:: -(-len(x) // LARGEST)], z[:: -(-len(z) // LARGEST)]


def pmse(original: Any, masked: Any, *, columns: Sequence[str] | None = None, folds: int = 5, seed: int = 0) -> Measure:
    """Propensity score mean squared error: pMSE / (c (1 - c)), pMSE = mean of (p_i - c)^2 over both files stacked.

    p_i: probability that record i is masked, by trees cross-validated so that no record is judged by trees that saw it
    or its counterpart; c: share of masked records. Range [0, 1]. 0: nobody can tell the files apart. Higher: easier to
    tell; 1: everybody can. The details give the area under the ROC curve (0.5 is guessing). Source: Woo, Reiter,
    Oganian and Karr 2009; Snoke, Raab, Nowok, Dibben and Slavkovic 2018.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score

    pair = Pair.of(original, masked, columns)
    if not pair.columns:
        return Measure.absent("pMSE", "the files have no column in common")
    x, z = _some(pair)
    if min(len(x), len(z)) < 2 * folds:
        return Measure.absent("pMSE", f"cross-validation in {folds} folds needs at least {2 * folds} records")
    rows = np.vstack([x, z])
    label = np.repeat([0, 1], [len(x), len(z)])
    rng = np.random.default_rng(seed)
    ours = rng.permutation(len(x)) % folds
    fold = np.concatenate([ours, ours if pair.aligned else rng.permutation(len(z)) % folds])
    chance = np.empty(len(rows))
    for part in range(folds):
        test = fold == part
        model = RandomForestClassifier(20, min_samples_leaf=5, max_features=None, random_state=seed, n_jobs=1)
        model.fit(rows[~test], label[~test])
        chance[test] = model.predict_proba(rows[test])[:, 1]
    c = len(z) / len(rows)
    error = float(((chance - c) ** 2).mean())
    return Measure(
        "pMSE",
        error / (c * (1 - c)),
        (0.0, 1.0),
        "masked and original records cannot be told apart",
        "they can be told apart more often",
        {"pMSE": error, "area under the curve": float(roc_auc_score(label, chance)), "folds": folds, "records": len(x)},
    )


def classifier(original: Any, masked: Any, *, target: str | None = None, folds: int = 5, seed: int = 0) -> Measure:
    """Loss of accuracy when trees learn from the masked file and are tested on original records they have not seen:
    accuracy(trained on original) - accuracy(trained on masked), cross-validated over the same folds.

    ``target``: the column to predict (the first nominal confidential column, or else the first nominal column).
    Range [-1, 1]. 0: the masked file teaches as much as the original. Higher: it teaches less. Below 0: by chance more.
    """
    from sklearn.ensemble import RandomForestClassifier

    before, after = Microdata.of(original), Microdata.of(masked)
    base = Pair.of(before, after, [name for name in before.names if name in after.schema])
    schema = base.original.schema
    nominal = [name for name in base.columns if schema[name].kind is Kind.nominal]
    if target is None:
        confidential = [name for name in nominal if schema[name].role == "confidential"]
        target = next(iter(confidential or nominal), None)
    if target is None or not base.aligned:
        return Measure.absent("classifier", "there is no nominal column to predict; name one (target=...)")
    used = [n for n in base.columns if n != target and schema[n].role in ("quasi", "confidential", "other")]
    if not used:
        return Measure.absent("classifier", f"there is no column to predict '{target}' from")
    pair = Pair.of(base.original, base.masked, [*used, target])
    x, z = _some(pair)
    known = ~(np.isnan(x[:, -1]) | np.isnan(z[:, -1]))
    x, z = x[known], z[known]
    if len(x) < 2 * folds or len(np.unique(x[:, -1])) < 2:
        return Measure.absent("classifier", f"'{target}' has one value only, or there are too few records")
    fold: NDArray[np.int64] = np.random.default_rng(seed).permutation(len(x)) % folds
    right = {"original": 0, "masked": 0}
    for part in range(folds):
        test = fold == part
        for name, train in (("original", x[~test]), ("masked", z[~test])):
            model = RandomForestClassifier(30, min_samples_leaf=3, random_state=seed, n_jobs=1)
            model.fit(train[:, :-1], train[:, -1])
            right[name] += int((model.predict(x[test, :-1]) == x[test, -1]).sum())
    accuracy = {name: hits / len(x) for name, hits in right.items()}
    usual = float(np.unique(x[:, -1], return_counts=True)[1].max() / len(x))
    return Measure(
        "classifier",
        accuracy["original"] - accuracy["masked"],
        (-1.0, 1.0),
        "the masked file teaches as much as the original",
        "it teaches less",
        {"target": target, "accuracy": accuracy, "most frequent value": usual},
    )
