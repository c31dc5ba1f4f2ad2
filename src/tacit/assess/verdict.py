"""Is the release safe? A table of every risk beside its threshold; nothing is weighed in secret.

The defaults are common practice, not law; all can be set. A risk that could not be computed, or
an attack that failed, is a row of its own and keeps the verdict from being 'safe'. One object for
every face: the command line, the report, the page and the searches all ask `Verdict`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from tacit.base.errors import ParameterError, shown
from tacit.base.facts import facts_of
from tacit.base.measure import Measure, jsonable
from tacit.risk import registry

ATTACK = 0.05
"""The threshold of every attack's rate: at most one record in twenty linked correctly."""

RELEASE = ("raw_columns", "raw_records")
"""What is found in the release has thresholds, too."""
RAW_RECORDS = 0.01
"""At most one released record in a hundred may stand in the original as it is, and only once there:
whoever knows that person finds the record, whatever the average over all records says."""

TOO_FEW = "too_few_people"
"""The row of a file in which guessing alone finds too many."""
STRONGEST = "strongest"
"""The measure that sums attacks up."""

LUCK = 0.001
"""What guessing finds with this probability is no finding: some fifteen attackers try."""

# how a risk stands beside its threshold
PASSES = "passes"
FAILS = "fails"
CROSSES = "borderline"
MISSING = "not computed"
INFORMATION = "no threshold"

State = Literal["safe", "borderline", "not safe", "not assessed"]
WORDS: dict[State, str] = {
    "safe": "safe by these thresholds",
    "borderline": "borderline",
    "not safe": "not safe",
    "not assessed": "not assessed",
}
NEXT: dict[State, str] = {
    "safe": "Release it with the external report, and keep the manifest private.",
    "borderline": "Protect a little more, or assess more records: the interval crosses the limit.",
    "not safe": "Protect what is above its limit; tacit protect --until finds the weakest setting.",
    "not assessed": "Mend what did not run, and assess again; until then nothing is known.",
}


@runtime_checkable
class Rated(Protocol):
    """An attack that ran; one that failed has no rate."""

    @property
    def rate(self) -> float:
        """Share of the records that were linked correctly."""

    @property
    def knows(self) -> str:
        """What the intruder knows."""


@dataclass(frozen=True)
class Row:
    """One risk: its value, its threshold, and how it stands."""

    name: str
    value: float
    threshold: float | None
    standing: str
    why: str
    interval: tuple[float, float] | None = None
    """Where the value lies with 95 % confidence; its upper end is what the verdict uses."""
    people: str = ""
    """Who is at risk, where a measure can say it: 'so many of so many records'."""

    def to_dict(self) -> dict[str, object]:
        """Plain types for JSON."""
        return {
            "name": self.name,
            "value": jsonable(self.value),
            "threshold": self.threshold,
            "standing": self.standing,
            "why": self.why,
            "interval": jsonable(self.interval),
        }


@dataclass(frozen=True)
class Verdict:
    """Every risk beside its threshold, and what follows from them."""

    rows: tuple[Row, ...]
    attacked: bool = True
    """At least one attack was asked for; without one nothing can be called safe."""
    adviser: Callable[[Verdict], str] | None = field(
        default=None, compare=False, repr=False
    )
    """Who knows the plan and the release, and says what to do (`tacit.assess.next_step`)."""

    @property
    def failing(self) -> list[Row]:
        """The risks above their thresholds."""
        return [row for row in self.rows if row.standing == FAILS]

    @property
    def unknown(self) -> list[Row]:
        """What would have counted but did not run."""
        return [
            row
            for row in self.rows
            if row.standing == MISSING and row.threshold is not None
        ]

    @property
    def state(self) -> State:
        """'not safe' before 'not assessed' before 'borderline' before 'safe'."""
        # one risk that is too high is enough, whatever else did not run
        if self.failing:
            return "not safe"
        passed = any(row.standing in (PASSES, CROSSES) for row in self.rows)
        if self.unknown or not passed or not self.attacked:
            return "not assessed"
        crossing = any(row.standing == CROSSES for row in self.rows)
        return "borderline" if crossing else "safe"

    @property
    def safe(self) -> bool | None:
        """True, False, or None where it cannot be said (borderline, or something did not run)."""
        return {"safe": True, "not safe": False}.get(self.state)

    @property
    def word(self) -> str:
        """The state in words."""
        return WORDS[self.state]

    @property
    def reason(self) -> str:
        """Why, in one phrase; empty where everything passes."""
        if self.failing:
            return "; ".join(_above(row) for row in self.failing)
        if self.unknown:
            return "; ".join(f"{row.name}: {row.why}" for row in self.unknown)
        if self.state == "not assessed":
            return "no attack was run"
        crossing = [row for row in self.rows if row.standing == CROSSES]
        return "; ".join(_above(row) for row in crossing)

    @property
    def next_step(self) -> str:
        """What to do now, in one sentence; it names a parameter or a column where one is known."""
        return NEXT[self.state] if self.adviser is None else self.adviser(self)

    def to_dict(self) -> dict[str, object]:
        """Plain types for JSON."""
        return {
            "verdict": self.word,
            "state": self.state,
            "safe": self.safe,
            "reason": self.reason,
            "next_step": self.next_step,
            "rows": [row.to_dict() for row in self.rows],
        }

    def __str__(self) -> str:
        return f"{self.word}: {self.reason}" if self.reason else self.word


