"""What the workers do, by name. Plain values in, plain values out; tables stay on this side.

A worker answers its first job, the list of methods, as soon as this module is imported; what loads
scikit-learn is therefore imported where it is needed, and `warm` does so beside other work.
"""

from __future__ import annotations

import importlib
import inspect
import threading
from functools import cache
from typing import TYPE_CHECKING, cast

import numpy as np

import tacit as tc
from tacit.app import full_runs, stream_job, unpacked
from tacit.app.describe import describe
from tacit.app.forms import JsonSchema
from tacit.app.messages import (
    AskedFile,
    Catalogue,
    ClassesOrder,
    ClassesView,
    Entry,
    FileView,
    LatticeView,
    LookView,
    OneRecordView,
    Preview,
    RecordsOrder,
    RecordsView,
    StepValues,
    StreamTick,
)
from tacit.app.opened import Tell, data_of, name_of, opened, plan_of, with_roles
from tacit.base import seeds
from tacit.base.docs import card_of
from tacit.base.errors import InputError, TacitError
from tacit.base.facts import draws_numbers, title_of
from tacit.base.parameters import model_of
from tacit.data.microdata import Microdata

if TYPE_CHECKING:
    from tacit.app.changes import ChangesOrder, ChangesView
    from tacit.plan.plan import Plan

_samples: dict[tuple[str, int], Microdata] = {}
# Set when the kernels are compiled; until then whoever waits is told so.
_compiled = threading.Event()

# plans on all records have a file of their own
run = full_runs.run
make_safe = full_runs.make_safe


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
    _compiled.set()


def _says(tell: Tell, what: str) -> None:
    """Tell who waits what is being done; compiling, where that comes first."""
    compiling = "" if _compiled.is_set() else "Compiling, once after a start: "
    tell("progress", (0.0, f"{compiling}{what.lower() if compiling else what}"))


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
            "goal": method.goal or method.family,
            "purpose": method.purpose,
            "plain": dict(method.plain),
            "kinds": sorted(str(kind) for kind in getattr(method, "kinds", ())),
            "identifiers": not getattr(method, "drops_identifiers", True),
            "about": card_of(method).summary,
            "doc": inspect.getdoc(method) or "",
            "schema": cast(JsonSchema, schema),
            "random": draws_numbers(method),
        }
    return entries


# -- reading ---------------------------------------------------------------------------------------


def demo(tell: Tell, path: str, records: int, limit_mb: int) -> FileView:
    """The demo data: a census-like file of people who do not exist."""
    tell("progress", (0.0, f"Making {records:,} people who do not exist"))
    tc.write(tc.datasets.make_census(records, seed=1), path, force=True)
    return load(tell, path, "demo.csv", limit_mb)


def load(tell: Tell, path: str, name: str, limit_mb: int) -> FileView:
    """Read a file and describe its columns."""
    tell("progress", (0.0, "Reading the file and looking at its columns"))
    try:
        with unpacked.within(path, limit_mb):
            return describe(data_of(path))
    except TacitError as error:
        # The user knows the file by its own name; where it lies here is nobody's business.
        raise InputError(str(error).replace(path, name)) from None


# -- looking at the file, as pages and their scripts ask for it -----------------------------------


def look(tell: Tell, file: AskedFile) -> LookView:
    """How exposed the file is as it stands, for the roles that were chosen."""
    from tacit.app.look import look_of

    _says(tell, "Counting who stands out on the keys")
    return look_of(opened(file))


def counts(tell: Tell, file: AskedFile) -> list[dict[str, str]]:
    """Who stands out on the keys that were chosen, in a moment."""
    from tacit.app.look import counts_of

    _says(tell, "Counting who stands out on the keys")
    return counts_of(opened(file))


def classes(tell: Tell, file: AskedFile, order: ClassesOrder) -> ClassesView:
    """The hierarchy of a column: its picture, its classes, and who stands out at each level."""
    from tacit.app.classes import classes_of

    _says(tell, "Counting who stands out at each level")
    return classes_of(opened(file), order)


def lattice(
    tell: Tell, file: AskedFile, settings: dict[str, object], chosen: dict[str, int]
) -> LatticeView:
    """The nodes of a generalisation around its best one, and why others will not do."""
    from tacit.app.lattice import lattice_of

    _says(tell, "Searching the levels of the keys")
    return lattice_of(opened(file), settings, chosen)


def records(tell: Tell, file: AskedFile, order: RecordsOrder) -> RecordsView:
    """One page of the records, as sorted, searched and filtered."""
    from tacit.app.records import Known, records_of

    _says(tell, "Counting who is alike")
    return records_of(Known(name_of(file), opened(file)), order)


def changes(tell: Tell, file: AskedFile, order: ChangesOrder) -> ChangesView:
    """What the chosen release changed."""
    from tacit.app.changes import changes_of
    from tacit.app.records import Known

    _says(tell, "Comparing the release with the original")
    return changes_of(Known(name_of(file), opened(file)), order)


def one_record(
    tell: Tell, file: AskedFile, order: RecordsOrder, row: int
) -> OneRecordView:
    """A record with its group, its household, and who competes for it."""
    from tacit.app.one_record import one_record as view_of
    from tacit.app.records import Known

    _says(tell, "Looking for who competes for the record")
    return view_of(Known(name_of(file), opened(file)), order, row)


# -- preview ---------------------------------------------------------------------------------------


@cache
def _preview_key() -> int:
    """One key per worker, so that figures do not flicker while someone types.

    What is previewed is never released.
    """
    return seeds.draw()


def preview(
    tell: Tell,
    file: AskedFile,
    steps: list[StepValues],
    bound: float,
    sample: int,
) -> Preview:
    """What a plan does to a sample: risk, loss, distributions."""
    _says(tell, "Masking and attacking a sample")
    whole = data_of(file["path"])
    data = with_roles(_sample(file["path"], whole, sample), file)
    plan = plan_of(steps).seeded(_preview_key())
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


# -- what leaves -----------------------------------------------------------------------------------


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
