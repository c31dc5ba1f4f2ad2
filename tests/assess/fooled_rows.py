"""The releases that version 0.1 called safe, each as files and words of the command line.

The audit attacked the tool with attacks that were written from scratch. Each row says what version
0.1 answered, and what share of the records such an attack found; None: the release must be refused
whatever the rates are. ``tools/fooled.py`` measures them all and writes the table of the docs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

import tacit as tc
from attack.grouped_files import firms as rows_of_firms
from attack.grouped_files import survey
from tacit.plan.plan import Plan

P = tc.protect
KEY = "key"


@dataclass(frozen=True)
class Case:
    """A release, the plan that made it (empty: nobody would write such a plan down), and how it is
    assessed."""

    original: pd.DataFrame
    masked: pd.DataFrame
    plan: tuple[object, ...] = ()
    words: tuple[str, ...] = ()

    def the_plan(self) -> Plan:
        """The plan without its seeds, as an intruder knows it."""
        return Plan.of(list(self.plan)).without_seeds()


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    said: str
    """The answer of version 0.1, without and with the plan."""
    attack: float | None
    """Share that an attack from scratch found; None: the release is raw, and is refused."""
    make: Callable[[pd.DataFrame], Case]
    file: str = "people"
    """What it is made of: people (Census where there is one), firms, or files of its own."""
    figure: str = "rate"
    """What is compared with the attack: the strongest rate, or the largest that are found."""
    plans: tuple[bool, ...] = field(default=(False, True))
    """Assessed without the plan, and with it."""
    told: bool = False
    """The rate is reached by whoever knows the plan; without it the release is refused at a lower
    one."""


def people(records: int = 200) -> pd.DataFrame:
    """Incomes and taxes of people, skewed and correlated, as in a census."""
    return tc.datasets.make_census(records, seed=3).to_pandas().astype(float)


def firms(
    records: int, columns: int, spread: float, own: float, seed: int = 7
) -> pd.DataFrame:
    """Firms of very different size, and columns that follow it more or less."""
    rng = np.random.default_rng(seed)
    size = rng.lognormal(4, spread, records)
    return pd.DataFrame(
        {f"x{c}": size * rng.lognormal(0, own, records) for c in range(columns)}
    )


def masked_by(frame: pd.DataFrame, *steps: object, words: tuple[str, ...] = ()) -> Case:
    """The file after these steps."""
    masked = frame
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for step in steps:
            masked = step.fit_transform(masked)
    return Case(frame, masked, steps, words)


def noise(percent: float, **more: object) -> object:
    """Noise with the seed of this table."""
    return P.Noise(percent=percent, random_state=1, **more)


def _shuffled(frame: pd.DataFrame) -> Case:
    return Case(frame, frame.sample(frac=1.0, random_state=1))


def _sample(frame: pd.DataFrame) -> Case:
    keyed = frame.assign(**{KEY: np.arange(len(frame)) + 5_000})
    return Case(keyed, keyed.iloc[::25], words=("--key", KEY))


def _identifiers(frame: pd.DataFrame) -> Case:
    numbers = np.arange(len(frame)) + 100_000_000
    named = {"ssn": numbers, "name": [f"p{i}" for i in range(len(frame))]}
    masked = noise(200).fit_transform(frame)
    return Case(frame.assign(**named), masked.assign(**named))


def _lower_case(frame: pd.DataFrame) -> Case:
    first = next(iter(frame))
    masked = frame.rename(columns=str.lower).rename(columns={first.lower(): first})
    return Case(frame, masked.assign(**{first: noise(200).fit_transform(frame)[first]}))


def _copies(frame: pd.DataFrame) -> Case:
    masked = noise(200).fit_transform(frame)
    return Case(frame, masked.assign(extra=frame["PTOTVAL"], other=frame["AGI"]))


def _two_of_thirteen(frame: pd.DataFrame) -> Case:
    two = ["AGI", "FEDTAX"]
    masked = frame.assign(
        **{name: noise(200).fit_transform(frame)[name] for name in two}
    )
    return Case(frame, masked, words=("--quasi", ",".join(two)))


def _swapped(p: float) -> Callable[[pd.DataFrame], Case]:
    return lambda frame: masked_by(frame, P.RankSwapping(p=p, random_state=1))


def _household(_: pd.DataFrame) -> Case:
    frame = survey(70)
    return masked_by(frame, noise(80), words=("--household", "hid"))


def _pseudonyms(_: pd.DataFrame) -> Case:
    frame = rows_of_firms(number=60, months=4)
    case = masked_by(
        tc.Microdata.of(frame, identifier=["firm_id"]), P.Pseudonyms(), noise(50)
    )
    masked = tc.Microdata.of(case.masked).table.to_pandas()
    return Case(frame, masked, case.plan, ("--identifier", "firm_id"))


def _coded(_: pd.DataFrame) -> Case:
    steps = P.TopBottomCoding(), noise(200, kind="multiplicative")
    return masked_by(firms(200, 10, 1.0, 1.0), *steps)


def _averaged(frame: pd.DataFrame) -> Case:
    steps = P.Microaggregation(k=5, groups=3), noise(100, kind="multiplicative")
    return masked_by(frame, *steps)


def _multiplied(frame: pd.DataFrame) -> Case:
    return masked_by(frame, noise(100, kind="multiplicative"))


def _gaps(frame: pd.DataFrame) -> Case:
    rng = np.random.default_rng(5)
    return masked_by(frame.mask(rng.random(frame.shape) < 0.05), noise(200))


def _synthetic(frame: pd.DataFrame) -> tuple[pd.DataFrame, object, tuple[str, ...]]:
    quasi, others = list(frame)[:6], list(frame)[6:]
    ipso = P.IPSO(quasi=quasi, confidential=others, random_state=1)
    words = ("--quasi", ",".join(quasi), "--confidential", ",".join(others))
    return frame[quasi + others], ipso, words


def _ipso(frame: pd.DataFrame) -> Case:
    file, ipso, words = _synthetic(frame)
    return masked_by(file, ipso, words=words)


def _ipso_with_raw(frame: pd.DataFrame) -> Case:
    file, ipso, words = _synthetic(frame)
    raw = np.arange(len(file)) < 50 * len(file) / 1080
    masked = ipso.fit_transform(file)
    kept = {name: np.where(raw, file[name], masked[name]) for name in file}
    return Case(file, pd.DataFrame(kept), words=words)


def _labels(_: pd.DataFrame) -> Case:
    frame = survey(70).drop(columns="hid")
    numbers = ["expend", "income", "savings"]
    return masked_by(
        frame,
        P.Recoding(bins=12, show="label", columns=["age"]),
        P.LocalSuppression(k=2, columns=["urban", "sex"], random_state=1),
        P.Microaggregation(k=3, groups=3, columns=numbers),
    )


def _largest(_: pd.DataFrame) -> Case:
    return masked_by(firms(1000, 6, 1.6, 1.0, seed=3), noise(250))


NO_PLAN = (False,)
ROWS = (
    Row("Census unmasked, rows shuffled", "safe, 0 %", None, _shuffled, plans=NO_PLAN),
    Row("a raw 4 % sample", "safe, 4.0 %", None, _sample, plans=NO_PLAN),
    Row("noise, `ssn` and `name` left in the file", "safe, 0.7 %", None, _identifiers,
        plans=NO_PLAN),
    Row("12 raw columns under lower-case names", "safe", None, _lower_case, plans=NO_PLAN),
    Row("raw copies under new names", "safe", None, _copies, plans=NO_PLAN),
    Row("`--quasi` names 2 of 13, 11 raw", "safe", None, _two_of_thirteen, plans=NO_PLAN),
    Row("rank swapping p = 100", "safe, 0.4 %; safe, 0.4 %", 1.0, _swapped(100)),
    Row("rank swapping p = 50, a business file", "safe, 0.3 %; safe, 1.5 %", 0.995,
        _swapped(50), file="firms"),
    Row("noise 80 %, household number kept", "safe, 3.3 %; safe", 0.805, _household,
        file="own"),
    Row("pseudonyms + noise 50 %, several rows a firm", "safe, 4.9 %; safe", 0.62,
        _pseudonyms, file="own"),
    Row("top/bottom coding + multiplicative noise 200 %, a business file",
        "safe, 4.4 %; safe", 0.36, _coded, file="own"),
    Row("Mic3 k = 5 + multiplicative noise 100 %", "safe, 3.6 %; safe", 0.14, _averaged,
        told=True),
    Row("multiplicative noise 100 %", "safe, 3.4 %; 18.3 %", 0.199, _multiplied),
    Row("5 % of cells missing, noise 200 %", "safe, 5.0 %; safe", 0.232, _gaps),
    Row("IPSO-C, six quasi-identifiers", "2.8 %; 100 %", 1.0, _ipso),
    Row("labels + suppression + microaggregation, household survey",
        "safe, 0.4 %; safe", 0.97, _labels, file="own"),
    Row("IPSO with 50 records left raw", "safe, 4.8 %", None, _ipso_with_raw,
        plans=NO_PLAN),
    Row("noise 250 %, a business file: the 20 largest", "safe, 4.2 %; safe, 4.2 %", 0.75,
        _largest, file="own", figure="largest"),
)  # fmt: skip
"""Two rows of the audit are no releases: `--until` with rank swapping, and the rows that
differentially private microaggregation kept. Both are tests of their own."""


def case_of(row: Row, census: pd.DataFrame | None = None) -> Case:
    """The release of a row; people are those of the Census file where it is given."""
    if row.file == "people":
        return row.make(people() if census is None else census)
    return row.make(firms(200, 6, 1.6, 0.5))
