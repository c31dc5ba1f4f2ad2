"""Single compiled functions of scipy, without the packages around them.

Why. ``import scipy.optimize`` runs 330 modules, 0.4 CPU seconds, which is more than the links of a
small file take; ``tacit assess`` needs one function of it. The compiled file with this function
stands by itself, so it alone is loaded. Where that is not possible (another layout, a library that
is found by its package only), the public function is imported instead: the two are the same code.

>>> linear_sum_assignment(np.array([[1.0, 0.0], [0.0, 5.0]]))[1].tolist()
[1, 0]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

from tacit.base.typing import Floats, Ints

Function = Callable[..., Any]
RELATIVE = 4 * float(np.finfo(float).eps)
"""The relative tolerance of ``brentq``, scipy's own."""


def linear_sum_assignment(costs: Floats) -> tuple[Ints, Ints]:
    """``scipy.optimize.linear_sum_assignment``: the cheapest one-to-one links of a matrix."""
    solve = _function("scipy.optimize", "_lsap", "linear_sum_assignment")
    rows, columns = solve(costs)
    return np.asarray(rows), np.asarray(columns)


def cdist(x: Floats, y: Floats, metric: str) -> Floats:
    """``scipy.spatial.distance.cdist``: the distances between all rows of both."""
    ours = np.ascontiguousarray(x, dtype=np.float64)
    theirs = np.ascontiguousarray(y, dtype=np.float64)
    measure = _compiled("scipy.spatial", "_distance_pybind", f"cdist_{metric}")
    if measure is None:
        public = import_module("scipy.spatial.distance")
        return np.asarray(public.cdist(ours, theirs, metric))
    return np.asarray(measure(ours, theirs))


def brentq(function: Callable[[float], float], low: float, high: float) -> float:
    """``scipy.optimize.brentq``: the zero of a function between two points of opposite sign."""
    solve = _compiled("scipy.optimize", "_zeros", "_brentq")
    if solve is None:
        return float(import_module("scipy.optimize").brentq(function, low, high))
    # scipy's defaults: tolerances, iterations, no further arguments, and an error if it fails
    return float(solve(function, low, high, 2e-12, RELATIVE, 100, (), False, True))


def special(name: str) -> Function:
    """A function of ``scipy.special`` that is loaded when it is first called."""

    def function(*arguments: Any, **options: Any) -> Any:
        run = _function("scipy.special", "_special_ufuncs", name)
        return run(*arguments, **options)

    function.__name__ = function.__qualname__ = name
    return function


chdtri = special("chdtri")
digamma = special("psi")  # its name in the compiled file; the two are one function
erf = special("erf")
gammaln = special("gammaln")
logsumexp = special("logsumexp")
ndtr = special("ndtr")
ndtri = special("ndtri")


def _function(package: str, file: str, name: str) -> Function:
    """The compiled function, or the public one of the same name."""
    found = _compiled(package, file, name)
    if found is None:
        found = getattr(import_module(package), name)
    return found


@cache
def _compiled(package: str, file: str, name: str) -> Function | None:
    """A function of the compiled file of a package; None where it cannot be had alone."""
    full = f"{package}.{file}"
    # who has imported scipy already has it
    module = sys.modules.get(full)
    if module is None:
        try:
            module = _loaded(package, file)
        except (ImportError, OSError):
            return None
    return getattr(module, name, None)


def _loaded(package: str, file: str) -> Any:
    """The compiled file as a module that is not known to anybody else."""
    top, *rest = package.split(".")
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        raise ImportError(top)
    folder = Path(spec.origin).parent.joinpath(*rest)
    for suffix in EXTENSION_SUFFIXES:
        path = folder / f"{file}{suffix}"
        if path.exists():
            name = f"{package}.{file}"
            loader = ExtensionFileLoader(name, str(path))
            spec = spec_from_file_location(name, path, loader=loader)
            assert spec is not None
            module = module_from_spec(spec)
            loader.exec_module(module)
            return module
    raise ImportError(f"{package}.{file}")
