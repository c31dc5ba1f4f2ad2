"""Small files, one protector of each kind for them, and releases with a known truth."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

import tacit as tc
from tacit.base.errors import TacitError
from tacit.data.microdata import Microdata

MARK = "row"
"""A column that no step touches; it says whose record is whose, and is taken off."""
HOUSEHOLD = "hid"
RECORDS = 150
SHADOWS = 40
FILES = ("continuous", "mixed", "household")
os.environ.setdefault("TACIT_ADVERSARIAL_KEY", "a secret of the tests only")


@dataclass(frozen=True)
class File:
    """Records with the columns that methods of each sort can take."""

    frame: pd.DataFrame
    numbers: list[str]
    labels: list[str]
    whole: list[str]
    """Numbers without a gap: private and synthetic methods refuse gaps, or move them."""


@cache
def file(name: str, seed: int = 0) -> File:
    """A generated file; another seed draws another one of the same sort."""
    # not hash(): it differs from process to process
    rng = np.random.default_rng([seed, FILES.index(name)])
    return {"continuous": _continuous, "mixed": _mixed, "household": _household}[name](
        rng
    )


def _continuous(rng: np.random.Generator) -> File:
    """Skewed sizes that follow one another, and one column on its own."""
    size = rng.normal(size=RECORDS)
    columns = {
        f"v{k}": np.exp(3 + 0.5 * size + 0.6 * rng.normal(size=RECORDS))
        for k in range(4)
    }
    columns["v4"] = rng.normal(50, 10, RECORDS)
    names = list(columns)
    return File(pd.DataFrame(columns), names, [], names)


def _mixed(rng: np.random.Generator) -> File:
    """Numbers with gaps, names and levels."""
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, RECORDS).astype(float),
            "income": np.exp(9 + 0.7 * rng.normal(size=RECORDS)),
            "rent": np.exp(6 + 0.5 * rng.normal(size=RECORDS)),
            "region": rng.choice(list("ABCDEF"), RECORDS),
            "job": rng.choice([f"job{k}" for k in range(9)], RECORDS),
            "school": pd.Categorical(
                rng.choice(["low", "mid", "high", "top"], RECORDS),
                categories=["low", "mid", "high", "top"],
                ordered=True,
            ),
        }
    )
    for name in ("income", "rent"):
        frame.loc[rng.random(RECORDS) < 0.1, name] = np.nan
    # two numbers have gaps, two have none
    frame["wealth"] = rng.gamma(2.0, 100.0, RECORDS)
    labels = ["region", "job", "school"]
    return File(frame, ["age", "income", "rent", "wealth"], labels, ["age", "wealth"])


def _household(rng: np.random.Generator) -> File:
    """Persons, whose household number is kept; members are alike."""
    size = rng.choice([1, 2, 3, 4, 5], RECORDS, p=[0.2, 0.3, 0.2, 0.2, 0.1])
    hid = np.repeat(np.arange(RECORDS), size)[:RECORDS]
    wealth = rng.normal(size=RECORDS)[hid]
    frame = pd.DataFrame(
        {
            HOUSEHOLD: 1000 + 7 * hid,
            "age": rng.integers(0, 90, RECORDS).astype(float),
            "income": np.exp(8 + 0.6 * wealth + 0.5 * rng.normal(size=RECORDS)),
            "spent": np.exp(7 + 0.4 * wealth + 0.5 * rng.normal(size=RECORDS)),
            "sex": rng.choice(["f", "m"], RECORDS),
            "job": rng.choice(list("abcd"), RECORDS),
        }
    )
    return File(
        frame, ["age", "income", "spent"], ["sex", "job"], ["age", "income", "spent"]
    )


Maker = Callable[[File, int], Any]


def _bounds(of: File) -> dict[str, tuple[float, float]]:
    """Public bounds, a little wider than the file."""
    return {
        name: (float(of.frame[name].min()) - 1, float(of.frame[name].max()) + 1)
        for name in of.whole
    }


def _categories(of: File) -> dict[str, list[str]]:
    return {
        name: sorted(map(str, of.frame[name].unique()))
        if of.frame[name].dtype == object or of.frame[name].dtype.name == "str"
        else [str(c) for c in of.frame[name].cat.categories]
        for name in of.labels
    }


def _halves(of: File) -> tuple[list[str], list[str]]:
    middle = (len(of.whole) + 1) // 2
    return of.whole[:middle], of.whole[middle:]


P = tc.protect
MAKERS: dict[str, Maker] = {
    "noise": lambda f, s: P.Noise(percent=60, columns=f.numbers, random_state=s),
    "rank_swapping": lambda f, s: P.RankSwapping(
        p=40, columns=f.numbers, random_state=s
    ),
    "microaggregation": lambda f, s: P.Microaggregation(
        k=4, columns=f.numbers + f.labels
    ),
    "pram": lambda f, s: P.PRAM(diagonal=0.6, columns=f.labels, random_state=s),
    "shuffling": lambda f, s: P.Shuffling(
        columns=_halves(f)[0], given=_halves(f)[1], random_state=s
    ),
    "rounding": lambda f, s: P.Rounding(
        base={name: float(1.5 * f.frame[name].std()) for name in f.numbers},
        columns=f.numbers,
        random_state=s,
    ),
    "resampling": lambda f, s: P.Resampling(
        samples=1, columns=f.numbers, random_state=s
    ),
    "massc": lambda f, s: P.MASSC(columns=f.numbers + f.labels, random_state=s),
    "ipso": lambda f, s: P.IPSO(
        variant="A", quasi=_halves(f)[0], confidential=_halves(f)[1], random_state=s
    ),
    "sampling": lambda f, s: P.Sampling(fraction=0.6, random_state=s),
    "recoding": lambda f, s: P.Recoding(
        bins=4, show="label" if f.labels else "midpoint", columns=f.numbers
    ),
    "top_bottom_coding": lambda f, s: P.TopBottomCoding(
        tails=(0.4, 0.4), columns=f.numbers
    ),
    "local_suppression": lambda f, s: P.LocalSuppression(
        k=3, columns=f.labels or f.numbers[:1], random_state=s
    ),
    "generalisation": lambda f, s: P.Generalisation(
        k=3, suppression_limit=0.1, columns=f.labels or f.numbers[:2]
    ),
    "pseudonyms": lambda f, s: P.Pseudonyms(
        columns=[HOUSEHOLD if HOUSEHOLD in f.frame else "id"],
        key="env:TACIT_ADVERSARIAL_KEY",
    ),
    "dp_microaggregation": lambda f, s: P.DPMicroaggregation(
        k=5, epsilon=20.0, bounds=_bounds(f), columns=f.whole,
        random_state=s, test_seed=True,
    ),
    "laplace": lambda f, s: P.Laplace(
        epsilon=(5.0 if f.labels else 15.0) * len(f.whole + f.labels), bounds=_bounds(f),
        categories=_categories(f), columns=f.whole + f.labels,
        random_state=s, test_seed=True,
    ),
}  # fmt: skip
"""One protector of each method, so strong that some records are found and some are not."""


@dataclass(frozen=True)
class Trial:
    """A release whose rows stand in random order; `truth` is for counting only."""

    original: Microdata
    masked: Microdata
    truth: np.ndarray
    steps: list[Any]
    columns: list[str]

    @property
    def x(self) -> pd.DataFrame:
        """The originals as a frame."""
        return self.original.table.to_pandas()

    @property
    def z(self) -> pd.DataFrame:
        """The release as a frame."""
        return self.masked.table.to_pandas()

    @cached_property
    def shadows(self) -> list[tuple[pd.DataFrame, np.ndarray]]:
        """The plan run again and again with other seeds; and the original of each row."""
        made = []
        for r in range(SHADOWS):
            steps = [reseeded(s, 1000 * r + k) for k, s in enumerate(self.steps)]
            masked, owner = run(steps, self.original)
            made.append((masked.table.to_pandas(), owner))
        return made


class Refused(Exception):
    """These methods cannot be applied to this file, in this order or at all."""


def trial(name: str, methods: tuple[str, ...], seed: int) -> Trial:
    """A release of a file by the methods in order; another seed, another file and release."""
    of = file(name, seed)
    if "pram" in methods and not of.labels:
        raise Refused("there is no category to change")
    try:
        steps = [MAKERS[m](of, 7919 * seed + k) for k, m in enumerate(methods)]
        original = _known(of, steps)
        masked, owner = run(steps, original)
    except TacitError as error:
        raise Refused(str(error)) from None
    order = np.random.default_rng(seed).permutation(masked.n)
    truth = np.full(original.n, -1)
    truth[owner[order]] = np.arange(masked.n)
    columns = [name for name in original.quasi if name in masked.names]
    return Trial(original, masked.take(order), truth, steps, columns)


def _known(of: File, steps: list[Any]) -> Microdata:
    """The file with those columns that the steps protect; others would tell everything."""
    frame = of.frame
    roles: dict[str, Any] = {}
    if HOUSEHOLD in frame:
        roles["household"] = HOUSEHOLD
    else:
        frame = frame.assign(id=[f"n{i:04d}" for i in range(len(frame))])
        roles["identifier"] = ["id"]
    whole = Microdata.of(frame, quasi=of.numbers + of.labels, **roles)
    touched = {name for step in steps for name in step.touches(whole)}
    # what is drawn anew follows columns that stay, which the intruder does not know
    follows = any(isinstance(step, P.IPSO | P.Shuffling) for step in steps)
    stay = [n for n in of.whole if n not in touched] if follows else []
    every = of.numbers + of.labels
    kept = [n for n in every if n in touched or n in stay] or every
    file = whole.drop([n for n in every if n not in kept])
    return Microdata.of(file, confidential=stay) if stay else file


def run(steps: list[Any], original: Microdata) -> tuple[Microdata, np.ndarray]:
    """The steps in order; and the original of each released row."""
    rows = np.arange(original.n, dtype=float)
    data = Microdata.of(
        original.table.append_column(MARK, [rows]), schema=original.schema
    )
    data = data.with_schema(data.schema.set(other=[MARK], continuous=[MARK]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for step in steps:
            data = step.fit_transform(data)
    owner = data.column(MARK).astype(int)
    return data.drop([MARK]), owner


def reseeded(step: Any, seed: int) -> Any:
    """The same method, with a seed that the data holder did not use."""
    given = step.get_params(deep=False)
    if "random_state" in given:
        given["random_state"] = 1_000_003 + seed
    return type(step)(**given)


def names_of(methods: tuple[str, ...]) -> str:
    """'noise + rounding'."""
    return " + ".join(methods)
