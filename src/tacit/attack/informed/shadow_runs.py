"""Shadows: the plan run again on the originals, with the intruder's own seeds.

The intruder knows the plan and not its seeds, nor the order in which the records stood when
the file was masked. A shadow is one draw of both: the rows are put in a random order, every
random step gets a new seed. The seeds come from one fixed key, so that an attack that is
run twice gives the same result.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from tacit.attack.informed.steps import as_planned, protectors_of
from tacit.base import seeds
from tacit.base.errors import InputError
from tacit.base.facts import draws_numbers
from tacit.base.typing import Ints
from tacit.data.microdata import Column, Kind, Microdata, Role, Schema

MARK = "tacit_shadow_row"
"""A column that rides along and says which original a released record is; no step touches it."""
WHOLE = 2_000
"""Up to this many records the whole plan is run for each shadow; above it, steps before the
first random one run once.

Running them anew, on rows in another order, shows where a step without randomness breaks
ties by the order."""


class _Masks(Protocol):
    """What this file uses of a protector."""

    def get_params(self, deep: bool = True) -> dict[str, object]: ...

    def fit_transform(self, X: Microdata) -> Microdata: ...


@dataclass(frozen=True)
class ShadowRun:
    """One shadow release; `owner[j]` is the original that its record j came from."""

    released: Microdata
    owner: Ints

    def truth(self, n: int) -> Ints:
        """The released row of each original, -1: not released."""
        rows = np.full(n, -1, np.int64)
        rows[self.owner] = np.arange(len(self.owner))
        return rows


class Shadows:
    """Draws of a plan on a file of originals; run number r is the same each time it is asked for.

    Parameters
    ----------
    plan : object
        A plan, a protector, or a list of them; its own seeds are not looked at.
    original : Microdata
        The records as the intruder holds them.
    key : int
        Where the intruder's seeds come from.
    """

    def __init__(
        self,
        plan: object,
        original: Microdata,
        key: int,
    ) -> None:
        self.key = key
        self.n = original.n
        steps = protectors_of(plan)
        random = [draws_numbers(type(step)) for step in steps]
        self.random = any(random)
        original = as_planned(plan, original)
        first = random.index(True) if self.random else len(steps)
        self.start = _marked(original)
        self.steps: list[_Masks] = steps
        if self.n > WHOLE and first:
            order = seeds.generator(seeds.child(key, 0)).permutation(self.n)
            self.start = _through(steps[:first], self.start.take(order), key, 0)
            self.steps = steps[first:]

    def run(self, r: int) -> ShadowRun:
        """Shadow number r."""
        key = seeds.child(self.key, 1 + r)
        order = seeds.generator(key).permutation(self.start.n)
        data = _through(self.steps, self.start.take(order), key, 1)
        if MARK not in data.names:
            raise InputError(
                "the plan makes records that belong to no original: there is no row to learn from"
            )
        owner = data.column(MARK)
        known = np.isfinite(owner) & (owner == np.rint(owner))
        if not known.all() or len(np.unique(owner)) < len(owner):
            raise InputError(
                "the plan does not keep records apart: shadows cannot be told row by row"
            )
        rows = owner.astype(np.int64)
        # in the order of the originals, so that nothing here depends on the order that was drawn
        place = np.argsort(rows, kind="stable")
        return ShadowRun(data.drop([MARK]).take(place), rows[place])

    def runs(
        self,
        first: int,
        last: int,
    ) -> Iterator[ShadowRun]:
        """Shadows first, first + 1, ..., last - 1."""
        return (self.run(r) for r in range(first, last))


def _marked(original: Microdata) -> Microdata:
    """The file with a column of row numbers; it is an Arrow table, whatever it was before."""
    rows = pa.array(np.arange(original.n, dtype=np.float64))
    table = original.table.append_column(MARK, rows)
    mark = Column(MARK, Kind.continuous, Role.other)
    return Microdata.of(table, Schema((*original.schema.columns, mark)))


def _through(
    steps: list[_Masks],
    data: Microdata,
    key: int,
    branch: int,
) -> Microdata:
    """The steps in order, each random one with a seed of the intruder's own."""
    with warnings.catch_warnings():
        # what a step warns of was said when the file was masked
        warnings.simplefilter("ignore")
        for place, step in enumerate(steps):
            data = _reseeded(step, seeds.child(key, branch, place)).fit_transform(data)
    return data


def _reseeded(step: _Masks, seed: int) -> _Masks:
    """The same protector with another seed; private ones take it because this is no release."""
    told = dict(step.get_params(deep=False))
    if "random_state" in told:
        told["random_state"] = seed
    if "test_seed" in told:
        told["test_seed"] = True
    return type(step)(**told)
