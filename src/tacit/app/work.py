"""What the workers do, by name. Plain values in, plain values out; tables stay on this side, in memory or files."""

from __future__ import annotations

import importlib
import inspect
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tacit.errors import InputError, TacitError

Tell = Callable[[str, Any], None]

_files: dict[str, Any] = {}
_samples: dict[Any, Any] = {}


def warm(tell: Tell) -> None:
    """Pay for imports and for compiling the kernels before someone waits for them, beside other work."""
    threading.Thread(target=_through_the_kernels, daemon=True).start()


def _through_the_kernels() -> None:
    import numpy as np

    import tacit as tc
    from tacit.app.figures import preview_of

    data = tc.Microdata.of(np.random.default_rng(0).normal(size=(60, 3)))
    for method in ("noise", "microaggregation"):
        preview_of(data, tc.Plan((tc.Step(method, {}, 1),)), data.n, 0.05)


def catalogue(tell: Tell) -> dict[str, Any]:
    """Every registered protector and filter: title, first sentence, docstring, JSON schema of its parameters."""
    out: dict[str, Any] = {"protect": _room("tacit.protect")}
    try:
        out["stream"] = _room("tacit.stream")
    except (ImportError, AttributeError):
        out["stream"] = {}
    return out


def _room(package: str) -> dict[str, Any]:
    from tacit.parameters import model_of
    from tacit.report.words import title

    registry = importlib.import_module(package).registry
    out: dict[str, Any] = {}
    for name in registry:
        try:
            made = registry[name]
            schema = model_of(made).model_json_schema()
        except (ImportError, AttributeError, TacitError):
            continue  # an optional package is missing: the method is not offered
        doc = inspect.getdoc(made) or ""
        out[name] = {
            "title": title(name),
            "about": " ".join(doc.split("\n\n")[0].split()),
            "doc": doc,
            "schema": schema,
            "random": "random_state" in inspect.signature(made).parameters,
        }
    return out


# -- reading -----------------------------------------------------------------------------------------------


def demo(tell: Tell, path: str, records: int) -> dict[str, Any]:
    """The demo data: a census-like file of people who do not exist."""
    import tacit as tc

    tc.write(tc.datasets.make_census(records, seed=1), path, force=True)
    return load(tell, path, "demo.csv")


def load(tell: Tell, path: str, name: str) -> dict[str, Any]:
    """Read a file and describe its columns."""
    from tacit.app.describe import describe

    try:
        return describe(_data(path))
    except TacitError as error:
        raise InputError(str(error).replace(path, name)) from None


def _data(path: str) -> Any:
    """The file, read once; the last two stay in memory."""
    import tacit as tc

    if path not in _files:
        while len(_files) > 1:
            _files.pop(next(iter(_files)))
        _files[path] = tc.read(path)
    return _files[path]


def _with_roles(data: Any, roles: dict[str, str], kinds: dict[str, str]) -> Any:
    from dataclasses import replace

    from tacit.schema import Kind, Role, Schema

    columns = tuple(
        replace(c, role=Role(roles.get(c.name, c.role)), kind=Kind(kinds.get(c.name, c.kind))) for c in data.schema
    )
    return data.with_schema(Schema(columns))


def _plan(steps: list[dict[str, Any]]) -> Any:
    import tacit as tc

    return tc.Plan(tuple(tc.Step(s["method"], s["parameters"], s["seed"]) for s in steps))


# -- preview -----------------------------------------------------------------------------------------------


def preview(
    tell: Tell, path: str, roles: dict[str, str], kinds: dict[str, str], steps: list[dict[str, Any]],
    bound: float, sample: int,
) -> dict[str, Any]:  # fmt: skip
    """What a plan does to a sample: risk, loss, distributions."""
    from tacit.app.figures import preview_of

    whole = _data(path)
    key = (path, sample)
    if key not in _samples:
        _samples.clear()
        import numpy as np

        rows = np.random.default_rng(0).choice(whole.n, min(sample, whole.n), replace=False)
        _samples[key] = whole.take(np.sort(rows))
    data = _with_roles(_samples[key], roles, kinds)
    return preview_of(data, _plan(steps), whole.n, bound)


# -- the whole file ------------------------------------------------------------------------------------------


def run(
    tell: Tell, path: str, name: str, roles: dict[str, str], kinds: dict[str, str], plans: list[dict[str, Any]],
    bound: float, folder: str, depth: str,
) -> int:  # fmt: skip
    """Each plan on all records: mask, attack, measure, write. Sends a `tick` with the figures of each."""
    from tacit.app.figures import finish

    tell("progress", (0.0, "Reading the file"))
    data = _with_roles(_data(path), roles, kinds)
    good = 0
    for i, one in enumerate(plans):
        where = f" ({i + 1} of {len(plans)})" if len(plans) > 1 else ""

        def progress(what: str, done: float, total: float, i: int = i, where: str = where) -> None:
            share = (i + 0.05 + 0.9 * done / max(total, 1)) / len(plans)
            tell("progress", (share, f"{one['label']}{where}: {what}"))  # noqa: B023

        progress("masking", 0, 1)
        try:
            summary, files = finish(data, _plan(one["steps"]), Path(path), Path(folder), name, bound, depth, progress)
            good += 1
            tell("tick", {"run": one["run"], "summary": summary, "files": files, "error": ""})
        except TacitError as error:
            tell("tick", {"run": one["run"], "summary": {}, "files": {}, "error": str(error)})
            if len(plans) == 1:
                raise
    return good


def export(tell: Tell, masked: str, target: str, safe_formulas: bool) -> str:
    """The masked file in another format, or with formulas neutralised."""
    import tacit as tc

    tc.write(tc.read(masked), target, force=True, safe_formulas=safe_formulas)
    return target


def stream(
    tell: Tell, filter: str, parameters: dict[str, Any], source: str, path: str, count: int, pace: float
) -> dict[str, Any]:
    """A live stream for the stream page."""
    from tacit.app.flow import records
    from tacit.app.flow import run as flow

    return flow(tell, filter, parameters, records(source, path, count), pace)
