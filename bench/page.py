"""The docs page of a run: ratios by peer, one table a module, growth with its fitted exponents and
a plot a series.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.bars import bars
from bench.growth import OURS, by_series, fit
from bench.reasons import reason
from bench.row import Row
from tacit.report.charts.lines import Line, chart

TITLES = {
    "linkage": "Linkage",
    "protect": "Protection methods",
    "generalisation": "Generalisation",
    "risk": "Risk and loss",
    "large": "Large files",
    "stream": "Streams",
    "peers": "Other tools, each in an environment of its own",
}
HEAD = ["n", "ours, s", "peer", "peer, s", "ratio", "ours, MB", "peer, MB"]
HEAD_LINE = (
    "|" + "|".join("---" if heading == "peer" else "---:" for heading in HEAD) + "|"
)


def _cell(value: float | None) -> str:
    """Three digits, never an exponent for what a reader can count."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _line(cells: list[Any]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "/") for cell in cells) + " |"


def _beside_peers(rows: list[Row]) -> list[str]:
    """One table for each thing that was measured, one line a peer and size; then what must be known
    to read it.
    """
    out: list[str] = []
    for name, found in groupby(rows, key=lambda row: row.name):
        group = list(found)
        out += ["", f"**{name[0].upper()}{name[1:]}**", "", _line(HEAD), HEAD_LINE]
        notes: dict[str, list[str]] = defaultdict(list)
        for row in group:
            size = f"{row.size:,}" if row.size else ""
            seconds = [_cell(row.ours_seconds), row.peer, _cell(row.peer_seconds)]
            ratio = f"**{_cell(row.ratio)}**" if row.ratio else ""
            out.append(
                _line(
                    [
                        size,
                        *seconds,
                        ratio,
                        _cell(row.memory_mb),
                        _cell(row.peer_memory_mb),
                    ]
                )
            )
            notes[row.note].append(f"{row.peer} {size}".strip())
        out.append("")
        for note, whose in notes.items():
            if note:
                out.append(
                    f"- {note}"
                    if len(whose) == len(group)
                    else f"- {', '.join(whose)}: {note}"
                )
    return out


def _by_size(rows: list[Row]) -> list[str]:
    """Without peers: one line a method, its seconds by size, memory at the largest, growth."""
    sizes = sorted({row.size for row in rows if row.size})
    growth = fit(rows)
    out = [
        _line(
            [
                "method",
                *(f"n = {n:,}, s" for n in sizes),
                "MB at the largest",
                "growth n^b",
            ]
        )
    ]
    out.append("|---|" + "---:|" * (len(sizes) + 2))
    methods: dict[str, dict[int, Row]] = defaultdict(dict)
    for row in rows:
        methods[row.name][row.size or 0] = row
    for name, measured in methods.items():
        seconds = [
            _cell(measured[n].ours_seconds) if n in measured else "" for n in sizes
        ]
        last = measured[max(measured)]
        out.append(
            _line(
                [
                    name,
                    *seconds,
                    _cell(last.memory_mb),
                    _cell(growth.get(last.series, {}).get(OURS)),
                ]
            )
        )
    return out


def _ratios(parts: list[dict[str, Any]]) -> dict[str, list[float]]:
    """All ratios of each peer that was run (a quoted figure is not a run)."""
    found: dict[str, list[float]] = defaultdict(list)
    for part in parts:
        for row in part["rows"]:
            if row["ratio"] and "quoted" not in row["peer"]:
                found[row["peer"]].append(row["ratio"])
    return found


