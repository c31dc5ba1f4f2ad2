"""What the workers do, by name. Plain values in, plain values out; tables stay on this side.

A worker answers its first job, the list of methods, as soon as this module is imported; what loads
scikit-learn is therefore imported where it is needed, and `warm` does so beside other work.
"""

from __future__ import annotations

import importlib
import inspect
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

import tacit as tc
from tacit.app import stream_job, unpacked
from tacit.app.describe import describe
from tacit.app.forms import JsonSchema
from tacit.app.messages import (
    BEFORE,
    Catalogue,
    ClassesOrder,
    ClassesView,
    Entry,
    FileView,
    Finished,
    LatticeView,
    LookView,
    PlanOrder,
    Preview,
    RecordsOrder,
    RecordsView,
    StepValues,
    StreamTick,
)
from tacit.base import seeds
from tacit.base.docs import card_of
from tacit.base.errors import InputError, TacitError
from tacit.base.facts import draws_numbers, title_of
from tacit.base.parameters import model_of
from tacit.data.microdata import Microdata
from tacit.data.schema import Kind, Role, Schema

if TYPE_CHECKING:
    from tacit.plan.plan import Plan

Tell = Callable[[str, object], None]

# Files that stay in memory: the one being worked on, and one to go back to.
KEPT = 2
_files: dict[str, Microdata] = {}
_samples: dict[tuple[str, int], Microdata] = {}


def warm(tell: Tell) -> None:
    """Pay for imports and for compiling the kernels before someone waits for them."""
    threading.Thread(target=_through_the_kernels, daemon=True).start()


def _through_the_kernels() -> None:
    # The smallest file and the two methods that together touch what most previews need.
    rng = np.random.default_rng(0)
    data = Microdata.of(rng.normal(size=(60, 3)))
    for method in ("noise", "microaggregation"):
        plan = tc.Plan((tc.Step(method, {}, 1),))
        _preview_of(data, plan, data.n, 0.05)


def catalogue(tell: Tell) -> Catalogue:
    """Every registered protector and filter, with its facts and the schema of its parameters."""
    return {"protect": _room("tacit.protect"), "stream": _room("tacit.stream")}


def _room(package: str) -> dict[str, Entry]:
    """The methods of one room that can be used here."""
    registry = importlib.import_module(package).registry
    entries: dict[str, Entry] = {}
    for name in registry:
        try:
            method = registry[name]
            schema = model_of(method).model_json_schema()
        except (ImportError, AttributeError, TacitError):
            continue  # an optional package is missing: the method is not offered
        entries[name] = {
            "title": title_of(method, name),
            "family": method.family,
            "purpose": method.purpose,
            "about": card_of(method).summary,
            "doc": inspect.getdoc(method) or "",
            "schema": cast(JsonSchema, schema),
            "random": draws_numbers(method),
        }
    return entries


# -- reading ---------------------------------------------------------------------------------------


def demo(tell: Tell, path: str, records: int, limit_mb: int) -> FileView:
    """The demo data: a census-like file of people who do not exist."""
    tc.write(tc.datasets.make_census(records, seed=1), path, force=True)
    return load(tell, path, "demo.csv", limit_mb)


def load(tell: Tell, path: str, name: str, limit_mb: int) -> FileView:
    """Read a file and describe its columns."""
    try:
        with unpacked.within(path, limit_mb):
            return describe(_data(path))
    except TacitError as error:
        # The user knows the file by its own name; where it lies here is nobody's business.
        raise InputError(str(error).replace(path, name)) from None


def _data(path: str) -> Microdata:
    """The file, read once."""
    if path not in _files:
        while len(_files) >= KEPT:
            oldest = next(iter(_files))
            _files.pop(oldest)
        _files[path] = tc.read(path)
    return _files[path]


def _with_roles(
    data: Microdata, roles: Mapping[str, str], kinds: Mapping[str, str]
) -> Microdata:
    """The file with roles and kinds as corrected on the page."""
    columns = [
        replace(
            column,
            role=Role(roles.get(column.name, column.role)),
            kind=Kind(kinds.get(column.name, column.kind)),
        )
        for column in data.schema
    ]
    return data.with_schema(Schema(tuple(columns)))


def _plan(steps: list[StepValues]) -> Plan:
    """The plan of a form; a mistake in it is raised here, as one sentence."""
    checked = [
        tc.Step(step["method"], step["parameters"], step["seed"]) for step in steps
    ]
    plan: Plan = tc.Plan(tuple(checked))
    return plan


def look(
    tell: Tell, path: str, roles: dict[str, str], kinds: dict[str, str]
) -> LookView:
    """How exposed the file is as it stands, for the roles that were chosen."""
    from tacit.app.look import look_of

    return look_of(_with_roles(_data(path), roles, kinds))


def classes(
    tell: Tell,
    path: str,
    roles: dict[str, str],
    kinds: dict[str, str],
    order: ClassesOrder,
) -> ClassesView:
    """The hierarchy of a column: its picture, its classes, and who stands out at each level."""
    from tacit.app.classes import classes_of

    return classes_of(_with_roles(_data(path), roles, kinds), order)


def lattice(
    tell: Tell,
    path: str,
    roles: dict[str, str],
    kinds: dict[str, str],
    settings: dict[str, object],
    chosen: dict[str, int],
) -> LatticeView:
    """The nodes of a generalisation around its best one, and why others will not do."""
    from tacit.app.lattice import lattice_of

    return lattice_of(_with_roles(_data(path), roles, kinds), settings, chosen)


def records(
    tell: Tell,
    path: str,
    roles: dict[str, str],
    kinds: dict[str, str],
    order: RecordsOrder,
) -> RecordsView:
    """One page of the records, as sorted, searched and filtered."""
    from tacit.app.records import records_of

    return records_of(_with_roles(_data(path), roles, kinds), order)


