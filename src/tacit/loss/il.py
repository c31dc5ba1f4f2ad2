"""IL1 .. IL5 and their mean as measures (formulas and sources: ``il_arrays``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.data.microdata import Kind
from tacit.data.pair import Pair
from tacit.loss import class_means
from tacit.loss.changed import changed
from tacit.loss.il_arrays import Five, five
from tacit.loss.tv import tv

Relative = Literal["spread", "value"]
INFINITY = float("inf")
HIGHER = "the masked file is further from the original"
# what 0 means
ZERO = {
    "IL1": "every value is as it was",
    "IL2": "every mean is as it was",
    "IL3": "every variance is as it was",
    "IL4": "every covariance is as it was",
    "IL5": "every correlation is as it was",
    "IL": "values, means, variances, covariances and correlations are as they were",
}
# the highest value there can be: a correlation moves by 2 at most, the others without end
TOP = {"IL5": 2.0}


def _part(
    name: str,
    original: object,
    masked: object,
    columns: Sequence[str] | None,
    relative: str,
) -> Measure:
    """One of the five, or their mean, over the columns of numbers."""
    pair = Pair.of(original, masked, columns)
    if why := class_means.why_not(pair):
        return Measure.absent(name, why)
    x, z = class_means.rows(pair)
    losses = five(x, z, relative=relative)
    # "IL3" is the third of the five
    value = losses.mean if name == "IL" else losses.values[int(name[2]) - 1]
    if value != value:
        why = "the files differ in length, so values cannot be compared"
        return Measure.absent(name, why)
    # records and columns have a loss of their own in IL1 only, which IL shows too
    per_record, per_column = None, None
    if name in ("IL", "IL1") and pair.aligned:
        per_record = losses.record
        by_column = losses.column.tolist()
        per_column = dict(zip(class_means.compared(pair), by_column, strict=True))
    return Measure(
        name,
        value,
        (0.0, TOP.get(name, INFINITY)),
        ZERO[name],
        HIGHER,
        _details(name, pair, losses, relative),
        per_record,
        per_column,
    )


def _details(
    name: str,
    pair: Pair,
    losses: Five,
    relative: str,
) -> dict[str, object]:
    """What was compared, what was left out, and the parts of the mean."""
    names, classes = class_means.compared(pair), class_means.classes(pair)
    details: dict[str, object] = {"relative to": relative, "columns": names}
    if classes:
        details["columns of classes (a label counts as its records' mean)"] = classes
    if relative == "value" and losses.skipped:
        details["cells left out (value 0)"] = losses.skipped
    if name == "IL":
        parts = enumerate(losses.values, start=1)
        details |= {f"IL{i}": value for i, value in parts}
    return details


@facts.measure("IL1: values", passes="runs")
def il1(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    relative: Relative = "spread",
) -> Measure:
    """IL1, change of values: mean over cells of |x - z| / (sqrt(2) S_j).

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns that are compared; the common quasi-identifiers unless given.
    relative : {'spread', 'value'}
        Divide by the original's standard deviation, or by the original value.

    Notes
    -----
    **Definition.** S_j is the original's sd (``spread``); ``value``: |x - z| / |x| over cells
    that are not 0. A suppressed cell counts as its column's mean, a label where there were
    numbers as the mean of the records that carry it.
    **Range.** [0, inf). 0: no value changed. Higher: values moved further.

    References
    ----------
    Domingo-Ferrer and Torra (2001); the scale is that of Yancey, Winkler and Creecy (2002).
    """
    return _part("IL1", original, masked, columns, relative)


@facts.measure("IL2: means", passes="runs")
def il2(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    relative: Relative = "spread",
) -> Measure:
    """IL2, change of means: mean over columns of |mean - mean'| / S_j.

    Parameters
    ----------
    original, masked, columns
        As in ``il1``.
    relative : {'spread', 'value'}
        Divide by the original's standard deviation, or by its mean.

    Notes
    -----
    **Range.** [0, inf). 0: no mean changed. Higher: means moved further.

    References
    ----------
    Domingo-Ferrer and Torra (2001).
    """
    return _part("IL2", original, masked, columns, relative)


@facts.measure("IL3: variances", passes="runs")
def il3(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    relative: Relative = "spread",
) -> Measure:
    """IL3, change of variances: mean over columns of |v - v'| / v.

    Parameters
    ----------
    original, masked, columns
        As in ``il1``.
    relative : {'spread', 'value'}
        Both are the same for variances.

    Notes
    -----
    **Range.** [0, inf). 0: no variance changed. Higher: variances moved further.

    References
    ----------
    Domingo-Ferrer and Torra (2001).
    """
    return _part("IL3", original, masked, columns, relative)


@facts.measure("IL4: covariances", passes="runs")
def il4(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    relative: Relative = "spread",
) -> Measure:
    """IL4, change of covariances: mean over i <= j of |v_ij - v'_ij| / (S_i S_j).

    Parameters
    ----------
    original, masked, columns
        As in ``il1``.
    relative : {'spread', 'value'}
        Divide by the product of standard deviations, or by the covariance.

    Notes
    -----
    **Range.** [0, inf). 0: no covariance changed. Higher: covariances moved further.

    References
    ----------
    Domingo-Ferrer and Torra (2001).
    """
    return _part("IL4", original, masked, columns, relative)


@facts.measure("IL5: correlations", passes="runs")
def il5(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    relative: Relative = "spread",
) -> Measure:
    """IL5, change of correlations: mean over i < j of |r_ij - r'_ij|.

    Parameters
    ----------
    original, masked, columns
        As in ``il1``.
    relative : {'spread', 'value'}
        Both are the same for correlations.

    Notes
    -----
    **Range.** [0, 2]. 0: no correlation changed. Higher: correlations moved further.

    References
    ----------
    Domingo-Ferrer and Torra (2001).
    """
    return _part("IL5", original, masked, columns, relative)


@facts.measure("Information loss (IL)", passes="runs")
def il(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    relative: Relative = "spread",
) -> Measure:
    """IL = (IL1 + IL2 + IL3 + IL4 + IL5) / 5, the loss of the published score.

    Parameters
    ----------
    original, masked, columns
        As in ``il1``.
    relative : {'spread', 'value'}
        Relative to the original's spread, or to the original values.

    Notes
    -----
    **Definition.** The published score has it in percent. The five see numbers only. Where
    nominal columns are compared too, IL is the mean over columns of that value for each
    continuous or ordinal column and of (share of changed cells + total variation) / 2 for
    each nominal one. Numbers that became classes count as the mean of their class.
    **Range.** [0, inf). 0: nothing of this was lost. Higher: more was.

    References
    ----------
    Domingo-Ferrer and Torra (2001); the nominal part is ours.
    """
    pair = Pair.of(original, masked, columns)
    nominal = pair.names(Kind.nominal)
    if not nominal:
        return _part("IL", original, masked, columns, relative)
    if not pair.aligned:
        why = "the files differ in length and have nominal columns"
        return Measure.absent("IL", why)
    cells = changed(original, masked, columns=nominal).per_column or {}
    shares = tv(original, masked, columns=nominal).per_column or {}
    by_nominal = {name: (cells[name] + shares[name]) / 2 for name in nominal}
    total = sum(by_nominal.values())
    details: dict[str, object] = {"nominal columns": by_nominal}
    per_column = dict(by_nominal)
    numeric = class_means.compared(pair)
    if numeric:
        numbers = _part("IL", original, masked, numeric, relative)
        total += numbers.value * len(numeric)
        details |= numbers.details | {"numbers": numbers.value}
        per_column |= numbers.per_column or {}
    return Measure(
        "IL",
        total / (len(nominal) + len(numeric)),
        (0.0, INFINITY),
        ZERO["IL"] + ", and so are categories",
        HIGHER,
        details,
        None,
        per_column,
    )
