"""What a released value is, apart from its size: missing, a label, a value that many
records share, or a number.

The state of a column is drawn with probabilities that are learned for each original from
its shadows, and smoothed by those of the originals that behave alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.errors import ColumnError
from tacit.base.typing import Floats, Ints, Objects
from tacit.data.microdata import Kind, Microdata

MISSING, NUMBER, NEGATIVE, FIRST = 0, 1, 2, 3
"""States: a gap; a number (a label that no shadow showed counts here, too); a number below
0 where signs are kept; and from FIRST on one state for each atom, a label or a value that
comes often."""
OFTEN = 0.01
"""A value that makes up this share of all shadow values is an atom: it has a probability,
not a density."""
LATTICE = 300
"""A column of numbers with at most this many distinct values in all shadows is all atoms."""
AGAIN = 0.5
"""An atom comes again in this share of the shadows: a limit that each release sets for itself,
where many of its records lie, is another number each time."""
SIGN = 0.999
"""Signs are kept if this share of the draws has the commonest sign of its original."""
NEAR = 1e-9
"""Values closer than this, in units of the column's spread, are equal: sums in another
order differ by rounding."""
SMOOTH = (0.3, 1.0, 3.0, 10.0, 100.0, 1000.0)
"""How many draws the pooled frequencies may count like; the best by leaving one draw out is
taken."""


@dataclass(frozen=True)
class Coding:
    """How the values of one column are read: its atoms in order, and whether signs are states."""

    labels: dict[str, int] | None
    atoms: Floats
    near: float
    signed: bool = False

    @property
    def states(self) -> int:
        """Number of states."""
        many = len(self.atoms) if self.labels is None else len(self.labels)
        return FIRST + many

    def read(
        self,
        data: Microdata,
        name: str,
    ) -> tuple[Ints, Floats]:
        """States and numbers (NaN where there is none) of a file's column."""
        if self.labels is not None:
            words = texts(data, name)
            state = np.array([self.labels.get(word, NUMBER) for word in words.tolist()])
            return state.astype(np.int64), np.full(data.n, np.nan)
        return self.place(numbers_of(data, name))

    def place(self, values: Floats) -> tuple[Ints, Floats]:
        """States of numbers, and the numbers that are no atoms."""
        state = np.full(len(values), NUMBER)
        if self.signed:
            state[values < 0] = NEGATIVE
        if len(self.atoms):
            at = np.searchsorted(self.atoms, values - self.near)
            at = np.minimum(at, len(self.atoms) - 1)
            hit = np.abs(self.atoms[at] - values) <= self.near
            state[hit] = FIRST + at[hit]
        state[np.isnan(values)] = MISSING
        number = (state == NUMBER) | (state == NEGATIVE)
        return state, np.where(number, values, np.nan)


def numbers_of(data: Microdata, name: str) -> Floats:
    """A column as numbers, whatever kind was guessed for it."""
    if data.schema[name].scale is not Kind.continuous:
        data = data.with_schema(data.schema.set(continuous=[name]))
    return data.column(name)


def texts(data: Microdata, name: str) -> Objects:
    """A column as labels; whole numbers are written without a point; an empty text is a gap."""
    values = data.table.column(name).to_pylist()
    out = np.empty(len(values), object)
    for i, value in enumerate(values):
        gap = value is None or value != value  # NaN is not itself
        whole = isinstance(value, float) and not gap and value.is_integer()
        out[i] = "" if gap else str(int(value)) if whole else str(value)
    return out


def codings_of(
    runs: list[Microdata],
    released: Microdata,
    name: str,
    who: Ints,
    many: int,
) -> list[Coding]:
    """How a column may be read, learned from the shadows; the release only says whether numbers
    are numbers. Numbers may have atoms, or be numbers throughout."""
    if all(run.schema[name].scale is Kind.continuous for run in runs):
        try:
            numbers_of(released, name)
        except ColumnError:
            pass
        else:
            return _numeric([numbers_of(run, name) for run in runs], who, many)
    words = sorted({word for run in runs for word in texts(run, name).tolist()} - {""})
    labels = {word: FIRST + at for at, word in enumerate(words)}
    return [Coding({"": MISSING, **labels}, np.empty(0), 0.0)]


