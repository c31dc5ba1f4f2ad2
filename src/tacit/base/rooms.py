"""A room: a package whose public names load on first use and win over files of the same name."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import ModuleType


class Room(ModuleType):
    """A package in which ``tc.risk.suda`` is the measure and not the file that holds it.

    Python binds a file to its package when the file is first imported, and would hide the
    lazily loaded function of the same name. A room lets go of that binding;
    ``from tacit.risk.suda import suda`` works as ever, because imports look files up in
    ``sys.modules``.
    """

    def __setattr__(
        self,
        name: str,
        value: object,
    ) -> None:
        public_names = self.__dict__.get("public_names", ())
        if isinstance(value, ModuleType) and name in public_names:
            return
        super().__setattr__(name, value)


def furnish(
    package: str,
    public_names: Iterable[str],
) -> None:
    """Make the package a room in which these names are never hidden by files."""
    module = sys.modules[package]
    # past __setattr__, which the module does not have yet
    module.__dict__["public_names"] = frozenset(public_names)
    module.__class__ = Room
