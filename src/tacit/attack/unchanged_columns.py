"""Linkage by the columns that the plan did not touch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tacit.attack.base import Attacker, Release
from tacit.attack.distances import Scale
from tacit.attack.linkage import Linkage
from tacit.attack.nearest import Nearest
from tacit.attack.truth import true_rows
from tacit.base.errors import InputError
from tacit.data.pair import Pair


class UnchangedColumns(Attacker):
    """Nearest record on the columns that were released as they were, and on no others.

    A method that masks some of the compared columns leaves the others to link by, and the
    masked ones only blur that link.

    Parameters
    ----------
    scale : {"std", "max", "range", "none"}
        How continuous columns are brought to one unit.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** C = {columns j : x_ij = z_ij for every released record i}; original i is
    linked to argmin_j d(x_i[C], z_j[C]), ties shared. Documentation of a release usually
    says which columns were left alone, so the intruder is taken to know C (read off the
    aligned files); the links themselves are found without the truth. Without such a column
    every masked record is equally likely, which is chance.

    **Guarantee.** As ``Nearest``: exact, with all ties.

    **Cost.** That of ``Nearest``.

    References
    ----------
    Domingo-Ferrer and Torra (2001): the intruder who knows some of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    >>> UnchangedColumns().link(x, x * [1.0, 0.0]).correct
    3.0
    """

    title = "Columns left alone"
    # it is nearest record, by fewer columns
    held = Nearest.held
    held_over_blocks = Nearest.held_over_blocks
    patience = 0

    @classmethod
    def invited(cls, release: Release) -> bool:
        """Some columns were left alone, others not."""
        return applies(
            release.original,
            release.masked,
            truth=release.truth,
            columns=release.columns,
        )

    def __init__(
        self,
        scale: Scale = "std",
        columns: list[str] | None = None,
    ) -> None:
        self.scale = scale
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return (
            "every compared column of each original and which of them were released as "
            "they are; links by those alone, nearest record"
        )

    def link(
        self,
        original: object,
        masked: object,
        *,
        truth: ArrayLike | None = None,
    ) -> Linkage:
        """As ``Nearest.link`` on the unchanged columns."""
        columns, _ = unchanged(
            original,
            masked,
            truth=truth,
            columns=self.columns,
        )
        nearest = Nearest(scale=self.scale, columns=columns)
        linkage = nearest.link(original, masked, truth=truth)
        return replace(
            linkage,
            attacker=type(self).__name__,
            knows=self.knows,
        )


def unchanged(
    original: object,
    masked: object,
    *,
    truth: ArrayLike | None = None,
    columns: list[str] | None = None,
) -> tuple[list[str], list[str]]:
    """The columns that have the same value in every released record, and all compared ones.

    Parameters
    ----------
    original, masked : frame, array, dict of columns or Microdata
        Both files.
    truth : array of int, optional
        The masked row of each original; aligned rows unless given.
    columns : list of str, optional
        The compared columns; the quasi-identifiers unless given.
    """
    pair = Pair.of(original, masked, columns)
    rows = true_rows(pair.original.n, pair.masked.n, truth)
    # what was not released cannot have changed
    released = rows >= 0
    same = []
    for name in pair.columns:
        x, z = pair.column(name)
        if np.array_equal(x[released], z[rows[released]], equal_nan=True):
            same.append(name)
    return same, [*pair.columns, *pair.incomparable]


def applies(
    original: object,
    masked: object,
    *,
    truth: ArrayLike | None = None,
    columns: list[str] | None = None,
) -> bool:
    """Some compared column is unchanged, and some other is not (arguments as ``unchanged``)."""
    try:
        same, compared = unchanged(
            original,
            masked,
            truth=truth,
            columns=columns,
        )
    except InputError:
        return False  # the files cannot be aligned: every attacker says so
    return 0 < len(same) < len(compared)
