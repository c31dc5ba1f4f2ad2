"""What a run leaves behind: one CSV a target, one plot where the paper has a figure, and the summary page."""

from __future__ import annotations

import csv
import math
import time
from pathlib import Path

from tacit.reproduce.model import Figure, params
from tacit.reproduce.plot import Line, chart
from tacit.reproduce.run import Result
from tacit.reproduce.verdict import ours_interval


def number(value: float | None) -> str:
    """Short text of a number; empty for none."""
    if value is None or not math.isfinite(value):
        return ""
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:.4g}"


def write_csv(result: Result, path: Path) -> None:
    """One line a cell and measure."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["cell", "measure", "published", "ours", "low", "high", "difference", "fault", "verdict", "why"])
        for cell, measure, j in result.lines:
            row = [cell, measure, j.published, j.ours, *j.interval, j.difference, j.fault, j.verdict, j.why]
            out.writerow(["" if v is None else v for v in row])


def _lines(result: Result, figure: Figure) -> list[Line]:
    """Ours with intervals, and the published values dashed, over the figure's parameter."""
    drawn: dict[str, Line] = {}
    for cell, measure, judged in result.lines:
        if measure not in figure.measures or judged.ours is None:
            continue
        given = params(cell)
        try:
            x = float(given.pop(figure.x))
        except (KeyError, ValueError):
            continue
        rest = " ".join(v for k, v in given.items() if k not in {"filter", "generator"})
        name = f"{measure} {rest}".strip() if len(figure.measures) > 1 else rest or measure
        line = drawn.setdefault(name, Line(name, []))
        line.points.append((x, judged.ours))
        line.interval.append(ours_interval(result.values[cell][measure]))
        if judged.published:
            theirs = drawn.setdefault(f"{name}, published", Line(f"{name}, published", [], dashed=True))
            theirs.points.append((x, float(judged.published)))
    for line in drawn.values():
        order = sorted(range(len(line.points)), key=lambda i: line.points[i])
        line.points = [line.points[i] for i in order]
        line.interval = [line.interval[i] for i in order] if line.interval else []
    return list(drawn.values())


def _scatter(result: Result, figure: Figure) -> list[Line]:
    """One measure against another, one colour for each protection method."""
    drawn: dict[str, Line] = {}
    for cell, by_measure in result.values.items():
        name = params(cell).get("method", "ours")
        line = drawn.setdefault(name, Line(name, [], scatter=True))
        for x, y in zip(by_measure[figure.scatter_against], by_measure[figure.measures[0]], strict=True):
            line.points.append((x, y))
    return list(drawn.values())


def write_plot(result: Result, path: Path) -> None:
    """The target's figure as SVG."""
    figure = result.target.figure
    if figure is None or not result.lines:
        return
    lines = _scatter(result, figure) if figure.scatter_against else _lines(result, figure)
    if not lines:
        return
    title = f"{result.target.name}: {result.target.title}"
    x = figure.scatter_against or figure.x
    note = "; ".join(result.notes)[:150]
    path.write_text(chart(title, x, figure.y, lines, log_x=figure.log_x, log_y=figure.log_y, note=note))


def _counts(result: Result) -> str:
    tally: dict[str, int] = {}
    for _, _, judged in result.lines:
        tally[judged.verdict] = tally.get(judged.verdict, 0) + 1
    return ", ".join(f"{n} {verdict}" for verdict, n in sorted(tally.items(), key=lambda item: -item[1]))


def _older(results: list[Result]) -> list[str]:
    """What a resumed run must say: some of its figures come from another version of the code."""
    older = sum(r.older for r in results)
    return (
        [f"**{older:,} stored runs were made by other code than this** (`--fresh` computes them again).", ""]
        if older
        else []
    )


def summary(results: list[Result], quick: bool) -> str:
    """The summary page in Markdown."""
    good = sum(r.status == "reproduced" for r in results)
    out = [
        "# What was reproduced",
        "",
        f"`tacit reproduce` {'(quick) ' if quick else ''}on {time.strftime('%Y-%m-%d %H:%M')}: "
        f"{good} of {len(results)} targets reproduced. A verdict is computed by a rule from intervals over seeds "
        "(see tacit.reproduce.verdict); values on stand-in data are never counted as reproduced.",
        "",
        *_older(results),
        "| target | source | status | values | claims | seconds |",
        "|---|---|---|---|---|---:|",
    ]
    for r in results:
        claims = f"{sum(held for _, held, _ in r.claims)} of {len(r.claims)} hold" if r.claims else ""
        what = _counts(r) or (f"**missing: {r.missing}**" if r.missing else "")
        status = r.status if r.status == "reproduced" else f"**{r.status}**"
        out.append(f"| {r.target.name} | {r.target.source} | {status} | {what} | {claims} | {r.seconds:,.0f} |")
    for r in results:
        out += ["", f"## {r.target.name}: {r.target.title}", "", f"{r.target.source}. {r.target.note}".strip(), ""]
        if r.missing:
            out.append(f"**Not available**: {r.missing}. Counted as not reproduced.")
        out += [f"> {note}" for note in r.notes] + [f"**Error**: {error}" for error in r.errors]
        out += [f"- {'holds' if held else '**does not hold**'}: {text} ({fig})" for text, held, fig in r.claims]
        if r.target.explained and any(j.verdict == "artefact" for _, _, j in r.lines):
            out.append(f"- why the published value is an artefact: [{r.target.explained}]({r.target.explained})")
        if r.lines:
            out += [
                "",
                "| cell | measure | published | ours | 95 % | fault | verdict |",
                "|---|---|---:|---:|---|---:|---|",
            ]
        for cell, measure, j in r.lines:
            interval = f"{number(j.interval[0])} to {number(j.interval[1])}"
            if j.ours is None:
                interval = j.why
            cells = [cell, measure, j.published, number(j.ours), interval, number(j.fault), j.verdict]
            out.append("| " + " | ".join(cells) + " |")
        if r.target.figure and r.lines:
            out += ["", f"![{r.target.name}]({r.target.name}.svg)"]
    return "\n".join([*out, ""])


def write(results: list[Result], out: Path, quick: bool) -> None:
    """All files of one run."""
    out.mkdir(parents=True, exist_ok=True)
    for result in results:
        if result.lines:
            write_csv(result, out / f"{result.target.name}.csv")
            write_plot(result, out / f"{result.target.name}.svg")
    (out / "summary.md").write_text(summary(results, quick), encoding="utf-8")
