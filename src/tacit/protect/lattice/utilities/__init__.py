"""What a generalisation should keep: utility models, as losses to be made small."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tacit.base.errors import ParameterError, choices

if TYPE_CHECKING:
    from tacit.protect.lattice.utilities.base import Utility

_WHERE = {
    "loss": "by_column:Granularity",
    "precision": "by_column:Precision",
    "entropy": "by_column:Entropy",
    "discernibility": "by_class:Discernibility",
    "class_size": "by_class:ClassSize",
    "kl": "divergence:Divergence",
    "classification": "classification:Classification",
    "tables": "given_tables:Tables",
}
NAMES = tuple(_WHERE)
"""The utility models that there are."""


def utility_named(name: str) -> type[Utility]:
    """The utility model of a name."""
    if name not in _WHERE:
        raise ParameterError(f"there is no utility '{name}'; {choices(name, NAMES)}")
    module, _, own = _WHERE[name].partition(":")
    found: type[Utility] = getattr(import_module(f"{__name__}.{module}"), own)
    return found
