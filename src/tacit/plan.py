"""Plans: an ordered list of protection steps with parameters and seeds, kept as TOML and applied in one call."""

from __future__ import annotations

import inspect
import secrets
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal

from tacit import parameters
from tacit.errors import InputError, ParameterError
from tacit.measure import jsonable
from tacit.microdata import Microdata
from tacit.protect import registry

#: Seeds are drawn below 2**31, so that every tool that reads the plan can hold them.
LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class Step:
    """One protection step: a method of ``tacit.protect``, its parameters, and its seed if it draws numbers."""

    method: str
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None

    def __post_init__(self) -> None:
        checked = parameters.check(registry[self.method], self.parameters)
        # only what was said, with its type made right: defaults stay the method's own
        object.__setattr__(self, "parameters", {name: checked[name] for name in self.parameters})

    @property
    def random(self) -> bool:
        """Does the method draw random numbers?"""
        return "random_state" in inspect.signature(registry[self.method]).parameters

    @property
    def unseeded(self) -> bool:
        """Must the method draw from the system, because a seed on record would undo its guarantee?"""
        return bool(getattr(registry[self.method], "unseeded", False))

    def protector(self) -> Any:
        """The protector of this step."""
        seed = {"random_state": self.seed} if self.random else {}
        return registry[self.method](**self.parameters, **seed)

    def to_dict(self) -> dict[str, Any]:
        """Flat, as in the TOML file."""
        seed = {} if self.seed is None else {"seed": self.seed}
        return {"method": self.method, **seed, **jsonable(self.parameters)}

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value}" for name, value in self.parameters.items() if value is not None)
        return f"{self.method}({told})"


