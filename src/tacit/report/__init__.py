"""The report: one file that opens offline, for the people who decide about a release.

tacit.report.write(assessment, "report.html")                  # internal: everything
tacit.report.write(assessment, "public.html", external=True)   # nothing that helps an intruder
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def html(assessment: Any, *, external: bool = False, **facts: Any) -> str:
    """The report of one assessment as HTML text. `facts`: `name`, `manifest`, `bound`, `plan`."""
    from tacit.report import external as public
    from tacit.report import internal
    from tacit.report.render import page

    return page(public.content(assessment, **facts) if external else internal.content(assessment, **facts))


def write(assessment: Any, path: str | Path, *, external: bool = False, force: bool = True, **facts: Any) -> Path:
    """Write the report as one file. It appears whole or not at all."""
    from tacit.io import replacing

    text = html(assessment, external=external, **facts)
    with replacing(path, force=force) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return Path(path)


def write_comparison(frontier: Any, path: str | Path, *, external: bool = False, force: bool = True) -> Path:
    """Write the comparison of many plans: the risk-utility map, the frontier, the recommended plan."""
    from tacit.io import replacing
    from tacit.report.comparison import content
    from tacit.report.render import page

    text = page(content(frontier, external=external))
    with replacing(path, force=force) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return Path(path)
