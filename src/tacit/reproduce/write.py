"""What a run leaves behind for each target: its values as CSV, and its figure as SVG."""

from __future__ import annotations

import csv
from pathlib import Path

from tacit.report.charts.lines import Line, chart
from tacit.reproduce.judgement import interval_of
from tacit.reproduce.model import Figure, params
from tacit.reproduce.target_result import Result

HEAD = (
    "cell",
    "measure",
    "published",
    "ours",
    "low",
    "high",
    "p",
    "difference",
    "standard errors",
    "fault",
    "fault p",
    "verdict",
    "why",
)
# A note at the foot of a plot has room for so many letters.
NOTE = 150
# Parameters that are the same in all cells of a figure and would only lengthen the legend.
UNSAID = {"filter", "generator"}


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
                judged.p,
                judged.difference,
                judged.errors,
                judged.fault,
                judged.fault_p,
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
        line.interval.append(interval_of(result.values[cell][measure]))
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


def write(results: list[Result], out: Path) -> None:
    """The values and the figure of each target."""
    out.mkdir(parents=True, exist_ok=True)
    for result in results:
        if result.lines:
            write_csv(result, out / f"{result.target.name}.csv")
            write_plot(result, out / f"{result.target.name}.svg")
