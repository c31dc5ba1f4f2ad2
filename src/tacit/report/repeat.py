"""How to repeat a release: the command line and the Python that do the same."""

from __future__ import annotations

import shlex

from tacit.assess.assessment import Assessment
from tacit.plan.plan import Plan


def _files(name: str) -> tuple[str, str]:
    """The name of the original, and one for the release beside it."""
    source = name or "original.csv"
    stem, dot, ending = source.rpartition(".")
    release = f"{stem}-release.{ending}" if dot else f"{source}-release.csv"
    return source, release


def _roles(assessment: Assessment) -> dict[str, list[str]]:
    """Roles and kinds as options; written out, so that nothing depends on a guess."""
    out: dict[str, list[str]] = {}
    for column in assessment.original.schema:
        out.setdefault(str(column.role), []).append(column.name)
        out.setdefault(str(column.kind), []).append(column.name)
    return out


def command(assessment: Assessment, plan: Plan | None, name: str = "") -> str:
    """The same on the command line; empty without a plan."""
    if plan is None:
        return ""
    source, release = (shlex.quote(file) for file in _files(name))
    manifest = shlex.quote(f"{_files(name)[1]}.manifest.json")
    options = " \\\n  ".join(
        f"--{word} {shlex.quote(','.join(names))}"
        for word, names in _roles(assessment).items()
    )
    return (
        f"tacit protect {source} {release} --plan plan.toml \\\n  {options}\n"
        f"tacit assess {source} {release} --plan {manifest} --html report.html\n"
        f"tacit verify {manifest}"
    )


def python(assessment: Assessment, plan: Plan | None, name: str = "") -> str:
    """The same in Python, complete: it can be pasted and run where the file lies."""
    if plan is None:
        return ""
    source, release = _files(name)
    # pasted as it is: every value is written as Python writes it
    roles = ",\n    ".join(
        f"{word}={names!r}" for word, names in _roles(assessment).items()
    )
    steps = "".join(
        f"    tc.Step({step.method!r}, {step.parameters!r}),\n" for step in plan.steps
    )
    return (
        "import tacit as tc\n\n"
        "# random numbers are drawn anew: tacit verify repeats this very release\n"
        "# from its private manifest\n"
        f"plan = tc.Plan((\n{steps}))\n"
        f"roles = dict(\n    {roles},\n)\n"
        f"tc.release(plan, {source!r}, {release!r}, **roles)\n"
        f"data, masked = tc.read({source!r}, **roles), tc.read({release!r})\n"
        f"result = tc.assess(data, masked, plan={release + '.manifest.json'!r})\n"
        'result.to_html("report.html")\n'
    )
