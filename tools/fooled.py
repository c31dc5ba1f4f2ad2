"""Measure again the releases that version 0.1 called safe, and write the table of the docs.

    python tools/fooled.py            # measure, and write docs/explanation/fooled.md
    python tools/fooled.py 6 7        # some rows only, printed

Each release goes through the command line, `tacit assess ORIGINAL MASKED --fail-above 0.05`,
without the plan and with it. People are generated, and those of the Census file where TACIT_DATA
is set.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "explanation" / "fooled.md"
BEGIN, END = "<!-- measured: tools/fooled.py -->", "<!-- end -->"

sys.path.insert(0, str(ROOT / "tests"))

import tacit as tc  # noqa: E402
from assess.fooled_rows import ROWS, Row, case_of  # noqa: E402
from assess.fooled_run import Answer, assess  # noqa: E402
from tacit.base.errors import TacitError  # noqa: E402

HEAD = (
    "| release | version 0.1, without and with the plan | an attack from scratch "
    "| generated, no plan | generated, plan | Census, no plan | Census, plan |\n"
    "|---|---|---|---|---|---|---|\n"
)


def census() -> pd.DataFrame | None:
    """The Census file where there is one."""
    try:
        return tc.datasets.reference("census").to_pandas().astype(float)
    except TacitError:
        return None


def shown(row: Row, answer: Answer) -> str:
    """An answer in a cell: the verdict, what was found, and the exit code."""
    words = answer.state
    if row.attack is not None and answer.by:
        words += f", {100 * answer.found:.1f} % ({answer.by})"
    return f"{words}; exit {answer.code}"


def answers(row: Row, file: pd.DataFrame | None) -> list[str]:
    """The cells of one file: without the plan, and with it where there is one."""
    cells = []
    for planned in (False, True):
        if planned not in row.plans:
            cells.append("-")
            continue
        with tempfile.TemporaryDirectory() as folder:
            answer = assess(row, case_of(row, file), planned, Path(folder))
        cells.append(shown(row, answer))
    return cells


def line(row: Row, people: pd.DataFrame | None) -> str:
    """One line of the table."""
    attack = "raw" if row.attack is None else f"{100 * row.attack:.1f} %"
    cells = [row.name, row.said, attack, *answers(row, None)]
    # only people are in the Census file
    on_census = people is not None and row.file == "people"
    cells += answers(row, people) if on_census else ["-", "-"]
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    """Measure; write the table unless some rows only were asked for."""
    warnings.simplefilter("ignore")
    asked = [int(word) for word in sys.argv[1:]]
    people = census()
    lines = []
    for place, row in enumerate(ROWS):
        if not asked or place in asked:
            lines.append(line(row, people))
            print(lines[-1], end="", flush=True)
    if not asked:
        text = PAGE.read_text(encoding="utf-8")
        before, _, rest = text.partition(BEGIN)
        after = rest.partition(END)[2]
        table = f"{BEGIN}\n{HEAD}{''.join(lines)}{END}"
        PAGE.write_text(f"{before}{table}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
