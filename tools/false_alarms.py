"""Measure false alarms, and near misses, and write the tables of the docs.

    python tools/false_alarms.py              # 200 files and all near misses, into the page
    python tools/false_alarms.py 23 health    # 23 files, those of kinds with this word; printed

Files that are safe by construction must be called safe (`tests/assess/false_alarms.py`); files that
only look so must not (`tests/assess/near_misses.py`). Each goes through the public `tacit.assess`
with all attacks and measures.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "explanation" / "false-alarms.md"
BEGIN, END = "<!-- measured: tools/false_alarms.py -->", "<!-- end -->"

sys.path.insert(0, str(ROOT / "tests"))

from assess.false_alarms import KINDS, judged, released  # noqa: E402
from assess.near_misses import NEAR_MISSES  # noqa: E402

STATES = ("safe", "borderline", "not safe", "not assessed")
FILES = 200
"""Files of all kinds in turn."""
MISSES = 4
"""Files of each near miss."""


def cases(files: int) -> list[tuple[str, int]]:
    """So many files, of all kinds in turn."""
    kinds = list(KINDS)
    return [(kinds[k % len(kinds)], k) for k in range(files)]


def kinds_table(files: int, word: str) -> str:
    """How often each kind is called what."""
    seen: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS if word in kind}
    start = time.process_time()
    for kind, seed in cases(files):
        if kind not in seen:
            continue
        found = judged(released(KINDS, kind, seed))
        seen[kind][found.state] += 1
        if found.state != "safe":
            print(f"{kind}, {seed}: {found}", flush=True)
    rows = [f"| {kind} | {_cells(count)} |" for kind, count in seen.items() if count]
    total = sum(seen.values(), Counter())
    refused = total.total() - total["safe"]
    share = 100 * refused / max(total.total(), 1)
    print(f"{time.process_time() - start:.0f} CPU seconds")
    return "\n".join(
        [
            f"| safe by construction | {' | '.join(STATES)} |",
            "|---|" + "---|" * len(STATES),
            *rows,
            f"| **all {total.total()} files** | {_cells(total)} |",
            "",
            f"False alarms: {refused} of {total.total()} files ({share:.1f} %).",
        ]
    )


def misses_table(files: int, word: str) -> str:
    """What is said of releases that only look safe, and by what the first is refused."""
    rows = []
    for kind in (name for name in NEAR_MISSES if word in name):
        found = [judged(released(NEAR_MISSES, kind, seed)) for seed in range(files)]
        refused = sum(one.state in ("not safe", "not assessed") for one in found)
        open_rows = found[0].failing or found[0].unknown
        by = ", ".join(f"`{row.name}`" for row in open_rows[:4])
        rows.append(f"| {kind} | {refused} of {files} | {by} |")
        print(rows[-1], flush=True)
    head = "| only looks safe | refused | the first one by |\n|---|---|---|\n"
    return head + "\n".join(rows)


def _cells(count: Counter[str]) -> str:
    return " | ".join(str(count[state]) for state in STATES)


def main() -> None:
    """Measure; write the tables unless fewer files were asked for."""
    warnings.simplefilter("ignore")
    asked = sys.argv[1:]
    files = int(asked[0]) if asked else FILES
    word = asked[1] if len(asked) > 1 else ""
    alarms = kinds_table(files, word)
    print(alarms, flush=True)
    misses = misses_table(1 if asked else MISSES, word)
    if not asked:
        text = PAGE.read_text(encoding="utf-8")
        before, _, rest = text.partition(BEGIN)
        after = rest.partition(END)[2]
        table = f"{BEGIN}\n{alarms}\n\n{misses}\n{END}"
        PAGE.write_text(f"{before}{table}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
