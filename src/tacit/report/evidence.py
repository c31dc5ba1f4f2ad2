"""What was looked at, as rows of a table: released columns and the ways they are evidence."""

from __future__ import annotations

import math

from tacit.assess.assessment import Assessment
from tacit.assess.evidence import Use
from tacit.report.content import Row
from tacit.report.words import NONE, percent

SHOWN = 3
"""Ways of one column that are named."""


def looked_at(assessment: Assessment) -> Row:
    """The section of the report."""
    lead = (
        "Every column of the release, and how an intruder can use it. "
        f"{needed(assessment)}; the figure is what the best use of the column gives on average. "
        "Columns overlap, so figures do not add up."
    )
    return {"lead": lead, "rows": evidence_rows(assessment)}


def evidence_rows(assessment: Assessment) -> list[Row]:
    """One row for each released column, those that tell most first."""
    enough = _enough(assessment)
    return [
        {
            "column": "order of rows" if use.column == "(row)" else use.column,
            "bits": f"{use.bits:.1f}" if use.ways else NONE,
            "share": percent(min(1.0, use.bits / enough)) if use.ways else NONE,
            "order": use.bits,
            "used": _used(use, assessment),
        }
        for use in assessment.evidence
    ]


def needed(assessment: Assessment) -> str:
    """How many bits name one record."""
    return f"{_enough(assessment):.1f} bits name one of {assessment.masked.n:,} records"


def _enough(assessment: Assessment) -> float:
    return math.log2(max(assessment.masked.n, 2))


def _used(use: Use, assessment: Assessment) -> str:
    """The ways, best first; or that it told nothing, or was not compared."""
    if use.ways:
        named = [
            way.way if way.by in ("all", use.column) else f"{way.way} ({way.by})"
            for way in use.ways[:SHOWN]
        ]
        more = len(use.ways) - SHOWN
        return ", ".join(named) + (f" and {more} more ways" if more > 0 else "")
    if use.attacks:
        return "compared; tells nothing beyond chance"
    schema = assessment.original.schema
    if use.column in schema and str(schema[use.column].role) in (
        "identifier",
        "person",
        "household",
    ):
        return "says which rows belong together"
    return "nothing known goes with it"
