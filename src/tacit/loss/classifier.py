"""What a model that learns from the masked file is worth on original records."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.seeds import FIXED
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Kind, Microdata
from tacit.data.pair import Pair
from tacit.loss.random_trees import class_shares, ranks
from tacit.loss.training_rows import training_rows

TREES = 10
"""Trees of each fold and file."""
LEAF = 3
"""Records of the smallest leaf: as few as the smallest group that a release may show."""
MOST_CLASSES = 20
"""Values of the target that are told apart; rarer ones count as one, since trees of some thousands
of records learn nothing about each."""

# Identifiers, weights and households say nothing about the target that a user would model.
_PREDICTORS = ("quasi", "confidential", "other")


@facts.measure("Classifier", passes="sample")
def classifier(
    original: object,
    masked: object,
    *,
    target: str | None = None,
    folds: Annotated[int, Ge(2)] = 5,
    seed: Annotated[int, Ge(0)] = FIXED,
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
    **Definition.** accuracy(trained on original) - accuracy(trained on masked), cross-validated
    over the same folds, on original records that the trees have not seen. The trees are those of
    ``loss.random_trees``. Of a target with more than 20 values the rarest count as one.
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
    n = len(x)
    both = np.vstack([x, z])
    rows = ranks(both[:, :-1])
    label = _classes(both[:, -1], n)
    fold = np.random.default_rng(seed).permutation(n) % folds
    right = {"original": 0, "masked": 0}
    for part in range(folds):
        test = np.flatnonzero(fold == part)
        train = np.flatnonzero(fold != part)
        for name, first in (("original", 0), ("masked", n)):
            shares = class_shares(
                rows,
                label,
                first + train,
                test,
                classes=int(label.max()) + 1,
                trees=TREES,
                leaf=LEAF,
                # the same draws for both files: what differs is the files
                rng=np.random.default_rng([seed, part]),
            )
            right[name] += int((shares.argmax(axis=0) == label[test]).sum())
    return {name: hits / n for name, hits in right.items()}


def _classes(target: Floats, n: int) -> Ints:
    """0, 1, ... for the most frequent values of the n originals; all others are one class."""
    values, place = np.unique(target, return_inverse=True)
    count = np.bincount(place.ravel()[:n], minlength=len(values))
    order = np.argsort(-count, kind="stable")
    number = np.empty(len(values), np.int64)
    number[order] = np.minimum(np.arange(len(values)), MOST_CLASSES)
    return number[place.ravel()]
