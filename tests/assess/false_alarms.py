"""Releases in which nobody can be found, by construction: some thirty kinds, all to be called safe.

A kind is a sort of file and the reason why it is safe: its records are other people's, its columns
are in orders of their own, it holds nothing, or a method that proves what it promises made it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

import tacit as tc
from tacit.assess.verdict import Verdict

RECORDS = 300
COLUMNS = list("abcde")
BOUNDS = dict.fromkeys(COLUMNS, (-40.0, 40.0))
"""Public bounds, wider than any of the files."""
Draw = Callable[[int, np.random.Generator], pd.DataFrame]
"""So many records of a population, with draws of their own."""


@dataclass(frozen=True)
class Release:
    """A file, what was released, and what is said about it."""

    original: pd.DataFrame
    masked: pd.DataFrame
    plan: object = None
    roles: dict[str, list[str]] = field(default_factory=dict)
    said: bool = True
    """That row i is row i; where nothing tells rows apart it need not be said."""


# -- populations -----------------------------------------------------------------------


def numbers(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Correlated numbers, some columns skewed."""
    mix = np.random.default_rng(11).normal(size=(5, 5))
    values = rng.normal(size=(n, 5)) @ mix
    values[:, :2] = np.exp(values[:, :2] / 2.5)
    return pd.DataFrame(values, columns=COLUMNS)


