"""Parts of the report that a stranger may see as well: attacks, measures, checks, figures. No record, no parameter."""

from __future__ import annotations

from typing import Any

from tacit.report import charts
from tacit.report.content import Verdict
from tacit.report.words import count, number, percent, span, title

DEFAULT_BOUND = 0.05


def linkages(assessment: Any) -> dict[str, Any]:
    """The attacks that ran."""
    return {name: link for name, link in assessment.attacks.items() if hasattr(link, "rate")}


def measures(found: dict[str, Any]) -> dict[str, Any]:
    """The measures that ran."""
    return {name: m for name, m in found.items() if hasattr(m, "value")}


def strongest(assessment: Any) -> tuple[str, Any] | None:
    ran = linkages(assessment)
    return max(ran.items(), key=lambda item: item[1].rate) if ran else None


def attack_rows(assessment: Any) -> list[dict[str, Any]]:
    top = strongest(assessment)
    rows = [
        {
            "title": title(name),
            "knows": link.knows[:1].upper() + link.knows[1:] + ".",
            "correct": count(link.correct),
            "rate": percent(link.rate),
            "interval": span(link.interval),
            "chance": percent(link.chance, 3 if link.chance < 0.0005 else None),
            "strongest": top is not None and name == top[0] and link.rate > link.chance,
        }
        for name, link in linkages(assessment).items()
    ]
    return rows + [
        {
            "title": title(name), "knows": f"Did not run: {failure.reason}", "correct": "–", "rate": "–",
            "interval": "–", "chance": "–", "strongest": False,
        }
        for name, failure in assessment.attacks.items()
        if not hasattr(failure, "rate")
    ]  # fmt: skip


def attack_chart(assessment: Any, bound: float | None = None, width: float = 720) -> str:
    top = strongest(assessment)
    rows = [
        charts.Bar(title(name), link.rate, *link.interval, chance=link.chance, strong=bool(top and name == top[0]))
        for name, link in linkages(assessment).items()
    ]
    return str(charts.bars("Share of people found", rows, bound=bound, width=width)) if rows else ""


def measure_rows(found: dict[str, Any]) -> list[dict[str, str]]:
    rows = [
        {"title": title(name), "value": number(m.value), "reading": _reading(m)} for name, m in measures(found).items()
    ]
    return rows + [
        {"title": title(name), "value": "–", "reading": f"Did not run: {failure.reason}"}
        for name, failure in found.items()
        if not hasattr(failure, "value")
    ]


def _reading(measure: Any) -> str:
    low, high = measure.range
    ends = f"From {number(float(low))} to {number(float(high))}. "
    return f"{ends}0: {measure.zero.rstrip('.')}. Higher: {measure.higher.rstrip('.')}."


def bound_of(assessment: Any) -> float:
    """The highest rate that the verdict accepts."""
    verdict = getattr(assessment, "verdict", None)
    for name in ("bound", "threshold", "accepted"):
        value = getattr(verdict, name, None)
        if isinstance(value, float):
            return value
    return DEFAULT_BOUND


def verdict(assessment: Any, bound: float | None = None) -> Verdict:
    """The verdict in one sentence, about the strongest intruder."""
    limit = bound_of(assessment) if bound is None else bound
    top = strongest(assessment)
    failed = [f for part in (assessment.attacks, assessment.risk, assessment.loss) for f in part.values()]
    failed = [f for f in failed if not hasattr(f, "rate") and not hasattr(f, "value")]
    if top is None:
        return Verdict("warn", "Not assessed", "No attack could be run, so nothing is known about the risk.")
    name, link = top
    found = f"The strongest intruder ({title(name).lower()}) finds {percent(link.rate)} of the people"
    guess = f"guessing finds {percent(link.chance, 3 if link.chance < 0.0005 else None)}."
    if link.rate > limit:
        return Verdict("bad", "Not safe", f"{found}, above the {percent(limit)} that is accepted; {guess}")
    if any(not hasattr(f, "rate") for f in failed) and any(f in assessment.attacks.values() for f in failed):
        said = f"{found}, within the {percent(limit)} that is accepted, but not every attack could be run."
        return Verdict("warn", "Not fully assessed", said)
    return Verdict("good", "Within the accepted risk", f"{found}, within the {percent(limit)} that is accepted; {guess}")


def main_loss(assessment: Any) -> tuple[str, Any] | None:
    """The loss that stands on the map: the probabilistic one (0 to 1) where there is one, else the first."""
    ran = measures(assessment.loss)
    for name in ("pil", "probabilistic", "il"):
        if name in ran:
            return name, ran[name]
    return next(iter(ran.items()), None)


def score_of(assessment: Any) -> float | None:
    value = getattr(assessment, "score", None)
    value = getattr(value, "value", value)
    return float(value) if isinstance(value, int | float) else None


def figures(assessment: Any, smallest: int | None = None) -> list[dict[str, str]]:
    out: list[dict[str, str]] = []
    top = strongest(assessment)
    if top:
        link = top[1]
        out.append({"value": percent(link.rate), "unit": "", "label": "of the people found by the strongest intruder"})
        chance = percent(link.chance, 3 if link.chance < 0.0005 else None)
        out.append({"value": chance, "unit": "", "label": "found by guessing"})
    loss = main_loss(assessment)
    if loss:
        name, m = loss
        out.append({"value": number(m.value), "unit": _top(m), "label": f"loss ({title(name).lower()})"})
    if smallest is not None:
        out.append({"value": number(smallest), "unit": "alike", "label": "in the smallest group"})
    score = score_of(assessment)
    if score is not None:
        out.append({"value": number(score), "unit": "", "label": "score, lower is better"})
    return out


def _top(measure: Any) -> str:
    high = float(measure.range[1])
    return f"of {number(high)}" if high < float("inf") else ""


def checks(assessment: Any) -> list[dict[str, Any]]:
    """The table behind the verdict, when the assessment has one: every risk with its threshold."""
    rows = getattr(getattr(assessment, "verdict", None), "checks", None) or []
    return [
        {
            "title": title(str(row.name)),
            "value": number(float(row.value)) if row.value is not None else "–",
            "limit": number(float(row.limit)),
            "ok": bool(row.ok),
        }
        for row in rows
    ]
