"""Run the tests of one mutation, and say what became of it."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from dataclasses import dataclass

from tools.mutants.mutation import Mutation
from tools.mutants.workshop import Workshop

MOST_CPU = 60
"""CPU seconds of one process of a mutation's tests: some three times what the slowest takes that
are named in the lists. A change that makes a loop endless is noticed by whoever waits."""
PATIENCE = 600.0
"""Seconds by the clock, for what waits for ever without computing."""

CAUGHT, SURVIVED, EXPLAINED = "caught", "survived", "explained"
TIMED_OUT, STALE, BROKEN = "timed out", "stale", "broken"
GOOD = (CAUGHT, TIMED_OUT, EXPLAINED)
"""What a mutation may come to; anything else fails the run."""

# pytest's own codes; every other one (no such test) says nothing of the mutation
PASSED, FAILED, NONE_CHOSEN = 0, 1, 5
# a kernel that writes where it must not; signals are negative codes
CRASHES = tuple(-number for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT))


@dataclass(frozen=True)
class Outcome:
    """What became of a mutation, by which test, and the CPU seconds that it took."""

    mutation: Mutation
    state: str
    by: str
    seconds: float


def try_one(workshop: Workshop, mutation: Mutation) -> Outcome:
    """Make the change, run its tests until one fails, and put the file back."""
    with workshop.holding(mutation):
        code, output, seconds = run_tests(workshop, mutation.tests)
    state, by = judged(mutation, code, output)
    return Outcome(mutation, state, by, seconds)


def judged(mutation: Mutation, code: int | None, output: str) -> tuple[str, str]:
    """The state of a mutation by pytest's exit code (None: it did not end), and what says so."""
    if code in (None, -signal.SIGXCPU):
        return TIMED_OUT, f"more than {MOST_CPU} CPU seconds"
    if code == FAILED:
        return CAUGHT, failed_test(output)
    if code in CRASHES:
        return CAUGHT, f"the process crashed (signal {-code})"
    if code in (PASSED, NONE_CHOSEN):
        return (EXPLAINED, "") if mutation.explained else (SURVIVED, "")
    return BROKEN, last_line(output)


def run_tests(
    workshop: Workshop, tests: Iterable[str], stop: bool = True
) -> tuple[int | None, str, float]:
    """pytest's exit code (None after `PATIENCE`), what it printed, and its CPU seconds.

    ``stop``: at the first failure, and within the limits of time.
    """
    words = ["-q", "-n", "0", "--tb=line", "-p", "no:cacheprovider"]
    words += [*(["-x"] if stop else []), *(["-m", ""] if workshop.slow else []), *tests]
    request = {
        "words": words,
        "cpu": MOST_CPU if stop else None,
        "patience": PATIENCE if stop else None,
    }
    answer = workshop.ask(request)
    return answer["code"], answer["output"], answer["seconds"]


def failed_test(output: str) -> str:
    """The first test that failed, from pytest's summary."""
    for line in output.splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            return line.split(" ", 1)[1].split(" - ")[0]
    return ""


def last_line(output: str) -> str:
    """The last line that pytest printed, where it says what was wrong."""
    lines = output.strip().splitlines()
    return lines[-1] if lines else ""
