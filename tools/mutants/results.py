"""What came of all mutations: a table by room, and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

from tools.mutants.trial import CAUGHT, EXPLAINED, GOOD, TIMED_OUT, Outcome


def table(outcomes: Iterable[Outcome]) -> str:
    """A row for each room, in Markdown, and one for all of them."""
    by_room: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_room.setdefault(outcome.mutation.room, []).append(outcome)
    lines = [
        "| room | mutations | caught | explained | survived | CPU s |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines += [row(room, found) for room, found in sorted(by_room.items())]
    everything = [outcome for found in by_room.values() for outcome in found]
    return "\n".join([*lines, row("**all**", everything)])


def row(name: str, outcomes: list[Outcome]) -> str:
    """One line of the table; what is stale or broken counts as survived: nothing caught it."""
    caught = sum(outcome.state in (CAUGHT, TIMED_OUT) for outcome in outcomes)
    explained = sum(outcome.state == EXPLAINED for outcome in outcomes)
    rest = len(outcomes) - caught - explained
    seconds = sum(outcome.seconds for outcome in outcomes)
    return f"| {name} | {len(outcomes)} | {caught} | {explained} | {rest} | {seconds:.0f} |"


def as_json(outcomes: Iterable[Outcome]) -> str:
    """Every mutation with its outcome."""
    rows = [
        {
            **asdict(outcome.mutation),
            "state": outcome.state,
            "by": outcome.by,
            "seconds": round(outcome.seconds, 1),
        }
        for outcome in outcomes
    ]
    return json.dumps(rows, indent=1, ensure_ascii=False)


def line(outcome: Outcome) -> str:
    """One mutation as it is done."""
    mark = " " if outcome.state in GOOD else "!"
    mutation = outcome.mutation
    return (
        f"{mark} {outcome.state:9} {outcome.seconds:5.1f} s  "
        f"{mutation.room}: {mutation.meaning}  {outcome.by}"
    )
