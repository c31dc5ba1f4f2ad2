"""Parts of the report that a stranger may see as well: attacks, measures, checks, figures. No record, no parameter."""

from __future__ import annotations

from typing import Any

from tacit.report import charts
from tacit.report.content import Verdict
from tacit.report.words import count, inside, number, percent, span, title
from tacit.report.words import limit as limit_of


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
            "chance": _chance(link),
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
        charts.Bar(
            title(name),
            link.rate,
            link.interval[0],
            link.interval[1],
            chance=link.chance,
            strong=bool(top and name == top[0]),
        )
        for name, link in linkages(assessment).items()
    ]
    return str(charts.bars("Share of people found", rows, bound=bound, width=width)) if rows else ""


def measure_rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a measure; those without a value come last, with the reason."""
    rows = []
    for name, m in found.items():
        if not hasattr(m, "value"):
            rows.append({"title": title(name), "value": "–", "reading": f"Did not run: {m.reason}", "absent": True})
        elif m.value != m.value:
            why = str(m.details.get("not computed", "no value"))
            rows.append({"title": title(name), "value": "–", "reading": f"Not computed: {why}", "absent": True})
        else:
            rows.append(
                {"title": title(name), "value": number(float(m.value)), "reading": _reading(m), "absent": False}
            )
    return sorted(rows, key=lambda row: bool(row["absent"]))


def _reading(measure: Any) -> str:
    low, high = measure.range
    ends = f"From {number(float(low))} to {number(float(high))}. "
    return f"{ends}0: {measure.zero.rstrip('.')}. Higher: {measure.higher.rstrip('.')}."


def bound_of(bound: float | None) -> float:
    """The highest share of people found that the verdict accepts."""
    from tacit.verdict import ATTACK

    return ATTACK if bound is None else bound


def judged(assessment: Any, bound: float | None = None) -> Any:
    """The verdict table of `tacit.verdict`; `bound` replaces its threshold for attacks."""
    from tacit.verdict import verdict as judge

    own = getattr(assessment, "verdict", None)
    if bound is None and own is not None and hasattr(own, "rows"):
        return own
    limits = (
        None if bound is None else {"attack": bound, **({"strongest": bound} if "strongest" in assessment.risk else {})}
    )
    return judge(assessment.attacks, assessment.risk, limits)


def verdict(assessment: Any, bound: float | None = None) -> Verdict:
    """The verdict in one sentence: the strongest intruder first, then what else keeps it from being safe."""
    table = judged(assessment, bound)
    top = strongest(assessment)
    if top is None:
        return Verdict("warn", "Not assessed", "No attack could be run, so nothing is known about the risk.")
    name, link = top
    limit = bound_of(bound)
    found = f"The strongest intruder ({inside(name)}) finds {percent(link.rate)} of the people"
    guess = f"guessing finds {_chance(link)}."
    if link.rate > limit:
        return Verdict("bad", "Not safe", f"{found}, above the {limit_of(limit)} that is accepted; {guess}")
    within = f"{found}, within the {limit_of(limit)} that is accepted"
    if table.safe is False:
        rest = ", ".join(
            f"{inside(r.name)} is {_share(r.value)}, above {_share_limit(r.threshold)}" for r in table.failing
        )
        return Verdict("bad", "Not safe", f"{within}, but {rest}.")
    if table.safe is None:
        missing = sum(r.standing == "not computed" and r.threshold is not None for r in table.rows)
        what = "one check" if missing == 1 else f"{missing} checks"
        return Verdict("warn", "Not fully assessed", f"{within}, but {what} could not be computed.")
    return Verdict("good", "Within the accepted risk", f"{within}; {guess}")


def _chance(link: Any) -> str:
    return percent(link.chance, 3 if link.chance < 0.0005 else None)


def main_loss(assessment: Any) -> tuple[str, Any] | None:
    """The loss that stands on the map: that of comparisons where it was computed, else the first that was."""
    from tacit.frontier import LOSS

    ran = {name: m for name, m in measures(assessment.loss).items() if m.value == m.value}
    return (LOSS, ran[LOSS]) if LOSS in ran else next(iter(ran.items()), None)


def score_of(assessment: Any) -> float | None:
    """The published score, or None when one of its parts is missing."""
    from tacit.score import score

    value = score(assessment.risk, assessment.loss).value
    return float(value) if value == value else None


def figures(assessment: Any, smallest: int | None = None) -> list[dict[str, str]]:
    out: list[dict[str, str]] = []
    top = strongest(assessment)
    if top:
        link = top[1]
        out.append({"value": percent(link.rate), "unit": "", "label": "of the people found by the strongest intruder"})
        out.append({"value": _chance(link), "unit": "", "label": "found by guessing"})
    loss = main_loss(assessment)
    if loss:
        name, m = loss
        words = inside(name)
        out.append(
            {"value": number(m.value), "unit": _top(m), "label": words if "loss" in words else f"loss ({words})"}
        )
    if smallest is not None:
        out.append({"value": number(smallest), "unit": "alike", "label": "in the smallest group"})
    score = score_of(assessment)
    if score is not None:
        out.append({"value": number(score), "unit": "", "label": "score, lower is better"})
    return out


def _top(measure: Any) -> str:
    high = float(measure.range[1])
    return f"of {number(high)}" if high < float("inf") else ""


def checks(assessment: Any, bound: float | None = None) -> list[dict[str, Any]]:
    """The table behind the verdict: every attack and risk that has a threshold, and how it stands."""
    return [
        {
            "title": title(row.name),
            "why": "" if row.why.startswith("attacker:") else row.why,
            "value": _share(row.value),
            "limit": _share_limit(row.threshold),
            "standing": row.standing,
        }
        for row in judged(assessment, bound).rows
        if row.threshold is not None
    ]


def _share(value: float) -> str:
    return percent(value) if 0 <= value <= 1 else number(value)


def _share_limit(value: float) -> str:
    return limit_of(value) if 0 <= value <= 1 else number(value)