def _slower(parts: list[dict[str, Any]]) -> list[str]:
    """Every row in which the peer is the faster one, by reason."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for part in parts:
        for row in (Row(**found) for found in part["rows"]):
            if row.ratio and row.ratio < 1:
                size = f", n = {row.size:,}" if row.size else ""
                line = f"{row.name}{size}, {row.peer}: {_cell(row.ratio)}"
                by_reason[reason(row)].append(line)
    out = ["## Where the peer is faster", ""]
    if not by_reason:
        return [*out, "Nowhere in this run.", ""]
    for why, lines in by_reason.items():
        said = why or "no reason: this is work to be done"
        out += [f"- {said[0].upper()}{said[1:]}."]
        out += [f"    - {line}" for line in lines]
    return [*out, ""]


def _plots(rows: list[Row], folder: Path) -> list[str]:
    """One log-log plot for each series of three sizes or more; the legend holds the fitted
    exponents.
    """
    exponents = fit(rows)
    out = []
    for name, by_who in by_series(rows).items():
        if len(by_who[OURS]) < 3:
            continue
        lines = []
        for who, points in by_who.items():
            b = exponents[name].get(who)
            label = who if b is None else f"{who}: n^{b:.2f}"
            lines.append(
                Line(
                    label,
                    sorted((float(n), s) for n, s in points.items()),
                    dashed=who != OURS,
                )
            )
        file = (
            "bench-" + "".join(c if c.isalnum() else "-" for c in name.lower()) + ".svg"
        )
        (folder / file).write_text(
            chart(name, "records", "seconds", lines, log_x=True, log_y=True)
        )
        out += [f"![{name}: seconds over records](../img/{file})", ""]
    return out


def _module(part: dict[str, Any], folder: Path) -> list[str]:
    """Heading, what is measured, table, plots."""
    rows = [Row(**row) for row in part["rows"]]
    out = [
        f"## {TITLES.get(part['module'], part['module'])}",
        "",
        part.get("about", ""),
        "",
    ]
    if part["status"] != "ok":
        out += [
            f"**{part['status']}**: {(part['error'].strip().splitlines() or [''])[-1]}",
            "",
        ]
    if not rows:
        return out
    out += [f"Measured {part['when']} in {part['seconds']:.0f} s.", ""]
    if any(row.peer for row in rows):
        order = list(dict.fromkeys(row.name for row in rows))
        return [
            *out,
            *_beside_peers(sorted(rows, key=lambda row: order.index(row.name))),
            "",
            *_plots(rows, folder),
        ]
    return [*out, *_by_size(rows), ""]


def write(report: dict[str, Any], docs: Path) -> None:
    """Write ``docs/reference/bench.md`` and its plots from one report."""
    folder = docs / "img"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("bench-*.svg"):
        old.unlink()
    machine = report["machine"]
    out = [
        *("---", "hide: [navigation]", "---", ""),  # room for the tables
        "# Measured against the alternatives",
        "",
        f"Written by `python -m bench{' --full' if report['full'] else ''}` on {report['when']}: "
        f"{machine['cores']} cores, Python {machine['python']}, load {machine['load']:.1f} at the end. "
        "`make bench` takes minutes, `make bench-full` longer; both make the peers' environments themselves.",
        "",
        "Both sides ran in the same run on the same machine, each measurement in a process of its own. Seconds are "
        "wall-clock: the fastest of up to four calls, of more where they take milliseconds, of one where it takes "
        "more than 16 seconds; imports, compilation and the start of an environment are not counted. Memory is the peak above what the process held "
        "before. "
        "**ratio = peer's seconds / ours: above 1, ours is faster.** Read the ratios, not the seconds, and the notes: "
        "few peers do the same work.",
        "",
    ]
    if report.get("versions"):
        named = ", ".join(f"{who} {which}" for who, which in report["versions"].items())
        out += [f"Versions: {named}.", ""]
    ratios = _ratios(report["modules"])
    if ratios:
        (folder / "bench-ratios.svg").write_text(
            bars("Peer's seconds / ours (right of 1: ours is faster)", ratios)
        )
        out += ["![Ratio by peer](../img/bench-ratios.svg)", ""]
        out += [
            "A dot is one line of the tables below; the bar ends at their geometric mean, the number at the right.",
            "",
        ]
    out += _slower(report["modules"])
    for part in report["modules"]:
        out += _module(part, folder)
    out += [
        "## Growth with the number of records",
        "",
        "seconds = a n^b, b fitted by least squares over the sizes measured. Few and small sizes make a rough b: "
        "fixed costs lower it.",
        "",
        "| series | ours | peers |",
        "|---|---:|---|",
    ]
    shown = {
        row["series"]
        for part in report["modules"]
        for row in part["rows"]
        if part["module"] != "protect"
    }
    for name, slopes in report["growth"].items():
        if name in shown:
            peers = ", ".join(
                f"{who} {b:.2f}" for who, b in slopes.items() if who != OURS
            )
            out.append(
                _line([name, f"{slopes[OURS]:.2f}" if OURS in slopes else "", peers])
            )
    page = docs / "reference" / "bench.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join([*out, ""]))
