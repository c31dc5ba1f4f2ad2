"""The map of what was run; choosing the release; trying many plans at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from tacit.app import forms
from tacit.app.pages.home import to, unready
from tacit.app.pages.protect import label_of, new_step, start
from tacit.app.project import Project, Run
from tacit.app.state import form_of, project, state
from tacit.report.charts import Point, risk_utility_map
from tacit.report.comparison import verdict
from tacit.report.svg import SHAPES, Drawing
from tacit.report.words import inside, number, percent

if TYPE_CHECKING:
    from tacit.frontier import Trial

router = APIRouter()


def family(run: Run) -> str:
    return " + ".join(dict.fromkeys(step["method"].replace("_", " ") for step in run.steps)) or "as it is"


@router.get("/p/{pid}/compare")
async def compare(request: Request, pid: str) -> Response:
    s, p = state(request), project(request, pid)
    wait = unready(request, p)
    if wait is not None:
        return wait
    knobs = _knobs(p.setup.steps, await s.catalogue())
    seen = f"{len(p.runs)}.{p.setup.release}"
    return s.page("compare.html", project=p, here="compare", knobs=knobs, seen=seen, **_drawn(p))


@router.get("/p/{pid}/compare/live")
async def live(request: Request, pid: str) -> Response:
    """The map and the table alone, as runs end."""
    template = state(request).templates.get_template("runs.html")
    return HTMLResponse(template.render(**_drawn(project(request, pid))))


def _drawn(p: Project) -> dict[str, Any]:
    from tacit.frontier import LOSS, STRONGEST, Frontier

    good = [run for run in p.runs if run.ok]
    chosen = p.setup.release
    frontier = Frontier(tuple(r.summary["trial"] for r in good), STRONGEST, LOSS, p.setup.bound, p.about["records"])
    best = {id(trial) for trial in frontier.best}
    points = [
        Point(r.label, t.risk, t.loss, family(r), r.id == chosen, id(t) in best, str(r.id))
        for r, t in zip(good, frontier.trials, strict=True)
        if t.risk == t.risk and t.loss < float("inf")
    ]
    drawing = risk_utility_map(
        points,
        bound=p.setup.bound,
        width=980,
        height=420,
        risk_name="people found",
        loss_name=inside(LOSS),
        legend=False,
    )
    families = list(dict.fromkeys(point.family for point in points))
    return {
        "good": good,
        "map": str(drawing),
        "families": [{"name": name, "mark": _mark(i)} for i, name in enumerate(families)],
        "advice": verdict(frontier).sentence if good else "",
        "notes": sorted({r.summary["note"] for r in good} - {""}),
        "runs": [_row(run, chosen, frontier.recommended) for run in reversed(p.runs)],
    }


def _mark(i: int) -> str:
    d = Drawing(14, 12, "", kind="mark")
    d.mark(7, 6, SHAPES[i % len(SHAPES)], f"point edge series-{i % 6 + 1}", 4)
    return str(d).replace('role="img" aria-label=""', 'aria-hidden="true"')


def _row(run: Run, chosen: int | None, recommended: Trial | None) -> dict[str, Any]:
    out: dict[str, Any] = {"id": run.id, "label": run.label, "error": run.error, "chosen": run.id == chosen}
    if not run.ok:
        return out | dict.fromkeys(("risk", "chance", "loss", "score"), "–") | {"by": "", "state": "", "word": ""}
    trial = run.summary["trial"]
    return out | {
        "risk": percent(trial.risk),
        "by": inside(trial.attacker),
        "chance": percent(run.summary["chance"]),
        "loss": number(trial.loss),
        "score": number(trial.score),
        "recommended": trial is recommended,
        "state": run.summary["verdict"]["state"],
        "word": run.summary["verdict"]["word"],
    }


def _knobs(steps: Any, catalogue: dict[str, Any]) -> list[dict[str, str]]:
    """The numeric parameters of the plan, each with a range around its present value to start from."""
    knobs = []
    for i, step in enumerate(steps):
        entry = catalogue["protect"][step["method"]]
        for f in forms.fields(entry["schema"], step["parameters"], entry["doc"]):
            middle = f.value if f.value is not None else f.default
            if not isinstance(middle, int | float) or isinstance(middle, bool):
                continue
            tries = [middle * share for share in (0.5, 1, 2, 4)] if middle else [1, 2, 4]
            if isinstance(middle, int):
                tries = [round(v) for v in tries]
            kept = [v for v in tries if (f.low is None or v >= f.low) and (f.high is None or v <= f.high)]
            knobs.append(
                {
                    "id": f"{i}.{f.name}",
                    "label": f"{f.label} of {entry['title']}, step {i + 1}",
                    "tries": " ".join(f"{v:g}" for v in dict.fromkeys(kept)),
                }
            )
    return knobs


@router.post("/p/{pid}/choose")
async def choose(request: Request, pid: str) -> Response:
    p = project(request, pid)
    text = (await form_of(request)).get("run", [""])[0]
    if text.isdigit() and p.run(int(text)) is not None:
        p.change("choose", release=int(text))
    return to(f"/p/{pid}/compare")


@router.post("/p/{pid}/forget")
async def forget(request: Request, pid: str) -> Response:
    p = project(request, pid)
    text = (await form_of(request)).get("run", [""])[0]
    if text.isdigit():
        p.forget(int(text))
    return to(f"/p/{pid}/compare")


@router.post("/p/{pid}/sweep")
async def sweep(request: Request, pid: str) -> Response:
    s, p = state(request), project(request, pid)
    form = await form_of(request)
    index, _, name = form.get("knob", [""])[0].partition(".")
    catalogue = await s.catalogue()
    p.notice = ""
    values: list[float] = []
    for word in form.get("values", [""])[0].replace(";", " ").replace(", ", " ").split():
        try:
            values.append(float(word.replace(",", ".")))
        except ValueError:
            p.notice = f"“{word}” is not a number. Write the values like this: 2 5 10."
            return to(f"/p/{pid}/compare")
    if index.isdigit() and int(index) < len(p.setup.steps) and values:
        runs = []
        for value in values[:60]:
            given: float | int = int(value) if float(value).is_integer() else value
            steps = [dict(step) for step in p.setup.steps]
            one = steps[int(index)]
            one["parameters"] = {**one["parameters"], name: given}
            runs.append(p.new_run(label_of(steps, catalogue), tuple(steps)))
        start(s, p, runs)
    return to(f"/p/{pid}/compare")


@router.post("/p/{pid}/defaults")
async def defaults(request: Request, pid: str) -> Response:
    s, p = state(request), project(request, pid)
    catalogue = await s.catalogue()
    plans = [(new_step(method, 0),) for method in catalogue["protect"]]
    start(s, p, [p.new_run(label_of(steps, catalogue), steps) for steps in plans])
    return to(f"/p/{pid}/compare")
