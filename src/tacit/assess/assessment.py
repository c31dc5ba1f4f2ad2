"""One release, one answer: attacks, risk and loss measures of a masked file, in one object.

An attack or measure that could not run is kept as a ``Failure`` and makes the verdict 'not
assessed': it never counts as zero.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tacit import loss as loss_room
from tacit import risk as risk_room
from tacit.assess.aligning import check_alignment, settled
from tacit.assess.asked import refuse_others
from tacit.assess.contents import Contents, look
from tacit.assess.evidence import Use, unexplained, unknown_row, uses
from tacit.assess.held import Allowed
from tacit.assess.near_copies import near_copies
from tacit.assess.next_step import MUCH, Adviser
from tacit.assess.presumed import Presumed
from tacit.assess.release_rows import (
    above_chance,
    alignment_row,
    own_rows,
    release_rows,
)
from tacit.assess.score import Score, score
from tacit.assess.verdict import (
    ATTACK,
    RAW_RECORDS,
    Row,
    Verdict,
    refuse_no_limit,
    row_of,
    thresholds_of_measures,
    verdict,
)
from tacit.attack.alignment import Alignment
from tacit.attack.base import Attacker
from tacit.attack.linkage import Linkage
from tacit.attack.panel import panel
from tacit.base import display
from tacit.base.errors import InputError, ParameterError, TacitError
from tacit.base.measure import Measure, jsonable
from tacit.base.registry import Registry
from tacit.base.stopping import STOPPED, Stop
from tacit.base.typing import Ints, Progress
from tacit.data.microdata import Microdata
from tacit.data.same_values import Values, values_of
from tacit.data.units import check, households, persons
from tacit.plan.plan import Plan
from tacit.protect.pseudonyms import Pseudonyms

Json: TypeAlias = dict[str, Any]
"""Plain types under names."""
Options: TypeAlias = Mapping[str, object]
"""Parameters of one measure, by name."""
Result = TypeVar("Result")

WORST = ("worst_off", "subgroups")
"""Measures of those who are worse off than the average that an attack's rate is."""

# what a method may raise on data that it was not made for; an interrupt is not among them
MISHAPS = (
    ArithmeticError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)


class FinishedParts(Protocol):
    """Where attacks and measures are kept that have been done."""

    def take(self, name: str) -> Any:
        """A part that an earlier run has finished; None: it is to be done."""
        ...

    def keep(self, name: str, result: object) -> None:
        """A part is finished."""
        ...


