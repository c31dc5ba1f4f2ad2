"""Attackers and what they find. Ties are counted as an intruder would meet them: row order is not knowledge."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from tacit import parameters
from tacit.attack.linkage import Linkage
from tacit.errors import ColumnError, InputError
from tacit.microdata import FloatArray, Kind, Microdata

__all__ = ["Attacker", "Distinct", "Linkage", "Matching", "distinct", "true_rows"]

IntArray = NDArray[np.int64]


@dataclass
class Matching:
    """What an attacker names, before it is scored against the truth.

    Identical masked records form a class. For original i the attacker names a record of class ``classes[e]``
    with probability ``probability[e]`` (over its random tie breaking), for e in ``indptr[i] .. indptr[i + 1]``;
    within a class each record is equally likely.
    """

    match: IntArray
    score: FloatArray
    masked_class: IntArray
    indptr: IntArray
    classes: IntArray
    probability: FloatArray
    margin: FloatArray | None = None
    cost: float | None = None
    bound: float | None = None
    certified: bool | None = None
    log: list[dict[str, Any]] = field(default_factory=list)
    duals: tuple[FloatArray, FloatArray] | None = None


class Attacker(BaseEstimator):  # type: ignore[misc]
    """An intruder: knows the original's columns, sees the release, and names a masked record for each original.

    A method writes ``__init__`` (annotated parameters), ``_link`` and ``knows``.
    """

    kinds: ClassVar[frozenset[Kind]] = frozenset(Kind)

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        raise NotImplementedError

    def link(self, original: Any, masked: Any, *, truth: Any = None) -> Linkage:
        """Attack. ``truth[i]`` is the masked row of original i (-1: not released); aligned rows unless given.

        The truth is used to count correct links, never to find them.
        """
        parameters.check(type(self), self.get_params(deep=False))
        start = time.perf_counter()
        original, masked = Microdata.of(original), Microdata.of(masked)
        true_row = true_rows(original.n, masked.n, truth)
        columns = self._columns(original, masked)
        for file, words in ((original, "original"), (masked, "masked")):
            if file.n == 0:
                raise InputError(f"the {words} file has no records: there is nothing to link")
        try:
            matching = self._link(original, masked, columns)
        except np.linalg.LinAlgError as error:
            raise InputError(
                f"{type(self).__name__} cannot work with covariances of values of this size ({error}); "
                "bring the columns to a common unit first"
            ) from None
        seconds = time.perf_counter() - start
        success, ties = _score(matching, true_row)
        return Linkage(
            attacker=type(self).__name__,
            knows=self.knows,
            columns=tuple(columns),
            match=matching.match,
            score=matching.score,
            margin=np.full(original.n, np.nan) if matching.margin is None else matching.margin,
            success=success,
            ties=ties,
            truth=true_row,
            masked_records=masked.n,
            seconds=seconds,
            cost=matching.cost,
            bound=matching.bound,
            certified=matching.certified,
            log=matching.log,
            explainer=lambda i: self._explain(original, masked, columns, matching, i),
        )

    def _link(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        raise NotImplementedError

    def _explain(
        self, original: Microdata, masked: Microdata, columns: list[str], matching: Matching, i: int
    ) -> dict[str, Any]:
        """Which masked classes compete for record i; attackers add why."""
        entries = slice(matching.indptr[i], matching.indptr[i + 1])
        return {
            "record": i,
            "named": int(matching.match[i]),
            "score": float(matching.score[i]),
            "classes": matching.classes[entries].tolist(),
            "probability": matching.probability[entries].tolist(),
        }

    def _columns(self, original: Microdata, masked: Microdata) -> list[str]:
        """The columns that the intruder compares: those asked for, or the quasi-identifiers of both files."""
        asked = getattr(self, "columns", None)
        if asked is not None:
            for name in asked:
                original.schema[name], masked.schema[name]
            return list(asked)
        names = [name for name in original.quasi if name in masked.schema]
        if not names:
            raise ColumnError("the two files have no quasi-identifier in common; name the columns to compare (--quasi)")
        return names


@dataclass(frozen=True)
class Distinct:
    """The distinct rows of an array in value order; ``inverse``: class of each row; ``count``: class sizes."""

    rows: FloatArray
    inverse: IntArray
    count: IntArray
    first: IntArray


def distinct(values: FloatArray) -> Distinct:
    """Group identical rows; the order of classes depends on values alone, so permuting rows changes nothing."""
    values = np.ascontiguousarray(values) + 0.0  # -0.0 and 0.0 are the same value
    n = len(values)
    order = np.lexsort(values.T[::-1]) if values.shape[1] else np.arange(n)
    ranked = values[order]
    with np.errstate(invalid="ignore"):
        same = (ranked[1:] == ranked[:-1]) | (np.isnan(ranked[1:]) & np.isnan(ranked[:-1]))
    starts = np.concatenate([[True], ~same.all(axis=1)]) if n else np.zeros(0, dtype=bool)
    label = np.cumsum(starts) - 1
    inverse = np.empty(n, dtype=np.int64)
    inverse[order] = label
    heads = np.flatnonzero(starts)
    first = np.minimum.reduceat(order, heads) if n else np.zeros(0, dtype=np.int64)
    return Distinct(ranked[heads], inverse, np.bincount(label, minlength=len(heads)).astype(np.int64), first)


def true_rows(n: int, m: int, truth: Any) -> IntArray:
    """The masked row of each original: as given, or row by row; -1: not released."""
    if truth is None:
        if n != m:
            raise InputError(
                f"the original has {n} records and the masked file {m}: they cannot be aligned by row; "
                "say which masked row belongs to each original (truth=...)"
            )
        return np.arange(n, dtype=np.int64)
    rows = np.asarray(truth, dtype=np.int64)
    if rows.shape != (n,):
        raise InputError(f"truth needs one entry for each of the {n} original records, not {rows.shape}")
    if n and (rows.max() >= m or rows.min() < -1):
        raise InputError(f"truth must be row numbers from 0 to {m - 1}, or -1 for records not released")
    return rows


def _score(matching: Matching, truth: IntArray) -> tuple[FloatArray, FloatArray]:
    """Exact probability that each original's own record is named, and the number of records that tie for it."""
    n = len(matching.match)
    size = np.bincount(matching.masked_class, minlength=int(matching.masked_class.max(initial=-1)) + 1)
    degree = np.diff(matching.indptr)
    owner = np.repeat(np.arange(n), degree)
    released = truth >= 0
    own = np.where(released, matching.masked_class[np.where(released, truth, 0)], -1)
    hit = matching.classes == own[owner]
    success = np.bincount(
        owner[hit], weights=matching.probability[hit] / size[matching.classes[hit]], minlength=n
    ).astype(np.float64)
    ties = np.bincount(owner, weights=size[matching.classes].astype(np.float64), minlength=n)
    return success, ties.astype(np.float64)
