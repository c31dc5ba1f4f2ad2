"""Names that a user gives to a generalisation: columns of the lattice, a target, a population."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic.functional_validators import BeforeValidator

from tacit.base.errors import ColumnError, ParameterError
from tacit.data import io
from tacit.data.hierarchies.known_rules import as_entry
from tacit.data.microdata import Microdata

Hierarchies = Annotated[
    dict[str, dict[str, Any]],
    BeforeValidator(
        lambda given: (
            {name: as_entry(entry, name) for name, entry in given.items()}
            if isinstance(given, Mapping)
            else given
        )
    ),
]
"""Rules by column; a plan holds them as plain tables."""


def refuse_strangers(
    columns: Container[str],
    named: Mapping[str, Iterable[str]],
    apart: Container[str] | None,
) -> None:
    """One sentence where a parameter names what is no column of the lattice.

    Parameters
    ----------
    columns : list of str
        The columns of the lattice.
    named : dict
        For each parameter, the columns that it names.
    apart : list of str or None
        Confidential columns, which may have a hierarchy as well; None: any column may.
    """
    for what, names in named.items():
        for name in names:
            # the hierarchy of a confidential column says how far its values are apart
            of_value = apart is None or name in apart
            excused = what == "hierarchies" and of_value
            if name not in columns and not excused:
                raise ColumnError(
                    f"{what} names '{name}', which is not a column to protect"
                )


def measured_apart(
    l_diversity: object,
    t_closeness: object,
) -> list[str] | None:
    """The columns that models name; None where t-closeness takes the hierarchy of any."""
    names: list[str] = []
    for model in (l_diversity, t_closeness):
        if isinstance(model, Mapping):
            names += model.get("columns", ())
    if not isinstance(t_closeness, Mapping):
        return names
    # its columns are all confidential ones unless it names them
    hierarchical = t_closeness.get("distance") == "hierarchical"
    return None if hierarchical else names


def target_named(
    data: Microdata,
    keys: Container[str],
    target: str | None,
) -> str:
    """The column that classes should tell."""
    if target is None:
        raise ParameterError(
            "the utility classification needs the column that classes should tell; give "
            "it as target"
        )
    # generalised, it would be told by its own class
    if target in keys:
        raise ColumnError(
            f"the target '{target}' is generalised itself; leave it out of the keys"
        )
    # raises if there is no such column
    data.schema[target]
    return target


def population_of(given: object) -> Microdata | None:
    """The population as a file; None where there is none."""
    if given is None:
        return None
    # a plan holds a path, since it cannot hold a file
    if isinstance(given, str | Path):
        return io.read(Path(given))
    return Microdata.of(given)
