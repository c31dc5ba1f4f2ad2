"""Plans: protection steps in order, with parameters and seeds, as TOML, applied in one call."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

import tomli_w
from pydantic import ConfigDict, Field, create_model

from tacit.base import parameters, seeds, toml_text
from tacit.base.errors import InputError, ParameterError, TacitWarning, shown
from tacit.base.facts import draws_numbers
from tacit.base.measure import jsonable
from tacit.data import lazy
from tacit.data.io import replacing
from tacit.data.microdata import Microdata, Role
from tacit.plan.columns import ColumnChange, changed
from tacit.plan.gaps import gaps_of_step
from tacit.plan.leaving import leaving, sentence
from tacit.plan.release_numbers import release_numbers
from tacit.protect import registry

if TYPE_CHECKING:
    from tacit.protect.base import Protector

Table: TypeAlias = dict[str, Any]
"""Plain types under names, as TOML and JSON have them."""
# the place of what no step draws in the tree of seeds: no plan has that many steps
OWN_PLACE = 2**32 - 1
Frame = TypeVar("Frame")
"""Whatever frame the caller has; the same kind comes back."""


@dataclass(frozen=True)
class Step:
    """One protection step.

    Parameters
    ----------
    method : str
        Name of a method of ``tacit.protect``.
    parameters : dict
        Its parameters; defaults stay the method's own.
    seed : int, optional
        Its seed, if it draws numbers.
    """

    method: str
    parameters: Table = field(default_factory=dict)
    seed: int | None = None

    def __post_init__(self) -> None:
        if "random_state" in self.parameters:
            raise ParameterError(
                f"{self.method}: random_state is not a parameter of a plan; give --seed, "
                "or seed = ... in the step"
            )
        checked = parameters.check(registry[self.method], self.parameters)
        # only what was said, with its type made right: defaults stay the method's own
        given = {name: checked[name] for name in self.parameters}
        object.__setattr__(self, "parameters", given)
        # True is an int to Python, but no seed
        whole = isinstance(self.seed, int) and not isinstance(self.seed, bool)
        if self.seed is not None and (not whole or self.seed < 0):
            raise ParameterError(
                f"{self.method}: seed={self.seed!r} must be a whole number, zero or more"
            )
        if self.unseeded:
            test_seed = self.parameters.get("test_seed", False)
            seeds.refuse(self.seed, test_seed, self.method)

    @property
    def random(self) -> bool:
        """Does the method draw random numbers?"""
        return draws_numbers(registry[self.method])

    @property
    def unseeded(self) -> bool:
        """Must the method draw from the system, because a seed would undo its guarantee?"""
        return bool(getattr(registry[self.method], "unseeded", False))

    def protector(self) -> Protector:
        """The protector of this step."""
        seed = {"random_state": self.seed} if self.random else {}
        made: Protector = registry[self.method](**self.parameters, **seed)
        return made

    def to_dict(self) -> Table:
        """Flat, as in the TOML file."""
        seed = {} if self.seed is None else {"seed": self.seed}
        return {"method": self.method, **seed, **jsonable(self.parameters)}

    def __str__(self) -> str:
        given = [
            f"{name}={value}"
            for name, value in self.parameters.items()
            if value is not None
        ]
        return f"{self.method}({', '.join(given)})"


Masker: TypeAlias = Callable[[int, "Protector", Microdata], Microdata]
"""Does a step in its own way: its number, its protector, the file."""


@dataclass(frozen=True)
class Plan:
    """Protection steps in order; optional roles and kinds of columns.

    Parameters
    ----------
    steps : tuple of Step
        What is done, in order.
    name : str
        What the plan is called in tables; its steps, unless given.
    columns : dict
        Roles, kinds and categories of columns that differ from the file's.
    release_as_is : tuple of str
        Columns that may leave although nothing protects them (see ``plan.leaving``).
    key : int, optional
        What the order of rows and the release numbers of persons and households are drawn from.
    instead : dict
        Steps, by their number from 1, that somebody else does (in blocks, ``scale.in_blocks``).
        Whoever runs the plan again does them so, too; it is no part of what is written down.

    Examples
    --------
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
    columns: dict[str, ColumnChange] = field(default_factory=dict)
    release_as_is: tuple[str, ...] = ()
    key: int | None = None
    instead: dict[int, Masker] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, what: object) -> Plan:
        """From a plan, a step, a protector, or a list of them."""
        if isinstance(what, Plan):
            return what
        if isinstance(what, Step):
            return cls((what,))
        if isinstance(what, list | tuple):
            plans = [cls.of(part) for part in what]
            steps = [step for plan in plans for step in plan.steps]
            return cls(tuple(steps))
        if hasattr(what, "changed_parameters"):
            seed = getattr(what, "random_state", None)
            # a generator in place of a seed cannot be written down
            written = seed if isinstance(seed, int) else None
            method = registry.name_of(what)
            step = Step(method, what.changed_parameters(), written)
            return cls((step,))
        raise ParameterError(
            f"a {type(what).__name__} is not a plan; "
            "give a Plan, a protector, or a list of them"
        )

    def seeded(self, key: int | None = None, *, test_seed: bool = False) -> Plan:
        """The plan with a seed for its random steps, and a key for what no step draws.

        Step i gets ``seeds.child(key, i)`` of a key that is drawn. Steps that have a seed keep
        it, and differentially private ones get none: their noise is the system's. A key given
        by hand replaces all seeds; differentially private steps refuse it without
        ``test_seed``.
        """
        # a key given by hand is for tests, and then every step must repeat
        by_hand = seeds.by_hand(key)
        root = seeds.draw() if key is None else key

        def give(step: Step, place: int) -> Step:
            settled = step.unseeded or step.seed is not None
            if not step.random or (settled and not by_hand):
                return step
            allowed = {"test_seed": True} if step.unseeded and test_seed else {}
            given = step.parameters | allowed
            seed = seeds.child(root, place)
            return replace(step, seed=seed, parameters=given)

        steps = tuple(give(step, place) for place, step in enumerate(self.steps))
        if self.key is not None and not by_hand:
            return replace(self, steps=steps)
        # a plan whose seeds were chosen repeats its order of rows, too
        given = [step.seed for step in steps if step.seed is not None]
        parent = given[0] if given else root
        own = seeds.child(parent, OWN_PLACE)
        return replace(self, steps=steps, key=own)

    def without_seeds(self) -> Plan:
        """The plan as it may be shown: seeds stay in the private manifest."""
        steps = tuple(replace(step, seed=None) for step in self.steps)
        return replace(self, steps=steps, key=None)

    @property
    def repeatable(self) -> bool:
        """Does the plan give the same bytes again?

        Without seeds it does not, and private noise never should.
        """
        return all(step.seed is not None for step in self.steps if step.random)

    def protectors(self) -> list[Protector]:
        """The protectors of the steps, in order."""
        return [step.protector() for step in self.steps]

    def with_roles(self, data: Microdata) -> Microdata:
        """The file with the roles and kinds that the plan brings along."""
        if not self.columns:
            return data
        return data.with_schema(changed(data.schema, self.columns))

    def treated(self, data: Microdata) -> set[str]:
        """The columns of a file that some step masks."""
        data = self.with_roles(data)
        return {name for one in self.protectors() for name in one.treats(data)}

    def released(self, data: Microdata) -> list[str]:
        """The columns of a file that are in the release, in its order."""
        data = self.with_roles(data)
        kept = self.treated(data)
        if not any(one.drops_identifiers for one in self.protectors()):
            kept.update(data.names)
        identifiers = data.schema.names(role=Role.identifier)
        gone = set(identifiers) - kept
        return [name for name in data.names if name not in gone]

    def mask(self, data: Frame, outcomes: list[Table] | None = None) -> Frame:
        """Mask without a word about columns that leave as they are; for tries.

        What the steps have to say of their work is added to ``outcomes``, for the manifest.
        """
        # roles first: the methods choose their columns by them
        micro = self.with_roles(Microdata.of(data))
        for number, protector in enumerate(self.protectors(), start=1):
            other, before = self.instead.get(number), micro
            if other is not None:
                micro, said = other(number, protector, micro), None
            else:
                with lazy.workers_of(data):
                    micro = protector.fit_transform(micro)
                said = protector.outcome()
            if outcomes is None:
                continue
            entry = dict(said or {})
            gaps = gaps_of_step(protector, before, micro)
            if gaps is not None:
                entry["gaps"] = gaps
            if entry:
                method = self.steps[number - 1].method
                outcomes.append({"step": number, "method": method, **jsonable(entry)})
        key = seeds.draw() if self.key is None else self.key
        # numbers of the file would link the release to it
        micro = release_numbers(micro, key, self.release_as_is)
        if isinstance(data, Microdata):
            return micro  # type: ignore[return-value]  # here Frame is Microdata
        native: Frame = micro.to_native()
        return native

    def apply(self, data: Frame) -> Frame:
        """Mask; the same kind of frame comes back (Microdata for Microdata).

        Columns that would leave by accident are named in a ``TacitWarning``.
        """
        found = leaving(self, Microdata.of(data))
        said = sentence(found)
        if said:
            warnings.warn(said, TacitWarning, stacklevel=2)
        return self.mask(data)

    def to_dict(self) -> Table:
        """Plain types, as in the TOML file."""
        out: Table = {"name": self.name} if self.name else {}
        out["steps"] = [_without_none(step.to_dict()) for step in self.steps]
        # left out when empty, as a person would write it
        if self.columns:
            out["columns"] = self.columns
        if self.release_as_is:
            out["release_as_is"] = list(self.release_as_is)
        if self.key is not None:
            out["key"] = self.key
        return out

    @classmethod
    def from_dict(
        cls,
        raw: Table,
        *,
        source: str = "plan",
    ) -> Plan:
        """From plain types; ``source`` is what errors name."""
        if not isinstance(raw, Mapping):
            raise InputError(f"{source}: {shown(raw)} is no plan, which has steps")
        known = {"steps", "name", "columns", "release_as_is", "key"}
        unknown = sorted(str(word) for word in raw if word not in known)
        if unknown:
            raise InputError(
                f"{source}: a plan has steps, name, columns and release_as_is, "
                f"not '{unknown[0]}'"
            )
        entries = raw.get("steps", [])
        if not isinstance(entries, list) or not entries:
            raise InputError(f"{source}: a plan needs at least one [[steps]] entry")
        steps = []
        for number, entry in enumerate(entries, start=1):
            named = entry.get("method") if isinstance(entry, Mapping) else None
            if not isinstance(named, str):
                raise InputError(f"{source}: step {number} names no method")
            # what is not method or seed is a parameter, and checked as one
            given = dict(entry)
            method = given.pop("method")
            seed = given.pop("seed", None)
            try:
                steps.append(Step(method, given, seed))
            except ParameterError as error:
                raise ParameterError(f"{source}: step {number}: {error}") from None
        name = str(raw.get("name", ""))
        columns = raw.get("columns", {})
        if not isinstance(columns, Mapping):
            raise InputError(f"{source}: columns={shown(columns)} names no columns")
        as_is = raw.get("release_as_is", [])
        if not isinstance(as_is, list) or not all(isinstance(x, str) for x in as_is):
            raise InputError(f"{source}: release_as_is is a list of names of columns")
        key = raw.get("key")
        if key is not None and (not isinstance(key, int) or key < 0):
            raise InputError(f"{source}: key={key!r} must be a whole number")
        return cls(tuple(steps), name, dict(columns), tuple(as_is), key)

    def to_toml(self) -> str:
        """The plan file."""
        return tomli_w.dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str, *, source: str = "plan") -> Plan:
        """Read a plan file's text."""
        try:
            raw = toml_text.loads(text)
        except toml_text.Problem as error:
            raise InputError(f"{source}: not a TOML file ({error})") from None
        return cls.from_dict(raw, source=source)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the plan file; for its owner alone if it holds seeds."""
        # who has a seed can undo the noise that it gave
        private = self != self.without_seeds()
        with replacing(path, force=force, private=private) as temporary:
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


def json_schema(names: Iterable[str] | None = None) -> Table:
    """The JSON schema of a plan: steps are a union that is told apart by ``method``."""
    models = [
        create_model(
            f"{registry[name].__name__}Step",
            __base__=parameters.model_of(registry[name]),
            method=(Literal[name], ...),  # type: ignore[arg-type]  # a name at run time
            seed=(int | None, None),
        )
        for name in (registry if names is None else names)
    ]
    # a union of one is no union, and has nothing to be told apart by
    step: Any = models[0]
    if len(models) > 1:
        step = Annotated[reduce(or_, models), Field(discriminator="method")]
    plan = create_model(
        "Plan",
        __config__=ConfigDict(extra="forbid"),
        name=(str, ""),
        steps=(list[step], ...),
        columns=(dict[str, Table], {}),
        release_as_is=(list[str], []),
        key=(int | None, None),
    )
    return plan.model_json_schema()


def _without_none(entry: Table) -> Table:
    """TOML has no null: a parameter that is None is left to its default."""
    return {name: value for name, value in entry.items() if value is not None}
