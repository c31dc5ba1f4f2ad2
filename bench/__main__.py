"""``python -m bench [--full] [--only NAME]``: run every module, print, write JSON and the docs page."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.growth import fit
from bench.row import Row

MODULES = ("linkage", "protect", "risk", "large", "stream", "peers")
ROOT = Path(__file__).resolve().parent
RESULTS = ROOT / "results"


def _one(module: str, full: bool, out: Path) -> int:
    """Child process: run one module and write its rows."""
    rows = importlib.import_module(f"bench.{module}").run(full)
    out.write_text(json.dumps([row.to_dict() for row in rows]))
    return 0


def _collect(module: str, full: bool) -> dict[str, Any]:
    """Run one module in a process of its own: libraries that cannot live together do not meet."""
    if importlib.util.find_spec(f"bench.{module}") is None:
        return {"module": module, "status": "not available", "rows": [], "error": f"no bench/{module}.py"}
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.json"
        command = [sys.executable, "-m", "bench", "--child", module, "--out", str(out)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        done = subprocess.run(
            [*command, *(["--full"] if full else [])],
            capture_output=True,
            text=True,
            env=environment,
            cwd=ROOT.parent,
        )
        seconds = time.perf_counter() - start
        if done.returncode or not out.exists():
            return {
                "module": module,
                "status": "failed",
                "rows": [],
                "error": done.stderr[-2000:],
                "seconds": seconds,
            }
        when = time.strftime("%Y-%m-%d %H:%M")
        rows = json.loads(out.read_text())
        return {"module": module, "status": "ok", "rows": rows, "seconds": seconds, "when": when}


def _number(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}g}"


def _print(collected: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="ours against the alternatives (ratio above 1: ours is faster)")
    for heading in ("module", "what", "n", "ours s", "peer", "peer s", "ratio", "MB", "note"):
        table.add_column(heading, justify="right" if heading in {"n", "ours s", "peer s", "ratio", "MB"} else "left")
    for part in collected:
        for row in part["rows"]:
            table.add_row(
                part["module"],
                row["name"],
                _number(row["size"], 7),
                _number(row["ours_seconds"]),
                row["peer"],
                _number(row["peer_seconds"]),
                _number(row["ratio"]),
                _number(row["memory_mb"]),
                row["note"],
            )
        if part["status"] != "ok":
            table.add_row(part["module"], f"[red]{part['status']}[/red]", "", "", "", "", "", "", part["error"][-200:])
    Console(width=200 if not sys.stdout.isatty() else None).print(table)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="larger instances and more peers")
    parser.add_argument("--only", action="append", help="one module (may be repeated)")
    parser.add_argument("--no-page", action="store_true", help="do not rewrite docs/bench.md")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        return _one(options.child, options.full, options.out)

    collected = []
    for module in options.only or MODULES:
        print(f"bench: {module} ...", file=sys.stderr, flush=True)
        collected.append(_collect(module, options.full))
    _print(collected)
    RESULTS.mkdir(exist_ok=True)
    out = RESULTS / ("full.json" if options.full else "quick.json")
    if options.only and out.exists():  # one module measured again: the others keep their last figures
        fresh = {part["module"] for part in collected}
        collected += [p for p in json.loads(out.read_text())["modules"] if p["module"] not in fresh]
    have = {part["module"] for part in collected}
    collected += [
        {"module": m, "status": "not measured", "rows": [], "error": f"run: python -m bench --only {m}"}
        for m in MODULES
        if m not in have
    ]
    collected.sort(key=lambda part: MODULES.index(part["module"]) if part["module"] in MODULES else len(MODULES))
    rows = [Row(**row) for part in collected for row in part["rows"]]
    report = {
        "when": time.strftime("%Y-%m-%dT%H:%M:%S"),
        "full": options.full,
        "machine": {"python": platform.python_version(), "cores": os.cpu_count(), "os": platform.platform()},
        "modules": collected,
        "growth": fit(rows),
    }
    out.write_text(json.dumps(report, indent=1) + "\n")
    for series, exponents in report["growth"].items():
        print(f"growth of {series}: " + ", ".join(f"{who} n^{b:.2f}" for who, b in exponents.items()))
    if not options.no_page:
        from bench.page import write

        write(report, ROOT.parent / "docs")
    return 1 if any(part["status"] == "failed" for part in collected) else 0


if __name__ == "__main__":
    raise SystemExit(main())
