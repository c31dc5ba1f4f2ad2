"""Write the table of the docs from the results of one or several runs.

    python -m tools.mutants --json a.json risk loss
    python -m tools.mutants --json b.json attack
    python -m tools.mutants.page a.json b.json      # the newest of a mutation counts

Every mutation of the lists must be among them: a table of some is no table.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tools.mutants.mutation import ROOT, Mutation, load, rooms
from tools.mutants.results import table
from tools.mutants.trial import Outcome

PAGE = ROOT / "docs" / "explanation" / "mutants.md"
BEGIN, END = "<!-- measured: tools.mutants.page -->", "<!-- end -->"


def read(files: list[Path]) -> list[Outcome]:
    """The newest outcome of every mutation that is in the lists now.

    Raises
    ------
    SystemExit
        If one was never tried as it stands in the lists.
    """
    known: dict[tuple[str, str, str], Outcome] = {}
    for file in files:
        for row in json.loads(file.read_text(encoding="utf-8")):
            state, by, seconds = (row.pop(part) for part in ("state", "by", "seconds"))
            mutation = Mutation(**{**row, "tests": tuple(row["tests"])})
            known[_change(mutation)] = Outcome(mutation, state, by, seconds)
    wanted = [mutation for room in rooms() for mutation in load(room)]
    untried = [one.meaning for one in wanted if _change(one) not in known]
    if untried:
        sys.exit(f"{len(untried)} mutations were not tried, the first: {untried[0]}")
    return [known[_change(mutation)] for mutation in wanted]


def _change(mutation: Mutation) -> tuple[str, str, str]:
    """What makes two mutations the same: the change, not the words for it."""
    return mutation.file, mutation.old, mutation.new


def write(outcomes: list[Outcome]) -> None:
    """Put the table between the marks of the page."""
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    PAGE.write_text(f"{head}{BEGIN}\n{table(outcomes)}\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    write(read([Path(name) for name in sys.argv[1:]]))