def census(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Incomes and taxes of people, whole numbers."""
    return tc.datasets.make_census(n, seed=_draw(rng)).to_pandas()


def health(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Patients of a study: measurements, habits, a diagnosis."""
    age = rng.integers(20, 85, n)
    sex = rng.choice(["f", "m"], n)
    height = np.round(rng.normal(np.where(sex == "f", 165, 178), 7), 1)
    weight = np.round(rng.normal(0.9 * height - 85, 11), 1)
    smokes = rng.choice(["never", "former", "daily"], n, p=[0.5, 0.3, 0.2])
    ill = rng.random(n) < (age - 15) / 140
    disease = np.where(ill, rng.choice(["I21", "C34", "E11", "J44"], n), "none")
    pressure = np.round(95 + 0.5 * age + rng.normal(0, 12, n))
    return pd.DataFrame(
        {
            "age": age,
            "sex": sex,
            "height": height,
            "weight": weight,
            "smokes": smokes,
            "pressure": pressure,
            "disease": disease,
        }
    )


def survey(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Answers of people: categories only, some of them rare."""
    school = rng.choice(["none", "basic", "higher"], n, p=[0.2, 0.5, 0.3])
    work = np.where(
        rng.random(n) < 0.7,
        rng.choice(["office", "factory", "shop", "farm"], n),
        rng.choice(["pilot", "priest", "judge", "none"], n),
    )
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "age": rng.choice(["18-29", "30-49", "50-64", "65+"], n),
            "school": school,
            "work": work,
            "region": rng.choice(list("ABCDEFGH"), n, p=_falling(8)),
            "family": rng.choice(["single", "married", "divorced", "widowed"], n),
            "rents": rng.choice(["yes", "no"], n),
            "votes": rng.choice(["red", "blue", "green", "other"], n),
        }
    )


def firms(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Firms of very different size."""
    size = rng.lognormal(4, 1.6, n)
    return pd.DataFrame(
        {f"x{c}": np.round(size * rng.lognormal(0, 0.8, n), 2) for c in range(6)}
    )


def dated(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Stays in a hospital: dates, codes, a postcode."""
    table = tc.datasets.make_hospital(n, seed=_draw(rng)).to_pandas()
    # by chance and not by date: rows in the order of a column say what it is
    return table.drop(columns="patient").sample(n, random_state=_draw(rng))


def wide(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Thirty columns, half of them categories."""
    level = rng.normal(size=n)
    table: dict[str, object] = {}
    for c in range(15):
        table[f"v{c}"] = np.round(level + rng.normal(size=n), 2)
        table[f"c{c}"] = rng.choice(list("abcd"), n, p=[0.4, 0.3, 0.2, 0.1])
    return pd.DataFrame(table)


def weighted(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """A sample with weights."""
    return survey(n, rng).assign(weight=np.round(rng.uniform(20, 200, n), 1))


def gaps(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Patients of whom a fifth of the answers is missing."""
    file = health(n, rng)
    return file.mask(rng.random(file.shape) < 0.2)


def answers(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Answers from 1 to 5, as numbers."""
    level = rng.normal(size=n)
    said = 3 + 0.8 * level[:, None] + rng.normal(size=(n, 6))
    whole = np.clip(np.round(said), 1, 5).astype(int)
    return pd.DataFrame(whole, columns=[f"q{c}" for c in range(6)])


def codes(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """People in few numbers: sex, age, region."""
    return pd.DataFrame(
        {
            "sex": rng.integers(1, 3, n),
            "age": rng.integers(18, 90, n),
            "region": rng.integers(1, 9, n),
        }
    )


def mostly_zero(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Benefits that most people do not get."""
    sums = np.round(rng.lognormal(6, 1, (n, 6)))
    sums[rng.random(sums.shape) < 0.7] = 0
    return pd.DataFrame(sums, columns=[f"benefit{c}" for c in range(6)])


def amounts(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Sums of money in thousands; what is small is none."""
    sums = np.round(np.exp(numbers(n, rng) / 2))
    return sums.where(sums >= 2, 0.0) * 1000


def alike(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Each record stands about three times."""
    kinds = health(n // 3, rng)
    return kinds.loc[rng.integers(0, len(kinds), n)].reset_index(drop=True)


def panel(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Three years of each person, under numbers of the file's own."""
    people = n // 3
    wage = rng.lognormal(8, 1, people)
    years = pd.DataFrame(
        {
            "who": rng.permutation(100 * people)[:people],
            "wage": wage,
            "sector": rng.choice(list("ABCDE"), people),
        }
    )
    rows = years.loc[np.repeat(np.arange(people), 3)].reset_index(drop=True)
    rows["wage"] = np.round(rows["wage"] * rng.lognormal(0, 0.1, len(rows)))
    return rows.assign(hours=np.round(rng.normal(38, 6, len(rows))))


def households(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Persons in households."""
    table = tc.datasets.make_households(n // 3, seed=_draw(rng)).to_pandas()
    return table.drop(columns=["weight", "member"])


def draws_of(
    draw: Draw, files: int, n: int = RECORDS, seed: int = 1
) -> list[pd.DataFrame]:
    """Files of different people."""
    rng = np.random.default_rng(seed)
    return [draw(n, rng).reset_index(drop=True) for _ in range(files)]


# -- why nobody is found ---------------------------------------------------------------


Kind = Callable[[np.random.Generator], Release]


def others(draw: Draw, n: int = RECORDS, **roles: list[str]) -> Kind:
    """The records of other people."""
    return lambda rng: Release(_rows(draw(n, rng)), _rows(draw(n, rng)), roles=roles)


def other_households(rng: np.random.Generator) -> Release:
    """Whole households of other people, as many persons; who lives together is known."""
    ours, theirs = (households(600, rng) for _ in range(2))
    n = min(len(ours), len(theirs))
    roles = {"household": ["household"]}
    return Release(ours.head(n), theirs.head(n), roles=roles)


def persons_permuted(rng: np.random.Generator) -> Release:
    """Persons of households, every column permuted, the household's number left out."""
    file = households(400, rng)
    masked = permuted(file, rng).drop(columns="household")
    return Release(file, masked, roles={"household": ["household"]})


def columns_permuted(draw: Draw, n: int = RECORDS, **roles: list[str]) -> Kind:
    """Every column in an order of its own."""

    def made(rng: np.random.Generator) -> Release:
        file = draw(n, rng)
        return Release(file, permuted(file, rng), roles=roles)

    return made


def keys_redrawn(rng: np.random.Generator) -> Release:
    """Numbers of other people beside confidential columns that have nothing to do with them."""
    ours, theirs = numbers(RECORDS, rng), numbers(RECORDS, rng)
    secret = pd.DataFrame(
        {
            "illness": rng.choice(["none", "flu", "hiv", "cancer"], RECORDS),
            "debts": np.round(rng.lognormal(8, 1, RECORDS)),
        }
    )
    roles = {"confidential": ["illness", "debts"]}
    return Release(ours.join(secret), theirs.join(secret), roles=roles)


def joint_law(rng: np.random.Generator) -> Release:
    """As many records from the law of the file: ranks by a normal copula, values by quantiles."""
    file = numbers(RECORDS, rng)
    ranks = file.rank().to_numpy() / (RECORDS + 1)
    scores = np.asarray([np.quantile(rng.normal(size=20_000), r) for r in ranks.T])
    fresh = rng.multivariate_normal(np.zeros(5), np.corrcoef(scores), RECORDS)
    order = fresh.argsort(0).argsort(0) / (RECORDS - 1)
    drawn = {
        name: np.quantile(file[name], order[:, j]) + rng.normal(size=RECORDS) * 1e-3
        for j, name in enumerate(file)
    }
    return Release(file, pd.DataFrame(drawn))


def nothing_in_it(value: object) -> Kind:
    """The same in every cell; which row is whose is not said, as it does not matter."""

    def made(rng: np.random.Generator) -> Release:
        file = health(RECORDS, rng)
        masked = pd.DataFrame(dict.fromkeys(file, value), index=range(RECORDS))
        return Release(file, masked, said=False)

    return made


def cycles(rng: np.random.Generator) -> Release:
    """Rank swapping in cycles over the whole file, with the plan; rows are not said to be whose."""
    file = health(RECORDS, rng).drop(columns=["sex", "smokes", "disease"])
    keys = ["age", "height", "weight", "pressure"]
    step = tc.protect.RankSwapping(
        p=100, exchange="cycles", columns=keys, random_state=_draw(rng)
    )
    file["illness"] = rng.choice(["none", "flu", "hiv"], RECORDS)
    released = _protected(step, file, said=False)
    return replace(released, roles={"confidential": ["illness"]})


def mdav(rng: np.random.Generator) -> Release:
    """Groups of a hundred."""
    step = tc.protect.Microaggregation(k=100)
    return _protected(step, numbers(RECORDS, rng), told=bool(rng.integers(2)))


def laplace(rng: np.random.Generator) -> Release:
    """Epsilon .1 for the whole record."""
    step = tc.protect.Laplace(epsilon=0.1, bounds=BOUNDS, **_seed(rng))
    return _protected(step, numbers(RECORDS, rng), told=bool(rng.integers(2)))


def dp_microaggregation(rng: np.random.Generator) -> Release:
    """Epsilon .1, rows in random order."""
    step = tc.protect.DPMicroaggregation(k=30, epsilon=0.1, bounds=BOUNDS, **_seed(rng))
    return _protected(step, numbers(RECORDS, rng), told=bool(rng.integers(2)))


def ipso(rng: np.random.Generator) -> Release:
    """All columns drawn anew from their moments alone."""
    step = tc.protect.IPSO(variant="A", quasi=COLUMNS, random_state=_draw(rng))
    return _protected(step, numbers(RECORDS, rng), told=bool(rng.integers(2)))


KINDS: dict[str, Kind] = {
    "other people, numbers": others(numbers),
    "other people, census": others(census),
    "other people, health": others(health),
    "other people, survey of categories": others(survey),
    "other people, sampling weights": others(weighted, weight=["weight"]),
    "other people, stays with dates and codes": others(dated),
    "other people, few (200)": others(health, 200),
    "other firms": others(firms),
    "other people, answers from 1 to 5": others(answers),
    "other people, sex, age and region as numbers": others(codes),
    "other people, mostly zeros": others(mostly_zero),
    "other people, thousands": others(amounts),
    "other people, several years each": others(panel, 900, person=["who"]),
    "other households": other_households,
    "persons of households, columns permuted": persons_permuted,
    "columns permuted, health": columns_permuted(health, confidential=["disease"]),
    "columns permuted, categories": columns_permuted(survey),
    "columns permuted, a fifth missing": columns_permuted(gaps),
    "columns permuted, 30 columns": columns_permuted(wide),
    "columns permuted, answers from 1 to 5": columns_permuted(answers),
    "columns permuted, mostly zeros": columns_permuted(mostly_zero),
    "columns permuted, thousands": columns_permuted(amounts),
    "columns permuted, people who are alike": columns_permuted(alike),
    "numbers redrawn, independent confidential columns": keys_redrawn,
    "drawn from the joint law": joint_law,
    "constant": nothing_in_it("x"),
    "gaps only": nothing_in_it(None),
    "rank swapping in cycles, p = 100": cycles,
    "microaggregation, k = 100": mdav,
    "Laplace, epsilon .1": laplace,
    "private microaggregation, epsilon .1": dp_microaggregation,
    "IPSO A": ipso,
}


def permuted(file: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Every column in an order of its own."""
    return pd.DataFrame(
        {c: file[c].to_numpy()[rng.permutation(len(file))] for c in file}
    )


def released(kinds: dict[str, Kind], kind: str, seed: int) -> Release:
    """One release of a kind."""
    return kinds[kind](np.random.default_rng([seed, list(kinds).index(kind)]))


def judged(release: Release) -> Verdict:
    """The whole verdict: all attacks, all measures, all that is in the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = tc.assess(
            tc.Microdata.of(release.original, **release.roles),
            release.masked.reset_index(drop=True),
            plan=release.plan,
            truth="rows" if release.said else None,
            losses=(),
        )
    return result.verdict


def _rows(file: pd.DataFrame) -> pd.DataFrame:
    return file.reset_index(drop=True)


def _protected(
    step: object, x: pd.DataFrame, *, told: bool = True, said: bool = True
) -> Release:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        z = step.fit_transform(x)  # type: ignore[attr-defined]
    return Release(x, z, step if told else None, said=said)


def _falling(n: int) -> np.ndarray:
    share = 1.0 / np.arange(1, n + 1)
    return np.asarray(share / share.sum())


def _draw(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _seed(rng: np.random.Generator) -> dict[str, object]:
    return {"random_state": _draw(rng), "test_seed": True}