@dataclass(frozen=True)
class Failure:
    """An attack or measure that did not run, and why."""

    name: str
    reason: str
    knows: str = ""

    def to_dict(self) -> Json:
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
    contents: Contents | None = None
    """Everything that the release holds, looked at whatever the roles say."""
    alignment: Alignment | None = None
    """Whether rows belong together; None where the truth was given."""
    presumed: Presumed | None = None
    """Whose values were released; None where it is not known which rows belong together."""
    copies: float = 0.0
    """Share of the released records that are one original with a little noise, beyond chance."""
    as_is: tuple[str, ...] = ()
    """Columns of which somebody said that they may leave although nobody can compare them."""

    @property
    def score(self) -> Score:
        """0.5 IL + 0.5 DR, in percent; see ``tacit.assess.score``."""
        return score(self.risk, self.loss)

    @property
    def verdict(self) -> Verdict:
        """Every risk beside its threshold, and whether the release is safe."""
        found = verdict(self.attacks, self.risk, self.thresholds, self._release_rows())
        return replace(found, adviser=self._adviser())

    def attacked_verdict(self, limit: float) -> Verdict:
        """The verdict on attacks and on what is in the release, with this limit for attacks.

        A low average may hide that the largest firms are found, or some records with certainty.
        So what sums attacks up by record counts too, where it was measured; its limits grow and
        shrink with the one for attacks.
        """
        failed = {part.name: part for part in self.failures}
        worst = {name: self.risk[name] for name in WORST if name in self.risk}
        limits = thresholds_of_measures()
        scaled = {
            name: 1.0 if limit >= 1 else min(1.0, limits[name] * limit / ATTACK)
            for name in worst
        }
        found = verdict(
            {**failed, **self.attacks},
            worst,
            {"attack": limit, **scaled},
            self._release_rows(limit),
        )
        return replace(found, adviser=self._adviser())

    def _adviser(self) -> Adviser:
        """Who says what to do next: by the plan, the release and what was found in it."""
        schema = self.original.schema
        units = [*schema.names(role="household"), *schema.names(role="person")]
        return Adviser(
            self.plan,
            self.records,
            self.original,
            self.masked,
            self.contents,
            tuple(self.attacks),
            [name for name in units if name in self.masked.names],
            self._telling(),
        )

    def _telling(self) -> Use | None:
        """The column that tells most, where the plan does not know it: not one that it protects
        and could protect more."""
        first = next(iter(self.evidence), None)
        enough = MUCH * math.log2(max(self.records, 2))
        return first if first is not None and first.bits >= enough else None

    def _release_rows(self, limit: float | None = None) -> list[Row]:
        """What was found in the release beside the attacks, judged."""
        rows: list[Row] = []
        if self.contents is not None:
            limits = self.thresholds if limit is None else {"attack": limit}
            rows += release_rows(self.contents, limits)
            blank = unexplained(self.masked, self.contents, self.evidence, self.as_is)
            unknown = unknown_row(self.contents, blank)
            rows += [] if unknown is None else [unknown]
            raw_limit = limits.get("raw_records", RAW_RECORDS)
            rows.append(
                row_of(
                    "near_copies",
                    self.copies,
                    raw_limit,
                    "released records that are "
                    "one original with a little noise, whoever they are said to be of",
                )
            )
        if self.presumed is not None:
            rows += own_rows(self.presumed.found)
        # an attack that finds more than chance shows that rows do belong together
        proved = any(
            above_chance(link.rate, link.chance, link.counted)
            for link in self.linkages.values()
        )
        row = alignment_row(self.alignment, proved)
        return [*rows, row] if row is not None else rows

    @property
    def evidence(self) -> list[Use]:
        """Every released column, the ways in which it was evidence, and what it tells."""
        return uses(self.masked, self.linkages)

    @property
    def records(self) -> int:
        """Number of original records."""
        return self.original.n

    @property
    def units(self) -> dict[str, int]:
        """Number of persons and of households; empty where no column has such a role."""
        found = (persons(self.original), households(self.original))
        return {
            units.word: units.number
            for units in found
            if units is not None and units.word != "record"
        }

    @property
    def failures(self) -> list[Failure]:
        """Everything that was asked for and did not run."""
        # in the order in which they ran
        parts = (*self.attacks.values(), *self.risk.values(), *self.loss.values())
        return [part for part in parts if isinstance(part, Failure)]

    @property
    def linkages(self) -> dict[str, Linkage]:
        """The attacks that ran."""
        return _linkages(self.attacks)

    @property
    def strongest(self) -> tuple[str, Linkage] | None:
        """The attack with the highest rate: the one that the verdict rests on."""
        ran = self.linkages
        return max(ran.items(), key=lambda item: item[1].rate) if ran else None

    def to_dict(self) -> Json:
        """Everything but the records, as plain types."""
        out: Json = {
            "records": self.records,
            "attributes": len(self.original.names),
            **({"units": self.units} if self.units else {}),
            "attacks": {name: link.to_dict() for name, link in self.attacks.items()},
            "risk": {name: measure.to_dict() for name, measure in self.risk.items()},
            "loss": {name: measure.to_dict() for name, measure in self.loss.items()},
            "score": self.score.to_dict(),
            "verdict": self.verdict.to_dict(),
            "evidence": [use.to_dict() for use in self.evidence],
            "alignment": None if self.alignment is None else self.alignment.score,
            "seconds": self.seconds,
        }
        # a report is passed on; seeds stay in the private manifest
        if self.plan is not None:
            out["plan"] = self.plan.without_seeds().to_dict()
        return dict(jsonable(out))

    def _repr_html_(self) -> str:
        return str(display.show("notebook:assessment", self))

    def to_html(
        self,
        path: str | Path,
        *,
        external: bool = False,
        force: bool = True,
        manifest: Json | None = None,
    ) -> None:
        """Write the report as one file that opens offline.

        From the manifest of the release the internal report takes hashes, versions, and the
        columns that left unprotected.
        """
        display.show(
            ":write", self, path, external=external, force=force, manifest=manifest
        )


