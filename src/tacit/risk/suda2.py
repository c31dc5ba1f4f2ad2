"""SUDA2: special uniques, their scores and what each column contributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tacit.errors import ParameterError
from tacit.measure import Measure
from tacit.microdata import Microdata
from tacit.risk.frequency import NO_KEYS, categorical, key_codes, keyed, weights_of
from tacit.risk.keys import FloatArray, IntArray, classes
from tacit.risk.uniques import dis, find
from tacit.risk.uniques import weight as worth_of


@dataclass(frozen=True)
class Suda:
    """``score`` and ``dis`` of each record; ``contributions``: percent of the total score by column.

    ``sets``: (record, columns as bits) of every minimal sample unique; ``by_record``: (n, keys), the share of the
    record's score that comes from sets with the column.
    """

    score: FloatArray
    dis: FloatArray
    contributions: dict[str, float]
    by_record: FloatArray
    sets: tuple[IntArray, IntArray]
    keys: tuple[str, ...]
    definition: str
    fraction: float

    def to_dict(self) -> dict[str, Any]:
        """Summary in plain types."""
        return {
            "definition": self.definition,
            "fraction": self.fraction,
            "keys": list(self.keys),
            "minimal sample uniques": len(self.sets[0]),
            "records with a score": int((self.score > 0).sum()),
            "highest score": float(self.score.max(initial=0.0)),
            "highest dis": float(self.dis.max(initial=0.0)),
            "contributions": self.contributions,
        }

    def __repr__(self) -> str:
        return (
            f"Suda({int((self.score > 0).sum())} of {len(self.score)} records are special uniques; "
            f"highest DIS {self.dis.max(initial=0.0):.4f}; score as in {self.definition})"
        )


def suda(
    data: Any,
    keys: Sequence[str] | None = None,
    *,
    definition: Literal["elliot", "ihsn"] = "elliot",
    fraction: float | None = None,
    weight: str | None = None,
    largest: int | None = None,
) -> Suda:
    """Score of each record from its minimal sample uniques (MSU): the smallest sets of keys on which it is alone.

    With m keys, an MSU of s keys adds (m - s)! (``definition="elliot"``, the original paper and the default) or
    (2^(m-s) - 1) s! (m-s)! / m! (``"ihsn"``, the IHSN program). DIS = 1 / (1 + P (1 - f) / f / (S^Q sum S^-Q)),
    Q = 1 + (8 - m)/20, P = records whose key occurs twice, f = the sampling fraction (given, or n over the
    sum of the column ``weight``, or 0.01). Score: 0 and up; 0: not unique on any set of keys; higher: unique on fewer
    keys, and so easier to find. DIS: [0, 1], like a probability that a match is right. A missing value is part of no
    MSU. ``largest``: MSUs of at most that many keys. Exact: no hashing.
    Source: Elliot, Manning and Ford 2002; Manning, Haglin and Keane 2008 (the search); Elliot and Manning 2003 (DIS).

    >>> s = suda({"a": [1, 1, 2], "b": [1, 2, 2]}, fraction=0.1)
    >>> s.score.tolist(), s.contributions
    ([1.0, 1.0, 1.0], {'a': 66.66666666666667, 'b': 66.66666666666667})
    """
    data, names = keyed(data, keys)
    m = len(names)
    if m > 62:
        raise ParameterError(f"SUDA takes at most 62 keys, not {m}; leave some out (keys=[...])")
    if definition not in ("elliot", "ihsn"):
        raise ParameterError(f"definition={definition!r} must be 'elliot' or 'ihsn'")
    if largest is not None and largest < 1:
        raise ParameterError(f"largest={largest} must be 1 or more")
    if fraction is None:
        fraction = 0.01 if weight is None else sampling_fraction(data, weight)
    if not 0 < fraction <= 1:
        raise ParameterError(f"fraction={fraction} must be above 0 and at most 1")
    coded = key_codes(data, names)
    row, columns = find(coded, largest)
    size = np.bitwise_count(columns).astype(np.int64)
    worth = np.array([0.0, *(worth_of(m, s, definition) for s in range(1, m + 1))])[size]
    n = len(coded)
    score = np.bincount(row, weights=worth, minlength=n).astype(np.float64)
    shares = np.empty((n, m))
    for j in range(m):
        shares[:, j] = np.bincount(row, weights=worth * ((columns >> j) & 1), minlength=n)
    total = score.sum()
    contributions = {name: float(100 * shares[:, j].sum() / total) if total else 0.0 for j, name in enumerate(names)}
    shares /= np.where(score > 0, score, 1.0)[:, None]
    labels, number = classes(coded)
    pairs = 2 * int((np.bincount(labels, minlength=number) == 2).sum())
    return Suda(
        score,
        dis(score, m, pairs, fraction),
        contributions,
        shares,
        (row, columns),
        tuple(names),
        definition,
        float(fraction),
    )


def sampling_fraction(data: Microdata, weight: str | None = None) -> float:
    """n / sum of weights, at most 1; 0.01 where no column has the role weight."""
    weights = weights_of(data, weight)
    return 0.01 if weights is None else float(min(1.0, data.n / weights.sum()))


MOST_WORK = 30_000_000
"""Where records times sets of keys (n 2^m) are more than this, the measure looks at sets of at most three keys."""


def special_uniques(
    original: Any, masked: Any, *, keys: Sequence[str] | None = None, fraction: float | None = None
) -> Measure:
    """Mean DIS score of the released records (see ``suda``): sum of DIS / n.

    Range [0, 1]. 0: no record is alone on any set of keys. Higher: more records are alone on fewer keys.
    Per column: percent of the total score that comes from sets with the column. On large files with many keys sets of
    at most three keys are searched, and the details say so; ``suda`` itself searches all.
    """
    data, names = categorical(original, masked, keys)
    if not names:
        return Measure.absent("suda", NO_KEYS)
    largest = 3 if data.n * 2.0 ** len(names) > MOST_WORK else None
    found = suda(data, names, fraction=fraction or sampling_fraction(data), largest=largest)
    return Measure(
        "suda",
        float(found.dis.mean()) if len(found.dis) else 0.0,
        (0.0, 1.0),
        "no record is unique on any set of keys",
        "more records are unique on few keys",
        found.to_dict() | ({"sets of at most": largest} if largest else {}),
        found.dis,
        found.contributions,
    )
