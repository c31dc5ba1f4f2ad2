"""Names of filters and of their parameters: those of the file methods, and what older ones are
called now.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tacit.base.errors import ParameterError, choices
from tacit.base.registry import Registry

FILTERS = {
    "private": "dp_microaggregation",
    "coding": "top_bottom_coding",
    "multiplicative": "multiplicative_noise",
}
"""Registered names until version 0.1, and today's."""

CLASSES = {"PrivateMicroaggregation": "DPMicroaggregation"}
"""Class names until version 0.1, and today's."""


class Filters(Registry):
    """The registry of filters; an old name gives an error that says the new one.

    >>> Filters("tacit.stream")["private"]
    Traceback (most recent call last):
    ...
    tacit.base.errors.ParameterError: stream filter "private" is now called "dp_microaggregation"
    """

    def __getitem__(self, name: str) -> Any:
        if name in FILTERS and name not in self:
            raise ParameterError(
                f'stream filter "{name}" is now called "{FILTERS[name]}"'
            )
        return super().__getitem__(name)


def unknown_parameter(
    owner: type,
    name: str,
    known: Iterable[str],
) -> ParameterError:
    """The error for a parameter that a filter does not have (any more).

    A filter class lists its old parameters in ``renamed``: old name -> new name and how values
    translate.
    """
    # a class that is no filter has none
    renamed = getattr(owner, "renamed", {})
    if name in renamed:
        return ParameterError(
            f"{owner.__name__}: the parameter '{name}' is now called {renamed[name]}"
        )
    return ParameterError(
        f"{owner.__name__} has no parameter '{name}'; {choices(name, known)}"
    )