def assess(
    original: object,
    masked: object,
    *,
    plan: object = None,
    attackers: Mapping[str, Attacker] | Iterable[str] | None = None,
    risks: Iterable[str] | None = None,
    losses: Iterable[str] | None = None,
    truth: ArrayLike | str | None = None,
    key: str | None = None,
    thresholds: Mapping[str, float] | None = None,
    options: Mapping[str, Options] | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
    memory: int | None = None,
    done: Callable[[Plan], Plan] | None = None,
    parts: FinishedParts | None = None,
    in_order: bool | None = None,
    release_as_is: Iterable[str] = (),
) -> Assessment:
    """Attack a release in every way asked for, and measure its risk and loss.

    Parameters
    ----------
    original, masked : frame
        The file before and after protection.
    plan : Plan, protector, list of them, or path of a manifest, optional
        How the file was masked; the intruder knows it too, and the attacks made for those
        methods run. A manifest also says which row is whose: a release that tacit wrote is
        shuffled, and its rows are put back here.
    attackers : names or mapping of attackers, optional
        Who attacks, the usual ones unless given; to names those are added whom the release
        invites (see ``attack.panel``), a mapping is run as it is.
    risks, losses : names, optional
        What is measured; everything unless given.
    truth : array or 'rows', optional
        For each original record the row of its masked one (-1: not released), where the files
        are not aligned; 'rows' says that row i is row i, which is checked unless said.
    key : str, optional
        A column of both files that says whose record it is; it aligns them and is not taken for
        part of the release.
    thresholds : mapping of float, optional
        Changes to the verdict's defaults (the ``threshold`` of each measure).
    options : mapping, optional
        Parameters of measures, by name: ``{"k_anonymity": {"k": 5}, "regression": {"models":
        ["income ~ age"]}}``.
    progress : callable, optional
        Called before each attack and measure.
    stop : Stop, optional
        Somebody may ask to stop: what runs then is interrupted, and the rest is not run. Both are
        failures that say so; what ran before is known.
    memory : int, optional
        Bytes that may be used; 80 % of what is free unless given. What would hold more does not
        run, and is a failure that says so: of files on the disk attacks and measures, of files in
        memory with more than 50,000 records attacks.
    done : callable, optional
        Gives the plan of a manifest the way in which its steps were done, where that was in blocks
        (``scale.in_blocks``), so that the intruder who runs it again does the same.
    parts : FinishedParts, optional
        Where finished attacks and measures are kept (``scale.kept_parts``), for a run that may have
        to go on.
    in_order : bool, optional
        Whether ``masked`` leaves in this order of rows, which may tell who is who (a sorted file).
        Unless given: what the manifest says, and without one yes.
    release_as_is : names, optional
        Columns that may leave although no attack can compare them; those of the plan, too. That is
        a permission, and no reason not to look.
    """
    start = time.perf_counter()
    names = {"risks": risks, "losses": losses, "release_as_is": release_as_is}
    refuse_others(
        names | {"attackers": attackers}, {"thresholds": thresholds, "options": options}
    )
    for name, limit in (thresholds or {}).items():
        refuse_no_limit(name, limit)
    release_as_is = tuple(release_as_is)
    original, masked = Microdata.of(original), Microdata.of(masked)
    check(original)
    both = settled(original, masked, plan=plan, truth=truth, key=key, done=done)
    original, masked, known = both.original, both.masked, both.plan
    if not original.n or not masked.n:
        raise InputError("there are no records to assess; give files with records")
    rows, given = both.rows, both.sure
    if in_order is None:
        in_order = both.leaves_in_order
    # who gives the truth is believed
    aligned = None if given else check_alignment(original, masked, known)
    compared = _rows_for_contents(original, masked, rows, given, aligned, known)
    presumed = Presumed.of(original, masked, compared)
    intruders = _attackers(original, masked, attackers, known, rows, in_order)
    if presumed is not None and not isinstance(attackers, Mapping):
        intruders |= presumed.intruders(original, masked, compared)
    _refuse_unknown(options or {})
    risk_names = list(risk_room.registry if risks is None else risks)
    loss_names = list(loss_room.registry if losses is None else losses)
    measures = len(risk_names) + len(loss_names)
    tell = _Teller(progress, len(intruders) + measures)
    attacks: dict[str, Linkage | Failure] = {}
    allowed = Allowed.of(original, masked, memory)
    for name, attacker in intruders.items():
        tell(name)
        ran = len(_linkages(attacks))
        link = partial(_linked, allowed, attacker, original, masked, rows, ran)
        attacks[name] = _once(f"attack-{name}", name, link, stop, parts)
    # measures come after the attacks, because one of them sums those up
    linkages = _linkages(attacks)

    def measured(
        word: str, room: Registry, names: list[str]
    ) -> dict[str, Measure | Failure]:
        results: dict[str, Measure | Failure] = {}
        for name in names:
            tell(name)
            settings = dict((options or {}).get(name, {}))
            # measures that sum attacks up are given those that have run already; an attack that
            # failed may run when the assessment goes on, so that these are never kept
            sums_up = "attacks" in signature(room[name]).parameters
            if linkages and sums_up:
                settings["attacks"] = linkages
            if presumed is not None and word == "risk":
                settings |= presumed.settings(name, settings)
                if settings.get("keys") == []:
                    results[name] = presumed.absent(name)
                    continue
            run: Callable[[], Measure] = partial(
                _measured, allowed, room[name], original, masked, **settings
            )
            known = None if sums_up else parts
            results[name] = _once(f"{word}-{name}", name, run, stop, known)
        return results

    risk = measured("risk", risk_room.registry, risk_names)
    loss = measured("loss", loss_room.registry, loss_names)
    tell.end()
    seconds = time.perf_counter() - start
    limits = dict(thresholds or {})
    contents = look(original, masked, compared, _keyed(original, known))
    permitted = () if known is None else known.release_as_is
    return Assessment(
        original,
        masked,
        attacks,
        risk,
        loss,
        known,
        seconds,
        limits,
        contents,
        aligned,
        presumed,
        as_is=(*permitted, *release_as_is),
        copies=near_copies(original, masked),
    )


