"""What a file format knows beyond the values (value labels, CSV dialect), carried as Arrow schema metadata."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

_KEY = b"tacit"


def annotate(table: pa.Table, **notes: Any) -> pa.Table:
    """Add notes to a table's metadata."""
    metadata = dict(table.schema.metadata or {})
    metadata[_KEY] = json.dumps({**_notes(table), **notes}).encode()
    return table.replace_schema_metadata(metadata)


def note(table: pa.Table, name: str) -> Any:
    """A note, or None."""
    return _notes(table).get(name)


def value_labels(table: pa.Table) -> dict[str, dict[str, str]]:
    """Column -> code (as text) -> label."""
    return dict(note(table, "labels") or {})


def _notes(table: pa.Table) -> dict[str, Any]:
    raw = (table.schema.metadata or {}).get(_KEY)
    return json.loads(raw) if raw else {}
