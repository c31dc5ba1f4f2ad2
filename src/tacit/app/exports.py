"""What makes the release again, byte for byte: plan, command line and Python.

A plan alone is not exact: roles and kinds decide what a method touches, and seeds decide what it
draws. So the plan that the page gives away holds the roles and kinds of every column, and the
private plan holds the seeds, too. Both say what was done to the file as it was read, without any
option that would make a command read it otherwise.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tacit.data.microdata import Microdata
from tacit.plan.columns import ColumnChange
from tacit.plan.plan import Plan

NEW_NOISE = "differentially private noise is the system's: it is drawn anew each time"


def with_columns(plan: Plan, data: Microdata) -> Plan:
    """The plan with the roles and kinds that were decided; nothing is left to be guessed."""
    columns: dict[str, ColumnChange] = {
        column.name: {"role": str(column.role), "kind": str(column.kind)}
        for column in data.schema
    }
    for column in data.schema:
        decided = column.no_codes or (column.missing and not column.suspects)
        # a schema file says which code marks suppressed cells, too
        if decided and column.missing.suppressed is None:
            codes = column.missing.to_entry().get("missing", [])
            columns[column.name]["missing"] = codes
    return replace(plan, columns=columns)


def file_names(source: str, release: str) -> dict[str, str]:
    """How the files that belong to a release are called when they are taken away."""
    stem = Path(source).stem
    return {
        "report": f"{stem}-report.html",
        "external": f"{stem}-report-external.html",
        "assessment": f"{stem}-assessment.json",
        "plan": f"{stem}-plan.toml",
        "private": f"{stem}-plan-private.toml",
        "manifest": f"{release}.manifest.json",
    }


def repeats(plan: Plan) -> bool:
    """Does its private plan give the same bytes? Private noise never should."""
    return not any(step.unseeded for step in plan.steps)


def command(plan: Plan, source: str, release: str) -> str:
    """The same on the command line; empty where nothing was done to the file."""
    if not plan.steps:
        return ""
    names = file_names(source, release)
    first, second, manifest, private = (
        shlex.quote(name)
        for name in (source, release, names["manifest"], names["private"])
    )
    note = "" if repeats(plan) else f"# {NEW_NOISE}\n"
    return (
        f"{note}tacit protect {first} {second} --plan {private}\n"
        f"tacit assess {first} {second} --plan {manifest} --html report.html\n"
        f"tacit verify {manifest}"
    )


def python(plan: Plan, source: str, release: str, as_is: Sequence[str] = ()) -> str:
    """The same in Python, complete: it can be pasted and run where the files lie."""
    if not plan.steps:
        return ""
    names = file_names(source, release)
    # pasted as it is: every value is written as Python writes it
    columns = "".join(
        f"        {name!r}: {change!r},\n" for name, change in plan.columns.items()
    )
    steps = "".join(
        f"        tc.Step({step.method!r}, {step.parameters!r}),\n"
        for step in plan.steps
    )
    accepted = f"    release_as_is={tuple(as_is)!r},\n" if as_is else ""
    note = "" if repeats(plan) else f"# {NEW_NOISE}\n"
    return (
        "import tacit as tc\n\n"
        f"plan = tc.Plan(\n    (\n{steps}    ),\n    columns={{\n{columns}    }},\n"
        f"{accepted})\n"
        "# the private plan is this one with its seeds: it makes the same release, byte for byte\n"
        f"private = tc.Plan.load({names['private']!r})\n"
        "assert private.without_seeds() == plan\n"
        f"{note}tc.release(private, {source!r}, {release!r})\n\n"
        f"data = private.with_roles(tc.read({source!r}))\n"
        f"result = tc.assess(data, tc.read({release!r}), plan={names['manifest']!r})\n"
        'result.to_html("report.html")\n'
    )