def _keyed(original: Microdata, plan: Plan | None) -> frozenset[str]:
    """Columns of which the plan says that a secret key made their values."""
    if plan is None:
        return frozenset()
    steps = [step for step in plan.protectors() if isinstance(step, Pseudonyms)]
    return frozenset(name for step in steps for name in step.treats(original))


def _rows_for_contents(
    original: Microdata,
    masked: Microdata,
    rows: Ints | None,
    given: bool,
    aligned: Alignment | None,
    plan: Plan | None = None,
) -> Ints | None:
    """The rows to compare columns by; None where it is not known which belong together."""
    if rows is not None:
        return rows
    # a plan that leaves rows in their places, and no column as it was, may explain why none is near
    in_place = (
        aligned is None and plan is not None and _in_place(original, masked, plan)
    )
    known = given or in_place or (aligned is not None and aligned.aligned)
    if original.n == masked.n and known:
        return np.arange(original.n, dtype=np.int64)
    return None


def _in_place(original: Microdata, masked: Microdata, plan: Plan) -> bool:
    """No step puts rows in another order, and what no step treats stands where it stood."""
    steps = plan.protectors()
    if any(step.shuffles_rows for step in steps):
        return False
    treated = {name for step in steps for name in step.treats(original)}
    kept = [name for name in masked.names if name in original.schema]
    return all(
        _same(values_of(original, name), values_of(masked, name))
        for name in kept
        if name not in treated
    )


