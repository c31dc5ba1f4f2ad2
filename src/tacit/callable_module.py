"""Let ``tacit.assess`` be both the module (design: one idea a file) and the function of the same name."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class CallableModule(ModuleType):
    """A module that, when called, calls the function that has its name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **kwargs)


def make_callable(name: str) -> None:
    """Call with ``__name__`` at the end of the module."""
    sys.modules[name].__class__ = CallableModule
