"""How the intruder's knowledge counts: by number of known attributes, by share of known records."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from tacit.attack.assignment import Assignment
from tacit.attack.base import Attacker
from tacit.attack.linkage import Linkage
from tacit.attack.nearest import Nearest
from tacit.base.errors import ParameterError
from tacit.base.seeds import FIXED
from tacit.data.microdata import Microdata


@dataclass(frozen=True)
class Point:
    """Mean, smallest and largest rate of correct links over the ways to know this much.

    Attributes
    ----------
    known
        Number of attributes, or share of the records.
    rate, low, high
        Mean, smallest and largest rate.
    chance
        The rate that guessing gives.
    ways
        How many ways were tried.
    sampled
        There are more ways than were tried.
    """

    known: float
    rate: float
    low: float
    high: float
    chance: float
    ways: int
    sampled: bool

    @classmethod
    def of(
        cls,
        known: float,
        links: list[Linkage],
        sampled: bool,
    ) -> Point:
        """The point of some linkages."""
        rates = [link.rate for link in links]
        return cls(
            known=known,
            rate=float(np.mean(rates)),
            low=min(rates),
            high=max(rates),
            chance=links[0].chance,
            ways=len(links),
            sampled=sampled,
        )


def by_attributes(
    original: object,
    masked: object,
    attacker: Attacker | None = None,
    *,
    columns: list[str] | None = None,
    numbers: list[int] | None = None,
    most: int = 20,
    truth: ArrayLike | None = None,
    seed: int = FIXED,
) -> list[Point]:
    """Risk when 1, 2, ... all attributes are known: the mean over subsets of attributes.

    Parameters
    ----------
    original, masked : frame, array, dict of columns or Microdata
        Both files.
    attacker : Attacker, optional
        One with a ``columns`` parameter; nearest record unless given.
    columns : list of str, optional
        The attributes; those that the attacker compares unless given.
    numbers : list of int, optional
        Numbers of known attributes; all unless given.
    most : int
        Most subsets of each size: where there are more, this many are drawn at random, and
        the mean is marked as sampled.
    truth : array of int, optional
        The masked row of each original; aligned rows unless given.
    seed : int
        Of the subsets that are drawn.

    References
    ----------
    Rodriguez Fernandez (2013), section 3.3, with one to half of the attributes.
    """
    ours = Microdata.of(original)
    theirs = Microdata.of(masked)
    if attacker is None:
        attacker = Nearest()
    if "columns" not in attacker.get_params(deep=False):
        raise ParameterError(
            f"{type(attacker).__name__} cannot be told which columns it knows "
            "(no columns=[...])"
        )
    if columns is None:
        names = attacker._columns(ours, theirs)
    else:
        names = list(columns)
    rng = np.random.default_rng(seed)
    points = []
    for k in numbers or range(1, len(names) + 1):
        # every subset is another intruder
        links = []
        for subset in _subsets(names, k, most, rng):
            knowing = _with_columns(attacker, subset)
            links.append(knowing.link(ours, theirs, truth=truth))
        points.append(Point.of(k, links, sampled=comb(len(names), k) > most))
    return points


def _subsets(
    names: list[str],
    k: int,
    most: int,
    rng: np.random.Generator,
) -> list[list[str]]:
    """All subsets of k names, or ``most`` different ones at random."""
    if comb(len(names), k) <= most:
        return [list(subset) for subset in combinations(names, k)]
    drawn: set[tuple[int, ...]] = set()
    # there are more subsets than are drawn, so the loop ends
    while len(drawn) < most:
        places = rng.choice(len(names), k, replace=False)
        drawn.add(tuple(sorted(places.tolist())))
    return [[names[i] for i in places] for places in sorted(drawn)]


def by_records(
    original: object,
    masked: object,
    attacker: Attacker | None = None,
    *,
    fractions: tuple[float, ...] = (0.05, 0.1, 0.25, 0.5, 1.0),
    draws: int = 5,
    truth: ArrayLike | None = None,
    seed: int = FIXED,
) -> list[Point]:
    """Risk when the intruder knows only a share of the people, and must find them among all.

    The rate is over the known records. An assignment profits from knowing more people: they
    rule each other out.

    Parameters
    ----------
    original, masked : frame, array, dict of columns or Microdata
        Both files.
    attacker : Attacker, optional
        Assignment unless given.
    fractions : tuple of float
        Shares of the records that are known.
    draws : int
        Random sets of known records per share.
    truth : array of int, optional
        The masked row of each original; aligned rows unless given.
    seed : int
        Of the draws.
    """
    ours = Microdata.of(original)
    theirs = Microdata.of(masked)
    if attacker is None:
        attacker = Assignment()
    if truth is None:
        own = np.arange(ours.n)
    else:
        own = np.asarray(truth)
    rng = np.random.default_rng(seed)
    points = []
    for fraction in fractions:
        size = max(1, round(fraction * ours.n))
        links = []
        # knowing everybody leaves nothing to draw
        for _ in range(1 if size == ours.n else draws):
            rows = np.sort(rng.choice(ours.n, size, replace=False))
            links.append(attacker.link(ours.take(rows), theirs, truth=own[rows]))
        points.append(Point.of(fraction, links, sampled=size < ours.n))
    return points


def _with_columns(attacker: Attacker, columns: list[str]) -> Attacker:
    """The same attacker, knowing these columns."""
    parameters = attacker.get_params(deep=False) | {"columns": columns}
    return type(attacker)(**parameters)