def _same(ours: Values, theirs: Values) -> bool:
    """Equal row by row; gaps in both are the same."""
    numbers = ours.dtype.kind == theirs.dtype.kind == "f"
    return np.array_equal(ours, theirs, equal_nan=numbers)


class _Teller:
    """Says what is done next, and how much of the whole is behind it."""

    def __init__(
        self,
        progress: Progress | None,
        total: int,
    ) -> None:
        self.progress = progress
        self.total = total
        self.done = 0

    def __call__(self, what: str) -> None:
        if self.progress is not None:
            self.progress(what, self.done, self.total)
        self.done += 1

    def end(self) -> None:
        """Everything is done."""
        if self.progress is not None:
            self.progress("done", self.total, self.total)


def _linkages(attacks: Mapping[str, Linkage | Failure]) -> dict[str, Linkage]:
    """The attacks that ran."""
    return {name: link for name, link in attacks.items() if isinstance(link, Linkage)}


def _refuse_unknown(options: Mapping[str, object]) -> None:
    """Options of a measure that does not exist are a slip of the pen."""
    for name in options:
        if name not in risk_room.registry and name not in loss_room.registry:
            raise ParameterError(
                f"options: there is no measure '{name}'; 'tacit methods' lists them"
            )


def _once(
    kept_as: str,
    name: str,
    run: Callable[[], Result],
    stop: Stop | None,
    parts: FinishedParts | None,
) -> Result | Failure:
    """What an earlier run has found, or what is found now; what failed is tried again."""
    found: Result | None = None if parts is None else parts.take(kept_as)
    if found is not None:
        return found
    result = _attempt(name, run, stop)
    if parts is not None and not isinstance(result, Failure):
        parts.keep(kept_as, result)
    return result


def _attempt(
    name: str, run: Callable[[], Result], stop: Stop | None
) -> Result | Failure:
    """Run; whatever goes wrong is part of the answer.

    A missing attack must not look like a failed one.
    """
    if stop is None:
        return _tried(name, run)
    try:
        with stop.working():
            return _tried(name, run)
    except KeyboardInterrupt:
        return Failure(name, STOPPED)


def _tried(name: str, run: Callable[[], Result]) -> Result | Failure:
    """The result, or what went wrong."""
    try:
        return run()
    except TacitError as error:
        return Failure(name, str(error))
    except MISHAPS as error:
        return Failure(name, f"{type(error).__name__}: {error}")


def _linked(
    allowed: Allowed | None,
    attacker: Attacker,
    original: Microdata,
    masked: Microdata,
    rows: Ints | None,
    ran: int,
) -> Linkage:
    """The links, unless finding them takes more memory than is allowed; ``ran`` others are kept."""
    if allowed is not None:
        allowed.refuse_attack(attacker, ran)
    return attacker.link(original, masked, truth=rows)


def _measured(
    allowed: Allowed | None,
    measure: Callable[..., Measure],
    original: Microdata,
    masked: Microdata,
    **settings: object,
) -> Measure:
    """The measure, unless it takes more memory than is allowed."""
    if allowed is not None:
        allowed.refuse_measure(measure)
    return measure(original, masked, **settings)


def _attackers(
    original: Microdata,
    masked: Microdata,
    asked: Mapping[str, Attacker] | Iterable[str] | None,
    plan: Plan | None,
    truth: Ints | None,
    in_order: bool,
) -> dict[str, Attacker]:
    """Who attacks: those given, or those named with those whom the release invites."""
    # who gives the attackers themselves wants these and no others
    if isinstance(asked, Mapping):
        return dict(asked)
    return panel(original, masked, asked, plan=plan, truth=truth, in_order=in_order)
