"""Releases that look safe by construction, as those of `false_alarms`, and are not.

Each leaves something of the person in the row, or of somebody's record elsewhere, where a test that
wants to raise no false alarm may overlook it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

import tacit as tc
from assess.false_alarms import (
    RECORDS,
    Draw,
    Kind,
    Release,
    _draw,
    _protected,
    answers,
    census,
    firms,
    gaps,
    health,
    households,
    mostly_zero,
    numbers,
    permuted,
    survey,
    weighted,
)

Change = Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]


def rows_left(draw: Draw, share: float) -> Kind:
    """Columns permuted among most of the rows; some rows stay as they are."""

    def made(rng: np.random.Generator) -> Release:
        file = draw(RECORDS, rng).reset_index(drop=True)
        moved = np.flatnonzero(rng.random(RECORDS) >= share)
        masked = file.copy()
        for name in file:
            masked.loc[moved, name] = file[name].to_numpy()[rng.permutation(moved)]
        return Release(file, masked)

    return made


def column_kept(
    draw: Draw, name: str, change: Change | None = None, **roles: list[str]
) -> Kind:
    """Columns permuted, and one left in the order of the people, as it is or changed."""

    def made(rng: np.random.Generator) -> Release:
        file = draw(RECORDS, rng).reset_index(drop=True)
        masked = permuted(file, rng)
        kept = file if change is None else change(file, rng)
        masked[name] = kept[name]
        return Release(file, masked, roles=roles)

    return made


def people_redrawn(draw: Draw, kept: list[str], **roles: list[str]) -> Kind:
    """Other people's records, with some columns of one's own."""

    def made(rng: np.random.Generator) -> Release:
        ours, theirs = (draw(RECORDS, rng).reset_index(drop=True) for _ in range(2))
        return Release(ours, theirs.assign(**{c: ours[c] for c in kept}), roles=roles)

    return made


def permuted_within(draw: Draw, by: str, size: int) -> Kind:
    """Columns permuted within small groups of neighbours by one column."""

    def made(rng: np.random.Generator) -> Release:
        file = draw(RECORDS, rng).reset_index(drop=True)
        masked = file.copy()
        order = file[by].argsort(kind="stable").to_numpy()
        for start in range(0, RECORDS, size):
            group = order[start : start + size]
            for name in file:
                masked.loc[group, name] = file[name].to_numpy()[rng.permutation(group)]
        return Release(file, masked)

    return made


def swapped(p: float) -> Kind:
    """Rank swapping in cycles that do not reach far."""

    def made(rng: np.random.Generator) -> Release:
        step = tc.protect.RankSwapping(p=p, exchange="cycles", random_state=_draw(rng))
        return _protected(step, numbers(RECORDS, rng), told=False)

    return made


def wrongly_said(draw: Draw, percent: float) -> Kind:
    """Everybody's record in another order, and said to be in this one."""

    def made(rng: np.random.Generator) -> Release:
        file = draw(RECORDS, rng).reset_index(drop=True)
        masked = file.copy()
        for name in file.select_dtypes("number"):
            noise = rng.normal(size=RECORDS) * file[name].std() * percent / 100
            masked[name] = file[name] + noise
        return Release(file, masked.sample(frac=1, random_state=_draw(rng)))

    return made


def bootstrap(draw: Draw) -> Kind:
    """Records drawn with putting back, a little blurred, in no order."""

    def made(rng: np.random.Generator) -> Release:
        file = draw(RECORDS, rng)
        some = file.sample(RECORDS, replace=True, random_state=_draw(rng))
        noise = rng.normal(size=file.shape) * file.std().to_numpy() / 100
        return Release(file, (some + noise).reset_index(drop=True))

    return made


