"""The page of one paper: a picture, three sentences, its tables, every value, its figures."""

from __future__ import annotations

from tacit.reproduce.figures_text import cell_text, number, p_text
from tacit.reproduce.judgement import (
    AGREES,
    ARTEFACT,
    BETTER,
    DIFFERS,
    DRAWN,
    OUTSIDE,
    Judged,
)
from tacit.reproduce.papers import Paper
from tacit.reproduce.sentences import (
    ORDER,
    by_chance,
    count,
    differing,
    experiments_of,
    link,
    many,
    older,
    verdicts,
)
from tacit.reproduce.target_result import Result
from tacit.reproduce.transcript import runs

# A page wants its width for the table.
FRONT = ["---", "hide: [toc]", "---", ""]
# docs/js/values.js sorts what is in here; the search should find words, not figures.
_VALUES = '<div class="values" markdown data-search-exclude>'
_HEAD = (
    "table",
    "cell",
    "measure",
    "published",
    "ours",
    "95 % of such a run",
    "p",
    "means apart",
    "in s.e.",
    "fault",
    "p of fault",
    "verdict",
)


def row(cells: list[str]) -> str:
    """A line of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def _sentences(paper: Paper, results: list[Result]) -> str:
    """What the paper does; what stands and what was an artefact; what differs."""
    found = count(results)
    judged = sum(found[verdict] for verdict in ORDER)
    stands = f"Of {many(judged, 'judged value')} {found[AGREES]:,} agree"
    if found[ARTEFACT]:
        stands += f", {found[ARTEFACT]:,} are artefacts ({experiments_of(results)})"
    if found[BETTER]:
        stands += f", {found[BETTER]:,} are better than published"
    if found[OUTSIDE]:
        stands += f", {found[OUTSIDE]:,} are outside within chance"
    differs = "nothing differs"
    if found[DIFFERS]:
        differs = f"**{found[DIFFERS]} differ**"
    return f"{paper.about} {stands}, and {differs}. {by_chance(results)}."


def _tables(results: list[Result]) -> list[str]:
    """One line for each table or figure of the paper."""
    out = [
        "| target | what | kind of run | status | values | claims | CPU s |",
        "|---|---|---|---|---|---|---:|",
    ]
    for result in results:
        target = result.target
        holding = sum(holds for _, holds, _ in result.claims)
        claims = f"{holding} of {len(result.claims)} hold" if result.claims else ""
        # what is not reproduced must catch the eye
        status = result.status
        status = status if status == "reproduced" else f"**{status}**"
        kind = str(runs()[target.name]) if target.name in runs() else "figure"
        values = verdicts(result)
        if result.count(ARTEFACT):
            values = values.replace(ARTEFACT, link(result, ARTEFACT))
        # figures have values of ours only
        values = values.replace(DRAWN, "points")
        cells = [target.name, target.title, kind, status, values, claims]
        out.append(row([*cells, f"{result.seconds:,.0f}"]))
    return out


def _value(result: Result, cell: str, measure: str, judged: Judged) -> str:
    """One value in the sortable table."""
    low, high = judged.interval
    ours, interval = number(judged.ours), f"{number(low)} to {number(high)}"
    # a word has no interval; the reason says what ours is
    if judged.ours is None:
        ours, interval = judged.why.removeprefix("ours: "), ""
    apart = judged.difference
    verdict = judged.verdict
    if verdict == ARTEFACT:
        verdict = link(result, verdict)
    cells = [
        result.target.name,
        cell_text(result, cell),
        measure,
        judged.published,
        ours,
        interval,
        p_text(judged.p),
        _signed(apart),
        "" if judged.errors is None else f"{judged.errors:+.1f}",
        number(judged.fault),
        p_text(judged.fault_p),
        verdict,
    ]
    return row(cells)


def _signed(apart: float | None) -> str:
    """A difference with its sign; none where both are equal."""
    if apart is None:
        return ""
    return f"{apart:+.3g}" if apart else "0"


def _values(results: list[Result]) -> list[str]:
    """Every published value; the points of figures are in the CSV files only."""
    rows = [
        _value(result, cell, measure, judged)
        for result in results
        for cell, measure, judged in result.lines
        if judged.verdict != DRAWN
    ]
    if not rows:
        return []
    right = ("---:",) * 8
    rule = row(["---", "---", "---", *right, "---"])
    head = row(list(_HEAD))
    return ["## Values", "", _VALUES, "", head, rule, *rows, "", "</div>", ""]


def _claims(results: list[Result]) -> list[str]:
    """The sentences of the paper that were checked."""
    told = [
        f"- {'holds' if holds else '**does not hold**'}: {text} ({figure}; "
        f"{result.target.name})"
        for result in results
        for text, holds, figure in result.claims
    ]
    return ["## What the paper says, checked", "", *told, ""] if told else []


def _figures(results: list[Result]) -> list[str]:
    """The figures side by side."""
    names = [r.target.name for r in results if r.target.figure and r.lines]
    if not names:
        return []
    images = [f"![{name}]({name}.svg){{ loading=lazy }}" for name in names]
    return [
        "## Figures",
        "",
        '<div class="figures" markdown>',
        "",
        *images,
        "",
        "</div>",
    ]


def paper_page(paper: Paper, results: list[Result], drawn: bool) -> str:
    """The page of one paper; ``drawn`` says whether there is a picture for its head."""
    out = [*FRONT, f"# {paper.source}: {paper.title}", ""]
    if drawn:
        out += [f"![every value, published and ours]({paper.key}.svg)", ""]
    out += [_sentences(paper, results), "", *older(results)]
    apart = differing(results)
    if apart:
        out += ["## What differs", "", *apart, ""]
    out += ["## Tables and figures", "", '<div class="targets" markdown>', ""]
    out += [*_tables(results), "", "</div>", ""]
    notes = sorted({note for result in results for note in result.notes})
    out += [f"> {note}.\n" for note in notes]
    parts = (_claims(results), _values(results), _figures(results))
    out += [line for part in parts for line in part]
    return "\n".join([*out, ""])
