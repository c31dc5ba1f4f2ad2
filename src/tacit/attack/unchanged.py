"""Linkage by the columns that the plan did not touch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tacit.attack.base import Attacker, true_rows
from tacit.attack.distances import Scale
from tacit.attack.linkage import Linkage
from tacit.attack.nearest import Nearest
from tacit.errors import InputError
from tacit.pair import Pair


class UnchangedColumns(Attacker):
    """Nearest record on the columns that were released as they were, and on no others.

    Definition: C = {columns j : x_ij = z_ij for every released record i}; original i is linked to
    argmin_j d(x_i[C], z_j[C]), ties shared. A method that masks some of the compared columns leaves the others to link
    by, and the masked ones only blur that link. Documentation of a release usually says which columns were left alone,
    so the intruder is taken to know C (read off the aligned files); the links themselves are found without the truth.
    No such column: every masked record is equally likely, which is chance.
    Source: Domingo-Ferrer and Torra 2001 (the intruder who knows some of the columns). Guarantee: as ``Nearest``, exact
    with all ties. Cost: that of ``Nearest``.

    >>> import numpy as np
    >>> x = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    >>> UnchangedColumns().link(x, x * [1.0, 0.0]).correct
    3.0
    """

    def __init__(self, scale: Scale = "std", columns: list[str] | None = None) -> None:
        self.scale = scale
        self.columns = columns

    @property
    def knows(self) -> str:
        return (
            "every compared column of each original and which of them were released as they are; "
            "links by those alone, nearest record"
        )

    def link(self, original: Any, masked: Any, *, truth: Any = None) -> Linkage:
        """As ``Nearest.link`` on the unchanged columns."""
        columns = unchanged(original, masked, truth=truth, columns=self.columns)[0]
        found = Nearest(scale=self.scale, columns=columns).link(original, masked, truth=truth)
        return replace(found, attacker=type(self).__name__, knows=self.knows)


def unchanged(
    original: Any, masked: Any, *, truth: Any = None, columns: list[str] | None = None
) -> tuple[list[str], list[str]]:
    """The compared columns that have the same value in every released record, and all compared columns."""
    pair = Pair.of(original, masked, columns)
    rows = true_rows(pair.original.n, pair.masked.n, truth)
    released = rows >= 0
    same = []
    for name in pair.columns:
        x, z = pair.column(name)
        if np.array_equal(x[released], z[rows[released]], equal_nan=True):
            same.append(name)
    return same, [*pair.columns, *pair.incomparable]


def applies(original: Any, masked: Any, *, truth: Any = None, columns: list[str] | None = None) -> bool:
    """Some compared column is unchanged, and some other is not."""
    try:
        same, compared = unchanged(original, masked, truth=truth, columns=columns)
    except InputError:
        return False  # the files cannot be aligned: every attacker says so
    return 0 < len(same) < len(compared)
