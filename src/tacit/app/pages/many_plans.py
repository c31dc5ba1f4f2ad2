"""Many plans at once: a range of a parameter, every method, or stronger ones until one is safe."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request, Response

from tacit.app import forms
from tacit.app.fitting import new_step, offered
from tacit.app.messages import Finished, StepValues
from tacit.app.pages.home import to
from tacit.app.pages.protect import label_of, on_all_records, start
from tacit.app.project import Attempt
from tacit.app.session import first_of, form_of, project_of, state_of

router = APIRouter()

# Plans in one go: more points would hide each other on the map.
MOST = 60


@router.post("/p/{pid}/sweep")
async def sweep(request: Request, pid: str) -> Response:
    """Run the plan once for each value of one parameter."""
    state = state_of(request)
    project = project_of(request, pid)
    form = await form_of(request)
    catalogue = await state.catalogue()
    project.notice = ""
    values: list[float] = []
    # Semicolons and commas with a space separate values; a comma inside one is a decimal comma.
    text = first_of(form, "values").replace(";", " ").replace(", ", " ")
    for word in text.split():
        try:
            values.append(float(word.replace(",", ".")))
        except ValueError:
            project.notice = (
                f"“{word}” is not a number. Write the values like this: 2 5 10."
            )
            return to(f"/p/{pid}/compare")
    index, _, name = first_of(form, "knob").partition(".")
    place = forms.whole_number(index)
    plan = project.setup.steps
    if place is not None and place < len(plan):
        attempts = []
        for value in values[:MOST]:
            steps = _with_value(plan, place, name, value)
            attempts.append(project.new_attempt(label_of(steps, catalogue), steps))
        start(state, project, attempts)
    return to(f"/p/{pid}/compare")


def _with_value(
    steps: Sequence[StepValues], place: int, name: str, value: float
) -> tuple[StepValues, ...]:
    """The plan with one parameter changed; the old plan stays as it is."""
    changed = [step.copy() for step in steps]
    # Whole numbers are written as such: parameters that count take no others.
    number = int(value) if value.is_integer() else value
    parameters = changed[place]["parameters"]
    changed[place]["parameters"] = {**parameters, name: number}
    return tuple(changed)


@router.post("/p/{pid}/defaults")
async def defaults(request: Request, pid: str) -> Response:
    """Run every method with its defaults."""
    state = state_of(request)
    project = project_of(request, pid)
    catalogue = await state.catalogue()
    attempts = []
    # methods that can mask no key of the file would only say so
    methods = offered(catalogue["protect"], project.setup, set())
    for method, entry in methods.items():
        steps = (new_step(method, entry, project.setup),)
        attempts.append(project.new_attempt(label_of(steps, catalogue), steps))
    start(state, project, attempts)
    return to(f"/p/{pid}/compare")


@router.post("/p/{pid}/make_safe")
async def make_safe(request: Request, pid: str) -> Response:
    """Strengthen the plan until it is safe; each try is a point on the map."""
    state = state_of(request)
    project = project_of(request, pid)
    catalogue = await state.catalogue()
    if project.busy:
        return to(f"/p/{pid}/compare")
    project.notice = ""
    tries: dict[int, Attempt] = {}

    def tick(done: Finished) -> None:
        steps = tuple(done.get("steps", ()))
        if done.get("final"):
            project.choose(tries[done["run"]])
            return
        attempt = project.new_attempt(label_of(steps, catalogue), steps)
        attempt.summary = done["summary"]
        attempt.files = done["files"]
        attempt.error = done["error"]
        tries[done["run"]] = attempt
        project.add(attempt)

    steps = list(project.setup.steps)
    on_all_records(state, project, "make_safe", tick, steps=steps)
    return to(f"/p/{pid}/compare")
