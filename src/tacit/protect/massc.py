"""MASSC: micro-agglomeration, substitution, subsampling and calibration."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge, Gt, Le
from numpy.typing import NDArray

from tacit.errors import ColumnError
from tacit.microdata import FloatArray, Kind, Microdata, Role
from tacit.protect.anonymity import compress
from tacit.protect.base import Protector, Seed
from tacit.protect.suppression import coded

Share = Annotated[float, Ge(0), Le(1)]
Positive = Annotated[float, Gt(0), Le(1)]


class MASSC(Protector):
    """Treat risky records more: substitute their keys, release a subsample, and repair the totals by weights.

    Definition, in its simple form:

    1. micro-agglomeration: strata by the number of records f that share a record's keys: f = 1, f = 2, 3 .. k - 1
       and f >= k (f = 1 first: the riskiest);
    2. substitution: with the stratum's probability a record takes all keys of its neighbour in the stratum (next in
       value order);
    3. subsampling: of each stratum the given share is released, drawn at random;
    4. calibration: design weights ``d = w / share`` (w the weight column, or 1) become ``d (1 + x'c)``, with c such
       that the weighted totals of 1 and of the ``calibrate`` columns equal those of the original (linear calibration).

    Source: Singh, Yu and Dunteman (2003), whose substitution and sampling rates come from an optimisation; here they
    are given. Guarantee: the calibrated totals, to rounding error (a negative weight is possible; ``weights_`` shows).
    The weights replace the weight column; without one they are in ``weights_``. Missing values move with the keys.
    Cost: one count of the keys and a small least-squares problem. Known attacks: keys that were not substituted are
    as they were; an intruder who knows that a record is in the sample links it as in the original.

    Parameters: ``substitute``, ``share``: one number for each of the four strata. ``k``: where the last begins.

    >>> import numpy as np
    >>> massc = MASSC(share=[0.5] * 4, random_state=1)
    >>> released = massc.fit_transform(np.repeat(np.arange(10.0), 2).reshape(20, 1))
    >>> round(float(massc.weights_.sum()), 6)
    20.0
    """

    def __init__(
        self,
        substitute: tuple[Share, Share, Share, Share] = (0.5, 0.4, 0.3, 0.1),
        share: tuple[Positive, Positive, Positive, Positive] = (0.5, 0.6, 0.7, 0.8),
        k: Annotated[int, Ge(3)] = 5,
        calibrate: list[str] | None = None,
        columns: list[str] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.substitute = substitute
        self.share = share
        self.k = k
        self.calibrate = calibrate
        self.columns = columns
        self.random_state = random_state

    def _apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        return self._release(data, columns, rng)[0]

    def _fit_apply(self, data: Microdata, columns: list[str], rng: np.random.Generator) -> Microdata:
        masked, self.weights_, self.rows_ = self._release(data, columns, rng)
        return masked

    def _release(
        self, data: Microdata, columns: list[str], rng: np.random.Generator
    ) -> tuple[Microdata, FloatArray, NDArray[np.intp]]:
        codes = coded(data, columns)
        _, label, count = compress(codes)
        stratum = np.searchsorted([2, 3, self.k], count[label], side="right")
        donor = neighbours(label, stratum, rng)
        moved = rng.random(data.n) < np.asarray(self.substitute)[stratum]
        masked = data.with_numbers(columns, data.numbers(columns)[np.where(moved, donor, np.arange(data.n))])
        rows, factor = self._sample(stratum, rng)
        weight_columns = data.schema.names(role=Role.weight)
        base = data.column(weight_columns[0]) if weight_columns else np.ones(data.n)
        known = np.column_stack([np.ones(data.n), data.numbers(self._calibrated(data, columns))])
        known = np.where(np.isnan(known), 0.0, known)
        weights = calibrated((base * factor)[rows], known[rows], base @ known)
        released = masked.take(rows)
        if weight_columns:
            released = released.with_column(weight_columns[0], weights, kind=Kind.continuous)
        return released, weights, rows

    def _calibrated(self, data: Microdata, columns: list[str]) -> list[str]:
        if self.calibrate is None:
            names = data.schema.names(role=Role.confidential, kind=Kind.continuous)
            return [name for name in names if name not in columns]
        for name in self.calibrate:
            if data.schema[name].kind is not Kind.continuous:
                raise ColumnError(f"totals need numbers, but '{name}' is {data.schema[name].kind}; leave it out")
        return list(self.calibrate)

    def _sample(self, stratum: NDArray[np.intp], rng: np.random.Generator) -> tuple[NDArray[np.intp], FloatArray]:
        chosen: list[NDArray[np.intp]] = []
        factor = np.ones(stratum.size)
        for s in range(4):
            inside = np.flatnonzero(stratum == s)
            if inside.size:
                size = max(1, round(self.share[s] * inside.size))
                chosen.append(rng.permutation(inside)[:size])
                factor[inside] = inside.size / size
        return np.sort(np.concatenate(chosen)), factor


def neighbours(label: NDArray[np.int64], stratum: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    """For each record another one of its stratum, next to it in value order of the keys (the last: the one before)."""
    shuffled = rng.permutation(label.size)
    order = shuffled[np.lexsort((label[shuffled], stratum[shuffled]))]
    after = np.roll(order, -1)
    before = np.roll(order, 1)
    same = stratum[after] == stratum[order]
    same[-1] = False
    donor = np.where(same, after, np.where(stratum[before] == stratum[order], before, order))
    out = np.empty(label.size, dtype=np.intp)
    out[order] = donor
    return out


def calibrated(weights: FloatArray, known: FloatArray, totals: FloatArray) -> FloatArray:
    """``weights (1 + known c)`` with weighted totals equal to ``totals`` (Deville and Sarndal 1992, linear)."""
    size = np.maximum(np.abs(known).max(axis=0), 1e-300)
    scaled = known / size
    cross = scaled.T @ (weights[:, None] * scaled)
    c = np.linalg.lstsq(cross, totals / size - weights @ scaled, rcond=1e-12)[0]
    return np.asarray(weights * (1 + scaled @ c))
