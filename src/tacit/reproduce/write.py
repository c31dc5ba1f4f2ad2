"""What a run leaves behind: a CSV per target, a plot per figure, and the summary page."""

from __future__ import annotations

import csv
import math
import time
from collections import Counter
from pathlib import Path

from tacit.report.charts.lines import Line, chart
from tacit.reproduce.judgement import ARTEFACT, Judged, ours_interval
from tacit.reproduce.model import Figure, params
from tacit.reproduce.target_result import Result

HEAD = (
    "cell",
    "measure",
    "published",
    "ours",
    "low",
    "high",
    "difference",
    "fault",
    "verdict",
    "why",
)
# A note at the foot of a plot has room for so many letters.
NOTE = 150
# Parameters that are the same in all cells of a figure and would only lengthen the legend.
UNSAID = {"filter", "generator"}


def number(value: float | None) -> str:
    """Short text of a number; empty for none."""
    if value is None or not math.isfinite(value):
        return ""
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:.4g}"


def write_csv(result: Result, path: Path) -> None:
    """One line per cell and measure."""
    with path.open("w", newline="", encoding="utf-8") as file:
        # the same bytes on every system
        out = csv.writer(file, lineterminator="\n")
        out.writerow(HEAD)
        for cell, measure, judged in result.lines:
            row = [
                cell,
                measure,
                judged.published,
                judged.ours,
                *judged.interval,
                judged.difference,
                judged.fault,
                judged.verdict,
                judged.why,
            ]
            out.writerow(["" if value is None else value for value in row])


def _lines(result: Result, figure: Figure) -> list[Line]:
    """Ours with intervals, and the published values dashed, over the figure's parameter."""
    drawn: dict[str, Line] = {}
    for cell, measure, judged in result.lines:
        if measure not in figure.measures or judged.ours is None:
            continue
        given = params(cell)
        # a cell without the parameter, such as the whole file, has no place on the axis
        try:
            x = float(given.pop(figure.x))
        except (KeyError, ValueError):
            continue
        # the other parameters name the line
        rest = " ".join(v for name, v in given.items() if name not in UNSAID)
        name = rest or measure
        if len(figure.measures) > 1:
            name = f"{measure} {rest}".strip()
        line = drawn.setdefault(name, Line(name, []))
        line.points.append((x, judged.ours))
        line.interval.append(ours_interval(result.values[cell][measure]))
        # a figure without printed values has only our line
        if judged.published:
            other = f"{name}, published"
            theirs = drawn.setdefault(other, Line(other, [], dashed=True))
            theirs.points.append((x, float(judged.published)))
    for line in drawn.values():
        _sort(line)
    return list(drawn.values())


def _sort(line: Line) -> None:
    """From left to right; a published line has no intervals."""
    order = sorted(range(len(line.points)), key=lambda place: line.points[place])
    line.points = [line.points[place] for place in order]
    if line.interval:
        line.interval = [line.interval[place] for place in order]


def _scatter(result: Result, figure: Figure) -> list[Line]:
    """One measure against another, one colour for each protection method."""
    drawn: dict[str, Line] = {}
    for cell, by_measure in result.values.items():
        name = params(cell).get("method", "ours")
        line = drawn.setdefault(name, Line(name, [], scatter=True))
        across = by_measure[figure.scatter_against]
        up = by_measure[figure.measures[0]]
        line.points += list(zip(across, up, strict=True))
    return list(drawn.values())


def write_plot(result: Result, path: Path) -> None:
    """The target's figure as SVG."""
    figure = result.target.figure
    if figure is None or not result.lines:
        return
    # some figures set two measures against each other, most one over a parameter
    draw = _scatter if figure.scatter_against else _lines
    lines = draw(result, figure)
    if not lines:
        return
    text = chart(
        f"{result.target.name}: {result.target.title}",
        figure.scatter_against or figure.x,
        figure.y,
        lines,
        log_x=figure.log_x,
        log_y=figure.log_y,
        note="; ".join(result.notes)[:NOTE],
    )
    path.write_text(text, encoding="utf-8")


