"""Roles and kinds of columns that a plan brings along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict

from tacit.data.declared_codes import coded
from tacit.data.microdata import Kind, Role, Schema


class ColumnChange(TypedDict, total=False):
    """What a plan says of one column; what it does not say stays."""

    kind: str
    role: str
    categories: Sequence[str]
    missing: Sequence[Any]
    """Codes for missing values, as in a schema file; none: no value is one."""


def changed(schema: Schema, changes: Mapping[str, ColumnChange]) -> Schema:
    """The schema with the roles, kinds and categories of a plan."""
    for name, change in changes.items():
        # raises if there is no such column
        column = schema[name]
        if "kind" in change:
            column = replace(column, kind=Kind(change["kind"]))
        if "role" in change:
            column = replace(column, role=Role(change["role"]))
        if "categories" in change:
            column = replace(column, categories=tuple(change["categories"]))
        if "missing" in change:
            column = column.with_codes(coded(name, change["missing"]))
        schema = schema.put(column)
    return schema
