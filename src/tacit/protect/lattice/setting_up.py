"""From a file and the wishes of a user to a problem that can be searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacit.base.errors import ColumnError, ParameterError
from tacit.base.typing import Floats, Ints
from tacit.data import units
from tacit.data.hierarchies.rule import Rule
from tacit.data.microdata import Kind, Microdata, Role
from tacit.protect.lattice.class_cells import Cells, counted, labelled
from tacit.protect.lattice.constraints.base import Constraint
from tacit.protect.lattice.level_codes import KeyColumn
from tacit.protect.lattice.view import Extras, View
from tacit.protect.lattice.wishes import Wishes


@dataclass(frozen=True)
class Material:
    """A file as a search sees it."""

    columns: list[KeyColumn]
    bottom: Cells
    cell_of_row: Ints
    """Of the file's records, as they were given, not of the population's."""
    extras: Extras
    constraints: list[Constraint]
    people: int
    word: str
    """What is counted: person or record."""
    target: Ints | None


def material(
    data: Microdata,
    rules: Mapping[str, Rule],
    wishes: Wishes,
    hierarchies: Mapping[str, object],
    population: Microdata | None,
    target: str | None,
    times: Ints | None = None,
    word: str = "record",
) -> Material:
    """Codes, counts and constraints of a file.

    Parameters
    ----------
    data : Microdata
        The file.
    rules : dict of Rule
        The hierarchy of each key, in the order of the lattice.
    wishes : Wishes
        The privacy models.
    hierarchies : dict
        All hierarchies that were given, those of confidential columns among them.
    population : Microdata or None
        The population that the file was drawn from.
    target : str or None
        The column that a classifier should tell.
    times : array or None
        How many records of the file each of these stands for, where nobody has several; None: one.
    word : str
        What those records are; not asked for where these stand for themselves.
    """
    keys = list(rules)
    # one tree for both files, so that a class means the same in the two
    together = data if population is None else _below(data, population, keys)
    columns = [
        KeyColumn.of(rule, together, name, data.n, times)
        for name, rule in rules.items()
    ]
    constraints = wishes.constraints(
        data, keys, hierarchies, population=population is not None
    )
    people = units.persons(data)
    # without households, who has to go takes nobody else along
    homes = units.households(data) or people
    # where everybody has one row and one home, counting rows is counting people
    several = not people.single or not homes.single
    # each column more splits the cells, so that only those a model asks for are coded
    asked = {one.column for one in constraints if hasattr(one, "column")}
    # a set has no order that two runs share
    values = {name: _coded(data, name) for name in sorted(asked)}
    aim = None if target is None else _coded(data, target)
    extra, extras, aim = _extras(
        people if several else None, homes, values, aim, together.n - data.n
    )
    weight = _weights(data, wishes, population, several=several)
    sampled = np.zeros(together.n, dtype=np.int64)
    sampled[: data.n] = 1 if times is None else times
    # rows of the population count there and not in the file
    counts = None if population is None else (sampled == 0).astype(np.int64)
    bottom, cell_of_row = counted(columns, extra, sampled, weight, counts)
    extras = _with_wholes(bottom, extras, list(values))
    return Material(
        columns,
        bottom,
        cell_of_row[: data.n],
        extras,
        constraints,
        people.number if times is None else int(times.sum()),
        people.word if times is None else word,
        aim,
    )


def refuse_unsatisfiable(
    given: Material,
    limit: int,
) -> None:
    """One sentence where even one class of everybody breaks a constraint."""
    present = given.bottom.rows > 0
    everybody = View(given.bottom, given.extras, present, in_one=True)
    several = given.extras.person is not None
    for one in given.constraints:
        # others may be kept by parts of a file that as a whole does not keep them
        lasting = one.monotone(suppression=limit > 0, several_rows=several)
        if lasting and one.unsatisfiable(everybody):
            raise ParameterError(
                f"no generalisation can keep {one}: not even the whole file of "
                f"{given.people} {given.word}s, taken as one class, does"
            )


def _below(
    data: Microdata,
    population: Microdata,
    keys: Sequence[str],
) -> Microdata:
    """The keys of the file, and below them those of the population."""
    absent = [name for name in keys if name not in population.schema]
    if absent:
        raise ColumnError(
            f"the population has no column '{absent[0]}', which is a key of the file"
        )
    mine = data.select(keys).table
    theirs = population.select(keys).table
    try:
        # the types of the file decide, since its hierarchies are written for them
        whole = pa.concat_tables([mine, theirs.cast(mine.schema)])
    except (pa.ArrowInvalid, pa.ArrowTypeError, ValueError) as error:
        raise ColumnError(
            f"the population does not have the types of the file: {error}"
        ) from None
    return Microdata.of(whole, data.select(keys).schema)


def _coded(
    data: Microdata,
    name: str,
) -> Ints:
    """The values of a column as 0, 1, ...; -1 where missing."""
    values = data.column(name)
    gaps = np.isnan(values)
    if data.schema[name].scale is Kind.continuous:
        # ordered t-closeness needs codes in the order of the numbers
        _, places = np.unique(values, return_inverse=True)
        values = places.ravel().astype(np.float64)
    return np.where(gaps, -1, values).astype(np.int64)


def _extras(
    people: units.Units | None,
    homes: units.Units,
    values: Mapping[str, Ints],
    target: Ints | None,
    outside: int,
) -> tuple[Ints | None, Extras, Ints | None]:
    """A number for each combination of what is asked of a record, and what it stands for."""
    asked: dict[str, Ints] = {f"value {name}": codes for name, codes in values.items()}
    if people is not None:
        asked["person"] = people.labels
        asked["home"] = homes.labels
    if target is not None:
        asked["target"] = target
    if not asked:
        return None, Extras(), None
    # rows of the population are asked nothing
    nothing = np.full(outside, -1, dtype=np.int64)
    whole = {name: np.concatenate([codes, nothing]) for name, codes in asked.items()}
    parts = []
    for codes in whole.values():
        # 2 more than the largest: counted from 0, and one place for -1
        size = int(codes.max(initial=-1)) + 2
        parts.append((codes + 1, size))
    n = len(parts[0][0])
    # numbered by what they stand for, and not by row
    order = np.lexsort([codes for codes, _ in parts])
    in_order = [(codes[order], size) for codes, size in parts]
    ranked, first = labelled(in_order, n)
    extra = np.empty(n, dtype=np.int64)
    extra[order] = ranked
    # all records of a combination stand for the same, so that the first one tells it
    at = order[first]
    of_person = of_home = None
    if people is not None:
        # somebody whom no view holds, in place of -1
        person = whole["person"][at]
        home = whole["home"][at]
        of_person = np.where(person < 0, people.number, person)
        of_home = np.where(home < 0, homes.number, home)
    held = {name: whole[f"value {name}"][at] for name in values}
    aim = None if target is None else whole["target"][at]
    return extra, Extras(of_person, of_home, held), aim


def _with_wholes(
    bottom: Cells,
    extras: Extras,
    names: Sequence[str],
) -> Extras:
    """The shares of confidential values in the whole file, each person once."""
    # counted as in any class: otherwise the class of everybody would be apart from the whole
    everybody = View(bottom, extras, bottom.rows > 0, in_one=True)
    whole: dict[str, Floats] = {}
    for name in names:
        cells = everybody.shares(name)
        size = int(extras.values[name].max(initial=-1)) + 1
        shares = np.zeros(max(size, 1))
        shares[cells.value] = cells.share
        whole[name] = shares
    return Extras(extras.person, extras.home, extras.values, whole)


def _weights(
    data: Microdata,
    wishes: Wishes,
    population: Microdata | None,
    *,
    several: bool,
) -> Floats | None:
    """Sampling weights where they stand for the population."""
    needed = wishes.population_uniqueness is not None or (
        wishes.k_map is not None and population is None
    )
    if not needed:
        return None
    names = data.schema.names(role=Role.weight)
    if not names:
        raise ColumnError(
            "k_map and population_uniqueness need sampling weights (--weight), or k_map the "
            "population itself (population)"
        )
    if several:
        raise ColumnError(
            "k_map and population_uniqueness by weights need one record for each person; "
            "give one row each, or the population itself"
        )
    weights = data.column(names[0])
    # a weight of 0 would say that somebody of the file is nobody of the population
    wrong = np.isnan(weights) | ~(weights > 0)
    if wrong.any():
        row = int(np.argmax(wrong)) + 1
        raise ColumnError(f"column '{names[0]}', row {row}: a weight must be above 0")
    # the population's own rows stand for nobody else
    outside = 0 if population is None else population.n
    return np.concatenate([weights, np.zeros(outside)])
