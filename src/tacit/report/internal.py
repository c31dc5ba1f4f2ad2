"""The internal report: everything that helps to decide, records and parameters included."""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Mapping

from tacit import __version__
from tacit.assess.assessment import Assessment
from tacit.assess.before import Before, before
from tacit.data.microdata import Microdata
from tacit.plan.outcomes import sentences_of
from tacit.plan.plan import Plan
from tacit.report import charts, parts, repeat
from tacit.report import record_parts as records
from tacit.report.alike import Alike
from tacit.report.alike import part as alike_part
from tacit.report.changes import blank_pattern
from tacit.report.checks import gathered, of_failures
from tacit.report.content import Content, Row
from tacit.report.evidence import looked_at
from tacit.report.glossary import entries
from tacit.report.measured import measure_rows
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
    was: Before | None = None,
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
    was : Before, optional
        The risk before protection; worked out unless given.
    """
    original, masked = assessment.original, assessment.masked
    limit = parts.bound_of(bound)
    plan = assessment.plan if plan is None else plan
    # the groups have a section, and the smallest of them a figure at the head
    alike = Alike.of(assessment)
    was = before(assessment) if was is None else was
    size = f"{count(original.n)} records"
    # whoever is protected is a person
    size += "".join(f", {count(n)} {word}s" for word, n in assessment.units.items())
    keys = f"{len(original.quasi)} of them quasi-identifiers"
    subtitle = f"{size}, {len(original.names)} columns, {keys}"
    done = "" if plan is None else "; " + ", ".join(_methods(plan))
    page = Content(
        title=f"Release of {name}" if name else "Release report",
        date=today(),
        version=__version__,
        verdict=parts.verdict(assessment, bound),
        subtitle=subtitle + done,
    )
    # in the order of the page: first what the verdict rests on ...
    page.figures = parts.figures(assessment, None if alike is None else alike.smallest)
    rates = {name: float(link.rate) for name, link in assessment.linkages.items()}
    notes = {} if alike is None else {"k_anonymity": alike.explained}
    values = {**was.risk, **was.attacks}
    page.checks = gathered(parts.checks(assessment, bound), rates, values, notes)
    judged = {str(row["name"]) for row in parts.checks(assessment, bound)}
    page.remarks = of_failures(
        [
            (failure.name, failure.reason)
            for failure in assessment.failures
            if failure.name not in judged
        ]
    )
    page.remarks += left_unprotected(manifest)
    page.map = two_points(assessment, limit, was)
    page.attacks = parts.attack_rows(assessment, was.attacks)
    page.attack_chart = parts.attack_chart(assessment, limit)
    page.evidence = looked_at(assessment)
    # ... then who and what is at risk ...
    page.records = records.by_record(assessment)
    page.columns = records.by_column(assessment)
    page.groups = None if alike is None else alike_part(assessment, alike)
    page.risk = measure_rows(assessment.risk, was.risk)
    # ... then what it cost, and how to do it again
    page.loss = measure_rows(assessment.loss)
    page.gaps = blank_pattern(original, masked)
    page.distributions = _distributions(original, masked)
    page.correlations = records.correlations(original, masked)
    page.steps = steps(plan)
    page.facts = facts(assessment, manifest)
    if plan is not None:
        page.repeat = [
            {"title": "Command line", "text": repeat.command(assessment, plan, name)},
            {"title": "Python", "text": repeat.python(assessment, plan, name)},
        ]
    page.glossary = entries()
    return page


def _methods(plan: Plan) -> list[str]:
    """The steps by name; their parameters stand in a section of their own."""
    return [inside(step.method) for step in plan.steps]


def _distributions(original: Microdata, masked: Microdata) -> Row | None:
    """The columns that were changed, drawn; the others by name."""
    drawn = records.distributions(original, masked)
    if not drawn:
        return None
    shown = records.touched(original, masked)
    same = [name for name in original.names if name in masked.names]
    same = [name for name in same if name not in shown]
    lead = "The share of records per interval or category, in the original and in the "
    lead += "masked file, of the columns that were changed."
    if same:
        lead += f" As they were, or only names of somebody: {', '.join(same)}."
    return {"lead": lead, "charts": drawn}


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


def two_points(assessment: Assessment, bound: float, was: Before) -> Row | None:
    """Where this release and the unprotected file lie on the risk-utility map."""
    top, loss = parts.strongest(assessment), parts.main_loss(assessment)
    if top is None or loss is None:
        return None
    risk, cost = float(top[1].rate), float(loss[1].value)
    # an infinite loss has no place on a map
    if not cost < float("inf"):
        return None
    loss_name = parts.loss_title(*loss)
    release = charts.Point(
        "this release",
        risk,
        cost,
        "release",
        chosen=True,
        interval=top[1].interval,
    )
    points = [release]
    unprotected = was.attacks.get(top[0])
    if unprotected is not None:
        points.append(charts.Point("before protection", unprotected, 0.0, "as it is"))
    drawing = charts.for_both(
        lambda width: charts.risk_utility_map(
            points,
            bound=bound,
            width=width,
            height=220,
            risk_name="people found",
            loss_name=loss_name,
            legend=False,
        ),
        720,
    )
    before_it = "" if unprotected is None else f" ({percent(unprotected)} before)"
    return {
        "lead": "Protection is a trade: less risk costs more information. Compare other "
        "plans to see what is possible.",
        "chart": drawing,
        "caption": f"Risk: {percent(risk)} found by the strongest intruder{before_it}. Loss: "
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
        (role.capitalize(), ", ".join(names)) for role, names in roles.items()
    ]
    # a release made elsewhere has no manifest
    manifest = manifest or {}
    told = sentences_of(manifest)
    if told:
        out.append(("Outcome", " ".join(told)))
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