@dataclass(frozen=True)
class Plan:
    """Protection steps in order; optional roles and kinds of columns.

    >>> plan = Plan.from_toml('''
    ... [[steps]]
    ... method = "noise"
    ... percent = 10
    ... seed = 7
    ... ''')
    >>> print(plan)
    noise(percent=10.0)
    """

    steps: tuple[Step, ...]
    name: str = ""
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, what: Any) -> Plan:
        """From a plan, a step, a protector, or a list of them."""
        if isinstance(what, Plan):
            return what
        if isinstance(what, Step):
            return cls((what,))
        if isinstance(what, list | tuple):
            return cls(tuple(step for part in what for step in cls.of(part).steps))
        if hasattr(what, "get_params"):
            given = what.get_params(deep=False)
            defaults = type(what)().get_params(deep=False) if _constructible(registry.name_of(what)) else {}
            told = {
                name: value
                for name, value in given.items()
                if name != "random_state" and not (name in defaults and _same(value, defaults[name]))
            }
            seed = given.get("random_state")
            return cls((Step(registry.name_of(what), told, seed if isinstance(seed, int) else None),))
        raise ParameterError(f"a {type(what).__name__} is not a plan; give a Plan, a protector, or a list of them")

    def seeded(self, seed: int | None = None) -> Plan:
        """The plan with a seed for every random step: step i gets ``seed + i`` (fresh entropy without a seed).

        Differentially private steps get one only when it is asked for: who knows the seed can remove the noise.
        """
        first = secrets.randbelow(LARGEST_SEED - len(self.steps)) if seed is None else seed
        steps = [
            replace(step, seed=first + i)
            if step.random and (seed is not None or (step.seed is None and not step.unseeded))
            else step
            for i, step in enumerate(self.steps)
        ]
        return replace(self, steps=tuple(steps))

    def protectors(self) -> list[Any]:
        """The protectors of the steps, in order."""
        return [step.protector() for step in self.steps]

    def apply(self, data: Any) -> Any:
        """Mask; the same kind of frame comes back (Microdata for Microdata)."""
        micro = Microdata.of(data)
        if self.columns:
            micro = micro.with_schema(_apply_columns(micro, self.columns))
        for protector in self.protectors():
            micro = protector.fit_transform(micro)
        return micro if isinstance(data, Microdata) else micro.to_native()

    def to_dict(self) -> dict[str, Any]:
        """Plain types, as in the TOML file."""
        out: dict[str, Any] = {"name": self.name} if self.name else {}
        out["steps"] = [_without_none(step.to_dict()) for step in self.steps]
        if self.columns:
            out["columns"] = self.columns
        return out

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any], *, source: str = "plan") -> Plan:
        """From plain types."""
        unknown = set(raw) - {"steps", "name", "columns"}
        if unknown:
            raise InputError(f"{source}: a plan has steps, name and columns, not '{min(unknown)}'")
        entries = raw.get("steps", [])
        if not isinstance(entries, list) or not entries:
            raise InputError(f"{source}: a plan needs at least one [[steps]] entry")
        steps = []
        for number, entry in enumerate(entries, start=1):
            if not isinstance(entry, Mapping) or "method" not in entry:
                raise InputError(f"{source}: step {number} names no method")
            told = {name: value for name, value in entry.items() if name not in ("method", "seed")}
            try:
                steps.append(Step(entry["method"], told, entry.get("seed")))
            except ParameterError as error:
                raise ParameterError(f"{source}: step {number}: {error}") from None
        return cls(tuple(steps), str(raw.get("name", "")), dict(raw.get("columns", {})))

    def to_toml(self) -> str:
        """The plan file."""
        import tomli_w

        return tomli_w.dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str, *, source: str = "plan") -> Plan:
        """Read a plan file's text."""
        try:
            raw = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{source}: not a TOML file ({error})") from None
        return cls.from_dict(raw, source=source)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the plan file."""
        from tacit.io import replacing

        with replacing(path, force=force) as temporary:
            temporary.write_text(self.to_toml(), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: cannot be read ({error})") from None
        return cls.from_toml(text, source=str(path))

    def __str__(self) -> str:
        return self.name or " + ".join(str(step) for step in self.steps)


def json_schema(names: Iterable[str] | None = None) -> dict[str, Any]:
    """The JSON schema of a plan: steps are a union that is told apart by ``method``."""
    from pydantic import ConfigDict, Field, create_model

    models = [
        create_model(
            f"{registry[name].__name__}Step",
            __base__=parameters.model_of(registry[name]),
            method=(Literal[name], ...),  # type: ignore[arg-type]
            seed=(int | None, None),
        )
        for name in (registry if names is None else names)
    ]
    step: Any = Annotated[reduce(or_, models), Field(discriminator="method")] if len(models) > 1 else models[0]
    plan = create_model(
        "Plan",
        __config__=ConfigDict(extra="forbid"),
        name=(str, ""),
        steps=(list[step], ...),
        columns=(dict[str, dict[str, Any]], {}),
    )
    return plan.model_json_schema()


def _constructible(method: str) -> bool:
    """Can the method be made without parameters? (Those with required ones cannot.)"""
    return all(not f.is_required() for f in parameters.model_of(registry[method]).model_fields.values())


def _apply_columns(micro: Microdata, columns: dict[str, dict[str, Any]]) -> Any:
    from dataclasses import replace as change

    from tacit.microdata import Kind, Role

    schema = micro.schema
    for name, entry in columns.items():
        column = schema[name]
        told: dict[str, Any] = {}
        if "kind" in entry:
            told["kind"] = Kind(entry["kind"])
        if "role" in entry:
            told["role"] = Role(entry["role"])
        if "categories" in entry:
            told["categories"] = tuple(entry["categories"])
        schema = schema.put(change(column, **told))
    return schema


def _without_none(entry: dict[str, Any]) -> dict[str, Any]:
    """TOML has no null: a parameter that is None is left to its default."""
    return {name: value for name, value in entry.items() if value is not None}


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    try:
        return bool(type(a) is type(b) and a == b)
    except ValueError:  # arrays
        return False