def _above(row: Row) -> str:
    """A row that is above its threshold, or whose interval crosses it."""
    if row.standing == CROSSES and row.interval is not None:
        return f"{row.name} {row.value:.4g}, up to {row.interval[1]:.4g} > {row.threshold:g}"
    if row.name == TOO_FEW:
        return row.why
    who = f" ({row.people})" if row.people else ""
    return f"{row.name} {row.value:.4g} > {row.threshold:g}{who}"


def refuse_no_limit(name: str, limit: object) -> None:
    """Nothing is above what is no number, and every release would pass; None: no threshold."""
    is_number = isinstance(limit, int | float | np.number) and not math.isnan(limit)
    if limit is not None and (not is_number or isinstance(limit, bool)):
        raise ParameterError(
            f"the threshold of '{name}' must be a number, not {shown(limit)}"
        )


def thresholds_of_measures() -> dict[str, float]:
    """Every risk measure that has a threshold: a release passes where it is at most this."""
    limits = {name: facts_of(registry[name]).threshold for name in registry}
    return {name: limit for name, limit in limits.items() if limit is not None}


def verdict(
    attacks: Mapping[str, object],
    risk: Mapping[str, object],
    thresholds: Mapping[str, float] | None = None,
    release: Sequence[Row] = (),
) -> Verdict:
    """Every attack's rate and every risk measure beside its threshold.

    Parameters
    ----------
    attacks : mapping
        Linkages by attacker; what is no linkage did not run.
    risk : mapping
        Measures by name; what is no measure did not run.
    thresholds : mapping of float, optional
        Changes to the defaults, by measure name; 'attack' for every attack's rate; None: no
        threshold.
    release : rows, optional
        What else was found in the release (`tacit.assess.contents`), already judged.

    Examples
    --------
    >>> m = Measure("k_anonymity", 0.2, (0, 1), "", "", {"categorical keys": True})
    >>> str(verdict({}, {"k_anonymity": m}))
    'not safe: k_anonymity 0.2 > 0'
    """
    # the measures' own, then the user's
    limits: dict[str, float | None] = {**thresholds_of_measures(), "attack": ATTACK}
    for name, limit in (thresholds or {}).items():
        known = name in limits or name in risk or name in attacks or name in RELEASE
        if not known:
            raise ParameterError(
                f"there is no risk '{name}' to set a threshold for; "
                f"there are: {', '.join(limits)}"
            )
        refuse_no_limit(name, limit)
        limits[name] = limit
    rows = [
        _attack_row(name, link, limits.get(name, limits["attack"]))
        for name, link in attacks.items()
    ]
    few = _too_few(attacks, limits["attack"])
    rows += [
        _risk_row(name, measure, limits.get(name)) for name, measure in risk.items()
    ]
    return Verdict((*few, *rows, *release), attacked=bool(attacks))


def _luck(found: float, of: int, chance: float) -> float:
    """The probability that guessing finds as many: the upper tail of the binomial."""
    least = math.ceil(found - 1e-9)
    if chance <= 0 or least > of:
        return 0.0
    if chance >= 1:
        return 1.0
    whole = math.lgamma(of + 1)
    tail = 0.0
    for k in range(least, of + 1):
        ways = whole - math.lgamma(k + 1) - math.lgamma(of - k + 1)
        term = math.exp(ways + k * math.log(chance) + (of - k) * math.log1p(-chance))
        tail += term
        # beyond the mean terms fall faster and faster
        if k > of * chance and term < 1e-12:
            break
    return min(tail, 1.0)


