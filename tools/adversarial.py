"""The tool against five plain intruders, on every protector and pair of protectors, as a page.

``python -m tools.adversarial`` runs what is not in the cache yet and writes
docs/explanation/adversarial.md; ``--minutes 9`` stops in time and is called again, ``--fresh``
begins
anew, ``--only noise`` runs the cells with that method. The whole grid takes about an hour.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from attack.adversarial.grid import ATTACKS, ENOUGH, SEEDS, Cell, cells, fight  # noqa: E402
from attack.adversarial.releases import names_of  # noqa: E402

CACHE = ROOT / "build" / "adversarial.json"
PAGE = ROOT / "docs" / "explanation" / "adversarial.md"
START, END = "<!-- grid -->", "<!-- end of grid -->"


def main() -> int:
    """Run, and write the page; 1 if the tool was short anywhere."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--minutes", type=float, default=math.inf)
    ask.add_argument("--fresh", action="store_true")
    ask.add_argument("--only", default="")
    ask.add_argument("--seeds", type=int, default=SEEDS, help="files of each cell")
    ask.add_argument("--again", action="store_true", help="run what was short again")
    ask.add_argument("--part", default="0/1", help="every n-th cell, as in 0/2 and 1/2")
    ask.add_argument("--cache", type=Path, default=CACHE)
    given = ask.parse_args()
    warnings.simplefilter("ignore")
    given.cache.parent.mkdir(exist_ok=True)
    done: dict[str, Any] = {}
    if given.cache.exists() and not given.fresh:
        done = json.loads(given.cache.read_text())
    end = time.monotonic() + 60 * given.minutes
    part, parts = map(int, given.part.split("/"))
    for number, (file, methods) in enumerate(cells()):
        key = f"{file}: {names_of(methods)}"
        wanted = key not in done or (given.again and done[key].get("short"))
        if number % parts != part or not wanted or given.only not in key:
            continue
        if time.monotonic() > end:
            break
        begin = time.perf_counter()
        done[key] = summary(fight(file, methods, given.seeds))
        done[key]["seconds"] = round(time.perf_counter() - begin, 1)
        given.cache.write_text(json.dumps(done, indent=0))
        print(key, done[key], flush=True)
    PAGE.write_text(page(PAGE.read_text(), done)) if PAGE.exists() else None
    short = [key for key, cell in done.items() if cell.get("short")]
    print(f"{len(done)} cells, short: {len(short)}", *short, sep="\n")
    return bool(short)


def summary(cell: Cell) -> dict[str, Any]:
    """A cell in plain types."""
    if cell.refused:
        return {"refused": cell.refused}
    rates = {who: round(cell.rate(who), 4) for who in (*cell.tool, *cell.attack)}
    return {
        "methods": list(cell.methods),
        "seeds": cell.seeds,
        "rates": rates,
        "by": {know: sorted(set(names)) for know, names in cell.named.items()},
        "ratios": {
            k: [round(r, 3), round(s, 2)] for k, (r, s) in cell.ratios().items()
        },
        "short": {k: [round(r, 3), round(s, 2)] for k, (r, s) in cell.short().items()},
    }


def page(text: str, done: dict[str, Any]) -> str:
    """The page with the table of all cells in its place."""
    head = "| file | methods | tool | tool, no plan | " + " | ".join(ATTACKS)
    lines = [head + " | smallest ratio |", "|" + "---|" * (5 + len(ATTACKS))]
    for key, cell in done.items():
        file = key.split(":")[0]
        if "refused" in cell:
            continue
        rates = cell["rates"]
        found = " | ".join(f"{rates[a]:.3f}" if a in rates else "" for a in ATTACKS)
        ratio = min((r for r, _ in cell["ratios"].values()), default=math.nan)
        told = "" if math.isnan(ratio) else f"{ratio:.2f}"
        if cell["short"]:
            told = f"**{told}**"
        lines.append(
            f"| {file} | {names_of(tuple(cell['methods']))} | {rates['plan']:.3f} | "
            f"{rates['no plan']:.3f} | {found} | {told} |"
        )
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    body = "\n".join([counted(done), "", *lines])
    return f"{before}{START}\n{body}\n{END}{after}"


def counted(done: dict[str, Any]) -> str:
    """How many cells there are, were run, and are below the line: what did not run is said."""
    every = len(list(cells()))
    ran = [cell for cell in done.values() if cell.get("ratios")]
    below = [c for c in ran if min(r for r, _ in c["ratios"].values()) < ENOUGH]
    short = [cell for cell in ran if cell["short"]]
    return (
        f"Of {every} cells {len(done)} were tried and {every - len(done)} are **not run yet**; "
        f"{len(done) - len(ran)} had nothing to mask or nothing was found. Of {len(ran)} compared, "
        f"{len(ran) - len(below)} are at or above {ENOUGH}, {len(below)} below, of which "
        f"{len(short)} by more than one standard deviation."
    )


if __name__ == "__main__":
    sys.exit(main())
