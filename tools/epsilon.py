"""Measure epsilon from below for every private mechanism, and write the table of the docs.

    python tools/epsilon.py           # 600 releases of each file, into the page
    python tools/epsilon.py 250       # fewer, printed

Each mechanism runs on two neighbouring files (`tests/protect/private/cases.py`, `worst_files.py`).
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "explanation" / "epsilon.md"
BEGIN, END = "<!-- measured: tools/epsilon.py -->", "<!-- end -->"

sys.path.insert(0, str(ROOT / "tests"))

from protect.private.cases import ALL, BEFORE  # noqa: E402
from protect.private.epsilon import lower_bound  # noqa: E402
from protect.private.worst_files import WORST, exact_epsilon  # noqa: E402

RUNS = 600
LAWS = ((1.0, 1e-6), (1.0, 1e-2), (0.5, 1e-6))
"""Epsilon and delta of which the law of the sample is worked out."""


def now(runs: int) -> Iterator[str]:
    """The mechanisms as they are."""
    for name, (epsilon, mechanism) in ALL.items():
        yield _row(name, epsilon, lower_bound(mechanism, runs))
    for name, (epsilon, delta, mechanism, one_way) in WORST.items():
        sure = lower_bound(mechanism, runs, delta, one_way=one_way)
        yield _row(name, epsilon, sure)
    for epsilon, delta in LAWS:
        what = f"DP generalisation, the law of its sample, delta {delta:g}"
        yield _row(what, epsilon, exact_epsilon(epsilon, delta))


def before(runs: int) -> Iterator[str]:
    """What was wrong once, enacted again: the trial must catch it."""
    for name, (epsilon, mechanism) in BEFORE.items():
        yield _row(f"*{name}, version 0.1*", epsilon, lower_bound(mechanism, runs))


def _row(name: str, epsilon: float, sure: float) -> str:
    above = " **above**" if sure > epsilon else ""
    row = f"| {name} | {epsilon:g} | {sure:.2f}{above} |"
    print(row, flush=True)
    return row


def main() -> None:
    """Measure; write the table unless a number of runs was asked for."""
    warnings.simplefilter("ignore")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    head = "| mechanism and pair of files | claimed epsilon | surely at least |\n|---|--:|--:|"
    table = "\n".join([head, *now(runs), *before(runs)])
    said = f"{runs:,} releases of each file (of arrays 20 times as many)."
    if len(sys.argv) == 1:
        text = PAGE.read_text(encoding="utf-8")
        first, _, rest = text.partition(BEGIN)
        after = rest.partition(END)[2]
        middle = f"{BEGIN}\n{table}\n\n{said}\n{END}"
        PAGE.write_text(f"{first}{middle}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
