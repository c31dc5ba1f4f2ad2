"""One run of a comparison: a plan with its seeds, on a sample; what is measured and found."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, dataclass, field

import numpy as np

from tacit.assess.assessment import MISHAPS, Assessment, assess
from tacit.assess.release_rows import release_rows
from tacit.assess.verdict import FAILS
from tacit.base.errors import TacitError
from tacit.base.measure import Measure
from tacit.compare.found import READ_OFF, interval_of, rate_of
from tacit.data.microdata import Microdata
from tacit.data.same_values import Values, values_of
from tacit.plan.plan import Plan

KEY = 32
"""Hexadecimal digits that name a run: 128 bits, so that no two runs share a name."""
AS_IT_WAS = "released as it was"
"""The name of what a plan is that protects nothing."""
RULES = 2
"""Raised when a run keeps other figures than before: those of an older journal are run again."""


@dataclass(frozen=True)
class Settings:
    """What is measured in every run."""

    attackers: tuple[str, ...] = ("nearest", "assignment")
    risks: tuple[str, ...] = ("dld", "pld", "interval")
    losses: tuple[str, ...] = ("IL", "PIL", "SSE")
    informed: bool = True


@dataclass(frozen=True)
class TrialRun:
    """One plan (with its seeds) on so many records."""

    plan: Plan
    records: int
    seed: int

    def key(
        self,
        fingerprint: str,
        settings: Settings,
    ) -> str:
        """Names the run.

        The same data, steps, seed and measures have the same key, whatever the plan is called.
        """
        plan = self.plan.to_dict()
        plan.pop("name", None)
        parts = [RULES, fingerprint, plan, self.records, self.seed, asdict(settings)]
        text = json.dumps(parts, sort_keys=True)
        digest = hashlib.sha256(text.encode())
        return digest.hexdigest()[:KEY]


@dataclass
class Outcome:
    """What a run found; ``failed`` holds the reason if it did not finish."""

    attacks: dict[str, float] = field(default_factory=dict)
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    """The 95 % interval of each attack's rate, over records."""
    unknown: list[str] = field(default_factory=list)
    """Attacks that were asked for and did not run, with the reason: what is left proves nothing."""
    exposed: dict[str, list[float]] = field(default_factory=dict)
    """What makes the release unsafe at any bound, with its value and its limit: identifiers, raw
    records, a file released as it was."""
    measures: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    score: float = float("nan")
    seconds: float = 0.0
    cpu: float = 0.0
    """Seconds of computing, which do not depend on what else the machine does."""
    failed: str = ""

    @classmethod
    def of(cls, assessment: Assessment) -> Outcome:
        """The figures of an assessment that comparisons are made of."""
        links = assessment.linkages
        rates = {name: rate_of(link) for name, link in links.items()}
        spans = {name: interval_of(link) for name, link in links.items()}
        out = cls(rates, spans, score=assessment.score.value)
        for failure in assessment.failures:
            note = f"{failure.name} did not run: {failure.reason}"
            out.notes.append(note)
            # a measure that failed has no value; an attack that failed must not look like none
            if failure.name in assessment.attacks:
                out.unknown.append(note)
        for name, measure in {**assessment.risk, **assessment.loss}.items():
            if not isinstance(measure, Measure):
                continue
            out.measures[name] = float(measure.value)
            if not measure.computed:
                reason = measure.details["not computed"]
                out.notes.append(f"{name} was not computed: {reason}")
        out._look_at_contents(assessment)
        # without any attack there is no risk to compare by
        if assessment.attacks and not links:
            out.failed = f"no attack ran: {assessment.failures[0].reason}"
        return out

    def _look_at_contents(self, assessment: Assessment) -> None:
        """Count what is given away without any attack."""
        if protects_nothing(assessment.original, assessment.masked):
            self.exposed[AS_IT_WAS] = [1.0, 0.0]
        contents = assessment.contents
        if contents is None:
            return
        if contents.raw:
            read_off = contents.singled_out
            self.attacks[READ_OFF] = read_off
            self.intervals[READ_OFF] = (read_off, read_off)
        for row in release_rows(contents, {}):
            # how much may be read off depends on the bound, which comes later
            if row.standing == FAILS and row.name != READ_OFF:
                self.exposed[row.name] = [row.value, row.threshold or 0.0]


def protects_nothing(original: Microdata, masked: Microdata) -> bool:
    """Every quasi-identifier is released, and each with the values that it had."""
    quasi = original.quasi
    if original.n != masked.n or any(name not in masked.schema for name in quasi):
        return False
    pairs = ((values_of(original, name), values_of(masked, name)) for name in quasi)
    return all(_same(ours, theirs) for ours, theirs in pairs)


def _same(ours: Values, theirs: Values) -> bool:
    """Equal in every record; missing equals missing."""
    if ours.dtype.kind == "f" and theirs.dtype.kind == "f":
        return bool(np.array_equal(ours, theirs, equal_nan=True))
    our_text, their_text = ours.astype(np.str_), theirs.astype(np.str_)
    return bool(np.array_equal(our_text, their_text))


def fingerprint(data: Microdata) -> str:
    """Names the data: values, column names, roles and kinds; not the order of rows."""
    # sorted digests of rows: the same set of records has the same name
    digests = [
        hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in data.numbers()
    ]
    rows = np.sort(np.array(digests))
    schema = json.dumps(data.schema.to_dict(), sort_keys=True, default=str)
    content = rows.tobytes() + schema.encode()
    return hashlib.sha256(content).hexdigest()[:KEY]


def sample(data: Microdata, records: int) -> Microdata:
    """So many records, spread evenly over a scrambled value order.

    They are the same ones whatever the order of rows.
    """
    if records >= data.n:
        return data
    columns = data.numbers().T
    order = np.lexsort(columns[::-1])
    # seeded by the sizes: every plan is judged by the same records
    scramble = np.random.default_rng([data.n, records])
    chosen = scramble.permutation(data.n)[:records]
    return data.take(np.sort(order[chosen]))


def execute(
    data: Microdata,
    run: TrialRun,
    settings: Settings,
) -> Outcome:
    """Mask, attack, measure.

    What goes wrong with a plan is its outcome, not the end of the comparison.
    """
    # a failed run has cost time, too
    start, work = time.perf_counter(), time.process_time()
    try:
        part = sample(data, run.records)
        # masked as a sample, not as part of the masked file: percentages are of the sample
        masked = run.plan.mask(part)
        assessment = assess(
            part,
            masked,
            plan=run.plan if settings.informed else None,
            attackers=settings.attackers,
            risks=settings.risks,
            losses=settings.losses,
            # we masked it ourselves: row i is row i, however little they resemble each other
            truth="rows" if part.n == masked.n else None,
            # and what leaves is shuffled
            in_order=False,
        )
    except (TacitError, *MISHAPS) as error:
        reason = f"{type(error).__name__}: {error}"
        return Outcome(failed=reason, seconds=time.perf_counter() - start)
    out = Outcome.of(assessment)
    out.seconds = time.perf_counter() - start
    out.cpu = time.process_time() - work
    return out
