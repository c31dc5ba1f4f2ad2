"""The docs page of a run: one table a module, growth exponents, one plot a series."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from tacit.reproduce.plot import Line, chart


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:,.3g}"


def _table(rows: list[dict[str, Any]]) -> list[str]:
    out = [
        "| what | n | ours, s | peer | peer, s | ratio | ours, MB | note |",
        "|---|---:|---:|---|---:|---:|---:|---|",
    ]
    for row in rows:
        size = f"{row['size']:,}" if row["size"] else ""
        cells = [
            row["name"],
            size,
            _cell(row["ours_seconds"]),
            row["peer"],
            _cell(row["peer_seconds"]),
            _cell(row["ratio"]),
            _cell(row["memory_mb"]),
            row["note"],
        ]
        out.append("| " + " | ".join(str(c).replace("|", "/") for c in cells) + " |")
    return out


def _plots(rows: list[dict[str, Any]], folder: Path) -> list[str]:
    """One log-log plot for each series with at least two sizes."""
    series: dict[str, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row["series"] and row["size"]:
            if row["ours_seconds"]:
                series[row["series"]]["tacit"][row["size"]] = row["ours_seconds"]
            if row["peer_seconds"]:
                series[row["series"]][row["peer"]][row["size"]] = row["peer_seconds"]
    out = []
    for name, by_who in series.items():
        lines = [Line(who, sorted((float(n), s) for n, s in p.items())) for who, p in by_who.items()]
        if max(len(line.points) for line in lines) < 2:
            continue
        file = "bench-" + "".join(c if c.isalnum() else "-" for c in name.lower()) + ".svg"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(chart(name, "records", "seconds", lines, log_x=True, log_y=True))
        out.append(f"![{name}: seconds over records](img/{file})")
    return out


def write(report: dict[str, Any], docs: Path) -> None:
    """Write ``docs/bench.md`` and its plots from one report."""
    machine = report["machine"]
    out = [
        "# Measured against the alternatives",
        "",
        f"Written by `python -m bench{' --full' if report['full'] else ''}` on {report['when']}, "
        f"{machine['cores']} cores, Python {machine['python']}. Both sides ran in the same run on "
        "the same machine; seconds are the least of several calls, compilation not counted. A ratio above 1 "
        "means that ours is faster. Read the ratios, not the seconds, and those against peers in environments of "
        "their own as orders of magnitude: these are timed once, ours several times, on a shared machine.",
        "",
    ]
    for part in report["modules"]:
        out += [f"## {part['module']}", ""]
        if part["status"] != "ok":
            out += [
                f"**{part['status']}**: {part['error'].strip().splitlines()[-1] if part['error'] else ''}",
                "",
            ]
            continue
        out += [
            f"Measured {part.get('when', '')}.",
            "",
            *_table(part["rows"]),
            "",
            *_plots(part["rows"], docs / "img"),
            "",
        ]
    if report["growth"]:
        out += [
            "## Growth with the number of records",
            "",
            "seconds = a * n^b, b fitted by least squares:",
            "",
        ]
        for name, slopes in report["growth"].items():
            out.append(f"- {name}: " + ", ".join(f"{who} b = {b:.2f}" for who, b in slopes.items()))
        out.append("")
    (docs / "bench.md").write_text("\n".join(out))
