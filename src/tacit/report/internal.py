"""The internal report: everything that helps to decide, records and parameters included."""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Mapping

from tacit import __version__
from tacit.assess.assessment import Assessment
from tacit.plan.plan import Plan
from tacit.report import charts, parts, repeat
from tacit.report import record_parts as records
from tacit.report.content import Content, Row
from tacit.report.glossary import entries
from tacit.report.words import (
    count,
    inside,
    number,
    percent,
    seconds,
    title,
)


def today() -> str:
    """The date, written out: numbers alone mean another day in another country."""
    now = datetime.date.today()
    return f"{now.day} {now:%B %Y}"


def content(
    assessment: Assessment,
    *,
    name: str = "",
    manifest: Mapping[str, object] | None = None,
    bound: float | None = None,
    plan: Plan | None = None,
) -> Content:
    """Everything that is known about a release.

    Parameters
    ----------
    assessment : Assessment
        What was found.
    name : str
        The name of the file.
    manifest : mapping, optional
        The manifest of the release, for its hashes and versions.
    bound : float, optional
        The highest share of people found that is accepted.
    plan : Plan, optional
        How the file was masked; the assessment's own plan unless given.
    """
    original, masked = assessment.original, assessment.masked
    limit = parts.bound_of(bound)
    plan = assessment.plan if plan is None else plan
    # the groups have a section, and the smallest of them a figure at the head
    alike = records.groups(assessment)
    size = f"{count(original.n)} records, {len(original.names)} columns"
    # whoever is protected is a person
    size += "".join(f", {count(n)} {word}s" for word, n in assessment.units.items())
    subtitle = f"{size}, {len(original.quasi)} of them quasi-identifiers"
    page = Content(
        title=f"Release of {name}" if name else "Release report",
        date=today(),
        version=__version__,
        verdict=parts.verdict(assessment, bound),
        subtitle=subtitle if plan is None else f"{subtitle}; {plan}",
    )
    # in the order of the page: first what the verdict rests on ...
    page.figures = parts.figures(assessment, alike[1] if alike else None)
    page.checks = parts.checks(assessment, bound)
    page.remarks = [
        f"{title(failure.name)} did not run: {failure.reason}"
        for failure in assessment.failures
    ]
    page.remarks += left_unprotected(manifest)
    page.map = one_point(assessment, limit)
    page.attacks = parts.attack_rows(assessment)
    page.attack_chart = parts.attack_chart(assessment, limit)
    # ... then who and what is at risk ...
    page.records = records.by_record(assessment)
    page.columns = records.by_column(assessment)
    page.groups = alike[0] if alike else None
    page.risk = parts.measure_rows(assessment.risk)
    # ... then what it cost, and how to do it again
    page.loss = parts.measure_rows(assessment.loss)
    drawn = records.distributions(original, masked)
    if drawn:
        lead = (
            "The share of records per interval or category, in the original and in the "
            "masked file."
        )
        page.distributions = {"lead": lead, "charts": drawn}
    page.correlations = records.correlations(assessment)
    page.steps = steps(plan)
    page.facts = facts(assessment, manifest)
    if plan is not None:
        page.repeat = [
            {"title": "Command line", "text": repeat.command(assessment, plan, name)},
            {"title": "Python", "text": repeat.python(assessment, plan, name)},
        ]
    page.glossary = entries()
    return page


def left_unprotected(manifest: Mapping[str, object] | None) -> list[str]:
    """Columns that leave as they are, and that rows keep their order, as the manifest says."""
    manifest = manifest or {}
    remarks = []
    columns = manifest.get("leaving")
    for one in columns if isinstance(columns, list) else []:
        remarks.append(f"'{one['column']}' leaves as it is: {one['why']}.")
    order = manifest.get("order")
    if isinstance(order, Mapping) and not order.get("shuffled"):
        remarks.append("The rows keep the order of the original file.")
    return remarks


def one_point(assessment: Assessment, bound: float) -> Row | None:
    """Where this release lies on the risk-utility map."""
    top, loss = parts.strongest(assessment), parts.main_loss(assessment)
    if top is None or loss is None:
        return None
    risk, cost = float(top[1].rate), float(loss[1].value)
    # an infinite loss has no place on a map
    if not cost < float("inf"):
        return None
    loss_name = inside(loss[0])
    point = charts.Point(
        "this release",
        risk,
        cost,
        "release",
        chosen=True,
    )
    drawing = charts.risk_utility_map(
        [point],
        bound=bound,
        height=300,
        risk_name="people found",
        loss_name=loss_name,
    )
    return {
        "lead": "Protection is a trade: less risk costs more information. Compare other "
        "plans to see what is possible.",
        "chart": str(drawing),
        "caption": f"Risk: {percent(risk)} found by the strongest intruder. Loss: "
        f"{number(cost)} ({loss_name}). The shaded band is the accepted risk.",
        "rows": [],
    }


def steps(plan: Plan | None) -> list[Row]:
    """The steps of a plan with their parameters and seeds."""
    if plan is None:
        return []
    return [
        {
            "title": title(step.method),
            "parameters": _written(step.parameters) or "defaults",
        }
        for step in plan.steps
    ]


def _written(parameters: Mapping[str, object]) -> str:
    """Parameters as they would stand in a plan."""
    return ", ".join(
        f"{name} = {json.dumps(value, default=str)}"
        for name, value in parameters.items()
    )


def facts(
    assessment: Assessment, manifest: Mapping[str, object] | None
) -> list[tuple[str, str | list[str]]]:
    """Roles of the columns, versions, hashes, time."""
    # column names by role, in the order of the file
    roles: dict[str, list[str]] = {}
    for column in assessment.original.schema:
        roles.setdefault(str(column.role), []).append(column.name)
    out: list[tuple[str, str | list[str]]] = [
        (title(role), ", ".join(names)) for role, names in roles.items()
    ]
    # a release made elsewhere has no manifest
    manifest = manifest or {}
    # the release may have been made by other versions than those that write the report
    versions = [
        f"tacit {manifest.get('tacit', __version__)}",
        f"Python {manifest.get('python', platform.python_version())}",
    ]
    versions += [
        f"{package} {manifest[package]}"
        for package in ("numpy", "pyarrow")
        if package in manifest
    ]
    out.append(("Versions", ", ".join(versions)))
    for entry, label in (
        ("input", "SHA-256 of the original"),
        ("output", "SHA-256 of the release"),
    ):
        file = manifest.get(entry)
        if isinstance(file, Mapping):
            out.append((label, [str(file["sha256"])]))
    if "made" in manifest:
        out.append(("Made", str(manifest["made"])))
    out.append(("Time to assess", seconds(assessment.seconds)))
    return out
