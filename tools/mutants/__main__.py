"""``python -m tools.mutants``: run the lists of some rooms or all."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tools.mutants import mutation as lists
from tools.mutants.changed import rooms_changed
from tools.mutants.mutation import Mutation, StaleError
from tools.mutants.results import as_json, line, table
from tools.mutants.trial import (
    GOOD,
    PASSED,
    STALE,
    Outcome,
    last_line,
    run_tests,
    try_one,
)
from tools.mutants.workshop import Workshop


def main() -> int:
    """0 if every mutation is caught or explained; 1 if one survived, is stale or broken."""
    given = arguments().parse_args()
    chosen = given.rooms or lists.rooms()
    if given.since:
        chosen = rooms_changed(given.since, chosen)
    wanted = [
        mutation
        for room in chosen
        for mutation in lists.load(room)
        if any(text in mutation.meaning for text in given.only or [""])
    ]
    if not wanted:
        print("no mutation to try")
        return 0
    with tempfile.TemporaryDirectory(prefix="tacit-mutants-") as folder:
        workshop = Workshop(lists.ROOT, Path(folder), slow=given.slow)
        outcomes = try_all(workshop, wanted, unchanged=not given.no_baseline)
    print(table(outcomes))
    if given.json:
        Path(given.json).write_text(as_json(outcomes) + "\n", encoding="utf-8")
    return int(any(outcome.state not in GOOD for outcome in outcomes))


def try_all(
    workshop: Workshop, wanted: list[Mutation], unchanged: bool = True
) -> list[Outcome]:
    """The outcome of each mutation, printed as it comes.

    First the tests run without a change: a test that fails anyway catches nothing.
    """
    if unchanged:
        tests = sorted({test for mutation in wanted for test in mutation.tests})
        code, output, seconds = run_tests(workshop, tests, stop=False)
        if code != PASSED:
            print(output)
            sys.exit(f"the tests fail without a mutation: {last_line(output)}")
        said = f"{last_line(output)}, without a mutation ({seconds:.0f} CPU s)"
        print(f"  {said}", flush=True)
    outcomes = []
    for mutation in wanted:
        try:
            outcome = try_one(workshop, mutation)
        except StaleError as error:
            outcome = Outcome(mutation, STALE, str(error), 0.0)
        print(line(outcome), flush=True)
        outcomes.append(outcome)
    return outcomes


def arguments() -> argparse.ArgumentParser:
    """What may be said on the command line."""
    parser = argparse.ArgumentParser(
        "python -m tools.mutants", description=main.__doc__
    )
    parser.add_argument("rooms", nargs="*", choices=[[], *lists.rooms()], default=[])
    parser.add_argument("--since", help="only rooms that changed since this commit")
    parser.add_argument(
        "--only",
        action="append",
        help="only meanings that hold this text; repeat for more",
    )
    parser.add_argument(
        "--slow", action="store_true", help="with the tests of make test-all, too"
    )
    parser.add_argument("--json", help="write every outcome to this file")
    parser.add_argument(
        "--no-baseline",
        action="store_true",
        help="do not run the tests without a change first (they have just passed)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