def singles_among_couples(rng: np.random.Generator) -> Release:
    """Everybody's record in another order with a little noise; most records stand twice."""
    people = numbers(RECORDS, rng)
    file = people.loc[np.r_[: len(people), : len(people) * 4 // 5]]
    file = file.reset_index(drop=True)
    noise = rng.normal(size=file.shape) * file.std().to_numpy() / 1000
    mixed = (file + noise).sample(frac=1, random_state=_draw(rng))
    return Release(file, mixed.reset_index(drop=True))


def cells_left(draw: Draw, share: float) -> Kind:
    """Each cell is the person's own with this probability, else anybody's."""

    def made(rng: np.random.Generator) -> Release:
        file = draw(RECORDS, rng).reset_index(drop=True)
        own = rng.random(file.shape) < share
        return Release(file, file.where(own, permuted(file, rng)))

    return made


def recoded(file: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Categories under secret codes."""
    return file.apply(
        lambda c: c.map(
            dict(zip(c.unique(), rng.permutation(c.nunique()), strict=True))
        )
    ).astype(str)


def with_secret(made_of: Callable[[pd.DataFrame], pd.Series]) -> Kind:
    """Other people's keys, beside a confidential column that is computed from one's own."""

    def made(rng: np.random.Generator) -> Release:
        ours, theirs = numbers(RECORDS, rng), numbers(RECORDS, rng)
        tax = made_of(ours)
        roles = {"confidential": ["tax"]}
        return Release(ours.assign(tax=tax), theirs.assign(tax=tax), roles=roles)

    return made


def towns(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Answers, with one of sixty towns."""
    return survey(n, rng).assign(town=rng.integers(0, 60, n).astype(str))


def members_kept(rng: np.random.Generator) -> Release:
    """Persons of households permuted, the household's number left: sizes and members' ages stay."""
    file = households(400, rng).reset_index(drop=True)
    masked = permuted(file, rng)
    masked[["household", "age", "region"]] = file[["household", "age", "region"]]
    return Release(file, masked, roles={"household": ["household"]})


NEAR_MISSES: dict[str, Kind] = {
    "95 % of the rows permuted, numbers": rows_left(numbers, 0.05),
    "95 % of the rows permuted, census": rows_left(census, 0.05),
    "95 % of the rows permuted, health": rows_left(health, 0.05),
    "95 % of the rows permuted, categories": rows_left(survey, 0.05),
    "90 % of the rows permuted, a fifth missing": rows_left(gaps, 0.1),
    "97 % of the rows permuted, firms": rows_left(firms, 0.03),
    "one column of thirteen kept": column_kept(census, "AGI"),
    "one measurement kept": column_kept(health, "weight"),
    "one measurement kept but for 1 % noise": column_kept(
        health, "weight", lambda f, r: f[["weight"]] + r.normal(size=(len(f), 1)) / 10
    ),
    "sampling weights kept": column_kept(weighted, "weight"),
    "all but two columns of categories permuted": people_redrawn(
        survey, ["work", "region", "age"]
    ),
    "a column of categories kept under secret codes": column_kept(
        towns, "town", recoded
    ),
    "other people, one's own age and height": people_redrawn(health, ["age", "height"]),
    "redrawn, one confidential column kept that is a key squared": with_secret(
        lambda file: file["a"] ** 2
    ),
    "redrawn, one confidential column kept that is a sum of keys": with_secret(
        lambda file: file["a"] + file["c"] + file["e"]
    ),
    "permuted within groups of three by age": permuted_within(health, "age", 3),
    "permuted within groups of four by size": permuted_within(firms, "x0", 4),
    "permuted within groups of five, categories": permuted_within(survey, "region", 5),
    "rank swapping in cycles, p = 20": swapped(20),
    "rank swapping in cycles, p = 5": swapped(5),
    "shuffled and said to be aligned": wrongly_said(health, 0),
    "shuffled with 2 % noise and said to be aligned": wrongly_said(numbers, 2),
    "categories shuffled and said to be aligned": wrongly_said(survey, 0),
    "a bootstrap with 1 % noise, said to be aligned": bootstrap(numbers),
    "a bootstrap of answers from 1 to 5, with 1 % noise": bootstrap(answers),
    "a bootstrap of what is mostly zero, with 1 % noise": bootstrap(mostly_zero),
    "people and couples in another order, with .1 % noise": singles_among_couples,
    "a quarter of the cells left": cells_left(health, 0.25),
    "a quarter of the cells left, categories": cells_left(survey, 0.25),
    "households kept together": members_kept,
}
