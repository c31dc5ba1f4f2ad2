"""Parameter constraints as data: the annotation of an argument is its check and its plan field.

``def __init__(self, k: Annotated[int, Ge(2)] = 3)`` is all that a method writes. Protectors,
attackers and stream filters are checked here, so every bad parameter gets the same kind of
sentence, and plans (TOML) and the web page get their models from the same annotations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from typing import Annotated, Any, get_type_hints

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.functional_validators import BeforeValidator, SkipValidation

from tacit.base import seeds
from tacit.base.errors import ParameterError, choices, shown

Seed = Annotated[
    Any, SkipValidation, Field(default=None, description="seed: same seed, same bytes")
]
"""Annotation of ``random_state``: an integer, a numpy Generator or RandomState, or None for a
new key of 128 bits."""
IsoDate = Annotated[
    str,
    BeforeValidator(lambda day: str(day) if isinstance(day, date) else day),
    Field(description="a date, as 2024-12-31"),
]
"""Annotation of a date: text, or the date that TOML makes of it."""
TestSeed = Annotated[
    bool,
    Field(
        description="for tests only: allow a seed, with which the noise can be taken off"
    ),
]
"""Annotation of ``test_seed`` of differentially private methods, which take no ``random_state``
without it."""

# how a method is run, not what it is: they are in no plan and in no form
NOT_OF_THE_METHOD = ("random_state", "n_jobs")
# unknown names are refused; values such as frames are let through; a parameter may begin with
# "model_", which pydantic keeps for itself unless told otherwise
_CONFIG = ConfigDict(
    extra="forbid",
    arbitrary_types_allowed=True,
    protected_namespaces=(),
)


@cache
def model_of(owner: Callable[..., object]) -> type[BaseModel]:
    """The pydantic model of the parameters of a class's constructor, or of a function.

    ``random_state`` and ``n_jobs`` are left out.
    """
    constructor: Any = owner
    if isinstance(owner, type):
        constructor = vars(owner).get("__init__") or owner.__init__  # type: ignore[misc]
    hints = get_type_hints(constructor, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(constructor).parameters.items():
        if name == "self" or name in NOT_OF_THE_METHOD:
            continue
        # *args and **kwargs have no names that a plan could hold
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        required = parameter.default is parameter.empty
        default = ... if required else parameter.default
        fields[name] = (hints.get(name, Any), default)
    return create_model(owner.__name__, __config__=_CONFIG, **fields)


def check(
    owner: Callable[..., object],
    parameters: Mapping[str, object],
) -> dict[str, Any]:
    """The parameters with their types made right.

    Or one ParameterError that names the first bad one.
    """
    own = {
        name: plain(value)
        for name, value in parameters.items()
        if name not in NOT_OF_THE_METHOD
    }
    for name in own:
        if not isinstance(name, str):
            raise ParameterError(
                f"{owner.__name__} has no parameter {shown(name)}; parameters have names"
            )
    try:
        model = model_of(owner)(**own)
    except ValidationError as error:
        raise ParameterError(_sentence(owner, error)) from None
    # values of the model, and not its dump: objects stay what they are
    return {name: getattr(model, name) for name in type(model).model_fields}


def plain(value: object) -> object:
    """numpy scalars are as good as Python's; everything else is left alone."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    return value.item() if isinstance(value, np.generic) else value


def _sentence(
    owner: Callable[..., object],
    error: ValidationError,
) -> str:
    first = error.errors()[0]
    method = owner.__name__
    name = str(first["loc"][0]) if first["loc"] else "?"
    if first["type"] == "extra_forbidden":
        # an option that was taken away says why
        removed: Mapping[str, str] = getattr(owner, "removed", {})
        if name in removed:
            return f"{method} has no parameter '{name}' any more: {removed[name]}"
        there_are = choices(name, model_of(owner).model_fields)
        return f"{method} has no parameter '{name}'; {there_are}"
    if first["type"] == "missing":
        return f"{method} needs the parameter '{name}'"
    # pydantic's words in ours
    wanted = first["msg"].replace("Input should be", "must be")
    wanted = wanted.replace("Value error, ", "")
    return f"{method}: parameter {name}={shown(first['input'])} {wanted}"


def generator(random_state: object) -> np.random.Generator:
    """The Generator of a seed.

    An integer gives the same stream each time it is asked; None is a new key of 128 bits.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        # 16 bytes: as many as a key has
        drawn = random_state.bytes(16)
        return np.random.default_rng(int.from_bytes(drawn, "little"))
    if random_state is None:
        return seeds.generator(seeds.draw())
    if not isinstance(random_state, int | np.integer):
        raise ParameterError(
            f"random_state={random_state!r} must be an integer, "
            "a numpy Generator or None"
        )
    if random_state < 0:
        raise ParameterError(f"random_state={random_state!r} must be zero or more")
    return seeds.generator(int(random_state))
