"""A panel: persons who are asked again each year.

Definition. A person has a sex, a region and a birth year, all fixed, and a schooling that is fixed
for most (four in a thousand study on each year). Marriage, children, industry and hours follow
Markov chains from year to year. Log income = 8.9 + 0.09 years of schooling + 0.04 experience -
0.0006 experience**2 + the person's own effect (sd 0.35) + an autoregressive shock (0.6 of last
year's, sd 0.15), as in earnings equations. Persons enter late or leave early, so they have
different numbers of rows.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints

REGIONS = ["north", "east", "south", "west", "centre", "coast", "hills", "islands"]
# few live on the islands: small regions are what makes a key rare
_REGION_SHARES = [0.22, 0.2, 0.18, 0.15, 0.12, 0.07, 0.04, 0.02]
INDUSTRIES = ["trade", "manufacture", "services", "public", "construction", "farming"]
_INDUSTRY_SHARES = [0.25, 0.22, 0.24, 0.15, 0.09, 0.05]
# years of schooling, and how many have them
_SCHOOLING = np.array([8, 9, 10, 11, 12, 13, 14, 15, 16, 18])
_SCHOOLING_SHARES = [0.05, 0.06, 0.08, 0.09, 0.34, 0.08, 0.1, 0.05, 0.1, 0.05]
# chances from one year to the next
_MARRIES, _PARTS, _CHILD, _NEW_INDUSTRY, _STUDIES_ON = 0.12, 0.03, 0.15, 0.1, 0.004


def make_panel(
    persons: int = 500,
    years: int = 6,
    seed: int = 0,
) -> pa.Table:
    """A panel of persons over some years: one row for each person and year.

    Parameters
    ----------
    persons : int
        How many persons there are.
    years : int
        Years in which most of them are asked; the first is 2015.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    pyarrow.Table
        ``person``, ``year``, ``sex``, ``region``, ``schooling`` (years), ``age``, ``married``,
        ``children``, ``industry``, ``hours`` (a week) and ``income`` (a year), in random row order.

    Examples
    --------
    >>> table = make_panel(persons=100, years=5, seed=1)
    >>> table.num_rows, len(set(table["person"].to_pylist()))
    (464, 100)
    """
    if persons < 1 or years < 1:
        raise ParameterError(
            f"make_panel: persons and years must be at least 1, not {persons} and {years}."
        )
    rng = np.random.default_rng(seed)
    fixed = _fixed(persons, rng)
    state = _first_year(persons, fixed["age"], rng)
    effect = rng.normal(0, 0.35, persons)
    shock = rng.normal(0, 0.15, persons)
    first, last = _asked(persons, years, rng)
    parts: list[dict[str, Ints]] = []
    for year in range(years):
        rows = np.flatnonzero((first <= year) & (year <= last))
        income = _income(fixed, state, effect + shock, year)
        row = {**fixed, **state, "income": income, "age": fixed["age"] + year}
        chosen = {name: values[rows] for name, values in row.items()}
        chosen["year"] = np.full(len(rows), 2015 + year)
        parts.append(chosen)
        _next_year(state, fixed, rng)
        shock = 0.6 * shock + rng.normal(0, 0.15, persons)
    whole = {name: np.concatenate([part[name] for part in parts]) for name in _ORDER}
    # a file in order of years would tell who is whose by its place alone
    order = rng.permutation(len(whole["person"]))
    columns = {}
    for name, codes in whole.items():
        words = _WORDS.get(name)
        shown = codes if words is None else np.array(words)[codes]
        columns[name] = shown[order]
    return pa.table(columns)


_WORDS = {"sex": ["man", "woman"], "region": REGIONS, "industry": INDUSTRIES}
_ORDER = (
    "person",
    "year",
    "sex",
    "region",
    "schooling",
    "age",
    "married",
    "children",
    "industry",
    "hours",
    "income",
)


def _fixed(n: int, rng: np.random.Generator) -> dict[str, Ints]:
    """What a person has in every year; the age is that of the first."""
    return {
        # numbers that say nothing: neither the order of entry nor the region
        "person": rng.permutation(n) + 1001,
        "sex": rng.integers(0, 2, n),
        "region": rng.choice(len(REGIONS), n, p=_REGION_SHARES),
        "schooling": rng.choice(_SCHOOLING, n, p=_SCHOOLING_SHARES),
        "age": np.clip(rng.gamma(9.0, 4.2, n), 18, 64).astype(np.int64),
    }


def _first_year(n: int, age: Ints, rng: np.random.Generator) -> dict[str, Ints]:
    """What may change, as it is in the first year."""
    settled = rng.random(n) < (age - 15) / 40
    return {
        "married": settled.astype(np.int64),
        "children": np.where(settled, rng.binomial(3, 0.4, n), 0),
        "industry": rng.choice(len(INDUSTRIES), n, p=_INDUSTRY_SHARES),
        "hours": np.clip(rng.normal(38, 8, n), 5, 70).astype(np.int64),
    }


def _asked(n: int, years: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """First and last year of each person: four in five are asked in all."""
    late = rng.random(n) < 0.1
    first = np.where(late, rng.integers(0, years, n), 0)
    early = rng.random(n) < 0.1
    last = np.where(early, rng.integers(0, years, n), years - 1)
    return first, np.maximum(first, last)


def _next_year(
    state: dict[str, Ints],
    fixed: dict[str, Ints],
    rng: np.random.Generator,
) -> None:
    """One step of every chain."""
    n = len(state["married"])
    married = state["married"] == 1
    draw = rng.random(n)
    stays, marries = draw >= _PARTS, draw < _MARRIES
    state["married"] = np.where(married, stays, marries).astype(np.int64)
    has_child = rng.random(n) < _CHILD
    born = has_child & married & (fixed["age"] < 45)
    state["children"] = np.minimum(state["children"] + born, 6)
    moved = rng.random(n) < _NEW_INDUSTRY
    drawn = rng.choice(len(INDUSTRIES), n, p=_INDUSTRY_SHARES)
    state["industry"] = np.where(moved, drawn, state["industry"])
    change = np.rint(rng.normal(0, 3, n)).astype(np.int64)
    hours = state["hours"] + change
    state["hours"] = np.clip(hours, 5, 70)
    studied = rng.random(n) < _STUDIES_ON
    fixed["schooling"] = fixed["schooling"] + studied


def _income(
    fixed: dict[str, Ints],
    state: dict[str, Ints],
    effect: Floats,
    year: int,
) -> Ints:
    """Yearly income by an earnings equation, in whole hundreds as people report it."""
    schooling = fixed["schooling"]
    # years since school, which begins at six
    experience = np.maximum(fixed["age"] + year - schooling - 6, 0)
    log = 8.9 + 0.09 * schooling + 0.04 * experience - 0.0006 * experience**2
    amount = np.exp(log + effect) * state["hours"] / 38
    hundreds: Ints = np.rint(amount / 100).astype(np.int64)
    return hundreds * 100
