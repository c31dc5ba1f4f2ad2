"""A registry: the one line that a new method needs. Names are cheap; modules are imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from tacit.errors import ParameterError, choices


class Registry(Mapping[str, Any]):
    """Maps method names to objects that are imported when they are first asked for.

    >>> registry = Registry("tacit", errors="errors:TacitError")
    >>> registry["errors"].__name__
    'TacitError'
    """

    def __init__(self, package: str, **entries: str) -> None:
        self.package = package
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Any:
        if name not in self._entries:
            room = self.package.rpartition(".")[2]
            raise ParameterError(f"there is no {room} method '{name}'; {choices(name, self)}")
        module, _, attribute = self._entries[name].partition(":")
        return getattr(import_module(f"{self.package}.{module}"), attribute)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def objects(self) -> dict[str, str]:
        """Object name (class or function) -> method name, without importing anything."""
        return {target.partition(":")[2]: name for name, target in self._entries.items()}

    def by_class(self, name: str) -> Any:
        """The object whose own name (``Noise``) is given."""
        return self[self.objects[name]]

    def name_of(self, thing: Any) -> str:
        """The method name of a class, function or instance."""
        owner = thing if hasattr(thing, "__name__") else type(thing)
        for base in getattr(owner, "__mro__", (owner,)):
            if base.__name__ in self.objects:
                return self.objects[base.__name__]
        raise ParameterError(f"{owner.__name__} is not registered in {self.package}")

    def attribute(self, also: Mapping[str, str] | None = None) -> Callable[[str], Any]:
        """A module-level ``__getattr__`` for registered objects and ``also`` others ('Name' -> 'module:Name')."""
        others = dict(also or {})

        def __getattr__(name: str) -> Any:
            if name in self.objects:
                return self.by_class(name)
            if name in others:
                module, _, attribute = others[name].partition(":")
                return getattr(import_module(f"{self.package}.{module}"), attribute)
            raise AttributeError(f"module '{self.package}' has no attribute '{name}'")

        return __getattr__

    def directory(self, also: Mapping[str, str] | None = None) -> list[str]:
        """What ``dir(module)`` should list."""
        return sorted([*self.objects, *(also or {}), "registry"])
