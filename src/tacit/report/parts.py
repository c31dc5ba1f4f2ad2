"""Parts of the report that a stranger may see as well: attacks, measures, checks, figures.

No record, no parameter. Nothing is computed here: the figures are those of the assessment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tacit.assess.assessment import Assessment, Failure
from tacit.assess.score import score
from tacit.assess.verdict import ATTACK, CROSSES, FAILS, State, Verdict
from tacit.attack.linkage import Linkage
from tacit.base.measure import Measure
from tacit.compare.trial import LOSS
from tacit.report import charts
from tacit.report.content import Headline, Row
from tacit.report.measured import ALL_COLUMNS
from tacit.report.views import view_of
from tacit.report.words import NONE, count, inside, number, percent, span, title
from tacit.report.words import limit as limit_of

COLOURS: dict[State, str] = {
    "safe": "good",
    "borderline": "warn",
    "not safe": "bad",
    "not assessed": "warn",
}
"""The sign and colour of each state of the verdict."""


TOLD = 2
"""Risks above their limits that the headline names beside the attack; the table has all."""


def measures(results: Mapping[str, Measure | Failure]) -> dict[str, Measure]:
    """The measures that ran."""
    return {
        name: result for name, result in results.items() if isinstance(result, Measure)
    }


def strongest(assessment: Assessment) -> tuple[str, Linkage] | None:
    """The attack with the highest rate; None when none ran."""
    return assessment.strongest


def attack_rows(
    assessment: Assessment, before: Mapping[str, float] | None = None
) -> list[Row]:
    """One row per attack; those that did not run come last, with the reason.

    `before` are the rates of the file as it is.
    """
    was = before or {}
    top = strongest(assessment)
    strongest_name = "" if top is None else top[0]
    rows: list[Row] = []
    for name, link in assessment.linkages.items():
        # an attack no better than guessing is not called the strongest
        beats_chance = link.rate > link.chance
        rows.append(
            {
                "title": title(name),
                "knows": _knows(link, assessment),
                "correct": count(link.correct),
                "rate": percent(link.rate),
                "before": percent(was.get(name)),
                "order": float(link.rate),
                "interval": span(link.interval),
                "chance": chance_of(link),
                "strongest": name == strongest_name and beats_chance,
            }
        )
    # what did not run is not zero
    columns = ("correct", "rate", "before", "interval", "chance")
    missing = dict.fromkeys(columns, NONE)
    for name, result in assessment.attacks.items():
        if isinstance(result, Failure):
            why = f"Did not run: {result.reason}"
            rows.append(
                {
                    "title": title(name),
                    "knows": why,
                    **missing,
                    "strongest": False,
                    "order": None,
                }
            )
    return rows


def _knows(link: Linkage, assessment: Assessment) -> str:
    """Who the intruder is; the plan stands in a section of its own and is not repeated."""
    text = link.knows if assessment.plan is None else _without_plan(link, assessment)
    said = f" {link.remark[:1].upper()}{link.remark[1:]}." if link.remark else ""
    return text[:1].upper() + text[1:] + "." + said


def _without_plan(link: Linkage, assessment: Assessment) -> str:
    return link.knows.replace(f": {assessment.plan}", "")


def attack_chart(
    assessment: Assessment, bound: float | None = None, width: float = 720
) -> str:
    """The share of people that each attack finds, as bars; empty when none ran."""
    top = strongest(assessment)
    rows = [
        charts.Bar(
            title(name),
            link.rate,
            *link.interval,
            chance=link.chance,
            strong=top is not None and name == top[0],
        )
        for name, link in assessment.linkages.items()
    ]
    if not rows:
        return ""
    name = "Share of people found"
    return charts.for_both(
        lambda wide: charts.bars(name, rows, bound=bound, width=wide, most=1.0), width
    )


def bound_of(bound: float | None) -> float:
    """The highest share of people found that the verdict accepts."""
    return ATTACK if bound is None else bound


def judged(assessment: Assessment, bound: float | None = None) -> Verdict:
    """The verdict of the assessment; `bound` replaces its threshold for attacks."""
    if bound is None:
        return assessment.verdict
    limits = {**assessment.thresholds, "attack": bound}
    # the worst case over attacks is an attack too
    if "strongest" in assessment.risk:
        limits["strongest"] = bound
    return replace(assessment, thresholds=limits).verdict


def verdict(
    assessment: Assessment,
    bound: float | None = None,
    *,
    advice: bool = True,
    write: Callable[[float | None], str] = percent,
) -> Headline:
    """The verdict as a page shows it; what it is was decided by `Assessment.verdict` alone.

    The strongest intruder comes first, then what else keeps the release from being safe, then
    what to do (`advice`, which is for the owner of the data only, as is the name of the intruder).
    `write` gives a share its form.
    """
    table = judged(assessment, bound)
    sentences = [
        _strongest_sentence(assessment, table, write, named=advice),
        # of the others strangers hear on which side of their limits they are: a band for each
        # would be one more figure by which to tell k = 6 from k = 7
        _others(assessment, table, write if advice else None),
    ]
    word = table.word[:1].upper() + table.word[1:]
    text = " ".join(sentence for sentence in sentences if sentence)
    next_step = table.next_step if advice else ""
    return Headline(COLOURS[table.state], word, text, next_step)


def _strongest_sentence(
    assessment: Assessment,
    table: Verdict,
    write: Callable[[float | None], str],
    *,
    named: bool,
) -> str:
    """Whom the strongest attack finds, beside what is accepted and what guessing finds.

    `named`: with its name, and with the upper end of its interval where that is above what is
    accepted. Strangers are told neither: which attack is the strongest changes with a parameter.
    """
    ran = assessment.linkages
    attacks = [row for row in table.rows if row.name in ran]
    if not attacks:
        return "No attack could be run, so nothing is known about the risk."
    top = max(attacks, key=lambda row: row.value)
    who = f" ({inside(top.name)})" if named else ""
    found = f"The strongest intruder{who} finds {write(top.value)}"
    chance = chance_of(ran[top.name]) if named else best_guess(assessment)
    guess = f"guessing finds {chance}."
    if top.threshold is None:
        return f"{found} of the people; {guess}"
    accepted = f"the {limit_of(top.threshold)} that is accepted"
    if top.standing == CROSSES and top.interval is not None:
        most = f"but up to {write(top.interval[1])} are possible, above {accepted}"
        if not named:
            most = f"but more than {accepted} are possible"
        return f"{found} of the people, {most}; {guess}"
    where = "above" if top.standing == FAILS else "within"
    return f"{found} of the people, {where} {accepted}; {guess}"


def _others(
    assessment: Assessment,
    table: Verdict,
    write: Callable[[float | None], str] | None,
) -> str:
    """What speaks against the release beside its attacks; no reason, which may quote values.

    `write` gives a share its form; None: only that it is above its limit.
    """
    # the strongest attack has its own sentence, which the measure of that name would repeat
    said = {"strongest", *assessment.linkages}
    against = [row for row in table.failing if row.name not in said]
    told = []
    for row in against[:TOLD]:
        value = "" if write is None else f"{_share(row.value, write)}, "
        told.append(f"{inside(row.name)} is {value}above {_limit(row.threshold)}")
    # the table below has all of them
    more = len(against) - TOLD
    if more == 1:
        told.append("and one more is above its limit")
    elif more > 1:
        told.append(f"and {more} more are above their limits")
    above = "; ".join(told)
    attack_fails = any(row.name in said for row in table.failing)
    joined = "Also, " if attack_fails else "But "
    sentences = [f"{joined}{above}."] if above else []
    missing = len(table.unknown)
    if missing:
        what = "One check" if missing == 1 else f"{missing} checks"
        sentences.append(f"{what} could not be made: that is no evidence of safety.")
    return " ".join(sentences)


def chance_of(link: Linkage) -> str:
    """What guessing finds; below one in two thousand with a digit more."""
    return percent(link.chance, 3 if link.chance < 0.0005 else None)


def best_guess(assessment: Assessment) -> str:
    """What guessing finds at most, whichever units an attack counts; the same for any strength."""
    ran = assessment.linkages.values()
    return chance_of(max(ran, key=lambda link: link.chance)) if ran else NONE


def main_loss(assessment: Assessment) -> tuple[str, Measure] | None:
    """The loss that stands on the map.

    That of comparisons where it was computed, else the first that was.
    """
    ran = {
        name: measure
        for name, measure in measures(assessment.loss).items()
        if measure.value == measure.value
    }
    # so that the report and a comparison show the same figure
    if LOSS in ran:
        return LOSS, ran[LOSS]
    return next(iter(ran.items()), None)


def loss_title(name: str, measure: Measure) -> str:
    """The loss in the middle of a sentence; over categories too it is not the published IL."""
    mixed = "nominal columns" in measure.details
    text = ALL_COLUMNS if mixed else title(name)
    abbreviated = text[1:2].isupper()
    return text if abbreviated else text[:1].lower() + text[1:]


def score_of(assessment: Assessment) -> float | None:
    """The published score, or None when one of its parts is missing."""
    value = score(assessment.risk, assessment.loss).value
    return float(value) if value == value else None


def figures(assessment: Assessment, smallest: int | None = None) -> list[Row]:
    """The few figures at the head of the page.

    Parameters
    ----------
    assessment : Assessment
        What was found.
    smallest : int, optional
        Records in the smallest group that looks alike.
    """
    # what was not computed is left out
    out: list[Row] = []
    top = strongest(assessment)
    if top:
        link = top[1]
        people = "of the people found by the strongest intruder"
        out.append(figure(percent(link.rate), people))
        out.append(figure(chance_of(link), "found by guessing"))
    loss = main_loss(assessment)
    if loss:
        words = loss_title(*loss)
        label = words if "loss" in words else f"loss ({words})"
        out.append(figure(number(loss[1].value), label, _top(loss[1])))
    if smallest is not None:
        # the gap rule stands beside k-anonymity in the table that follows
        out.append(figure(number(smallest), "in the smallest group", "alike"))
    value = score_of(assessment)
    if value is not None:
        out.append(figure(number(value), "score, lower is better"))
    return out


def figure(value: str, label: str, unit: str = "") -> Row:
    """One figure at the head of a page."""
    return {"value": value, "unit": unit, "label": label}


def _top(measure: Measure) -> str:
    """The highest value that a measure can have, where there is one."""
    high = float(measure.range[1])
    return f"of {number(high)}" if high < float("inf") else ""


def checks(
    assessment: Assessment,
    bound: float | None = None,
    write: Callable[[float | None], str] = percent,
) -> list[Row]:
    """The table behind the verdict: every risk that has a threshold, and how it stands."""
    return [
        {
            "name": row.name,
            "title": title(row.name),
            # who the attacker is stands in the table of attacks
            "why": row.why.partition("attacker:")[0].rstrip("; "),
            "value": _share(row.value, write),
            "limit": _limit(row.threshold),
            "standing": row.standing,
            "view": view_of(row, assessment.linkages),
        }
        for row in judged(assessment, bound).rows
        if row.threshold is not None
    ]


def _share(value: float, write: Callable[[float | None], str] = percent) -> str:
    """Most risks are shares of 1; the others are written as plain numbers."""
    return write(value) if 0 <= value <= 1 else number(value)


def _limit(value: float | None) -> str:
    if value is None:
        return NONE
    return limit_of(value) if 0 <= value <= 1 else number(value)
