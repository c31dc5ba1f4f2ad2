"""The law of a release given its original, learned from shadows: one law per column, and
how columns move together.

log P(record | original) = sum over columns of log P(state) + log density(number), plus a
Gaussian copula of the normal scores of the residuals where that makes left-out draws
likelier.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.attack.base import Distinct, distinct
from tacit.attack.informed.evidence import Evidence, Part
from tacit.attack.informed.shadow_density import Density, density_of
from tacit.attack.informed.shadow_runs import ShadowRun
from tacit.attack.informed.shadow_states import (
    FIRST,
    Coding,
    codings_of,
    numbers_of,
    state_law,
    told_by_state,
)
from tacit.base.errors import ColumnError
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Kind, Microdata

FEW = 50
"""A density needs this many numbers that are no atoms; below it, it is learned from all numbers."""
PAIRS = 1_000_000
"""Pairs whose costs are worked out at a time."""
LOOSE = (0.02, 0.2)
"""Shares of the unit matrix that are mixed into the copula's correlations."""
GAIN = 0.01
"""Nats per draw that the copula must bring."""
CERTAIN = 5.0
"""Normal scores are cut here: the table of the shape has no more to say."""


@dataclass(frozen=True)
class ColumnLaw:
    """States and numbers of one column, given the original."""

    name: str
    coding: Coding
    log_state: Floats
    density: Density | None


