"""Whose view a check is: what one intruder does not find another may.

'At most one household in twenty' is true of whoever knows the keys alone, in a file of which the
strongest intruder finds half. Each row of the table of checks says whom it is about.
"""

from __future__ import annotations

from collections.abc import Container

from tacit.assess.verdict import MISSING, Row
from tacit.assess.verdict import STRONGEST as SUMMED_UP
from tacit.base.facts import facts_of
from tacit.risk import registry

STRONGEST = facts_of(registry[SUMMED_UP]).view
"""Whom the attacks are about, taken together."""
OF_CONTENTS = {
    "identifiers_released": "whoever reads the release",
    "raw_columns": "an intruder who knows these columns and nothing else",
    "raw_records": "an intruder who knows the exact values of a record",
    "near_copies": "an intruder who knows the values of a record roughly",
}
"""What is found in the release beside the attacks."""


def view_of(row: Row, attacks: Container[str]) -> str:
    """Whom a row of the verdict is about, to be read after 'for'; empty where it found nothing."""
    if row.standing == MISSING:
        return ""
    if row.name in attacks:
        return "this intruder"
    if row.name in registry:
        return facts_of(registry[row.name]).view
    return OF_CONTENTS.get(row.name, "")
