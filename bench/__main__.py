"""``python -m bench [--full] [--only NAME]``: run every module, print, write JSON and the docs
page.

The exit code is 1 only when something of ours failed: a peer that fails is a row that says why.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

from bench.collect import ROOT, child, collect
from bench.growth import fit
from bench.row import Row
from bench.versions import versions

MODULES = (
    "linkage",
    "protect",
    "generalisation",
    "risk",
    "large",
    "commands",
    "stream",
    "peers",
)
RESULTS = ROOT / "results"
BUDGET = {False: 480.0, True: 1500.0}
"""Seconds that one module may take: quick, full."""
TOTAL = {False: 870.0, True: 3600.0}
"""Seconds for all of them, less what drawing the page takes."""
LEAST = 30.0
"""Seconds that a module gets however late it is."""


def _number(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}g}"


def _print(collected: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="ours against the alternatives (ratio above 1: ours is faster)")
    for heading in (
        "module",
        "what",
        "n",
        "ours s",
        "peer",
        "peer s",
        "ratio",
        "MB",
        "peer MB",
        "note",
    ):
        table.add_column(
            heading,
            justify="left"
            if heading in {"module", "what", "peer", "note"}
            else "right",
        )
    for part in collected:
        for row in part["rows"]:
            numbers = [
                row[key]
                for key in (
                    "ours_seconds",
                    "peer_seconds",
                    "ratio",
                    "memory_mb",
                    "peer_memory_mb",
                )
            ]
            ours, peer, ratio, *memory = map(_number, numbers)
            size = f"{row['size']:,}" if row["size"] else ""
            table.add_row(
                part["module"],
                row["name"],
                size,
                ours,
                row["peer"],
                peer,
                ratio,
                *memory,
                row["note"],
            )
        if part["status"] != "ok":
            table.add_row(
                part["module"],
                f"[red]{part['status']}[/red]",
                *[""] * 7,
                part["error"][-200:],
            )
    Console(width=200 if not sys.stdout.isatty() else None).print(table)


def _whole(fresh: list[dict[str, Any]], before: Path) -> list[dict[str, Any]]:
    """All modules in order: a module that was not run now keeps its last figures."""
    parts = (
        {part["module"]: part for part in json.loads(before.read_text())["modules"]}
        if before.exists()
        else {}
    )
    parts |= {part["module"]: part for part in fresh}
    never = {"status": "not measured", "rows": []}
    for module in MODULES:
        parts.setdefault(
            module,
            never
            | {"module": module, "error": f"run: python -m bench --only {module}"},
        )
    return [parts[module] for module in (*MODULES, *sorted(set(parts) - set(MODULES)))]


def _report(modules: list[dict[str, Any]], full: bool) -> dict[str, Any]:
    """What the page shows: the figures, and on which machine and against which versions."""
    return {
        "when": time.strftime("%Y-%m-%d %H:%M"),
        "full": full,
        "machine": {
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "os": platform.platform(),
        },
        "versions": versions(),
        "modules": modules,
        "growth": fit(Row(**row) for part in modules for row in part["rows"]),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--full", action="store_true", help="larger instances and more peers"
    )
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="one module (may be repeated)"
    )
    parser.add_argument("--budget", type=float, help="seconds that one module may take")
    parser.add_argument(
        "--no-page", action="store_true", help="do not rewrite docs/reference/bench.md"
    )
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        return child(options.child, options.full, options.out)

    until = time.monotonic() + TOTAL[options.full]
    RESULTS.mkdir(exist_ok=True)
    out = RESULTS / ("full.json" if options.full else "quick.json")
    fresh: list[dict[str, Any]] = []
    report: dict[str, Any] = {}
    for module in options.only or MODULES:
        print(f"bench: {module} ...", file=sys.stderr, flush=True)
        left = max(LEAST, until - time.monotonic())
        budget = options.budget or min(BUDGET[options.full], left)
        fresh.append(collect(module, options.full, budget))
        # after each module: whoever ends the run early keeps what was measured
        report = _report(_whole(fresh, out), options.full)
        out.write_text(json.dumps(report, indent=1) + "\n")
    _print(fresh)
    if not options.no_page:
        from bench.page import write

        write(report, ROOT.parent / "docs")
    return 1 if any(part["status"] == "failed" for part in fresh) else 0


if __name__ == "__main__":
    raise SystemExit(main())
