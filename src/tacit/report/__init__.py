"""The report: one file that opens offline, for the people who decide about a release.

tacit.report.write(assessment, "report.html")                  # internal: everything
tacit.report.write(assessment, "public.html", external=True)   # nothing that helps an intruder
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tacit.assess.assessment import Assessment
from tacit.assess.before import Before
from tacit.compare.frontier import Frontier
from tacit.data.io import replacing
from tacit.plan.plan import Plan
from tacit.report import comparison, internal
from tacit.report import external as public
from tacit.report.render import page


def html(
    assessment: Assessment,
    *,
    external: bool = False,
    name: str = "",
    manifest: Mapping[str, object] | None = None,
    bound: float | None = None,
    plan: Plan | None = None,
    was: Before | None = None,
) -> str:
    """The report of one assessment as HTML text.

    Parameters
    ----------
    assessment : Assessment
        What was found.
    external : bool
        Leave out everything that would help an intruder.
    name : str
        The name of the file, for the heading and the commands that repeat the release.
    manifest : mapping, optional
        The manifest of the release, for its hashes and versions.
    bound : float, optional
        The highest share of people found that is accepted, instead of the verdict's.
    plan : Plan, optional
        How the file was masked, where the assessment does not know it.
    was : Before, optional
        The risk before protection, where it is known already.
    """
    if external:
        # the manifest holds hashes and versions, which stay inside
        return page(public.content(assessment, name=name, bound=bound, plan=plan))
    everything = internal.content(
        assessment, name=name, manifest=manifest, bound=bound, plan=plan, was=was
    )
    return page(everything)


def write(
    assessment: Assessment,
    path: str | Path,
    *,
    external: bool = False,
    force: bool = True,
    name: str = "",
    manifest: Mapping[str, object] | None = None,
    bound: float | None = None,
    plan: Plan | None = None,
    was: Before | None = None,
) -> Path:
    """Write the report as one file; it appears whole or not at all.

    Parameters
    ----------
    assessment : Assessment
        What was found.
    path : path
        The file to write.
    external : bool
        Leave out everything that would help an intruder.
    force : bool
        Replace a file that is there.
    name, manifest, bound, plan, was
        As in `html`.
    """
    text = html(
        assessment,
        external=external,
        name=name,
        manifest=manifest,
        bound=bound,
        plan=plan,
        was=was,
    )
    return _save(text, path, force)


def write_comparison(
    frontier: Frontier, path: str | Path, *, external: bool = False, force: bool = True
) -> Path:
    """Write the comparison of many plans: the map, the frontier, the recommended plan.

    Parameters
    ----------
    frontier : Frontier
        What the comparison found.
    path : path
        The file to write.
    external : bool
        Name methods only, no parameters.
    force : bool
        Replace a file that is there.
    """
    return _save(page(comparison.content(frontier, external=external)), path, force)


def _save(text: str, path: str | Path, force: bool) -> Path:
    # written beside the target and moved into place when it is complete
    with replacing(path, force=force) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return Path(path)
