"""How the intruder's knowledge counts: risk by number of known attributes, and by share of known records."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from tacit.attack.base import Attacker
from tacit.errors import ParameterError
from tacit.microdata import Microdata


@dataclass(frozen=True)
class Point:
    """Mean, smallest and largest rate of correct links over the ways to know this much."""

    known: float
    rate: float
    low: float
    high: float
    chance: float
    ways: int
    sampled: bool


def by_attributes(
    original: Any,
    masked: Any,
    attacker: Attacker | None = None,
    *,
    columns: list[str] | None = None,
    numbers: list[int] | None = None,
    most: int = 20,
    truth: Any = None,
    seed: int = 0,
) -> list[Point]:
    """Risk when 1, 2, ... all attributes are known: the mean over subsets, all of them or `most` drawn at random.

    The attacker needs a `columns` parameter (default: nearest record, as in 000, section 3.3: one to half of the
    attributes). A sampled mean is marked.
    """
    a, b = Microdata.of(original), Microdata.of(masked)
    if attacker is None:
        from tacit.attack import registry

        attacker = registry["nearest"]()
    assert attacker is not None
    if "columns" not in attacker.get_params(deep=False):
        raise ParameterError(f"{type(attacker).__name__} cannot be told which columns it knows (no columns=[...])")
    names = list(columns) if columns is not None else attacker._columns(a, b)
    rng = np.random.default_rng(seed)
    points = []
    for k in numbers or range(1, len(names) + 1):
        total = comb(len(names), k)
        if total <= most:
            subsets = [list(s) for s in combinations(names, k)]
        else:
            chosen: set[tuple[int, ...]] = set()
            while len(chosen) < most:
                chosen.add(tuple(sorted(rng.choice(len(names), k, replace=False).tolist())))
            subsets = [[names[i] for i in s] for s in sorted(chosen)]
        links = [_with(attacker, columns=s).link(a, b, truth=truth) for s in subsets]
        rates = [link.rate for link in links]
        points.append(
            Point(k, float(np.mean(rates)), min(rates), max(rates), links[0].chance, len(subsets), total > most)
        )
    return points


def by_records(
    original: Any,
    masked: Any,
    attacker: Attacker | None = None,
    *,
    fractions: tuple[float, ...] = (0.05, 0.1, 0.25, 0.5, 1.0),
    draws: int = 5,
    truth: Any = None,
    seed: int = 0,
) -> list[Point]:
    """Risk when the intruder knows only a share of the people in the release, and has to find them in all of it.

    The rate is over the known records. An assignment profits from knowing more people: they rule each other out.
    """
    a, b = Microdata.of(original), Microdata.of(masked)
    if attacker is None:
        from tacit.attack import registry

        attacker = registry["assignment"]()
    assert attacker is not None
    own = np.arange(a.n) if truth is None else np.asarray(truth)
    rng = np.random.default_rng(seed)
    points = []
    for fraction in fractions:
        size = max(1, round(fraction * a.n))
        links = []
        for _ in range(1 if size == a.n else draws):
            rows = np.sort(rng.choice(a.n, size, replace=False))
            links.append(attacker.link(a.take(rows), b, truth=own[rows]))
        rates = [link.rate for link in links]
        points.append(
            Point(fraction, float(np.mean(rates)), min(rates), max(rates), links[0].chance, len(links), size < a.n)
        )
    return points


def _with(attacker: Attacker, **parameters: Any) -> Attacker:
    return type(attacker)(**{**attacker.get_params(deep=False), **parameters})
