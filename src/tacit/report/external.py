"""The external report: built from nothing but a list of allowed parts.

What is added elsewhere stays out. Allowed: the verdict, rates of attacks with their
intervals, values of measures, the names of the methods, words. Left out on purpose:
parameters, seeds, hashes, records, values, distributions and correlations of the original,
what a measure or attack says about single columns or records, reasons of failures (they may
quote values), and everything about columns that are not released.
"""

from __future__ import annotations

from tacit import __version__
from tacit.assess.assessment import Assessment
from tacit.plan.plan import Plan
from tacit.report import parts
from tacit.report.content import Content
from tacit.report.glossary import entries
from tacit.report.internal import today
from tacit.report.words import NONE, count, title
from tacit.risk import registry as known_risks


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
    limit = parts.bound_of(bound)
    page = Content(
        title=f"Protection of {name}" if name else "Protection report",
        date=today(),
        version=__version__,
        verdict=parts.verdict(assessment, bound, advice=False),
        external=True,
        subtitle=f"{count(masked.n)} records, {len(masked.names)} columns",
    )
    page.figures = parts.figures(assessment)
    # a check without a result says why, and the reason may quote values
    # (nor are raw columns named: what is in the release has a check of its own, without a reason)
    page.checks = [
        row if row["name"] in known_risks else {**row, "why": ""}
        for row in parts.checks(assessment, bound)
        if row["standing"] in ("passes", "borderline", "fails")
    ]
    # a phrase of the attacker may name columns or parameters
    page.attacks = [
        {**row, "knows": ""}
        for row in parts.attack_rows(assessment)
        if row["rate"] != NONE
    ]
    page.attack_chart = parts.attack_chart(assessment, limit)
    risks = parts.measure_rows(assessment.risk)
    losses = parts.measure_rows(assessment.loss)
    page.risk = [row for row in risks if not row["absent"]]
    page.loss = [row for row in losses if not row["absent"]]
    failed = len(assessment.failures)
    if failed:
        page.remarks = [
            f"{failed} of the attacks and measures could not be run on this file."
        ]
    plan = assessment.plan if plan is None else plan
    if plan is not None:
        page.steps = [{"title": title(step.method)} for step in plan.steps]
    page.no_steps = "The methods are not named in this report."
    page.glossary = entries()
    return page
