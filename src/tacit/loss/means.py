"""IL1 .. IL5 and their mean as measures (formulas and sources: ``five``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from tacit.loss.cells import changed
from tacit.loss.distributions import tv
from tacit.loss.five import Five, five
from tacit.loss.words import NO_NUMBERS
from tacit.measure import Measure
from tacit.microdata import Kind
from tacit.pair import Pair

Relative = Literal["spread", "value"]
WORDS = {
    "IL1": "every value is as it was",
    "IL2": "every mean is as it was",
    "IL3": "every variance is as it was",
    "IL4": "every covariance is as it was",
    "IL5": "every correlation is as it was",
    "IL": "values, means, variances, covariances and correlations are as they were",
}
TOP = {"IL5": 2.0}


def _five(original: Any, masked: Any, columns: Sequence[str] | None, relative: str) -> tuple[Pair, Five | None]:
    pair = Pair.of(original, masked, columns)
    return pair, five(*pair.numbers(pair.numeric), relative=relative) if pair.numeric else None


def _measure(name: str, pair: Pair, found: Five, relative: str) -> Measure:
    value = found.mean if name == "IL" else found.values[int(name[2]) - 1]
    details: dict[str, Any] = {"relative to": relative, "columns": pair.numeric}
    if pair.incomparable:
        details["columns left out (no longer numbers)"] = pair.incomparable
    if relative == "value" and found.skipped:
        details["cells left out (value 0)"] = found.skipped
    if value != value:
        return Measure.absent(name, "the files differ in length, so values cannot be compared")
    if name == "IL":
        details |= {f"IL{i}": part for i, part in enumerate(found.values, start=1)}
    cells = name in ("IL", "IL1") and found.record is not None
    return Measure(
        name,
        value,
        (0.0, TOP.get(name, float("inf"))),
        WORDS[name],
        "the masked file is further from the original",
        details,
        found.record if cells else None,
        dict(zip(pair.numeric, found.column.tolist(), strict=True)) if cells else None,
    )


def _one(name: str, original: Any, masked: Any, columns: Sequence[str] | None, relative: str) -> Measure:
    pair, found = _five(original, masked, columns, relative)
    return Measure.absent(name, NO_NUMBERS) if found is None else _measure(name, pair, found, relative)


def il1(original: Any, masked: Any, *, columns: Sequence[str] | None = None, relative: Relative = "spread") -> Measure:
    """IL1, change of values: mean over cells of |x - z| / (sqrt(2) S_j), S_j the original's sd (``spread``), or of
    |x - z| / |x| over cells that are not 0 (``value``).

    Range [0, inf). 0: no value changed. Higher: values moved further. A suppressed cell counts as its column's mean.
    Source: Domingo-Ferrer and Torra 2001; scale of Yancey, Winkler and Creecy 2002.
    """
    return _one("IL1", original, masked, columns, relative)


def il2(original: Any, masked: Any, *, columns: Sequence[str] | None = None, relative: Relative = "spread") -> Measure:
    """IL2, change of means: mean over columns of |mean - mean'| / S_j (``spread``) or / |mean| (``value``).

    Range [0, inf). 0: no mean changed. Higher: means moved further. Source: Domingo-Ferrer and Torra 2001.
    """
    return _one("IL2", original, masked, columns, relative)


def il3(original: Any, masked: Any, *, columns: Sequence[str] | None = None, relative: Relative = "spread") -> Measure:
    """IL3, change of variances: mean over columns of |v - v'| / v.

    Range [0, inf). 0: no variance changed. Higher: variances moved further. Source: Domingo-Ferrer and Torra 2001.
    """
    return _one("IL3", original, masked, columns, relative)


def il4(original: Any, masked: Any, *, columns: Sequence[str] | None = None, relative: Relative = "spread") -> Measure:
    """IL4, change of covariances: mean over i <= j of |v_ij - v'_ij| / (S_i S_j) (``spread``) or / |v_ij| (``value``).

    Range [0, inf). 0: no covariance changed. Higher: covariances moved further.
    Source: Domingo-Ferrer and Torra 2001.
    """
    return _one("IL4", original, masked, columns, relative)


def il5(original: Any, masked: Any, *, columns: Sequence[str] | None = None, relative: Relative = "spread") -> Measure:
    """IL5, change of correlations: mean over i < j of |r_ij - r'_ij|.

    Range [0, 2]. 0: no correlation changed. Higher: correlations moved further. Source: Domingo-Ferrer and Torra 2001.
    """
    return _one("IL5", original, masked, columns, relative)


def il(original: Any, masked: Any, *, columns: Sequence[str] | None = None, relative: Relative = "spread") -> Measure:
    """IL = (IL1 + IL2 + IL3 + IL4 + IL5) / 5, the loss of the published score (there in percent).

    The five see numbers only. Where nominal columns are compared too, IL is the mean over columns of that value for
    each continuous or ordinal column and of (share of changed cells + total variation) / 2 for each nominal one.
    Range [0, inf). 0: nothing of this was lost. Higher: more was. Source: Domingo-Ferrer and Torra 2001; the nominal
    part is ours.
    """
    pair = Pair.of(original, masked, columns)
    nominal = pair.names(Kind.nominal)
    if not nominal:
        return _one("IL", original, masked, columns, relative)
    if not pair.aligned:
        return Measure.absent("IL", "the files differ in length and have nominal columns")
    cells = changed(original, masked, columns=nominal)
    shares = tv(original, masked, columns=nominal)
    per_nominal = {name: (_of(cells, name) + _of(shares, name)) / 2 for name in nominal}
    total = sum(per_nominal.values())
    details: dict[str, Any] = {"nominal columns": per_nominal}
    per_column = dict(per_nominal)
    if pair.numeric:
        numbers = _one("IL", original, masked, pair.numeric, relative)
        total += numbers.value * len(pair.numeric)
        details |= numbers.details | {"numbers": numbers.value}
        per_column |= numbers.per_column or {}
    return Measure(
        "IL",
        total / (len(nominal) + len(pair.numeric)),
        (0.0, float("inf")),
        WORDS["IL"] + ", and so are categories",
        "the masked file is further from the original",
        details,
        None,
        per_column,
    )


def _of(measure: Measure, name: str) -> float:
    return (measure.per_column or {})[name]
