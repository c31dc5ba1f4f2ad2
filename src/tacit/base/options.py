"""Options of functions, checked by their annotations as those of methods are.

A measure is a function of frames with options: ``def k_anonymity(original, masked, k: int = 3)``. A
wrong one is the same sentence as a wrong parameter of a method, and never an error from within.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Set
from functools import wraps
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")
# annotations of arguments that may be anything: frames
DATA = ("object", "Any", "Frame")


def checked(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """The function, which refuses options that are not of their type; frames are let through.

    >>> @checked
    ... def counted(original: object, k: int = 3) -> int:
    ...     return k
    >>> counted([], k="many")
    Traceback (most recent call last):
    ...
    tacit.base.errors.ParameterError: counted: parameter k='many' must be a valid integer, ...
    """
    signature = inspect.signature(function)
    options = [
        name
        for name, parameter in signature.parameters.items()
        if str(parameter.annotation) not in DATA
    ]

    @wraps(function)
    def call(*given: Given.args, **named: Given.kwargs) -> Result:
        positional = len(given) > len(signature.parameters) - len(options)
        if not positional and not named:
            return function(*given, **named)
        # loaded where there is something to check: it takes a twentieth of a second
        from tacit.base import parameters

        try:
            bound = signature.bind(*given, **named)
        except TypeError:
            # Python says what is missing, or not known
            return function(*given, **named)
        for name in options:
            if name in bound.arguments:
                value = parameters.plain(bound.arguments[name])
                bound.arguments[name] = _listed(value)
        right = parameters.check(function, bound.arguments)
        # "3" is 3, as in a plan
        for name in options:
            if isinstance(bound.arguments.get(name), str | bytes):
                bound.arguments[name] = right[name]
        return function(*bound.args, **bound.kwargs)

    return call


def _listed(value: object) -> object:
    """Names in an index, an array, or a set, as a list."""
    if isinstance(value, Set):
        return list(value)
    is_names = getattr(getattr(value, "dtype", None), "kind", "") in ("U", "O", "T")
    if is_names and getattr(value, "ndim", 0) == 1:
        return list(value)  # type: ignore[call-overload]  # it has a length
    return value
