"""Releases that look strongly protected, each with a short attack that shares no code with tacit.

An attack turns both files into numbers (``said``, ``shown``); who is nearest, or has most equal
cells by rarity, is named. Rates are over everybody; ties are shared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

N = 400


@dataclass
class Made:
    """Both files, what was declared, and the best that a short attack finds."""

    original: pd.DataFrame
    masked: pd.DataFrame
    simple: float
    roles: dict[str, list[str]] = field(default_factory=dict)


def by_distance(said: np.ndarray, shown: np.ndarray) -> float:
    """Share of originals whose own row is the nearest, in units of the spread of what is said."""
    said, shown = (np.asarray(v, float).reshape(len(v), -1) for v in (said, shown))
    unit = said.std(0)
    apart = np.abs(said[:, None] / unit - shown[None] / unit).sum(2)
    return _own(-apart)


def by_equal_cells(said: np.ndarray, shown: np.ndarray) -> float:
    """Share of originals whose own row has the most equal cells, rare values counting more."""
    score = np.zeros((len(said), len(shown)))
    for x, z in zip(said.T, shown.T, strict=True):
        values, count = np.unique(z, return_counts=True)
        often = dict(zip(values, count / len(z), strict=True))
        score += (x[:, None] == z) * np.array([-np.log(often.get(v, 1.0)) for v in x])[
            :, None
        ]
    return _own(score)


def _own(score: np.ndarray) -> float:
    best = score.max(1, keepdims=True)
    tied = score >= best - 1e-12
    return float((np.diag(tied) / tied.sum(1)).mean())


def census(rng: np.random.Generator, n: int = N, columns: int = 10) -> pd.DataFrame:
    """Correlated positive amounts with two decimals."""
    common = rng.normal(size=(n, 4)) @ rng.normal(size=(4, columns)) * 0.3
    amounts = np.exp(common + rng.normal(size=(n, columns)) * 0.5 + 8)
    return pd.DataFrame(np.round(amounts, 2), columns=[f"c{i}" for i in range(columns)])


def health(rng: np.random.Generator, n: int = N) -> pd.DataFrame:
    """Patients with weights at two visits."""
    before = np.round(rng.lognormal(4.2, 0.2, n), 2)
    return pd.DataFrame(
        {
            "age": rng.integers(25, 75, n),
            "height": np.round(rng.normal(168, 9, n), 1),
            "before": before,
            "after": np.round(before + rng.normal(2.5, 7, n), 2),
            "pressure": rng.normal(128, 18, n).round(),
        }
    )


def noisy(
    file: pd.DataFrame, rng: np.random.Generator, share: float = 3.0
) -> pd.DataFrame:
    """Noise of so many standard deviations."""
    return file + rng.normal(size=file.shape) * file.std().to_numpy() * share


def kept_difference(rng: np.random.Generator) -> Made:
    file = health(rng)
    file["change"] = (file.after - file.before).round(2)
    names = ["age", "height", "before", "after", "pressure"]
    masked = file.astype(float)
    order = np.argsort(file.age + file.before, kind="stable").to_numpy()
    for group in np.array_split(order, 4):
        masked.loc[group, names] = file.loc[group, names].mean().to_numpy()
    simple = by_distance(
        (file.after - file.before).to_numpy(), masked.change.to_numpy()
    )
    return Made(file, masked, simple, {"confidential": ["change"]})


def kept_ratio(rng: np.random.Generator) -> Made:
    file = health(rng)
    file["bmi"] = (file.before / (file.height / 100) ** 2).round(2)
    masked = noisy(file, rng)
    masked["bmi"] = file.bmi
    simple = by_distance(
        (file.before / (file.height / 100) ** 2).to_numpy(), masked.bmi.to_numpy()
    )
    return Made(file, masked, simple, {"confidential": ["bmi"]})


def new_total(rng: np.random.Generator) -> Made:
    file = census(rng)
    masked = noisy(file, rng)
    masked["all"] = file.sum(axis=1)
    return Made(
        file, masked, by_distance(file.sum(axis=1).to_numpy(), masked["all"].to_numpy())
    )


def new_ratios(rng: np.random.Generator) -> Made:
    file = census(rng)
    masked = noisy(file, rng)
    masked["r"], masked["s"] = file.c0 / file.c1, file.c2 / file.c3
    said = np.column_stack([file.c0 / file.c1, file.c2 / file.c3])
    return Made(file, masked, by_distance(said, masked[["r", "s"]].to_numpy()))


def telling_weight(rng: np.random.Generator) -> Made:
    # as many people as it takes to learn a function of 50 ages from half of them
    n = 1000
    file = health(rng, n)
    file["density"] = np.round(rng.lognormal(3, 1, n), 1)
    weight = np.round(50 + 3 * np.abs(file.age - 45) + 20 * np.log(file.density), 3)
    masked = noisy(file, rng).assign(weight=weight)
    simple = by_distance(weight.to_numpy(), masked.weight.to_numpy())
    return Made(file.assign(weight=weight), masked, simple, {"weight": ["weight"]})


def whole_noise(rng: np.random.Generator) -> Made:
    file = census(rng)
    masked = (
        file + np.rint(rng.normal(size=file.shape) * file.std().to_numpy() * 3)
    ).round(2)
    ends = [((f * 100).round() % 100).to_numpy() for f in (file, masked)]
    return Made(file, masked, by_equal_cells(*ends))


def noise_in_tens(rng: np.random.Generator) -> Made:
    file = census(rng).round()
    masked = file + 10 * np.rint(
        rng.normal(size=file.shape) * file.std().to_numpy() * 0.3
    )
    return Made(
        file, masked, by_equal_cells(*((f % 10).to_numpy() for f in (file, masked)))
    )


def random_thousands(rng: np.random.Generator) -> Made:
    file = census(rng).round()
    masked = file + 1000 * rng.integers(-30, 30, file.shape)
    return Made(
        file, masked, by_equal_cells(*((f % 1000).to_numpy() for f in (file, masked)))
    )


def mostly_replaced(rng: np.random.Generator, share: float = 0.8) -> Made:
    file = census(rng)
    masked = file.copy()
    for name in masked:
        drawn = rng.random(N) < share
        masked.loc[drawn, name] = rng.choice(file[name].to_numpy(), drawn.sum())
    return Made(file, masked, by_equal_cells(file.to_numpy(), masked.to_numpy()))


def replaced_and_shaken(rng: np.random.Generator) -> Made:
    made = mostly_replaced(rng, 0.75)
    masked = made.masked * (1 + rng.normal(size=made.masked.shape) * 0.002)
    x, z = np.log(made.original.to_numpy()), np.log(masked.to_numpy())
    close = sum(
        np.abs(x[:, None, c] - z[None, :, c]) < 0.006 for c in range(x.shape[1])
    )
    return Made(made.original, masked, _own(close.astype(float)))


def other_names(rng: np.random.Generator) -> Made:
    file = census(rng)
    masked = noisy(file, rng).drop(columns=["c0", "c1", "c2"])
    for old, new in (("c0", "x"), ("c1", "y"), ("c2", "z")):
        masked[new] = file[old] * (1 + rng.normal(size=N) * 0.01)
    logs = np.log(file[["c0", "c1", "c2"]]), np.log(masked[["x", "y", "z"]])
    return Made(file, masked, by_distance(*(v.to_numpy() for v in logs)))


def rotated(rng: np.random.Generator) -> Made:
    file = census(rng)
    turn = np.linalg.qr(rng.normal(size=(10, 10)))[0]
    unit = ((file - file.mean()) / file.std()).to_numpy()
    masked = pd.DataFrame(unit @ turn, columns=file.columns)
    # principal axes of both files, signs by skewness
    axes = []
    for values in (unit, masked.to_numpy()):
        scores = values @ np.linalg.svd(values, full_matrices=False)[2].T
        axes.append(scores * np.sign((scores**3).sum(0)))
    return Made(file, masked, by_distance(*axes))


def ranks_and_noise(rng: np.random.Generator) -> Made:
    file = census(rng)
    ranks = file.rank(pct=True) * 100
    masked = noisy(ranks, rng, 0.6)
    return Made(file, masked, by_distance(ranks.to_numpy(), masked.to_numpy()))


def logarithms_and_noise(rng: np.random.Generator) -> Made:
    file = census(rng)
    logs = np.log1p(file)
    masked = noisy(logs, rng, 0.5)
    return Made(file, masked, by_distance(logs.to_numpy(), masked.to_numpy()))


def permuted_but_one(rng: np.random.Generator) -> Made:
    file = census(rng)
    masked = file.apply(lambda column: rng.permutation(column.to_numpy()))
    masked["c0"] = file.c0 * (1 + rng.uniform(-0.005, 0.005, N))
    logs = np.log(file.c0.to_numpy()), np.log(masked.c0.to_numpy())
    return Made(file, masked, by_distance(*logs))


def sorted_file(rng: np.random.Generator) -> Made:
    file = census(rng).sort_values("c0").reset_index(drop=True)
    masked = noisy(file, rng)
    return Made(
        file, masked, by_distance(file.c0.rank().to_numpy(), np.arange(N) + 1.0)
    )


def secret_factor(rng: np.random.Generator) -> Made:
    file = census(rng)
    masked = file.mul(np.exp(rng.normal(size=N)), axis=0)
    ratios = [
        np.log(f.iloc[:, 1:].to_numpy() / f.iloc[:, [0]].to_numpy())
        for f in (file, masked)
    ]
    return Made(file, masked, by_distance(*ratios))


def secret_shift(rng: np.random.Generator) -> Made:
    file = census(rng)
    masked = file.add(rng.normal(size=N) * 20_000, axis=0)
    apart = [
        f.iloc[:, 1:].to_numpy() - f.iloc[:, [0]].to_numpy() for f in (file, masked)
    ]
    return Made(file, masked, by_distance(*apart))


def shifted_dates(rng: np.random.Generator) -> Made:
    days = pd.DataFrame(
        rng.integers(0, 3000, (N, 4)), columns=["birth", "visit", "test", "end"]
    )
    moved = days.add(rng.integers(-2000, 2000, N), axis=0)
    text = [
        f.apply(
            lambda c: (
                pd.Timestamp("2015-01-01") + pd.to_timedelta(c, "D")
            ).dt.strftime("%d/%m/%Y")
        )
        for f in (days, moved)
    ]
    apart = [
        f.iloc[:, 1:].to_numpy() - f.iloc[:, [0]].to_numpy() for f in (days, moved)
    ]
    return Made(text[0], text[1], by_distance(*apart))


def numbers_among_letters(rng: np.random.Generator) -> Made:
    file = census(rng, columns=4)
    income, age = np.round(rng.lognormal(10, 1.5, N), 0), rng.normal(45, 15, N).round(1)
    none = rng.random(N) < 0.1
    masked = noisy(file, rng)
    near = income * (1 + rng.uniform(-0.001, 0.001, N))
    for out, values in ((file, income), (masked, near)):
        out["income"] = np.where(none, "N", [f"{v:.2f}" for v in values])
    file["age"] = [f"{v:.1f} years" for v in age]
    masked["age"] = [f"{v:.1f} y" for v in age + rng.normal(size=N) * 0.5]
    says = np.column_stack(
        [np.where(none, 0, np.log(income)), np.where(none, 9, 0), age / 10]
    )
    shows = np.column_stack(
        [np.where(none, 0, np.log(near)), np.where(none, 9, 0), 0 * age]
    )
    shows[:, 2] = [float(text.split()[0]) / 10 for text in masked.age]
    return Made(
        file, masked, by_distance(says + 1e-9 * rng.normal(size=says.shape), shows)
    )


def secret_codes(rng: np.random.Generator) -> Made:
    letters = list("abcdefgh")
    file = pd.DataFrame({f"k{i}": rng.choice(letters, N) for i in range(6)})
    code = dict(zip(letters, rng.permutation(letters), strict=True))
    masked = file.map(code.get)
    for name in masked:
        drawn = rng.random(N) < 0.12
        masked.loc[drawn, name] = rng.choice(letters, drawn.sum())
    said = file.map(code.get).to_numpy()
    return Made(file, masked, by_equal_cells(said, masked.to_numpy()))


def kept_totals(rng: np.random.Generator) -> Made:
    file = census(rng, columns=6)
    file["all"] = file.sum(axis=1)
    masked = noisy(file, rng)
    masked["all"] = file["all"]
    simple = by_distance(file["all"].to_numpy(), masked["all"].to_numpy())
    return Made(file, masked, simple, {"confidential": ["all"]})


def equal_rows(rng: np.random.Generator) -> Made:
    """Four rows of each person under noise of their own."""
    person = np.repeat(np.arange(N // 4), 4)
    file = census(rng, N // 4, 3).iloc[person].reset_index(drop=True)
    masked = noisy(file, rng, 0.6)
    means = [f.groupby(person).transform("mean").to_numpy() for f in (file, masked)]
    file["person"] = person
    masked["person"] = rng.permutation(N // 4)[person]
    return Made(file, masked, by_distance(*means), {"person": ["person"]})


def shifted_persons(rng: np.random.Generator) -> Made:
    """Four rows of each person, all moved by the shift of that person."""
    person = np.repeat(np.arange(N // 4), 4)
    file = pd.DataFrame(
        {"day": rng.integers(0, 3000, N), "dose": rng.integers(1, 4, N)}
    )
    masked = file.assign(day=file.day + rng.integers(-3000, 3000, N // 4)[person])
    apart = [
        f.day.to_numpy() - f.day.groupby(person).transform("mean").to_numpy()
        for f in (file, masked)
    ]
    file["person"] = person
    masked["person"] = rng.permutation(N // 4)[person]
    return Made(file, masked, by_distance(*apart), {"person": ["person"]})


def household_weight(rng: np.random.Generator) -> Made:
    """The number of the household was dropped; its weight is 100 / size."""
    home = np.repeat(np.arange(N // 4), rng.permutation(np.arange(N // 4) % 7 + 1))[:N]
    size = np.bincount(home)[home]
    file = pd.DataFrame(
        {
            "home": home,
            "age": rng.integers(0, 90, len(home)),
            "sex": rng.choice(["f", "m"], len(home)),
            "w": 100 / size,
        }
    )
    classes = (file.age // 15 * 15 + 7).rename("age")
    masked = file.drop(columns="home").assign(age=classes)
    said, shown = (
        np.column_stack([classes, file.sex == "f", v]) for v in (size, 100 / masked.w)
    )
    roles = {"household": ["home"], "weight": ["w"], "quasi": ["age", "sex"]}
    return Made(file, masked, by_equal_cells(said, shown), roles)


RELEASES: dict[str, Callable[[np.random.Generator], Made]] = {
    make.__name__: make
    for make in (
        *(
            kept_difference,
            kept_ratio,
            new_total,
            new_ratios,
            telling_weight,
            kept_totals,
        ),
        *(
            whole_noise,
            noise_in_tens,
            random_thousands,
            mostly_replaced,
            replaced_and_shaken,
        ),
        *(
            other_names,
            rotated,
            ranks_and_noise,
            logarithms_and_noise,
            permuted_but_one,
        ),
        *(
            sorted_file,
            secret_factor,
            secret_shift,
            shifted_dates,
            numbers_among_letters,
        ),
        *(secret_codes, equal_rows, shifted_persons, household_weight),
    )
}
