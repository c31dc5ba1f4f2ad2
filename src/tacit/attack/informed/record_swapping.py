"""Record swapping: who stands out has been moved, and where to is anybody's guess."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from sklearn.base import clone

from tacit.attack.common_codes import common_codes
from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.base import seeds
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata

RUNS = 9
"""Times that the intruder runs the method to see who is moved how often."""
APART = 3.0
"""Nats between two areas in a hint: about what an area tells."""


class AwareRecordSwapping(Informed):
    """The intruder knows who stands out, hence how likely each record was moved.

    Parameters
    ----------
    protector : protector, optional
        The method; the intruder runs it on the originals and counts who is moved.
    rate : float
        Chance that a record was moved, where no method is given.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** With s_i(l) the share of the intruder's own runs (half a run added for each l)
    in which the l largest areas of record i stayed, and the smaller ones did not, a masked record
    that shares l areas with it costs -log(s_i(l) / m), m the number of areas that do so.

    **Guarantee.** No true link is ruled out.

    **Cost.** Nine runs of the method, then all pairs of a file of up to 6,000 records, candidates
    of a larger one.

    References
    ----------
    Shlomo, Tudor and Groom (2010) for the method; the attack follows from its definition.

    Examples
    --------
    >>> x = {"town": ["a", "b"], "age": [30.0, 60.0]}
    >>> AwareRecordSwapping(columns=["town"]).link(x, x).correct
    2.0
    """

    method = "record_swapping"

    def __init__(
        self,
        protector: Any = None,
        rate: Annotated[float, Ge(0), Le(1)] = 0.05,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.protector = protector
        self.rate = rate
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(cls, protector: Any, original: Microdata) -> AwareRecordSwapping:
        """The method can be run again, with other seeds."""
        return cls(protector=protector)

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says("how likely each household was moved to another area")

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Minus the log probability of a move that leaves so many levels of area as they were."""
        ours, theirs = _areas(original, masked, columns)
        share = self._kept(original, columns)
        # the areas at each distance from each: a move of that distance goes to one of them
        every, place = np.unique(ours, axis=0, return_inverse=True)
        levels = len(columns)
        alike = (every[:, None, :] == every[None, :, :]).sum(axis=2)
        number = np.stack(
            [(alike == kept).sum(axis=1) for kept in range(levels + 1)], 1
        )
        cost = -np.log(share / np.maximum(number[place.ravel()], 1))
        hint = ours * APART, theirs * APART
        return Evidence.of_part(Part(np.hstack([ours, cost]), theirs, _cost, hint))

    def _kept(self, original: Microdata, columns: list[str]) -> Floats:
        """The probability that 0, 1, ... levels of each record's areas stay, largest first."""
        levels = len(columns)
        if self.protector is None:
            # neither 0 nor 1, whose logarithms nobody can add to
            rate = float(np.clip(self.rate, 1e-6, 1 - 1e-6))
            share = np.full((original.n, levels + 1), rate / levels)
            share[:, levels] = 1 - rate
            return share
        # half a run for each: what nine runs did not show is not impossible
        times = np.full((original.n, levels + 1), 0.5)
        for run in range(RUNS):
            again = clone(self.protector)
            again.set_params(random_state=seeds.child(seeds.FIXED, run))
            ours, theirs = _areas(original, again.fit_transform(original), columns)
            times[np.arange(original.n), (ours == theirs).sum(axis=1)] += 1
        return np.asarray(times / times.sum(axis=1, keepdims=True))


def _areas(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
) -> tuple[Floats, Floats]:
    """The area of each record at each level, inside the larger ones; a missing one is an area."""
    ours, theirs = np.zeros((original.n, 0)), np.zeros((masked.n, 0))
    both = np.zeros(original.n + masked.n)
    for name in columns:
        x, z, size = common_codes(original, masked, name)
        codes = np.nan_to_num(np.concatenate([x, z]), nan=size)
        both = np.unique(both * (size + 1) + codes, return_inverse=True)[1].astype(
            float
        )
        ours = np.column_stack([ours, both[: original.n]])
        theirs = np.column_stack([theirs, both[original.n :]])
    return ours, theirs


def _cost(p: Floats, q: Floats) -> Floats:
    """Of all pairs, by how many levels of area they share."""
    levels = q.shape[1]
    alike = np.zeros((len(p), len(q)), dtype=np.int64)
    for level in range(levels):
        alike += p[:, level, None] == q[None, :, level]
    return np.take_along_axis(p[:, levels:], alike, axis=1)