def _counts(result: Result) -> str:
    """How often each verdict was given, the commonest first."""
    tally = Counter(judged.verdict for _, _, judged in result.lines)
    return ", ".join(f"{n} {verdict}" for verdict, n in tally.most_common())


def _older(results: list[Result]) -> list[str]:
    """What a resumed run must say: some figures come from another version of the code."""
    older = sum(result.older for result in results)
    if not older:
        return []
    warning = (
        f"**{older:,} stored runs were made by other code than this** "
        "(`--fresh` computes them again)."
    )
    return [warning, ""]


def summary(results: list[Result], quick: bool) -> str:
    """The summary page in Markdown."""
    good = sum(result.status == "reproduced" for result in results)
    when = time.strftime("%Y-%m-%d %H:%M")
    out = [
        "# What was reproduced",
        "",
        f"`tacit reproduce` {'(quick) ' if quick else ''}on {when}: "
        f"{good} of {len(results)} targets reproduced. A verdict is computed by a rule "
        "from intervals over seeds (see tacit.reproduce.judgement); values on stand-in "
        "data are never counted as reproduced.",
        "",
        *_older(results),
        "| target | source | status | values | claims | seconds |",
        "|---|---|---|---|---|---:|",
    ]
    # the overview comes first, one section per target after it
    out += [_row(result) for result in results]
    for result in results:
        out += _section(result)
    return "\n".join([*out, ""])


def _row(result: Result) -> str:
    """One target in the table at the head of the page."""
    claims = ""
    if result.claims:
        holding = sum(holds for _, holds, _ in result.claims)
        claims = f"{holding} of {len(result.claims)} hold"
    values = _counts(result)
    if not values and result.missing:
        values = f"**missing: {result.missing}**"
    # what is not reproduced must catch the eye
    reproduced = result.status == "reproduced"
    status = result.status if reproduced else f"**{result.status}**"
    target = result.target
    cells = [target.name, target.source, status, values, claims]
    return "| " + " | ".join(cells) + f" | {result.seconds:,.0f} |"


def _section(result: Result) -> list[str]:
    """Everything about one target."""
    target = result.target
    about = f"{target.source}. {target.note}".strip()
    out = ["", f"## {target.name}: {target.title}", "", about, ""]
    if result.missing:
        out.append(f"**Not available**: {result.missing}. Counted as not reproduced.")
    out += [f"> {note}" for note in result.notes]
    out += [f"**Error**: {error}" for error in result.errors]
    for text, holds, figure in result.claims:
        word = "holds" if holds else "**does not hold**"
        out.append(f"- {word}: {text} ({figure})")
    if target.explained and result.count(ARTEFACT):
        link = f"[{target.explained}]({target.explained})"
        out.append(f"- why the published value is an artefact: {link}")
    if result.lines:
        out += [
            "",
            "| cell | measure | published | ours | 95 % | fault | verdict |",
            "|---|---|---:|---:|---|---:|---|",
        ]
    out += [_value(*line) for line in result.lines]
    if target.figure and result.lines:
        out += ["", f"![{target.name}]({target.name}.svg)"]
    return out


def _value(cell: str, measure: str, judged: Judged) -> str:
    """One value in the table of its target."""
    low, high = judged.interval
    interval = f"{number(low)} to {number(high)}"
    # a word has no interval; the reason says what ours is
    if judged.ours is None:
        interval = judged.why
    cells = [
        cell,
        measure,
        judged.published,
        number(judged.ours),
        interval,
        number(judged.fault),
        judged.verdict,
    ]
    return "| " + " | ".join(cells) + " |"


def write(results: list[Result], out: Path, quick: bool) -> None:
    """All files of one run."""
    out.mkdir(parents=True, exist_ok=True)
    for result in results:
        if result.lines:
            write_csv(result, out / f"{result.target.name}.csv")
            write_plot(result, out / f"{result.target.name}.svg")
    (out / "summary.md").write_text(summary(results, quick), encoding="utf-8")
