"""The external report: built from nothing but a list of allowed parts.

What is added elsewhere stays out. Allowed: the verdict, the strongest rate and one loss as bands
(`tacit.report.bands`), of every other check on which side of its limit it lies, the names of the
methods, words. Left out on purpose: exact figures, and the bands of the other attacks and measures:
with twenty of them whoever has a file like it tells k = 6 from k = 7. Nor is it said which attack
is the strongest: that changes with a parameter, too. Left out, too: parameters,
seeds, hashes, records, values, distributions and correlations of the original, what a measure or
attack says about single columns or records, reasons of failures (they may quote values), and
everything about columns that are not released.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tacit import __version__
from tacit.assess.assessment import Assessment
from tacit.assess.presumed import OWN_COLUMNS
from tacit.base.measure import Measure
from tacit.plan.plan import Plan
from tacit.report import parts
from tacit.report.bands import decade, share_band
from tacit.report.checks import gathered
from tacit.report.content import Content, Row
from tacit.report.glossary import entries
from tacit.report.internal import today
from tacit.report.measured import measure_rows
from tacit.report.words import NONE, count, title
from tacit.risk import registry as known_risks

REST = (
    "More attacks and measures were run than figures are shown: together they would tell how "
    "strongly the file was protected."
)


def content(
    assessment: Assessment,
    *,
    name: str = "",
    bound: float | None = None,
    plan: Plan | None = None,
) -> Content:
    """What may be published about a release.

    Parameters
    ----------
    assessment : Assessment
        What was found.
    name : str
        The name of the file.
    bound : float, optional
        The highest share of people found that is accepted.
    plan : Plan, optional
        How the file was masked; its methods are named, nothing else.
    """
    masked = assessment.masked
    page = Content(
        title=f"Protection of {name}" if name else "Protection report",
        date=today(),
        version=__version__,
        verdict=parts.verdict(assessment, bound, advice=False, write=share_band),
        external=True,
        subtitle=f"{count(masked.n)} records, {len(masked.names)} columns",
    )
    exact = _rates(assessment)
    # one band for all attacks: each further one would be one more figure
    band = share_band(max(exact.values(), default=math.nan))
    page.figures = _figures(assessment, band)
    # a check without a result says why, and the reason may quote values
    # (nor are raw columns named: what is in the release has a check of its own, without a reason)
    checked = [
        row if row["name"] in known_risks else {**row, "why": ""}
        for row in parts.checks(assessment, bound, share_band)
        if row["standing"] in ("passes", "borderline", "fails")
    ]
    page.checks = [
        {**row, "value": band if row["name"] in exact else _side(row)}
        for row in gathered(checked, exact, named=False)
    ]
    page.attacks = _attacks(assessment, band)
    page.loss = _loss(assessment)
    failed = len(assessment.failures)
    if failed:
        page.remarks = [
            f"{failed} of the attacks and measures could not be run on this file."
        ]
    page.remarks.append(REST)
    plan = assessment.plan if plan is None else plan
    if plan is not None:
        page.steps = [{"title": title(step.method)} for step in plan.steps]
    page.no_steps = "The methods are not named in this report."
    page.glossary = entries()
    return page


def published(assessment: Assessment) -> dict[str, object]:
    """The external report in plain types, for ``assess --external --json``."""
    page = content(assessment)
    return {
        "external": True,
        "records": assessment.masked.n,
        "attributes": len(assessment.masked.names),
        "verdict": {
            "state": assessment.verdict.state,
            "sentence": page.verdict.sentence,
        },
        "checks": _only(page.checks, ("title", "view", "value", "limit", "standing")),
        "attacks": _only(page.attacks, ("title", "rate", "chance")),
        "loss": _only(page.loss, ("title", "value", "reading")),
        "methods": [step["title"] for step in page.steps],
        "remarks": page.remarks,
    }


def _only(rows: Sequence[Row], keys: Sequence[str]) -> list[Row]:
    return [{key: row[key] for key in keys} for row in rows]


def _rates(assessment: Assessment) -> dict[str, float]:
    """The rates that the verdict judges, over what was released: those that its sentence tells."""
    ran = assessment.linkages
    return {row.name: row.value for row in assessment.verdict.rows if row.name in ran}


def _attacks(assessment: Assessment, band: str) -> list[Row]:
    """All attacks in one row: who tried, and not who found most.

    Who is invited by what a parameter did to the release is not named either.
    """
    tried = [title(name) for name in assessment.linkages if name != OWN_COLUMNS]
    if not tried:
        return []
    one = {
        "title": "The strongest intruder",
        "knows": f"Tried were: {', '.join(tried)}.",
        "rate": band,
        "chance": parts.best_guess(assessment),
        "strongest": False,
    }
    # the exact rate is also what a table would sort by
    return [{**one, "correct": NONE, "interval": NONE, "order": None}]


def _figures(assessment: Assessment, band: str) -> list[Row]:
    """The figures at the head: who is found, by guessing too, and the loss."""
    out: list[Row] = []
    if assessment.linkages:
        people = "of the people found by the strongest intruder"
        out.append(parts.figure(band, people))
        # everybody can compute it: one in as many as there are records
        guess = parts.best_guess(assessment)
        out.append(parts.figure(guess, "found by guessing"))
    loss = parts.main_loss(assessment)
    if loss:
        out.append(parts.figure(decade(loss[1].value), parts.loss_title(*loss)))
    return out


def _side(row: Row) -> str:
    """On which side of its limit a check lies, which its result says as well."""
    if row["standing"] == "borderline":
        return f"about {row['limit']}"
    if row["standing"] == "fails":
        return f"over {row['limit']}"
    none = str(row["limit"]).startswith("0\u00a0")
    return str(row["limit"]) if none else f"up to {row['limit']}"


def _loss(assessment: Assessment) -> list[Row]:
    """The one loss that is shown."""
    loss = parts.main_loss(assessment)
    if loss is None:
        return []
    name, measure = loss
    # the first row is the measure itself; what it is made of are exact figures
    row = measure_rows({name: measure})[0]
    if row["absent"]:
        return []
    # a table sorts by exact values, and a reading may name the k that was asked for
    hidden = {"order": None, "before": NONE, "reading": _reading(measure)}
    return [{**row, **hidden, "value": decade(measure.value)}]


def _reading(measure: Measure) -> str:
    """What zero and more of it mean, unless that is said with a number."""
    phrases = {"0": measure.zero, "Higher": measure.higher}
    return " ".join(
        f"{word}: {phrase.rstrip('.')}."
        for word, phrase in phrases.items()
        if not any(letter.isdigit() for letter in phrase)
    )
