"""What the verdict rests on, as a short table: attacks in one row, what did not run by its reason.

The figures of the single attacks stand in the table of attacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.report.content import Row
from tacit.report.views import STRONGEST
from tacit.report.words import NONE, percent, title

# The worst first: one attack that is above its limit is enough.
WORST_FIRST = ("fails", "not computed", "borderline", "passes")
SUMMED_UP = "strongest"
"""The risk measure that repeats the highest rate of the attacks."""


def gathered(
    rows: Sequence[Row],
    attacks: Mapping[str, float],
    before: Mapping[str, float] | None = None,
    notes: Mapping[str, str] | None = None,
    *,
    named: bool = True,
) -> list[Row]:
    """The checks, shorter.

    Parameters
    ----------
    rows : sequence of rows
        Every check, as `parts.checks` gives them.
    attacks : mapping of float
        The rates of the attacks that ran, by name.
    before : mapping of float, optional
        Values of the file as it is, by name of attack or measure.
    notes : mapping of str, optional
        What must be said beside a figure, by name.
    named : bool
        Say which attack is the strongest, and of how many.
    """
    was = before or {}
    attacked = [row for row in rows if row["name"] in attacks]
    others = [row for row in rows if row["name"] not in attacks]
    out: list[Row] = []
    if attacked:
        # the same sentence twice would look like two risks
        others = [row for row in others if row["name"] != SUMMED_UP]
        worst = min(attacked, key=lambda row: _rank(row, attacks))
        number = f"the strongest of {len(attacked)}: " if len(attacked) > 1 else ""
        heading = f"Attacks, {number}{str(worst['title']).lower()}"
        if not named:
            # strong protection invites one attack more
            heading = "Attacks"
        out.append({**worst, "title": heading, "view": STRONGEST})
    missing: dict[str, list[Row]] = {}
    for row in others:
        if row["standing"] == "not computed":
            missing.setdefault(str(row["why"]), []).append(row)
        else:
            out.append(row)
    out = [_beside(row, was, notes or {}) for row in out]
    out.sort(key=lambda row: WORST_FIRST.index(str(row["standing"])))
    for why, several in missing.items():
        names = ", ".join(str(row["title"]) for row in several)
        alone = len(several) == 1
        limit = several[0]["limit"] if alone else NONE
        first = {**several[0], "title": names, "why": why, "limit": limit}
        out.append({**first, "before": NONE})
    return out


def _rank(row: Row, attacks: Mapping[str, float]) -> tuple[int, float]:
    """How bad a check is: first how it stands, then the rate."""
    return WORST_FIRST.index(str(row["standing"])), -attacks[str(row["name"])]


def _beside(row: Row, was: Mapping[str, float], notes: Mapping[str, str]) -> Row:
    """The row with the value before protection and what must be said beside it."""
    name = str(row["name"])
    why = ". ".join(part for part in (str(row["why"]), notes.get(name, "")) if part)
    before = percent(was.get(name)) if name in was else NONE
    return {**row, "before": before, "why": why}


def of_failures(failures: Sequence[tuple[str, str]]) -> list[str]:
    """Measures that did not run, gathered by reason: one sentence each."""
    reasons: dict[str, list[str]] = {}
    for name, reason in failures:
        reasons.setdefault(reason, []).append(title(name))
    return [
        f"{', '.join(names)} did not run: {reason.rstrip('.')}."
        for reason, names in reasons.items()
    ]
