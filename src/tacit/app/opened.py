"""The files that a worker holds open, with the roles and plans that pages ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import tacit as tc
from tacit.app.messages import AskedFile, StepValues
from tacit.data.microdata import Microdata
from tacit.data.schema import Column, Kind, Role, Schema

if TYPE_CHECKING:
    from tacit.plan.plan import Plan

Tell = Callable[[str, object], None]

# Files that stay in memory: the one being worked on, and one to go back to.
KEPT = 2
_files: dict[str, Microdata] = {}


def data_of(path: str) -> Microdata:
    """The file, read once."""
    if path not in _files:
        while len(_files) >= KEPT:
            oldest = next(iter(_files))
            _files.pop(oldest)
        _files[path] = tc.read(path)
    return _files[path]


def opened(file: AskedFile) -> Microdata:
    """The file with roles and kinds as corrected on the page."""
    return with_roles(data_of(file["path"]), file)


def with_roles(data: Microdata, file: AskedFile) -> Microdata:
    """The file, or a part of it, with the roles and kinds that the page gives it."""
    columns = [
        replace(
            _answered(column, file["missing"].get(column.name, "")),
            role=Role(file["roles"].get(column.name, column.role)),
            kind=Kind(file["kinds"].get(column.name, column.kind)),
        )
        for column in data.schema
    ]
    return data.with_schema(Schema(tuple(columns)))


def _answered(column: Column, answer: str) -> Column:
    """The column with what was said of the values that look like codes for missing."""
    if answer not in ("yes", "no") or not column.suspects:
        return column
    known = column.missing.codes
    both = tuple(dict.fromkeys((*known, *column.suspects)))
    return column.with_codes(
        replace(column.missing, codes=both if answer == "yes" else known)
    )


def plan_of(steps: list[StepValues]) -> Plan:
    """The plan of a form; a mistake in it is raised here, as one sentence."""
    checked = [
        tc.Step(step["method"], step["parameters"], step["seed"]) for step in steps
    ]
    plan: Plan = tc.Plan(tuple(checked))
    return plan


def name_of(file: AskedFile) -> str:
    """A name by which what was counted on the file, with these roles, is found again."""
    roles, kinds = sorted(file["roles"].items()), sorted(file["kinds"].items())
    return repr((file["path"], roles, kinds, sorted(file["missing"].items())))
