"""One release, one answer: attacks, risk measures and loss measures of a masked file, in one object.

An attack or measure that could not run is kept as a ``Failure`` and makes the verdict 'not assessed': it never
counts as zero.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from tacit.attack.base import Attacker
from tacit.attack.linkage import Linkage
from tacit.callable_module import make_callable
from tacit.errors import ParameterError, TacitError
from tacit.measure import Measure, jsonable
from tacit.microdata import Microdata
from tacit.plan import Plan
from tacit.score import Score, score
from tacit.verdict import Verdict, verdict

Progress = Callable[[str, int, int], None]
"""Called as ``progress(what, done, total)`` before each part."""


@dataclass(frozen=True)
class Failure:
    """An attack or measure that did not run, and why."""

    name: str
    reason: str
    knows: str = ""

    def to_dict(self) -> dict[str, Any]:
        """In JSON a failure has an error and no number."""
        return {"error": self.reason}


@dataclass(frozen=True)
class Assessment:
    """What one release risks and what it lost."""

    original: Microdata = field(repr=False)
    masked: Microdata = field(repr=False)
    attacks: dict[str, Linkage | Failure]
    risk: dict[str, Measure | Failure]
    loss: dict[str, Measure | Failure]
    plan: Plan | None = None
    seconds: float = 0.0
    thresholds: dict[str, float] = field(default_factory=dict)

    @property
    def score(self) -> Score:
        """0.5 IL + 0.5 DR, in percent; see ``tacit.score``."""
        return score(self.risk, self.loss)

    @property
    def verdict(self) -> Verdict:
        """Every risk beside its threshold, and whether the release is safe; see ``tacit.verdict``."""
        return verdict(self.attacks, self.risk, self.thresholds)

    @property
    def records(self) -> int:
        """Number of original records."""
        return self.original.n

    @property
    def failures(self) -> list[Failure]:
        """Everything that was asked for and did not run."""
        parts = (*self.attacks.values(), *self.risk.values(), *self.loss.values())
        return [part for part in parts if isinstance(part, Failure)]

    @property
    def linkages(self) -> dict[str, Linkage]:
        """The attacks that ran."""
        return {name: link for name, link in self.attacks.items() if isinstance(link, Linkage)}

    @property
    def strongest(self) -> tuple[str, Linkage] | None:
        """The attack with the highest rate: the one that the verdict rests on."""
        ran = self.linkages
        return max(ran.items(), key=lambda item: item[1].rate) if ran else None

    def to_dict(self) -> dict[str, Any]:
        """Everything but the records, as plain types."""
        out: dict[str, Any] = {
            "records": self.records,
            "attributes": len(self.original.names),
            "attacks": {name: link.to_dict() for name, link in self.attacks.items()},
            "risk": {name: measure.to_dict() for name, measure in self.risk.items()},
            "loss": {name: measure.to_dict() for name, measure in self.loss.items()},
            "score": self.score.to_dict(),
            "verdict": self.verdict.to_dict(),
            "seconds": self.seconds,
        }
        if self.plan is not None:
            out["plan"] = self.plan.to_dict()
        return dict(jsonable(out))

    def _repr_html_(self) -> str:
        from tacit.report.jupyter import assessment

        return assessment(self)

    def to_html(self, path: str | Path, *, external: bool = False, force: bool = True) -> None:
        """Write the report as one file that opens offline."""
        from tacit import report

        report.write(self, path, external=external, force=force)


def assess(
    original: Any,
    masked: Any,
    *,
    plan: Any = None,
    attackers: Mapping[str, Attacker] | Iterable[str] | None = None,
    risks: Iterable[str] | None = None,
    losses: Iterable[str] | None = None,
    truth: Any = None,
    thresholds: Mapping[str, float] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Attack a release in every way asked for, and measure its risk and loss.

    With ``plan`` (a plan, a protector or a list) the intruder also knows how the file was masked, and the attacks
    made for those methods run too. ``attackers``, ``risks``, ``losses``: names, all the usual ones unless given; to
    named attackers those are added whom the release invites (see ``attack.panel``). A mapping of attackers by name is
    run as it is. ``thresholds``: changes to the verdict's defaults (``tacit.verdict.THRESHOLDS``). ``options``:
    of measures, by name: ``{"k_anonymity": {"k": 5}, "regression": {"models": ["income ~ age"]}}``.
    """
    start = time.perf_counter()
    original, masked = Microdata.of(original), Microdata.of(masked)
    known = None if plan is None else Plan.of(plan)
    intruders = _attackers(original, masked, attackers, known, truth)
    every = {*_registry("tacit.risk"), *_registry("tacit.loss")}
    strangers = [name for name in options or {} if name not in every]
    if strangers:
        raise ParameterError(f"options: there is no measure '{strangers[0]}'; 'tacit methods' lists them")
    risk_names = list(_registry("tacit.risk") if risks is None else risks)
    loss_names = list(_registry("tacit.loss") if losses is None else losses)
    total = len(intruders) + len(risk_names) + len(loss_names)
    done = 0

    def tell(what: str) -> None:
        nonlocal done
        if progress is not None:
            progress(what, done, total)
        done += 1

    attacks: dict[str, Linkage | Failure] = {}
    for name, attacker in intruders.items():
        tell(name)
        attacks[name] = _attempt(name, partial(attacker.link, original, masked, truth=truth))
    measured: list[dict[str, Measure | Failure]] = []
    for room, names in (("tacit.risk", risk_names), ("tacit.loss", loss_names)):
        found: dict[str, Measure | Failure] = {}
        for name in names:
            tell(name)
            linkages = {key: link for key, link in attacks.items() if isinstance(link, Linkage)}
            told = (options or {}).get(name, {})
            found[name] = _attempt(name, partial(_measure, room, name, original, masked, linkages, told))
        measured.append(found)
    if progress is not None:
        progress("done", total, total)
    return Assessment(
        original, masked, attacks, measured[0], measured[1], known, time.perf_counter() - start, dict(thresholds or {})
    )


def _measure(
    room: str,
    name: str,
    original: Microdata,
    masked: Microdata,
    linkages: dict[str, Linkage],
    options: Mapping[str, Any],
) -> Measure:
    measure = _registry(room)[name]
    # the worst case is a summary of attacks that have run already
    known = {"attacks": linkages} if name == "strongest" and linkages else {}
    return measure(original, masked, **known, **options)  # type: ignore[no-any-return]


def _attempt(name: str, run: Callable[[], Any]) -> Any:
    """Run; whatever goes wrong is part of the answer, because a missing attack must not look like a failed one."""
    try:
        return run()
    except TacitError as error:
        return Failure(name, str(error))
    except (ArithmeticError, LookupError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        return Failure(name, f"{type(error).__name__}: {error}")


def _attackers(
    original: Microdata,
    masked: Microdata,
    asked: Mapping[str, Attacker] | Iterable[str] | None,
    plan: Plan | None,
    truth: Any,
) -> dict[str, Attacker]:
    if isinstance(asked, Mapping):
        return dict(asked)
    from tacit.attack.panel import panel

    return panel(original, masked, asked, plan=plan, truth=truth)


def _registry(room: str) -> Mapping[str, Any]:
    return import_module(room).registry  # type: ignore[no-any-return]


make_callable(__name__)
