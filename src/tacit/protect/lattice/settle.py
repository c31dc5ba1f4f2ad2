"""Who is suppressed at a node, and whether what is left keeps every constraint.

Classes that break a constraint are suppressed: their keys are blank in the release. Where a
person has several records, or a household several members, all of them go, since any one that
stayed would show what the others hide; that may make further classes too small, and so on until
nobody else goes. The blank records are a class like any other: an intruder who knows the
hierarchies sees whose class is not in the release. So they must keep the constraints, too, and
where they do not, the smallest classes join them until they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.base.typing import Bools
from tacit.protect.lattice.class_cells import Cells
from tacit.protect.lattice.constraints.base import Constraint
from tacit.protect.lattice.view import Extras, View


@dataclass(frozen=True)
class Settled:
    """A node with its suppressed cells."""

    cells: Cells
    alive: Bools
    suppressed: int
    """People (or records) that are suppressed."""
    met: bool
    """Every constraint holds, within the limit."""
    reason: str
    """The first constraint that does not hold; empty: all do."""


def settle(
    cells: Cells,
    extras: Extras,
    constraints: Sequence[Constraint],
    limit: int,
) -> Settled:
    """Suppress what breaks a constraint of classes, then look at the release as a whole.

    Parameters
    ----------
    cells : Cells
        The records of a node.
    extras : Extras
        What else is known of them.
    constraints : list of Constraint
        What must hold.
    limit : int
        The largest number of people that may be suppressed.
    """
    of_classes = [one for one in constraints if one.per_class]
    alive = cells.rows > 0
    alive, reason = _cleared(cells, extras, of_classes, alive)
    gone = _people(cells, extras, alive)
    if gone > limit:
        return Settled(cells, alive, gone, False, reason)
    while gone and _blank_fails(cells, extras, of_classes, alive):
        joined = _smallest_joins(cells, extras, alive)
        if joined is None:
            reason = "the suppressed records themselves do not keep the constraints"
            return Settled(cells, alive, gone, False, reason)
        # whole households join, which may make classes too small that kept the constraints
        alive, _ = _cleared(cells, extras, of_classes, joined)
        gone = _people(cells, extras, alive)
        if gone > limit:
            reason = "the suppressed records themselves do not keep the constraints"
            return Settled(cells, alive, gone, False, reason)
    # bounds on the whole are about what is emitted, after suppression
    released = View(cells, extras, alive)
    for one in constraints:
        if not one.per_class and not one.holds(released, gone):
            return Settled(cells, alive, gone, False, str(one))
    return Settled(cells, alive, gone, True, "")


def suppressed_least(
    cells: Cells,
    extras: Extras,
    constraints: Sequence[Constraint],
    limit: int,
) -> bool:
    """Whether the constraints that stay kept further up leave no more suppressed than allowed.

    If not, no node below this one does.
    """
    of_classes = [one for one in constraints if one.per_class]
    alive, _ = _cleared(cells, extras, of_classes, cells.rows > 0)
    if _people(cells, extras, alive) > limit:
        return False
    # bounds on the whole last only where nobody may be suppressed
    if limit:
        return True
    whole = View(cells, extras, alive)
    return all(one.holds(whole, 0) for one in constraints if not one.per_class)


def _cleared(
    cells: Cells,
    extras: Extras,
    constraints: Sequence[Constraint],
    alive: Bools,
) -> tuple[Bools, str]:
    """The cells that stay when classes that break a constraint go, and the first one broken."""
    reason = ""
    if not constraints:
        return alive, reason
    while True:
        # at most nodes nobody is gone yet, and a mask would copy every array
        view = View(cells, extras, None if alive.all() else alive)
        fails = np.zeros(cells.number, dtype=bool)
        for one in constraints:
            broken = one.fails(view) & view.occupied
            if broken.any() and not reason:
                reason = str(one)
            fails |= broken
        if not fails.any():
            return alive, reason
        out = alive & fails[cells.label]
        alive = _without(cells, extras, alive, out)
        if extras.home is None:
            # the other classes are as they were
            return alive, reason


def _without(
    cells: Cells,
    extras: Extras,
    alive: Bools,
    out: Bools,
) -> Bools:
    """The cells without these, and without all others of the same households or people."""
    if extras.home is None or cells.extra is None:
        return np.asarray(alive & ~out)
    home = extras.home[cells.extra]
    homes = int(home.max(initial=0)) + 1
    gone = np.zeros(homes, dtype=bool)
    gone[home[out]] = True
    return np.asarray(alive & ~gone[home])


def _people(
    cells: Cells,
    extras: Extras,
    alive: Bools,
) -> int:
    """How many people (or records) are not alive."""
    dead = ~alive & (cells.rows > 0)
    if extras.person is None or cells.extra is None:
        return int(cells.rows[dead].sum())
    # a person is suppressed once, with however many rows
    person = extras.person[cells.extra[dead]]
    return len(np.unique(person))


def _blank_fails(
    cells: Cells,
    extras: Extras,
    constraints: Sequence[Constraint],
    alive: Bools,
) -> bool:
    """Whether the suppressed records, as one class, break a constraint."""
    dead = ~alive & (cells.rows > 0)
    blank = View(cells, extras, dead, in_one=True)
    return any(bool(one.fails(blank)[0]) for one in constraints)


def _smallest_joins(
    cells: Cells,
    extras: Extras,
    alive: Bools,
) -> Bools | None:
    """The cells without the smallest class that is left; None where there is none."""
    view = View(cells, extras, alive)
    if not view.occupied.any():
        return None
    # of classes of one size the first, in the order of their keys
    largest = np.iinfo(np.int64).max
    size = np.where(view.occupied, view.size, largest)
    smallest = np.flatnonzero(size == size.min())
    if len(smallest) > 1:
        smallest = _first_by_keys(cells, smallest)
    out = alive & (cells.label == smallest[0])
    return _without(cells, extras, alive, out)


def _first_by_keys(
    cells: Cells,
    classes: np.ndarray,
) -> np.ndarray:
    """The one of these classes whose codes come first."""
    first = np.full(cells.number, -1, dtype=np.int64)
    # written backwards, so that the first cell of each class is the one that stays
    backwards = np.arange(cells.size)[::-1]
    first[cells.label[backwards]] = backwards
    codes = cells.codes[:, first[classes]]
    order = np.lexsort(codes[::-1])
    return np.asarray(classes[order][:1])
