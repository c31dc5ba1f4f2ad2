"""Parameter constraints as data: the annotation of a constructor's argument is its check and its plan field.

``def __init__(self, k: Annotated[int, Ge(2)] = 3)`` is all that a method writes. Protectors, attackers and
stream filters are checked here, so every bad parameter gets the same kind of sentence, and plans (TOML) and
the web page get their models from the same annotations.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Annotated, Any, get_type_hints

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.functional_validators import SkipValidation

from tacit.errors import ParameterError, choices

Seed = Annotated[Any, SkipValidation, Field(default=None, description="seed: same seed, same bytes")]
"""Annotation of ``random_state``: an integer, a numpy Generator or RandomState, or None for fresh entropy."""


@cache
def model_of(owner: type) -> type[BaseModel]:
    """The pydantic model of a class's constructor parameters (``random_state`` and ``n_jobs`` excluded)."""
    constructor = vars(owner).get("__init__") or owner.__init__  # type: ignore[misc]
    hints = get_type_hints(constructor, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(constructor).parameters.items():
        if name in ("self", "random_state", "n_jobs"):
            continue
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[name] = (hints.get(name, Any), default)
    return create_model(
        owner.__name__,
        __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=True, protected_namespaces=()),
        **fields,
    )


def check(owner: type, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters with their types made right, or one ParameterError that names the first bad one."""
    given = {name: _plain(value) for name, value in parameters.items() if name not in ("random_state", "n_jobs")}
    try:
        model = model_of(owner)(**given)
    except ValidationError as error:
        raise ParameterError(_sentence(owner, error)) from None
    return {name: getattr(model, name) for name in type(model).model_fields}


def _plain(value: Any) -> Any:
    """numpy scalars are as good as Python's; everything else is left alone."""
    return value.item() if isinstance(value, np.generic) else value


def _sentence(owner: type, error: ValidationError) -> str:
    first = error.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else "?"
    if first["type"] == "extra_forbidden":
        return f"{owner.__name__} has no parameter '{name}'; {choices(name, model_of(owner).model_fields)}"
    if first["type"] == "missing":
        return f"{owner.__name__} needs the parameter '{name}'"
    wanted = first["msg"].replace("Input should be", "must be").replace("Value error, ", "")
    return f"{owner.__name__}: parameter {name}={first['input']!r} {wanted}"


def generator(random_state: Any) -> np.random.Generator:
    """The Generator of a seed: an int gives the same stream each time it is asked; a Generator is used as it is."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31 - 1))
    if random_state is not None and not isinstance(random_state, int | np.integer):
        raise ParameterError(f"random_state={random_state!r} must be an integer, a numpy Generator or None")
    if random_state is not None and random_state < 0:
        raise ParameterError(f"random_state={random_state!r} must be zero or more")
    return np.random.default_rng(random_state)
