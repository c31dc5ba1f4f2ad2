"""What a model that learns from the masked file is worth on original records."""

from __future__ import annotations

import numpy as np

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.seeds import FIXED
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata
from tacit.data.pair import Pair
from tacit.loss.training_rows import training_rows

# Identifiers, weights and households say nothing about the target that a user would model.
_PREDICTORS = ("quasi", "confidential", "other")


@facts.measure("Classifier")
def classifier(
    original: object,
    masked: object,
    *,
    target: str | None = None,
    folds: int = 5,
    seed: int = FIXED,
) -> Measure:
    """Loss of accuracy when trees learn from the masked file, tested on original records.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    target : str, optional
        Column to predict; the first nominal confidential, or else nominal, column.
    folds : int
        Parts of the cross-validation.
    seed : int
        Seed of the folds and of the trees.

    Notes
    -----
    **Definition.** accuracy(trained on original) - accuracy(trained on masked),
    cross-validated over the same folds, on original records that the trees have not seen.
    **Range.** [-1, 1]. 0: the masked file teaches as much as the original. Higher: it
    teaches less. Below 0: by chance more.
    """
    before, after = Microdata.of(original), Microdata.of(masked)
    common = [name for name in before.names if name in after.schema]
    files = Pair.of(before, after, common)
    if target is None:
        target = _usual_target(files)
    if target is None or not files.aligned:
        why = "there is no nominal column to predict; name one (target=...)"
        return Measure.absent("classifier", why)
    schema = files.original.schema
    candidates = [name for name in files.columns if name != target]
    predictors = [name for name in candidates if schema[name].role in _PREDICTORS]
    if not predictors:
        why = f"there is no column to predict '{target}' from"
        return Measure.absent("classifier", why)
    # the target is the last column
    pair = Pair.of(files.original, files.masked, [*predictors, target])
    x, z = training_rows(pair)
    known = ~(np.isnan(x[:, -1]) | np.isnan(z[:, -1]))
    x, z = x[known], z[known]
    counts = np.unique(x[:, -1], return_counts=True)[1]
    if len(x) < 2 * folds or len(counts) < 2:
        why = f"'{target}' has one value only, or there are too few records"
        return Measure.absent("classifier", why)
    accuracy = _accuracy(x, z, folds, seed)
    return Measure(
        "classifier",
        accuracy["original"] - accuracy["masked"],
        (-1.0, 1.0),
        "the masked file teaches as much as the original",
        "it teaches less",
        {
            "target": target,
            "accuracy": accuracy,
            "most frequent value": float(counts.max() / len(x)),
        },
    )


def _usual_target(files: Pair) -> str | None:
    """The first nominal confidential column, or else the first nominal column."""
    schema = files.original.schema
    nominal = [name for name in files.columns if schema[name].scale is Kind.nominal]
    confidential = [name for name in nominal if schema[name].role == "confidential"]
    return next(iter(confidential or nominal), None)


def _accuracy(
    x: Floats,
    z: Floats,
    folds: int,
    seed: int,
) -> dict[str, float]:
    """Share of originals predicted right by trees trained on each of the files."""
    # scikit-learn takes long to import, and only those who ask for this loss need trees
    from sklearn.ensemble import RandomForestClassifier

    fold = np.random.default_rng(seed).permutation(len(x)) % folds
    right = {"original": 0, "masked": 0}
    for part in range(folds):
        test = fold == part
        truth = x[test, -1]
        for name, train in (("original", x[~test]), ("masked", z[~test])):
            trees = RandomForestClassifier(
                30,
                min_samples_leaf=3,
                random_state=seed,
                n_jobs=1,
            )
            trees.fit(train[:, :-1], train[:, -1])
            predicted = trees.predict(x[test, :-1])
            right[name] += int((predicted == truth).sum())
    return {name: hits / len(x) for name, hits in right.items()}
