"""Figures of a preview and of a full run, through the public API: plan, assessment, report.

Only workers import this module: assessing loads scikit-learn and scipy, for which the page's
process must not wait.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tacit import report
from tacit.app import exports
from tacit.app.messages import Preview, Summary, VerdictWords
from tacit.assess.assessment import Assessment, assess
from tacit.assess.before import before
from tacit.compare.found import READ_OFF
from tacit.compare.trial import LOSS, Trial
from tacit.compare.trials import Outcome, Settings
from tacit.data import io
from tacit.data.io import formulas
from tacit.data.microdata import Microdata
from tacit.plan import manifest
from tacit.plan.leaving import leaving
from tacit.plan.plan import Plan, Table
from tacit.plan.row_order import RowOrder
from tacit.report import parts
from tacit.report import record_parts as records
from tacit.report.words import count, number, percent

# Distributions that the preview draws: two rows of small charts.
PREVIEW_COLUMNS = 6
INFORMED = 5_000
"""A quick run tells the intruder the plan up to this many records; that attack weighs all pairs."""
MANY = 20_000
"""Above this many records a quick run tries nearest record alone; all are one choice away."""
# A release keeps the format of its source where we can write that; any other becomes CSV.
KEPT_FORMATS = (
    *(".csv", ".tsv", ".parquet", ".arrow", ".feather"),
    # with labels, levels and missing codes, as the command line writes them
    *(".sav", ".zsav", ".dta", ".xlsx"),
)

# `_mask` keeps the rows in place: they belong together, however little they resemble each other.
ROWS = "rows"

Told = Callable[[str, float, float], None]


@dataclass(frozen=True)
class Order:
    """What a full run is asked to do, apart from data and plan."""

    source: Path
    folder: Path
    name: str
    bound: float
    limits: Mapping[str, float]
    depth: str


def quick(n: int) -> Settings:
    """What a run begins with: seconds, not minutes.

    Up to ``INFORMED`` records it is what ``tc.compare`` measures.
    """
    usual = Settings()
    return replace(
        usual,
        attackers=usual.attackers if n <= MANY else usual.attackers[:1],
        risks=(*usual.risks, "k_anonymity", "learned_weights"),
        losses=(*usual.losses, "KS", "correlation"),
        informed=n <= INFORMED,
    )


def left_out(n: int) -> str:
    """What a quick run of so many records does not try, in one sentence; '' if nothing."""
    if n <= INFORMED:
        return ""
    fewer = "the intruder does not know the plan"
    if n > MANY:
        fewer += " and tries nearest record alone"
    return (
        f"In quick runs on {count(n)} records {fewer}; "
        "choose all attacks for what tacit compare tries."
    )


def _mask(
    plan: Plan, data: Microdata, outcomes: list[Table] | None = None
) -> Microdata:
    """The release; a plan without steps releases the file as it is, minus its identifiers."""
    if not plan.steps:
        return data.drop(data.schema.names(role="identifier"))
    masked: Microdata = plan.mask(data, outcomes)
    return masked


def _truth(data: Microdata, masked: Microdata) -> str | None:
    """Files of equal length are aligned by row; whose row is whose in a sample nobody says."""
    return ROWS if data.n == masked.n else None


def preview_of(data: Microdata, plan: Plan, whole: int, bound: float) -> Preview:
    """What a plan does to a sample of a file of `whole` records: risk, loss, distributions."""
    masked = _mask(plan, data)
    known = plan if plan.steps else None
    truth = _truth(data, masked)
    result = assess(
        data,
        masked,
        plan=known,
        risks=(),
        losses=(LOSS,),
        truth=truth,
        in_order=False,
    )
    changed = [name for name in data.quasi if name in masked.names]
    drawn = records.distributions(data, masked, changed[:PREVIEW_COLUMNS], width=270)
    strongest = parts.strongest(result)
    loss = parts.main_loss(result)
    is_sample = data.n < whole
    shown = f"{count(data.n)} of {count(whole)}" if is_sample else f"all {count(whole)}"
    return {
        "note": f"on {shown} records",
        "risk": percent(strongest[1].rate) if strongest else "–",
        "loss": number(loss[1].value) if loss else "–",
        "figures": parts.figures(result),
        "attacks": parts.attack_chart(result, bound, width=560),
        "columns": drawn,
        "remark": _remark(is_sample, len(changed) - len(drawn)),
    }


def _remark(is_sample: bool, not_drawn: int) -> str:
    """What the reader of a preview must know to take it for no more than it is."""
    remark = ""
    if is_sample:
        remark = (
            "In the whole file an intruder must choose among more records, so the rate there is "
            "usually lower; methods that look for neighbours also do better on more records. "
        )
    if not_drawn > 0:
        remark += f"{not_drawn} more protected columns are not drawn."
    return remark


def finish(
    data: Microdata, plan: Plan, order: Order, progress: Told
) -> tuple[Summary, dict[str, str]]:
    """Mask, attack, measure and write one plan; its summary, and where its files lie."""
    start = time.perf_counter()
    # what is taken away says by itself what every column was
    plan = exports.with_columns(plan, data)
    outcomes: list[Table] = []
    masked = _mask(plan, data, outcomes)
    suffix = order.source.suffix
    ending = suffix if suffix in KEPT_FORMATS else ".csv"
    release = f"{Path(order.name).stem}-release{ending}"
    # File names are made up: what the user typed as a name never becomes a path.
    stem = order.folder / secrets.token_hex(10)
    files = {
        "masked": f"{stem}{ending}",
        "plan": f"{stem}.toml",
        "private": f"{stem}.private.toml",
        "manifest": f"{stem}.manifest.json",
        "report": f"{stem}.html",
        "external": f"{stem}.external.html",
        "assessment": f"{stem}.json",
    }
    # What is attacked below keeps the rows in place; what leaves does not.
    rows = RowOrder.of(plan)
    columns = leaving(plan, data)
    written = rows.arranged(masked)
    io.write(written, files["masked"])
    record = manifest.describe(
        plan,
        order.source,
        data,
        files["masked"],
        written,
        time.perf_counter() - start,
        order=rows,
        columns=columns,
        outcomes=outcomes,
    )
    # The manifest names the files as the user knows them, not as they lie in the workspace.
    record["input"]["path"] = order.name
    record["output"]["path"] = release
    with io.replacing(files["manifest"], private=True) as temporary:
        text = json.dumps(record, indent=1, ensure_ascii=False)
        temporary.write_text(text + "\n", encoding="utf-8")

    # From here on everything is shown, and with the seeds the noise comes off.
    private = plan
    plan = plan.without_seeds()
    steps = plan if plan.steps else None
    for target, one in (("plan", plan), ("private", private)):
        if steps:
            # the one with seeds for its owner alone
            one.save(files[target])
        else:
            Path(files[target]).write_text("", encoding="utf-8")

    settings = quick(data.n) if order.depth == "quick" else None
    result = _measure(data, masked, steps, settings, progress)
    # the report and the page judge by the thresholds that were chosen on the page
    result = replace(result, thresholds=dict(order.limits))
    progress("writing the report", 1, 1)
    judged = parts.judged(result, order.bound).to_dict()
    figures = json.dumps(result.to_dict() | {"verdict": judged}, indent=1)
    Path(files["assessment"]).write_text(figures + "\n", encoding="utf-8")
    was = before(result)
    for target, external in (("report", False), ("external", True)):
        report.write(
            result,
            files[target],
            external=external,
            name=order.name,
            manifest=record,
            bound=order.bound,
            plan=steps,
            was=was,
        )

    strongest = parts.strongest(result)
    summary: Summary = {
        "trial": _trial(plan, result, order.bound),
        "chance": float(strongest[1].chance) if strongest else 0.0,
        "note": left_out(data.n) if settings is not None else "",
        "verdict": _verdict(result, order.bound),
        "figures": parts.figures(result),
        "attacks": parts.attack_rows(result, was.attacks),
        "plan": plan,
        "formulas": formulas.count(masked.table),
        "release": release,
        "leaving": [
            {"column": one.column, "why": one.why, "refused": one.refused}
            for one in columns
        ],
        "seconds": time.perf_counter() - start,
    }
    return summary, files


def as_it_is(data: Microdata, order: Order, progress: Told) -> Summary:
    """The file without its identifiers, attacked as a release would be; nothing is written."""
    nothing = Plan(())
    masked = _mask(nothing, data)
    settings = quick(data.n) if order.depth == "quick" else None
    result = _measure(data, masked, None, settings, progress)
    result = replace(result, thresholds=dict(order.limits))
    strongest = parts.strongest(result)
    return {
        "trial": _trial(nothing, result, order.bound),
        "chance": float(strongest[1].chance) if strongest else 0.0,
        "verdict": _verdict(result, order.bound),
        "attacks": parts.attack_rows(result),
    }


def _verdict(result: Assessment, bound: float) -> VerdictWords:
    """The one verdict: its word, why, and what to do next."""
    shown = parts.verdict(result, bound, advice=False)
    return {
        "state": shown.state,
        "word": shown.word,
        "sentence": shown.sentence,
        "next": parts.judged(result, bound).next_step,
    }


def _trial(plan: Plan, result: Assessment, bound: float) -> Trial:
    """The point of a run on the map; what its verdict says beside attacks, it says too.

    The bound for attacks may be changed later on the page: those are judged anew there.
    """
    outcome = Outcome.of(result)
    trial = Trial.of(plan, result.records, [outcome])
    verdict = parts.judged(result, bound)
    attacks = {*result.attacks, "strongest"}
    against = {
        row.name: [row.value, row.threshold or 0.0]
        for row in verdict.failing
        if row.name not in attacks and row.name != READ_OFF
    }
    unknown = "; ".join(f"{row.name}: {row.why}" for row in verdict.unknown)
    return replace(trial, exposed=trial.exposed | against, unknown=unknown)


def _measure(
    data: Microdata,
    masked: Microdata,
    plan: Plan | None,
    settings: Settings | None,
    progress: Told,
) -> Assessment:
    """Attack and measure a release; without settings in every way there is."""
    truth = _truth(data, masked)
    if settings is None:
        return assess(
            data,
            masked,
            plan=plan,
            truth=truth,
            progress=progress,
            in_order=plan is None,
        )
    return assess(
        data,
        masked,
        plan=plan if settings.informed else None,
        attackers=settings.attackers,
        risks=settings.risks,
        losses=settings.losses,
        truth=truth,
        progress=progress,
        in_order=plan is None,
    )
