"""What a file format knows beyond the values (labels, missing codes, CSV dialect).

It is carried as metadata of the Arrow schema.
"""

from __future__ import annotations

import json
from typing import cast

import pyarrow as pa
from pydantic import JsonValue

# one key for all notes, beside those of pandas and others
_KEY = b"tacit"


def annotate(table: pa.Table, **notes: object) -> pa.Table:
    """Add notes to a table's metadata."""
    metadata = dict(table.schema.metadata or {})
    all_notes = {**_notes(table), **notes}
    metadata[_KEY] = json.dumps(all_notes).encode()
    return table.replace_schema_metadata(metadata)


def note(
    table: pa.Table,
    name: str,
) -> dict[str, JsonValue] | None:
    """A note, or None."""
    return _notes(table).get(name)


def columns(table: pa.Table) -> dict[str, dict[str, JsonValue]]:
    """Column -> what the file says of it, as in a schema file (``labels``, ``missing``, ...)."""
    noted = note(table, "columns")
    entries = noted if isinstance(noted, dict) else {}
    found = {}
    for name in table.column_names:
        entry = entries.get(name)
        if isinstance(entry, dict):
            found[name] = entry
    return found


def value_labels(table: pa.Table) -> dict[str, dict[str, str]]:
    """Column -> code (as text) -> label."""
    found = {}
    for name, entry in columns(table).items():
        if "labels" in entry:
            found[name] = cast(dict[str, str], entry["labels"])
    return found


def decimal(table: pa.Table) -> str:
    """The decimal sign of the file."""
    dialect = note(table, "dialect") or {}
    return str(dialect.get("decimal", "."))


def _notes(table: pa.Table) -> dict[str, dict[str, JsonValue]]:
    raw = (table.schema.metadata or {}).get(_KEY)
    try:
        notes = json.loads(raw) if raw else {}
    except ValueError:
        # of a damaged file, or of a stranger who uses the same key
        return {}
    return notes if isinstance(notes, dict) else {}
