"""Plans on all records: run as they are, or strengthened until they are safe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.app.messages import (
    BEFORE,
    AskedFile,
    Finished,
    PlanOrder,
    RunOrder,
    StepValues,
)
from tacit.app.opened import Tell, opened, plan_of
from tacit.base.errors import TacitError
from tacit.report.words import inside

if TYPE_CHECKING:
    from tacit.app.figures import Order
    from tacit.plan.plan import Plan


def run(
    tell: Tell,
    file: AskedFile,
    order: RunOrder,
    plans: list[PlanOrder],
) -> int:
    """Each plan on all records: mask, attack, measure, write; the number that ended well.

    Sends a `tick` with the figures of each plan as soon as it has ended.
    """
    from tacit.app.figures import as_it_is, finish

    tell("progress", (0.0, "Reading the file"))
    data = opened(file)
    asked = _order(file, order)
    good = 0
    # the file as it is may be among them, for comparison
    wanted = sum(one["run"] != BEFORE for one in plans)
    for place, one in enumerate(plans):
        progress = _progress(tell, one["label"], place, len(plans))
        progress("masking", 0, 1)
        done: Finished = {"run": one["run"], "summary": {}, "files": {}, "error": ""}
        try:
            if one["run"] == BEFORE:
                done["summary"] = as_it_is(data, asked, progress)
            else:
                plan = plan_of(one["steps"]).seeded()
                done["summary"], done["files"] = finish(data, plan, asked, progress)
            good += 1
        except TacitError as error:
            done["error"] = str(error)
            # One plan that fails is a failed run; one of many is a row with its reason.
            if wanted == 1 and one["run"] != BEFORE:
                tell("tick", done)
                raise
        tell("tick", done)
    return good


def make_safe(
    tell: Tell,
    file: AskedFile,
    order: RunOrder,
    steps: list[StepValues],
) -> int:
    """Strengthen a plan until it is safe, each try on all records; the number of tries.

    Sends a `tick` for every try; `final` marks the one that was found and drawn again.
    """
    from tacit.app.figures import finish
    from tacit.compare.strengthened import strengthened

    tell("progress", (0.0, "Reading the file"))
    data = opened(file)
    asked = _order(file, order)
    done: list[Finished] = []

    def is_safe(plan: Plan, what: str) -> bool:
        number = len(done) + 1

        def progress(text: str, share: float, total: float) -> None:
            # nobody knows how many tries there will be: each gets half of what is left
            part = 1 - 0.8 ** (number - 1 + share / max(total, 1))
            tell("progress", (part, f"Try {number}, {what}: {inside(text)}"))

        progress("masking", 0, 1)
        one: Finished = {"run": number, "summary": {}, "files": {}, "error": ""}
        one["steps"] = [
            {"method": step.method, "parameters": dict(step.parameters), "seed": None}
            for step in plan.steps
        ]
        try:
            one["summary"], one["files"] = finish(data, plan.seeded(), asked, progress)
        except TacitError as error:
            one["error"] = str(error)
        done.append(one)
        tell("tick", one)
        return not one["error"] and one["summary"]["verdict"]["state"] == "good"

    strengthened(plan_of(steps).without_seeds(), is_safe, data.n)
    # the last safe try is the one that was found: where it was drawn again, that draw
    safe = [
        one
        for one in done
        if not one["error"] and one["summary"]["verdict"]["state"] == "good"
    ]
    tell("tick", {**safe[-1], "final": True})
    return len(done)


def _order(file: AskedFile, order: RunOrder) -> Order:
    """How a plan is run and judged, and where its files go."""
    from tacit.app.figures import Order

    return Order(
        source=Path(file["path"]),
        folder=Path(order["folder"]),
        name=order["name"],
        bound=order["bound"],
        limits=order["limits"],
        depth=order["depth"],
    )


def _progress(
    tell: Tell, label: str, place: int, plans: int
) -> Callable[[str, float, float], None]:
    """Progress of one plan as a share of all plans."""
    where = f" ({place + 1} of {plans})" if plans > 1 else ""

    def progress(what: str, done: float, total: float) -> None:
        # Masking comes before the first measure and writing after the last: 5 % for each.
        share = 0.05 + 0.9 * done / max(total, 1)
        tell("progress", ((place + share) / plans, f"{label}{where}: {inside(what)}"))

    return progress
