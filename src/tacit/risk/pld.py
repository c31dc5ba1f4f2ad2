"""Probabilistic linkage disclosure, averaged over what the intruder knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from annotated_types import Ge

from tacit.base import facts
from tacit.base.measure import Measure
from tacit.base.seeds import FIXED
from tacit.risk.averaged_linkage import LARGEST, average_one_to_one


@facts.measure(
    "Probabilistic linkage, averaged",
    # larger files than this are left out
    passes="sample",
)
def pld(
    original: object,
    masked: object,
    *,
    columns: Sequence[str] | None = None,
    draws: Annotated[int, Ge(1)] = 1,
    seed: Annotated[int, Ge(0)] = FIXED,
    largest: Annotated[int, Ge(1)] = LARGEST,
) -> Measure:
    """Average share of correct links by probabilistic linkage, over 1 .. d/2 known columns.

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
        Files of more records are left out, since all pairs are compared in each linkage.

    Notes
    -----
    **Definition.** As ``dld``, with probabilistic (Fellegi-Sunter, EM) record linkage.
    **Range.** [0, 1]. 0: no record is linked to its own. Higher: more are. Where it cannot
    be computed the measure says so and has no value: not computed is not zero.

    References
    ----------
    Domingo-Ferrer and Torra (2001); Fellegi and Sunter (1969).
    """
    return average_one_to_one(
        "pld",
        "probabilistic",
        original,
        masked,
        columns=columns,
        draws=draws,
        seed=seed,
        largest=largest,
    )