@dataclass(frozen=True)
class Law:
    """What the shadows teach; `tie` is the inverse correlation of the residuals less the
    unit matrix (None: no gain)."""

    columns: list[ColumnLaw]
    classes: Distinct
    tie: Floats | None

    def evidence(self, released: Microdata) -> Evidence:
        """Minus the log likelihood of each released record given each original."""
        read = [each.coding.read(released, each.name) for each in self.columns]
        fields: list[Floats] = []
        for each, (state, number) in zip(self.columns, read, strict=True):
            value = np.zeros(released.n)
            if each.density is not None:
                there = ~np.isnan(number)
                value[there] = each.density.transform(number[there])
            fields += [state.astype(float), value]
        right = np.column_stack(fields)
        left = self.classes.inverse.astype(float)[:, None]
        part = Part(left, right, self._cost, self._hint(right))
        n, m = len(left), len(right)
        return Evidence(np.empty((n, 0)), np.empty((m, 0)), [part])

    def describe(self) -> dict[str, object]:
        """What was chosen, for the log."""
        scales = {
            each.name: each.density.transform.scale
            for each in self.columns
            if each.density is not None
        }
        return {"scales": scales, "columns_move_together": self.tie is not None}

    def _cost(
        self,
        left: Floats,
        right: Floats,
    ) -> Floats:
        who = left[:, 0].astype(np.int64)
        total = np.empty((len(who), len(right)))
        step = max(1, PAIRS // max(1, len(right)))
        for s in range(0, len(who), step):
            total[s : s + step] = self._some(who[s : s + step], right)
        return total

    def _some(
        self,
        who: Ints,
        right: Floats,
    ) -> Floats:
        total = np.zeros((len(who), len(right)))
        scores: list[Floats] = []
        for k, each in enumerate(self.columns):
            state, value = right[:, 2 * k].astype(np.int64), right[:, 2 * k + 1]
            total -= each.log_state[who][:, state]
            if each.density is None:
                continue
            law = each.density
            number = (state > 0) & (state < FIRST)
            score = np.zeros(total.shape) if self.tie is not None else total
            if number.any():
                spread = law.spread[who][:, None]
                e = (value[number] - law.mean[who][:, None]) / spread
                log_density, normal = law.shape.look(e)
                total[:, number] -= log_density - np.log(spread)
                if self.tie is not None and not law.exact:
                    score[:, number] = np.clip(normal, -CERTAIN, CERTAIN)
            scores.append(score)
        if self.tie is not None:
            for a, one in enumerate(scores):
                turned = sum(self.tie[a, b] * other for b, other in enumerate(scores))
                total += 0.5 * one * turned
        return total

    def _hint(self, right: Floats) -> tuple[Floats, Floats]:
        """Means against numbers in units of the usual spread, and commonest states against
        states."""
        who = self.classes.inverse
        ours: list[Floats] = []
        theirs: list[Floats] = []
        for k, each in enumerate(self.columns):
            state, value = right[:, 2 * k].astype(np.int64), right[:, 2 * k + 1]
            if each.density is not None:
                unit = float(np.median(each.density.spread))
                number = (state > 0) & (state < FIRST)
                middle = float(np.median(each.density.mean))
                ours.append(each.density.mean[who][:, None] / unit)
                theirs.append((np.where(number, value, middle) / unit)[:, None])
            usual = each.log_state.argmax(1)[who]
            used = np.unique(np.concatenate([usual, state]))
            ours.append(1.0 * (usual[:, None] == used))
            theirs.append(1.0 * (state[:, None] == used))
        return np.hstack(ours), np.hstack(theirs)


def learn(
    original: Microdata,
    runs: list[ShadowRun],
    released: Microdata,
    columns: list[str],
) -> Law:
    """The law of the compared columns; originals that are equal in them are one."""
    classes = distinct(original.numbers(columns))
    many = len(classes.rows)
    files = [run.released for run in runs]
    who = np.concatenate([classes.inverse[run.owner] for run in runs])
    laws: list[ColumnLaw] = []
    scores: list[Floats] = []
    for name in columns:
        prior = _prior(original, name)[classes.first]
        found = [
            _column(files, name, coding, who, many, prior)
            for coding in codings_of(files, released, name, who, many)
        ]
        # atoms or numbers: as tells more of whose a left-out draw is
        _, law, score = max(found, key=lambda each: each[0])
        laws.append(law)
        if score is not None:
            scores.append(score)
    return Law(laws, classes, _tie(scores))


def _column(
    files: list[Microdata],
    name: str,
    coding: Coding,
    who: Ints,
    many: int,
    prior: Floats,
) -> tuple[float, ColumnLaw, Floats | None]:
    """What a draw tells in nats, the law, and the normal scores of all draws (None: no numbers)."""
    read = [coding.read(file, name) for file in files]
    state = np.concatenate([part[0] for part in read])
    number = np.concatenate([part[1] for part in read])
    log_state = state_law(state, who, many, coding.states)
    told = told_by_state(state, who, many, coding.states)
    if coding.labels is not None:
        return told, ColumnLaw(name, coding, log_state, None), None
    share = float((~np.isnan(number)).mean())
    if (~np.isnan(number)).sum() < FEW:
        number = np.concatenate([numbers_of(file, name) for file in files])
    there = ~np.isnan(number)
    if not there.any():
        return told, ColumnLaw(name, coding, log_state, None), None
    density = density_of(number[there], who[there], many, coding.signed, prior)
    score = np.zeros(len(number))
    if not density.exact:
        normal = density.shape.look(density.residual)[1]
        score[there] = np.clip(normal, -CERTAIN, CERTAIN)
    return (
        told + share * density.told,
        ColumnLaw(name, coding, log_state, density),
        score,
    )


def _prior(original: Microdata, name: str) -> Floats:
    """The original's value where it is a number."""
    if original.schema[name].scale is not Kind.continuous:
        return np.full(original.n, np.nan)
    try:
        return original.column(name)
    except ColumnError:
        return np.full(original.n, np.nan)


def _tie(scores: list[Floats]) -> Floats | None:
    """C^-1 - I of the residuals' correlations C, if the copula makes the draws likelier."""
    if len(scores) < 2:
        return None
    q = np.column_stack(scores)
    size = np.sqrt((q**2).mean(0))
    size = np.where(size > 0, size, 1.0)
    unit = np.eye(len(scores))
    close = (q / size).T @ (q / size) / len(q)
    np.fill_diagonal(close, 1.0)
    best, chosen = GAIN, None
    for loose in LOOSE:
        mixed = (1.0 - loose) * close + loose * unit
        tie = np.linalg.inv(mixed) - unit
        _, log_det = np.linalg.slogdet(mixed)
        gain = float(-0.5 * log_det - 0.5 * ((q @ tie) * q).sum(1).mean())
        if gain > best:
            best, chosen = gain, tie
    return chosen