# -- preview ---------------------------------------------------------------------------------------


@cache
def _preview_key() -> int:
    """One key per worker, so that figures do not flicker while someone types.

    What is previewed is never released.
    """
    return seeds.draw()


def preview(
    tell: Tell,
    path: str,
    roles: dict[str, str],
    kinds: dict[str, str],
    steps: list[StepValues],
    bound: float,
    sample: int,
) -> Preview:
    """What a plan does to a sample: risk, loss, distributions."""
    whole = _data(path)
    data = _with_roles(_sample(path, whole, sample), roles, kinds)
    plan = _plan(steps).seeded(_preview_key())
    return _preview_of(data, plan, whole.n, bound)


def _sample(path: str, whole: Microdata, size: int) -> Microdata:
    """The same records for every preview of a file, so that only the plan changes the figures."""
    key = (path, size)
    if key not in _samples:
        _samples.clear()
        rng = np.random.default_rng(0)
        rows = rng.choice(whole.n, min(size, whole.n), replace=False)
        _samples[key] = whole.take(np.sort(rows))
    return _samples[key]


def _preview_of(data: Microdata, plan: Plan, whole: int, bound: float) -> Preview:
    from tacit.app.figures import preview_of

    return preview_of(data, plan, whole, bound)


# -- the whole file --------------------------------------------------------------------------------


def run(
    tell: Tell,
    path: str,
    name: str,
    roles: dict[str, str],
    kinds: dict[str, str],
    plans: list[PlanOrder],
    bound: float,
    limits: dict[str, float],
    folder: str,
    depth: str,
) -> int:
    """Each plan on all records: mask, attack, measure, write; the number that ended well.

    Sends a `tick` with the figures of each plan as soon as it has ended.
    """
    from tacit.app.figures import Order, as_it_is, finish

    tell("progress", (0.0, "Reading the file"))
    data = _with_roles(_data(path), roles, kinds)
    order = Order(Path(path), Path(folder), name, bound, limits, depth)
    good = 0
    # the file as it is may be among them, for comparison
    wanted = sum(one["run"] != BEFORE for one in plans)
    for place, one in enumerate(plans):
        progress = _progress(tell, one["label"], place, len(plans))
        progress("masking", 0, 1)
        done: Finished = {"run": one["run"], "summary": {}, "files": {}, "error": ""}
        try:
            if one["run"] == BEFORE:
                done["summary"] = as_it_is(data, order, progress)
            else:
                plan = _plan(one["steps"]).seeded()
                done["summary"], done["files"] = finish(data, plan, order, progress)
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
    path: str,
    name: str,
    roles: dict[str, str],
    kinds: dict[str, str],
    steps: list[StepValues],
    bound: float,
    limits: dict[str, float],
    folder: str,
    depth: str,
) -> int:
    """Strengthen a plan until it is safe, each try on all records; the number of tries.

    Sends a `tick` for every try; `final` marks the one that was found and drawn again.
    """
    from tacit.app.figures import Order, finish
    from tacit.compare.strengthened import strengthened

    tell("progress", (0.0, "Reading the file"))
    data = _with_roles(_data(path), roles, kinds)
    order = Order(Path(path), Path(folder), name, bound, limits, depth)
    done: list[Finished] = []

    def is_safe(plan: Plan, what: str) -> bool:
        number = len(done) + 1

        def progress(text: str, share: float, total: float) -> None:
            # nobody knows how many tries there will be: each gets half of what is left
            part = 1 - 0.8 ** (number - 1 + share / max(total, 1))
            tell("progress", (part, f"Try {number}, {what}: {text}"))

        progress("masking", 0, 1)
        one: Finished = {"run": number, "summary": {}, "files": {}, "error": ""}
        one["steps"] = [
            {"method": step.method, "parameters": dict(step.parameters), "seed": None}
            for step in plan.steps
        ]
        try:
            one["summary"], one["files"] = finish(data, plan.seeded(), order, progress)
        except TacitError as error:
            one["error"] = str(error)
        done.append(one)
        tell("tick", one)
        return not one["error"] and one["summary"]["verdict"]["state"] == "good"

    strengthened(_plan(steps).without_seeds(), is_safe, data.n)
    # the last safe try is the one that was found: where it was drawn again, that draw
    safe = [
        one
        for one in done
        if not one["error"] and one["summary"]["verdict"]["state"] == "good"
    ]
    tell("tick", {**safe[-1], "final": True})
    return len(done)


def _progress(
    tell: Tell, label: str, place: int, plans: int
) -> Callable[[str, float, float], None]:
    """Progress of one plan as a share of all plans."""
    where = f" ({place + 1} of {plans})" if plans > 1 else ""

    def progress(what: str, done: float, total: float) -> None:
        # Masking comes before the first measure and writing after the last: 5 % for each.
        share = 0.05 + 0.9 * done / max(total, 1)
        tell("progress", ((place + share) / plans, f"{label}{where}: {what}"))

    return progress


def export(tell: Tell, masked: str, target: str, safe_formulas: bool) -> str:
    """The masked file in another format, or with formulas as they are."""
    tc.write(tc.read(masked), target, force=True, safe_formulas=safe_formulas)
    return target


def stream(
    tell: Tell,
    filter: str,
    parameters: dict[str, object],
    source: str,
    path: str,
    count: int,
    pace: float,
    limit_mb: int,
) -> StreamTick:
    """A live stream for the stream page."""
    with unpacked.within(path, limit_mb):
        rows = stream_job.records(source, path, count)
    return stream_job.run(tell, filter, parameters, rows, pace)
