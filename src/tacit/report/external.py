"""The external report: built from nothing but a list of allowed parts, so that what is added elsewhere stays out.

Allowed: the verdict, rates of attacks with their intervals, values of measures, the names of the methods, words.
Left out on purpose: parameters, seeds, hashes, records, values, distributions and correlations of the original,
what a measure or attack says about single columns or records, reasons of failures (they may quote values), and
everything about columns that are not released.
"""

from __future__ import annotations

from typing import Any

from tacit.report import parts
from tacit.report.content import Content
from tacit.report.glossary import entries
from tacit.report.internal import today
from tacit.report.words import count, title


def content(
    assessment: Any, *, name: str = "", bound: float | None = None, plan: Any = None, **private: Any
) -> Content:
    """`private` (manifest, commands) is accepted so that both reports are called alike, and ignored."""
    from tacit import __version__

    masked = assessment.masked
    limit = parts.bound_of(bound)
    made = Content(
        title=f"Protection of {name}" if name else "Protection report",
        date=today(),
        version=__version__,
        verdict=parts.verdict(assessment, bound),
        external=True,
        subtitle=f"{count(masked.n)} records, {len(masked.names)} columns",
    )
    made.figures = parts.figures(assessment)
    made.checks = [row for row in parts.checks(assessment, bound) if row["standing"] in ("passes", "fails")]
    ran = [row for row in parts.attack_rows(assessment) if row["rate"] != "–"]
    for row in ran:
        row["knows"] = ""  # a phrase of the attacker may name columns or parameters
    made.attacks = ran
    made.attack_chart = parts.attack_chart(assessment, limit)
    made.risk = [row for row in parts.measure_rows(assessment.risk) if not row["absent"]]
    made.loss = [row for row in parts.measure_rows(assessment.loss) if not row["absent"]]
    failed = len(getattr(assessment, "failures", []))
    if failed:
        made.remarks = [f"{failed} of the attacks and measures could not be run on this file."]
    plan = assessment.plan if plan is None else plan
    if plan is not None:
        made.steps = [{"title": title(step.method)} for step in plan.steps]
    made.no_steps = "The methods are not named in this report."
    made.glossary = entries()
    return made
