"""The problem that is searched: levels that are given, and what is to be made small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.typing import Floats
from tacit.protect.lattice.level_codes import KeyColumn
from tacit.protect.lattice.problem import Problem
from tacit.protect.lattice.setting_up import Material
from tacit.protect.lattice.utilities import utility_named
from tacit.protect.lattice.utilities.base import Setting, Utility


@dataclass(frozen=True)
class Aim:
    """What a user wants to keep, in the words of the parameters."""

    utility: str
    k: int
    importance: Mapping[str, float]
    """Of some of the columns; 1 unless given."""
    tables: Sequence[Sequence[str]]
    """Crosses of keys that should stay fine."""


def problem_of(
    given: Material,
    limit: int,
    levels: Mapping[str, int],
    aim: Aim,
) -> Problem:
    """What is searched.

    Parameters
    ----------
    given : Material
        The file.
    limit : int
        The largest number of people that may be suppressed.
    levels : dict of int
        Levels that are given and not searched, by column.
    aim : Aim
        What is to be kept.
    """
    fixed = [levels.get(column.name) for column in given.columns]
    for column, level in zip(given.columns, fixed, strict=True):
        if level is not None and level > column.height:
            raise ParameterError(
                f"levels asks for level {level} of '{column.name}', whose hierarchy has "
                f"{column.height}"
            )
    return Problem(
        given.columns,
        given.bottom,
        given.extras,
        given.constraints,
        _utility(given, aim),
        limit,
        fixed,
    )


def weights_of(
    columns: Sequence[KeyColumn],
    importance: Mapping[str, float],
) -> Floats:
    """The weight of each column in a loss; they add up to 1."""
    weights = [importance.get(column.name, 1.0) for column in columns]
    return np.array(weights) / sum(weights)


def _utility(
    given: Material,
    aim: Aim,
) -> Utility:
    names = [column.name for column in given.columns]
    tables = [_places(table, names) for table in aim.tables]
    if aim.utility == "tables" and not tables:
        raise ParameterError(
            "the utility tables needs the crosses that should stay; give tables = "
            '[["age", "sex"]]'
        )
    setting = Setting(
        given.columns,
        weights_of(given.columns, aim.importance),
        int(given.bottom.rows.sum()),
        # class sizes are measured in k, and without k-anonymity in records
        max(aim.k, 1),
        given.target,
        tuple(tables),
    )
    return utility_named(aim.utility)(setting)


def _places(
    table: Sequence[str],
    names: list[str],
) -> tuple[int, ...]:
    """The columns of a table by their places in the lattice."""
    strange = [name for name in table if name not in names]
    if strange or not table:
        shown = strange[0] if strange else "nothing"
        raise ColumnError(f"tables names '{shown}', which is not a column to protect")
    # a column that is named twice crosses itself once
    places = {names.index(name) for name in table}
    return tuple(sorted(places))
