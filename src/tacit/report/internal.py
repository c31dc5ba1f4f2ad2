"""The internal report: everything that helps to decide, records and parameters included."""

from __future__ import annotations

import datetime
import json
import platform
from typing import Any

from tacit.report import charts, parts, records, repeat
from tacit.report.content import Content
from tacit.report.glossary import entries
from tacit.report.words import count, inside, number, percent, seconds, title


def today() -> str:
    now = datetime.date.today()
    return f"{now.day} {now:%B %Y}"


def content(
    assessment: Any,
    *,
    name: str = "",
    manifest: dict[str, Any] | None = None,
    bound: float | None = None,
    plan: Any = None,
) -> Content:
    from tacit import __version__

    original, masked = assessment.original, assessment.masked
    limit = parts.bound_of(bound)
    plan = assessment.plan if plan is None else plan
    alike = records.groups(assessment)
    made = Content(
        title=f"Release of {name}" if name else "Release report",
        date=today(),
        version=__version__,
        verdict=parts.verdict(assessment, bound),
        subtitle=f"{count(original.n)} records, {len(original.names)} columns, "
        f"{len(original.quasi)} of them quasi-identifiers" + (f"; {plan}" if plan is not None else ""),
    )
    made.figures = parts.figures(assessment, alike[1] if alike else None)
    made.checks = parts.checks(assessment, bound)
    made.remarks = [f"{title(f.name)} did not run: {f.reason}" for f in getattr(assessment, "failures", [])]
    made.map = one_point(assessment, limit)
    made.attacks = parts.attack_rows(assessment)
    made.attack_chart = parts.attack_chart(assessment, limit)
    made.records = records.by_record(assessment)
    made.columns = records.by_column(assessment)
    made.groups = alike[0] if alike else None
    made.risk = parts.measure_rows(assessment.risk)
    made.loss = parts.measure_rows(assessment.loss)
    drawn = records.distributions(original, masked)
    if drawn:
        lead = "The share of records per interval or category, in the original and in the masked file."
        made.distributions = {"lead": lead, "charts": drawn}
    made.correlations = records.correlations(assessment)
    made.steps = steps(plan)
    made.facts = facts(assessment, manifest)
    told = [("Command line", repeat.command(assessment, plan, name))]
    told.append(("Python", repeat.python(assessment, plan, name)))
    made.repeat = [{"title": t, "text": text} for t, text in told if text]
    made.glossary = entries()
    return made


def one_point(assessment: Any, bound: float) -> dict[str, Any] | None:
    """Where this release lies on the risk-utility map."""
    top, loss = parts.strongest(assessment), parts.main_loss(assessment)
    if top is None or loss is None:
        return None
    risk, cost = float(top[1].rate), float(loss[1].value)
    if not cost < float("inf"):
        return None
    points = [charts.Point("this release", risk, cost, "release", chosen=True)]
    drawing = charts.risk_utility_map(
        points, bound=bound, height=300, risk_name="people found", loss_name=inside(loss[0])
    )
    return {
        "lead": "Protection is a trade: less risk costs more information. Compare other plans to see what is possible.",
        "chart": str(drawing),
        "caption": f"Risk: {percent(risk)} found by the strongest intruder. Loss: {number(cost)} "
        f"({inside(loss[0])}). The shaded band is the accepted risk.",
        "rows": [],
    }


def steps(plan: Any) -> list[dict[str, Any]]:
    if plan is None:
        return []
    return [
        {
            "title": title(step.method),
            "parameters": ", ".join(f"{k} = {json.dumps(v, default=str)}" for k, v in step.parameters.items())
            or "defaults",
            "seed": "–" if step.seed is None else step.seed,
        }
        for step in plan.steps
    ]


def facts(assessment: Any, manifest: dict[str, Any] | None) -> list[tuple[str, Any]]:
    from tacit import __version__

    roles: dict[str, list[str]] = {}
    for column in assessment.original.schema:
        roles.setdefault(str(column.role), []).append(column.name)
    out: list[tuple[str, Any]] = [(title(role), ", ".join(names)) for role, names in roles.items()]
    manifest = manifest or {}
    out.append(("Versions", ", ".join(
        [f"tacit {manifest.get('tacit', __version__)}", f"Python {manifest.get('python', platform.python_version())}",
         *(f"{k} {manifest[k]}" for k in ("numpy", "pyarrow") if k in manifest)])))  # fmt: skip
    for word, label in (("input", "SHA-256 of the original"), ("output", "SHA-256 of the release")):
        if word in manifest:
            out.append((label, [manifest[word]["sha256"]]))
    if "made" in manifest:
        out.append(("Made", str(manifest["made"])))
    out.append(("Time to assess", seconds(getattr(assessment, "seconds", None))))
    return out