def _too_few(attacks: Mapping[str, object], limit: float | None) -> list[Row]:
    """Where guessing alone finds more than is accepted, nothing that is done to the file helps."""
    ran = [link for link in attacks.values() if isinstance(link, Rated)]
    chance = max((_chance(link) for link in ran), default=0.0)
    if limit is None or chance <= limit:
        return []
    people = round(1 / chance)
    accepted = f"one in {round(1 / limit)}" if limit > 0 else "nobody"
    why = (
        f"only {people} people: whoever guesses finds one in {people}, and {accepted} is "
        "accepted; a release of so few can never pass"
    )
    return [Row(TOO_FEW, chance, limit, FAILS, why)]


def _chance(link: Rated) -> float:
    """The rate of guessing; not known of every attack."""
    chance = float(getattr(link, "released_chance", 0.0))
    return 0.0 if math.isnan(chance) else chance


def _attack_row(
    name: str,
    link: object,
    limit: float | None,
) -> Row:
    """An attack's rate beside its threshold."""
    if not isinstance(link, Rated):
        return _missing(name, link, limit)
    # records that were not released cannot be found: they must not water the rate down
    rate = float(getattr(link, "released_rate", link.rate))
    interval = getattr(link, "released_interval", getattr(link, "interval", None))
    counts = str(getattr(link, "counts", "records"))
    who = "" if counts == "records" else f"{counts} found; "
    row = row_of(name, rate, limit, f"{who}attacker: {link.knows}", interval)
    people = int(getattr(link, "released", 0))
    return _beyond_chance(row, _chance(link), people, interval)


def _beyond_chance(
    row: Row, chance: float, people: int, interval: Sequence[float] | None
) -> Row:
    """Where guessing finds as many, nobody is found by what was released, as far as can be told."""
    found = row.value * people
    if row.threshold is None or not chance or _luck(found, people, chance) < LUCK:
        return row
    upper = row.value if interval is None else interval[1]
    crosses = chance <= row.threshold < upper - chance
    found_by = None if interval is None else (interval[0], interval[1])
    standing = CROSSES if crosses else PASSES
    return replace(row, standing=standing, interval=found_by)


def _risk_row(
    name: str,
    measure: object,
    limit: float | None,
) -> Row:
    """A risk measure beside its threshold."""
    if not isinstance(measure, Measure):
        return _missing(name, measure, limit)
    if math.isnan(measure.value):
        # what does not apply to this file (no household, no confidential column) threatens
        # nobody
        why = str(measure.details.get("not computed", "no value"))
        return Row(name, measure.value, None, MISSING, why)
    # continuous keys are all different, before and after
    if name == "k_anonymity" and not measure.details.get("categorical keys", True):
        why = "for information: perturbed values form no groups; the attacks judge them"
        return Row(name, measure.value, None, INFORMATION, why)
    row = row_of(name, measure.value, limit, _why(name, measure))
    if name == STRONGEST and row.standing == FAILS:
        said = measure.details
        chance, people = said.get("released chance", 0.0), said.get("released", 0)
        return _beyond_chance(row, chance, people, said.get("released interval"))
    return replace(row, people=_people(measure, limit))


def _people(measure: Measure, limit: float | None) -> str:
    """Whom a measure of keys is about, in words: how many of how many; empty if not known."""
    if measure.per_record is None or limit is None or not len(measure.per_record):
        return ""
    number = len(measure.per_record)
    if not (measure.name in registry and facts_of(registry[measure.name]).presumes):
        return ""
    # a largest value is one person's; shares and means are of all
    above = int((measure.per_record > limit).sum())
    return f"{above:,} of {number:,} records"


def _missing(
    name: str,
    failure: object,
    limit: float | None,
) -> Row:
    """What did not run: it has no value, and its threshold still counts."""
    why = str(getattr(failure, "reason", "did not run"))
    return Row(name, float("nan"), limit, MISSING, why)


def row_of(
    name: str,
    value: float,
    limit: float | None,
    why: str,
    interval: tuple[float, float] | None = None,
) -> Row:
    """A value beside its threshold; without one it is for information."""
    if limit is None:
        return Row(name, value, None, INFORMATION, why, interval)
    if math.isnan(value):
        return Row(name, value, limit, MISSING, "it has no value", interval)
    upper = value if interval is None else max(value, interval[1])
    standing = FAILS if value > limit else CROSSES if upper > limit else PASSES
    return Row(name, value, limit, standing, why, interval)


def _why(name: str, measure: Measure) -> str:
    """The reason of a threshold; without one, what a higher value means."""
    reason = facts_of(registry[name]).why if name in registry else ""
    return reason or measure.higher
