"""A file like the Adult extract of the US census, which papers on k-anonymity use.

Definition. Nine keys with as many values as the cleaned file of 30,162 records has (sex 2, age 74,
race 5, marital status 7, education 16, country 41, work class 8, occupation 14, salary class 2) and
similar shares. Ages follow a beta law from 17 to 90. Marital status follows the age, the
occupation education and sex, the salary class age, education and sex. Countries have falling
shares after nine in ten from the first. The hierarchies have 5, 2, 2, 3, 4, 3, 3, 3
and 2 levels, the values among them: a lattice of 12,960 nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from tacit.base.errors import ParameterError
from tacit.base.typing import Floats, Ints

SEXES = ["male", "female"]
RACES = ["white", "black", "asian", "other", "native"]
_RACE_SHARES = [0.86, 0.093, 0.03, 0.008, 0.009]
MARITAL = {
    "spouse present": ["married", "married in the army"],
    "spouse not present": ["separated", "spouse away", "divorced", "widowed"],
    "never married": ["single"],
}
EDUCATION = {
    "primary": ["preschool", "1st to 4th", "5th to 6th", "7th to 8th"],
    "some secondary": ["9th", "10th", "11th", "12th"],
    "secondary": ["high school", "some college"],
    "associate": ["associate (vocational)", "associate (academic)"],
    "bachelor": ["bachelor"],
    "graduate": ["master", "professional school", "doctorate"],
}
_EDUCATION_GROUPS = {
    "lower": ["primary", "some secondary"],
    "middle": ["secondary", "associate"],
    "higher": ["bachelor", "graduate"],
}
_EDUCATION_SHARES = [
    *(0.0015, 0.005, 0.0095, 0.0185, 0.015, 0.027, 0.035, 0.0125),
    *(0.326, 0.222, 0.043, 0.033, 0.167, 0.054, 0.018, 0.0125),
]
WORK = {
    "government": ["federal", "state", "local"],
    "private": ["private company", "self-employed", "own company"],
    "unpaid": ["without pay", "never worked"],
}
_WORK_SHARES = [0.031, 0.042, 0.068, 0.739, 0.083, 0.0355, 0.0010, 0.0005]
OCCUPATIONS = {
    "technical": ["technician", "craft and repair", "machine operator"],
    "other": ["service", "farming", "transport", "handler", "house servant", "army"],
    "office": ["sales", "clerical", "manager", "professional", "protective service"],
}
CONTINENTS = {
    "North America": 11,
    "South America": 6,
    "Europe": 12,
    "Asia": 12,
}


def make_adult(
    n: int = 30_162,
    seed: int = 0,
) -> pa.Table:
    """Records like those of the Adult file, with its nine keys.

    Parameters
    ----------
    n : int
        How many records there are.
    seed : int
        The same seed gives the same table.

    Examples
    --------
    >>> table = make_adult(100, seed=1)
    >>> table.num_rows, table.num_columns
    (100, 9)
    """
    if n < 1:
        raise ParameterError(f"make_adult: n must be at least 1, not {n}.")
    rng = np.random.default_rng(seed)
    sex = (rng.random(n) < 0.325).astype(np.int64)
    age = 17 + np.floor(74 * rng.beta(1.6, 3.2, n)).astype(np.int64)
    education = rng.choice(16, n, p=_shares(_EDUCATION_SHARES))
    marital = _marital(age, rng)
    occupation = _occupation(education, sex, rng)
    score = (education - 9) * 0.35 + (age - 40) * 0.03 - sex * 1.1 - 1.2
    salary = (rng.random(n) < 1 / (1 + np.exp(-score))).astype(np.int64)
    country = np.where(rng.random(n) < 0.91, 0, _rare(n, 40, rng) + 1)
    columns = {
        "sex": (SEXES, sex),
        "race": (RACES, rng.choice(5, n, p=_shares(_RACE_SHARES))),
        "marital": (_members(MARITAL), marital),
        "education": (_members(EDUCATION), education),
        "country": (_countries(), country),
        "work": (_members(WORK), rng.choice(8, n, p=_shares(_WORK_SHARES))),
        "occupation": (_members(OCCUPATIONS), occupation),
        "salary": (["up to 50k", "above 50k"], salary),
    }
    table = {"age": pa.array(age)}
    for name, (names, codes) in columns.items():
        table[name] = pa.array(names).take(pa.array(codes))
    order = ["sex", "age", *[name for name in columns if name != "sex"]]
    return pa.table({name: table[name] for name in order})


def adult_hierarchies() -> dict[str, dict[str, Any]]:
    """The hierarchies of the nine keys: a lattice of 5 x 2 x 2 x 3 x 4 x 3 x 3 x 3 x 2 nodes.

    Examples
    --------
    >>> from tacit.data.hierarchies import rule_of
    >>> heights = [rule_of(entry).height + 1 for entry in adult_hierarchies().values()]
    >>> int(np.prod(heights))
    12960
    """
    return {
        "sex": {"groups": []},
        "age": {"ladder": [5, 10, 20]},
        "race": {"groups": []},
        "marital": {"groups": [MARITAL]},
        "education": {"groups": [EDUCATION, _EDUCATION_GROUPS]},
        "country": {"groups": [_continents()]},
        "work": {"groups": [WORK]},
        "occupation": {"groups": [OCCUPATIONS]},
        "salary": {"groups": []},
    }


def _members(groups: dict[str, list[str]]) -> list[str]:
    return [member for members in groups.values() for member in members]


def _countries() -> list[str]:
    return _members(_continents())


def _continents() -> dict[str, list[str]]:
    return {
        continent: [f"{continent} {number}" for number in range(1, size + 1)]
        for continent, size in CONTINENTS.items()
    }


def _shares(given: list[float]) -> Floats:
    """Shares that add up to 1, whatever was rounded."""
    shares = np.array(given)
    return np.asarray(shares / shares.sum())


def _rare(
    n: int,
    values: int,
    rng: np.random.Generator,
) -> Ints:
    """Values with falling shares, as 1, 1/2, 1/3, ..."""
    shares = 1.0 / np.arange(1, values + 1)
    return rng.choice(values, n, p=shares / shares.sum())


def _marital(
    age: Ints,
    rng: np.random.Generator,
) -> Ints:
    """The young are single, most others are married, the old are widowed."""
    n = len(age)
    single = rng.random(n) < 1 / (1 + np.exp((age - 27) / 4.5))
    widowed = rng.random(n) < 0.35 / (1 + np.exp((72 - age) / 5))
    later = rng.choice(5, n, p=_shares([0.68, 0.001, 0.045, 0.018, 0.2]))
    return np.where(single, 6, np.where(widowed, 5, later))


def _occupation(
    education: Ints,
    sex: Ints,
    rng: np.random.Generator,
) -> Ints:
    """More schooling leads into offices; trades differ by sex."""
    trades = np.array([0.05, 0.19, 0.1, 0.12, 0.06, 0.09, 0.07, 0.006, 0.0003])
    offices = np.array([0.11, 0.09, 0.06, 0.04, 0.02])
    base = np.concatenate([trades, offices])
    schooled = np.array([*([0.35] * 9), 1.3, 1.4, 3.0, 5.0, 1.0])
    women = np.array(
        [0.8, 0.1, 0.6, 1.6, 0.2, 0.1, 0.3, 8.0, 0.0, 1.0, 3.5, 0.9, 1.3, 0.3]
    )
    codes = np.empty(len(education), dtype=np.int64)
    for school in (0, 1):
        for of_sex in (0, 1):
            at = np.flatnonzero(((education >= 10) == school) & (sex == of_sex))
            law = base * (schooled if school else 1.0) * (women if of_sex else 1.0)
            codes[at] = rng.choice(14, len(at), p=law / law.sum())
    return codes
