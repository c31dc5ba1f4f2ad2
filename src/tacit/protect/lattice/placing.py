"""Who is at which level and who is suppressed: the fitted levels on this or next year's file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.base.errors import ColumnError, TacitError
from tacit.base.typing import Bools, Floats, Ints
from tacit.protect.lattice.class_cells import rolled
from tacit.protect.lattice.level_codes import Levels
from tacit.protect.lattice.local_recoding import refined
from tacit.protect.lattice.setting_up import Material
from tacit.protect.lattice.settle import settle


@dataclass(frozen=True)
class Placed:
    """The bottom cells of a file, each at its levels."""

    at: Ints
    """One row for each cell: the level of each column."""
    shown: Bools
    """Cells that are not suppressed."""
    lost: float | None
    """What local recoding loses; None: every cell is at the same levels."""


def placed(
    given: Material,
    node: Levels,
    limit: int,
    recoding: str,
    weights: Floats,
) -> Placed:
    """Levels of each bottom cell, and whether it is shown.

    Parameters
    ----------
    given : Material
        The file.
    node : tuple of int
        The fitted levels.
    limit : int
        The largest number of people that may be suppressed.
    recoding : {'full', 'local', 'strict'}
        Whether cells may go back to finer levels.
    weights : array
        Of the columns; they add up to 1.
    """
    cells, place = rolled(given.bottom, given.columns, node)
    settled = settle(cells, given.extras, given.constraints, limit)
    # the file of next year may hold combinations that this year's did not
    if not settled.met:
        raise TacitError(
            f"at the fitted levels this file does not keep {settled.reason}: "
            f"{settled.suppressed} of {given.people} {given.word}s would have to be "
            f"suppressed, and {limit} may; fit again, or raise suppression_limit"
        )
    shown = settled.alive[place]
    if recoding == "full":
        same = np.array(node, dtype=np.int64)
        at = np.tile(same, (given.bottom.size, 1))
        return Placed(at, shown, None)
    member = _members(given, cells.label[place], shown)
    at, lost = _finer(given, member, node, weights, strict=recoding == "strict")
    return Placed(at, shown, lost)


def _members(
    given: Material,
    label: Ints,
    shown: Bools,
) -> Bools:
    """The cells that are recoded: those shown, and the population's in the same classes."""
    if given.extras.person is not None:
        raise ColumnError(
            "local recoding takes one record for each person: rows of one person at two "
            'levels would give the finer one away; take recoding="full"'
        )
    classes = int(label.max(initial=0)) + 1
    held = np.zeros(classes, dtype=bool)
    held[label[shown]] = True
    # models of the population count it by class, so that its records go where the file's go
    outside = given.bottom.rows == 0
    return np.asarray(shown | (outside & held[label]))


def _finer(
    given: Material,
    member: Bools,
    node: Levels,
    weights: Floats,
    *,
    strict: bool,
) -> tuple[Ints, float]:
    """Levels by local recoding, from the classes of the node or from those of the top."""
    top = tuple(column.height for column in given.columns)
    records = max(int(given.bottom.rows.sum()), 1)
    share = given.bottom.rows / records
    found = []
    # from the top classes may be cut in other places than any one node cuts them; neither
    # beginning is always better
    for start in (node, top):
        finer = refined(given, member, start, weights, strict=strict)
        if finer is None:
            continue
        levels, lost = finer
        total = float((share * lost).sum())
        found.append((total, levels))
    total, levels = min(found, key=lambda pair: pair[0])
    return levels, total
