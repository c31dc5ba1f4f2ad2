"""A registry: the one line that a new method needs.

Names are cheap; modules are imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeAlias

from tacit.base.errors import ParameterError, choices, shown
from tacit.base.rooms import furnish

Registered: TypeAlias = Any
"""A class or function that is imported by its name: no type checker can know which."""


class Registry(Mapping[str, Registered]):
    """Maps method names to objects that are imported when they are first asked for.

    >>> registry = Registry("tacit.base", errors="errors:TacitError")
    >>> registry["errors"].__name__
    'TacitError'
    """

    def __init__(self, package: str, **entries: str) -> None:
        self.package = package
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Registered:
        if not isinstance(name, str) or name not in self._entries:
            room = self.package.rpartition(".")[2]
            raise ParameterError(
                f"there is no {room} method {shown(name)}; {choices(name, self)}"
            )
        return self._load(self._entries[name])

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def objects(self) -> dict[str, str]:
        """Object name (class or function) -> method name, without importing anything."""
        objects = {}
        for name, target in self._entries.items():
            own_name = target.partition(":")[2]
            objects[own_name] = name
        return objects

    def by_class(self, name: str) -> Registered:
        """The object whose own name (``Noise``) is given."""
        return self[self.objects[name]]

    def name_of(self, thing: object) -> str:
        """The method name of a class, function or instance."""
        # classes and functions have names, instances do not
        owner = thing if hasattr(thing, "__name__") else type(thing)
        # a subclass that is not registered goes by the method that it builds on
        for base in getattr(owner, "__mro__", (owner,)):
            if base.__name__ in self.objects:
                return self.objects[base.__name__]
        name = getattr(owner, "__name__", "")
        raise ParameterError(f"{name} is not registered in {self.package}")

    def attribute(
        self, also: Mapping[str, str] | None = None
    ) -> Callable[[str], Registered]:
        """A module-level ``__getattr__`` for registered objects.

        ``also``: others ('Name' -> 'module:Name').
        """
        others = dict(also or {})
        furnish(self.package, [*self.objects, *others])

        def __getattr__(name: str) -> Registered:
            if name in self.objects:
                return self.by_class(name)
            if name in others:
                return self._load(others[name])
            raise AttributeError(f"module '{self.package}' has no attribute '{name}'")

        return __getattr__

    def directory(self, also: Mapping[str, str] | None = None) -> list[str]:
        """What ``dir(module)`` should list."""
        return sorted([*self.objects, *(also or {}), "registry"])

    def _load(self, target: str) -> Registered:
        """The object of 'module:Name'."""
        module, _, attribute = target.partition(":")
        return getattr(import_module(f"{self.package}.{module}"), attribute)
