"""MASSC: a released record is raw, or has the keys of its neighbour, with known probability."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.attack.base import Matching, distinct
from tacit.attack.common_codes import common_codes
from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Part, Rule, link_by
from tacit.attack.informed.evidence_assignment import DENSE
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Kind, Microdata

# A share of 1 is taken to be a little less, so that its odds are finite
MOST = 1.0 - 1e-9

Rates = tuple[float, float, float, float]


class AwareMASSC(Informed):
    """The intruder knows the rates: who is substituted by whom follows from the originals.

    Parameters
    ----------
    substitute, share : tuple of four numbers
        Probability of substitution and share released, one for each stratum.
    k : int
        Number of equal records at which the last stratum begins.
    keys : list of str, optional
        The columns that were substituted together; those compared unless given.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** The number f of originals with the same keys gives a record's stratum s,
    and the order of the keys its donor. Of f equal records one has a donor with other keys,
    so a record keeps its keys with probability 1 - p_s / f and takes the donor's with
    p_s / f; no other keys are possible. A record is released with odds
    share_s / (1 - share_s). The cost is minus the logarithm of the product.

    **Guarantee.** The exact likelihood for files that were not changed otherwise.

    **Cost.** All pairs; above 6,000 records each original is linked on its own.

    References
    ----------
    Singh, Yu and Dunteman (2003) for the method; the attack follows from its definition.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(40, 2))
    >>> AwareMASSC().link(x, x).rate
    1.0
    """

    method = "massc"

    def __init__(
        self,
        substitute: Rates = (0.5, 0.4, 0.3, 0.1),
        share: Rates = (0.5, 0.6, 0.7, 0.8),
        k: int = 5,
        keys: list[str] | None = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.substitute = substitute
        self.share = share
        self.k = k
        self.keys = keys
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwareMASSC:
        """The rates are those of the protector."""
        return cls(
            substitute=tuple(protector.substitute),
            share=tuple(protector.share),
            k=protector.k,
            keys=protector.touches(original),
        )

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says("how often keys were substituted by those of a neighbour")

    def _match(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        rule = self.rule
        # candidates by hint need a release of all records, which this is not
        if max(original.n, masked.n) > DENSE:
            rule = "nearest"
        return link_by(self.evidence(original, masked, columns), rule)

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Own keys, or the donor's; anything else is impossible."""
        ours, theirs = _codes(original, masked, columns)
        keys = [name for name in self.keys or columns if name in original.schema]
        classes = distinct(_ordered(original, keys))
        stratum = np.searchsorted([2, 3, self.k], classes.count, side="right")
        donor = _next_class(stratum, classes.count)
        size = classes.count[classes.inverse]
        of = stratum[classes.inverse]
        moves = np.asarray(self.substitute, float)[of] / size
        share = np.minimum(np.asarray(self.share, float)[of], MOST)
        released = np.log(share / (1.0 - share))
        # the donor's keys: those of any record of its class
        others = ours[classes.first[donor[classes.inverse]]]
        # other columns stay with their record
        own = [k for k, name in enumerate(columns) if name not in keys]
        others[:, own] = ours[:, own]
        given = np.column_stack([ours, others, moves, released])
        # which record of a class came first is row order: equal classes have equal keys
        return Evidence.of_part(Part(given, theirs, _Raw(ours.shape[1])))


def _codes(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
) -> tuple[Floats, Floats]:
    """Values that mean the same in both files; inf marks what is missing."""
    left, right = [], []
    for name in columns:
        if original.schema[name].scale is Kind.continuous:
            x = original.column(name)
            z = masked.column(name)
        else:
            x, z, _ = common_codes(original, masked, name)
        left.append(np.where(np.isnan(x), np.inf, x))
        right.append(np.where(np.isnan(z), np.inf, z))
    return np.stack(left, 1), np.stack(right, 1)


def _ordered(original: Microdata, keys: list[str]) -> Floats:
    """Keys in the order in which the method looks for neighbours: missing values first."""
    values = original.numbers(keys)
    return np.where(np.isnan(values), -np.inf, values)


def _next_class(stratum: Ints, count: Ints) -> Ints:
    """The class whose keys one record of each class may take: the next of its stratum.

    The last class of a stratum has none after it; a single record takes those before it.
    """
    donor = np.arange(len(stratum))
    for s in np.unique(stratum):
        inside = np.flatnonzero(stratum == s)
        donor[inside[:-1]] = inside[1:]
        last = inside[-1]
        if len(inside) > 1 and count[last] == 1:
            donor[last] = inside[-2]
    return donor


class _Raw:
    """The cost of a pair: own keys, donor's keys, or impossible; and the odds of release."""

    def __init__(self, width: int) -> None:
        self.width = width

    def __call__(
        self,
        p: Floats,
        q: Floats,
    ) -> Floats:
        own = np.ones((len(p), len(q)), dtype=bool)
        other = own.copy()
        for k in range(self.width):
            theirs = q[None, :, k]
            own &= p[:, k, None] == theirs
            other &= p[:, self.width + k, None] == theirs
        moves = p[:, -2, None]
        chance = np.where(own, 1.0 - moves, 0.0) + np.where(other, moves, 0.0)
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log(chance) - p[:, -1, None])
