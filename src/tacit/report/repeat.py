"""How to repeat a release: the command line and the Python that do the same."""

from __future__ import annotations

import shlex
from typing import Any


def _files(name: str) -> tuple[str, str]:
    source = name or "original.csv"
    stem, dot, ending = source.rpartition(".")
    return source, f"{stem}-release.{ending}" if dot else f"{source}-release.csv"


def _roles(assessment: Any) -> dict[str, list[str]]:
    """Roles and kinds as options; written out, so that nothing depends on a guess."""
    out: dict[str, list[str]] = {}
    for column in assessment.original.schema:
        if str(column.role) != "other":
            out.setdefault(str(column.role), []).append(column.name)
        out.setdefault(str(column.kind), []).append(column.name)
    return out


def command(assessment: Any, plan: Any, name: str = "") -> str:
    """The same on the command line."""
    if plan is None:
        return ""
    source, release = _files(name)
    manifest = shlex.quote(f"{release}.manifest.json")
    options = " \\\n  ".join(f"--{word} {shlex.quote(','.join(names))}" for word, names in _roles(assessment).items())
    return (
        f"tacit protect {shlex.quote(source)} {shlex.quote(release)} --plan plan.toml \\\n  {options}\n"
        f"tacit assess {shlex.quote(source)} {shlex.quote(release)} --plan {manifest} --html report.html\n"
        f"tacit verify {manifest}"
    )


def python(assessment: Any, plan: Any, name: str = "") -> str:
    """The same in Python, complete: it can be pasted and run where the file lies."""
    if plan is None:
        return ""
    source, release = _files(name)
    roles = ",\n    ".join(f"{word}={names!r}" for word, names in _roles(assessment).items())
    steps = "".join(f"    tc.Step({step.method!r}, {step.parameters!r}, seed={step.seed!r}),\n" for step in plan.steps)
    return (
        "import tacit as tc\n\n"
        f"data = tc.read({source!r},\n    {roles},\n)\n"
        f"plan = tc.Plan((\n{steps}))\n"
        "masked = plan.apply(data)\n"
        f"tc.write(masked, {release!r})\n"
        'tc.assess(data, masked, plan=plan).to_html("report.html")\n'
    )