def _numeric(
    runs: list[Floats],
    who: Ints,
    many: int,
) -> list[Coding]:
    values = np.concatenate(runs)
    there = ~np.isnan(values)
    present = values[there]
    near = NEAR * (float(present.std()) or 1.0) if present.size else 0.0
    atoms = _atoms(runs, near)
    # a sign is a state where an original's values never change theirs
    positive = np.bincount(who[there], present > 0, many)
    negative = np.bincount(who[there], present < 0, many)
    kept = np.maximum(positive, negative).sum()
    moving = positive.sum() + negative.sum()
    signed = bool(moving and negative.sum() and kept >= SIGN * moving)
    plain = Coding(None, np.empty(0), near, signed)
    return [Coding(None, atoms, near, signed), plain] if len(atoms) else [plain]


def _atoms(runs: list[Floats], near: float) -> Floats:
    """Values that come often, and again and again; all values, if there are few."""
    values = np.concatenate(runs)
    run = np.repeat(np.arange(len(runs)), [len(each) for each in runs])
    there = ~np.isnan(values)
    if not there.any():
        return np.empty(0)
    distinct, place = np.unique(values[there], return_inverse=True)
    # runs of values that differ by rounding are one
    head = np.concatenate([[True], np.diff(distinct) > near])
    group = (np.cumsum(head) - 1)[place]
    total = np.bincount(group)
    pair = np.unique(group * len(runs) + run[there])
    again = np.bincount(pair // len(runs)) >= AGAIN * len(runs)
    often = total >= OFTEN * len(group)
    few = len(total) <= LATTICE
    return np.asarray(distinct[head][again & (often | few)])


def state_law(
    state: Ints,
    who: Ints,
    many: int,
    states: int,
) -> Floats:
    """log P(state of a release | original), one row per original.

    Definition: (N_is + a q_s) / (N_i + a), where N counts the draws of original i and q the
    draws of all originals with the same commonest state; a by the likelihood of each draw
    without itself.
    """
    count = np.bincount(who * states + state, minlength=many * states)
    count = count.reshape(many, states).astype(float)
    every = count.sum(0)
    usual = count.argmax(1)
    pooled = np.zeros((states, states))
    np.add.at(pooled, usual, count)
    # half a draw of the whole column: a state with few originals has seen little
    little = 0.5 * every / every.sum()
    alike = pooled.sum(1, keepdims=True)
    prior = ((pooled + little) / (alike + 0.5))[usual]
    drawn = count.sum(1)
    prior[drawn == 0] = every / every.sum()
    # the draw itself is left out of its original's counts, and of those of originals like it
    own, rest = count[who, state] - 1.0, drawn[who] - 1.0
    like = usual[who]
    expected = (pooled[like, state] - 1.0 + little[state]) / (alike[like, 0] - 0.5)
    best = max(
        SMOOTH, key=lambda a: float(np.log((own + a * expected) / (rest + a)).mean())
    )
    law = (count + best * prior) / (drawn[:, None] + best)
    # what no draw showed may still be: about one in as many draws
    doubt = 1.0 / (every.sum() + 1.0)
    return np.asarray(np.log((1.0 - doubt) * law + doubt / states))


def told_by_state(
    state: Ints,
    who: Ints,
    many: int,
    states: int,
) -> float:
    """What a draw's state tells of whose it is, in nats: half of the draws are judged by the law
    that the other half teaches, as a law of many states fits the draws that it was learned from."""
    order = np.argsort(who, kind="stable")
    odd = np.empty(len(who), bool)
    odd[order] = np.arange(len(who)) % 2 == 1
    own = 0.0
    for half in (odd, ~odd):
        law = state_law(state[half], who[half], many, states)
        own += float(law[who[~half], state[~half]].sum())
    every = np.bincount(state, minlength=states) / len(state)
    return own / len(state) - float(np.log(every[state]).mean())
