"""Distance-based linkage disclosure, averaged over what the intruder knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from annotated_types import Ge

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.seeds import FIXED
from tacit.risk.averaged_linkage import LARGEST, average, average_one_to_one


@facts.measure(
    "Nearest-record linkage, averaged",
    passes="sample",
    with_units="links",
)
def dld(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    draws: Annotated[int, Ge(1)] = 3,
    seed: Annotated[int, Ge(0)] = FIXED,
) -> Measure:
    """Average share of correct links by nearest record, over 1 .. d/2 known columns.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns the intruder may know; the common quasi-identifiers unless given.
    draws : int
        Sets of columns that are tried for each number of known columns.
    seed : int
        Seed of the random choice of sets.

    Notes
    -----
    **Definition.** Mean over s = 1 .. d/2 of the mean over sets of s columns of the share
    of originals whose nearest masked record is their own.
    **Range.** [0, 1]. 0: no record is linked to its own. Higher: more are; compare with
    ``chance`` in the details. Per column: the average share over the sets that contain it.
    Ties are shared, so row order does not matter.

    References
    ----------
    Domingo-Ferrer and Torra (2001).
    """
    # Each original is linked by itself, so large files are sampled and never left out.
    return average(
        original,
        masked,
        "nearest",
        columns=columns,
        draws=draws,
        seed=seed,
    )


@facts.measure(
    "Assignment linkage, averaged",
    # larger files than this are left out
    passes="sample",
)
def dld_assignment(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    draws: Annotated[int, Ge(1)] = 1,
    seed: Annotated[int, Ge(0)] = FIXED,
    largest: Annotated[int, Ge(1)] = LARGEST,
) -> Measure:
    """Average share of correct links by optimal assignment, over 1 .. d/2 known columns.

    Parameters
    ----------
    original, masked : frame or Microdata
        The file before and after protection.
    columns : list of str, optional
        Columns the intruder may know; the common quasi-identifiers unless given.
    draws : int
        Sets of columns that are tried for each number of known columns.
    seed : int
        Seed of the random choice of sets.
    largest : int
        Files of more records are left out, since d/2 linkages of all records take long.

    Notes
    -----
    **Definition.** As ``dld``, all records linked at once, one to one.
    **Range.** [0, 1]. 0: no record is linked to its own. Higher: more are.

    References
    ----------
    Domingo-Ferrer and Torra (2001) for the average over known columns.
    """
    return average_one_to_one(
        "dld_assignment",
        "assignment",
        original,
        masked,
        columns=columns,
        draws=draws,
        seed=seed,
        largest=largest,
    )
