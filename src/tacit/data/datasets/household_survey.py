"""A household survey: persons in households, with a sampling weight.

Definition. A household has a region, a place (town or country), a dwelling, a water supply and a
yearly income; its size follows a truncated Poisson law. The head is an adult, a partner is of
about the same age, children are 18 to 40 years younger than the younger of both, others are any
age. Schooling follows the age, expenditure the household's income and size. Weights are the
inverse of the sampling share of the region, times a factor of response (0.7 to 1.4).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints

REGIONS = ["north", "east", "south", "west", "centre", "coast", "hills", "islands"]
_REGION_SHARES = [0.2, 0.18, 0.16, 0.14, 0.12, 0.1, 0.06, 0.04]
# one household in so many is drawn: small regions more densely
_ONE_IN = np.array([240, 220, 200, 180, 160, 120, 80, 50])
DWELLINGS = ["house", "flat", "room", "farm", "hut", "other"]
_DWELLING_SHARES = [
    [0.3, 0.45, 0.15, 0.01, 0.05, 0.04],
    [0.55, 0.06, 0.05, 0.2, 0.11, 0.03],
]
WATER = ["pipe", "well", "public tap", "river", "tanker"]
_WATER_SHARES = [[0.82, 0.04, 0.09, 0.01, 0.04], [0.38, 0.36, 0.14, 0.1, 0.02]]
RELATIONS = ["head", "partner", "child", "parent", "other"]
EDUCATIONS = ["none", "primary", "secondary", "vocational", "university"]
_EDUCATION_SHARES = [0.1, 0.28, 0.34, 0.16, 0.12]
# of persons besides head and partner: mostly children
_OTHER_SHARES = [0.82, 0.08, 0.1]


def make_households(
    households: int = 500,
    seed: int = 0,
) -> pa.Table:
    """A household survey: one row for each person.

    Parameters
    ----------
    households : int
        How many households there are; each has 1 to 10 members, 3.5 on average.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    pyarrow.Table
        Of the household: ``household``, ``region``, ``urban``, ``dwelling``, ``water``,
        ``household_income`` and ``weight``. Of the person: ``member`` (the number in the
        household), ``relation``, ``sex``, ``age``, ``education`` and ``expenditure``. Households
        stand in random order, their members together.

    Examples
    --------
    >>> table = make_households(100, seed=1)
    >>> table.num_rows, table["member"].to_pylist()[:4]
    (362, [1, 2, 3, 4])
    """
    if households < 1:
        raise ParameterError(
            f"make_households: households must be at least 1, not {households}."
        )
    rng = np.random.default_rng(seed)
    home = _homes(households, rng)
    size = 1 + np.minimum(rng.poisson(2.5, households), 9)
    of = np.repeat(np.arange(households), size)
    start = np.cumsum(size) - size
    member = np.arange(len(of)) - np.repeat(start, size) + 1
    relation = _relations(member, rng)
    age = _ages(of, relation, rng)
    education = _educations(age, rng)
    sex = rng.integers(0, 2, len(of))
    # most partners are of the other sex than the head, who stands in the row before
    partner = np.flatnonzero(relation == 1)
    other = rng.random(len(partner)) < 0.98
    turned = partner[other]
    sex[turned] = 1 - sex[turned - 1]
    income = home["household_income"][of]
    spent = income / size[of] * 0.7 * rng.lognormal(0, 0.4, len(of))
    # less is spent on children
    spent *= np.where(age < 15, 0.4, 1.0)
    return pa.table(
        {
            "household": home["household"][of],
            "member": member,
            "region": np.array(REGIONS)[home["region"][of]],
            "urban": home["urban"][of].astype(bool),
            "dwelling": np.array(DWELLINGS)[home["dwelling"][of]],
            "water": np.array(WATER)[home["water"][of]],
            "household_income": income,
            "relation": np.array(RELATIONS)[relation],
            "sex": np.array(["man", "woman"])[sex],
            "age": age,
            "education": np.array(EDUCATIONS)[education],
            "expenditure": np.rint(spent).astype(np.int64),
            "weight": home["weight"][of],
        }
    )


def _homes(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The columns of the household."""
    region = rng.choice(len(REGIONS), n, p=_REGION_SHARES)
    urban = rng.random(n) < 0.6
    # rows of the tables of shares: town, then country
    place = np.where(urban, 0, 1)
    dwelling, water = (
        _drawn(np.array(shares)[place], rng)
        for shares in (_DWELLING_SHARES, _WATER_SHARES)
    )
    income = rng.lognormal(9.6, 0.7, n) * np.where(urban, 1.2, 0.85)
    # as people answer: in round amounts
    reported = np.rint(income / 50) * 50
    weight = _ONE_IN[region] * rng.uniform(0.7, 1.4, n)
    return {
        "household": rng.permutation(n) + 1001,
        "region": region,
        "urban": urban,
        "dwelling": dwelling,
        "water": water,
        "household_income": reported.astype(np.int64),
        "weight": np.round(weight, 2),
    }


def _drawn(shares: Floats, rng: np.random.Generator) -> Ints:
    """One category for each row of shares."""
    draw = rng.random((len(shares), 1))
    above = draw > np.cumsum(shares, axis=1)
    # the last share may end a little below 1 by rounding
    last = shares.shape[1] - 1
    drawn: Ints = np.minimum(above.sum(axis=1), last).astype(np.int64)
    return drawn


def _relations(member: Ints, rng: np.random.Generator) -> Ints:
    """The first is the head, the second mostly the partner, then mostly children."""
    relation = 2 + rng.choice(3, len(member), p=_OTHER_SHARES)
    has_partner = rng.random(len(member)) < 0.75
    relation[(member == 2) & has_partner] = 1
    relation[member == 1] = 0
    return relation


def _ages(of: Ints, relation: Ints, rng: np.random.Generator) -> Ints:
    """Ages that fit the relation to the head."""
    n = len(of)
    first = np.concatenate([[True], of[1:] != of[:-1]])
    head = np.clip(rng.gamma(9.0, 5.0, n), 20, 90)
    # one draw for each household, that of its first row
    head = head[np.flatnonzero(first)][of]
    by_relation = [
        head,
        np.clip(head - 2 + rng.normal(0, 5, n), 18, 90),
        np.clip(head - rng.uniform(18, 40, n), 0, 60),
        np.clip(head + rng.uniform(18, 35, n), 40, 97),
        rng.uniform(0, 80, n),
    ]
    return np.choose(relation, by_relation).astype(np.int64)


def _educations(age: Ints, rng: np.random.Generator) -> Ints:
    """What a person has finished, no more than the age allows."""
    reached = rng.choice(len(EDUCATIONS), len(age), p=_EDUCATION_SHARES)
    # primary school ends at 11, secondary at 17, university at 22
    possible = np.searchsorted([11, 17, 18, 22], age, side="right")
    return np.minimum(reached, possible).astype(np.int64)
