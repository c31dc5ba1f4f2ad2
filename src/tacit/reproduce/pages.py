"""The results as a section of the site: a summary, and one page for each paper.

The pages are Markdown for ``docs/reference/reproduced``; ``make reproduced`` puts them there. Their
links and pictures are relative to that folder.
"""

from __future__ import annotations

import time
from pathlib import Path

from tacit.reproduce.judgement import (
    AGREES,
    ARTEFACT,
    BETTER,
    DIFFERS,
    OUTSIDE,
    STAND_IN,
)
from tacit.reproduce.paper_page import FRONT, paper_page, row
from tacit.reproduce.papers import PAPERS, Paper, of_paper
from tacit.reproduce.picture import picture
from tacit.reproduce.sentences import (
    ORDER,
    by_chance,
    count,
    differing,
    experiments_of,
    many,
    older,
)
from tacit.reproduce.target_result import Result

_RULE = """## How a value is judged

A published value *agrees* when it lies in the 95 % interval of a run of its kind: one draw, or the
mean of as many executions as the paper took (each table says which). *p* is its probability there,
two-sided; 0 and 1 where nothing is drawn. *Means apart* is ours less the published value, and the
same in standard errors of the difference. Where the published program has a fault that was
re-enacted and gives the value, it is an *artefact*, linked to its experiment. Of many values one in
twenty must be *outside*; what is more than that over one table (Benjamini and Hochberg, 5 %) is
*better* or *differs*. A value that a document prints twice counts twice. The whole
rule: [Reproduce the literature](../../how-to/reproduce.md)."""


def _line(paper: Paper, results: list[Result]) -> str:
    """One paper in the summary: what stands, what was an artefact, what differs."""
    found = count(results)
    good = sum(result.status == "reproduced" for result in results)
    stands = f"{good} of {len(results)} tables and figures; "
    stands += many(found[AGREES], "value")
    if found[BETTER]:
        stands += f", {found[BETTER]} better"
    artefact = "none"
    if found[ARTEFACT]:
        artefact = f"{found[ARTEFACT]:,}: {experiments_of(results)}"
    differs = [f"**{many(found[DIFFERS], 'value')}**"] if found[DIFFERS] else []
    failing = sum(not holds for r in results for _, holds, _ in r.claims)
    differs += [f"**{many(failing, 'claim')}**"] if failing else []
    differs += [f"{found[OUTSIDE]} outside within chance"] if found[OUTSIDE] else []
    if found[STAND_IN]:
        differs.append(f"{found[STAND_IN]} not judged (stand-in data)")
    name = f"[{paper.source}: {paper.title}]({paper.key}.md)"
    return row([name, stands, artefact, ", ".join(differs) or "nothing"])


def summary(results: list[Result], quick: bool) -> str:
    """The page that opens the section."""
    good = sum(result.status == "reproduced" for result in results)
    found = count(results)
    judged = [f"{found[verdict]:,} {verdict}" for verdict in ORDER if found[verdict]]
    when = time.strftime("%Y-%m-%d")
    out = [
        *FRONT,
        "# What was reproduced",
        "",
        f"**{good} of {len(results)} tables and figures of five papers are reproduced** "
        f"(`tacit reproduce`{', quick' if quick else ''}, {when}). "
        f"Values by verdict: {', '.join(judged)}. {by_chance(results)}.",
        "",
        *older(results),
        "| paper | what stands | what was an artefact | what differs |",
        "|---|---|---|---|",
    ]
    parts = [(paper, of_paper(results, paper)) for paper in PAPERS]
    out += [_line(paper, own) for paper, own in parts if own]
    apart = differing(results, every=False)
    if apart:
        out += ["", "## What differs", "", *apart]
    return "\n".join([*out, "", _RULE, ""])


def write_pages(results: list[Result], out: Path, quick: bool) -> None:
    """The summary, and page and picture of each paper that has a target among the results."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "index.md").write_text(summary(results, quick), encoding="utf-8")
    for paper in PAPERS:
        own = of_paper(results, paper)
        if not own:
            continue
        drawn = picture(paper, own)
        if drawn:
            (out / f"{paper.key}.svg").write_text(drawn, encoding="utf-8")
        page = paper_page(paper, own, bool(drawn))
        (out / f"{paper.key}.md").write_text(page, encoding="utf-8")
