"""Resampling: values are new, and every rank is as it was."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from annotated_types import Ge

from tacit.attack.informed.base import Informed, continuous
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.attack.informed.pram import unchanged
from tacit.attack.informed.rank_swapping import FAR, MISSING, gap, rank_range
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata


class AwareResampling(Informed):
    """The intruder knows that ranks were kept: a candidate has the original's rank everywhere.

    Parameters
    ----------
    samples : int
        Number of samples that were averaged.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** The record of rank r takes the mean of the r-th values of t samples,
    which rises with r. So the ranks of x and z are equal in every column; equal values have
    a range of ranks, and ranges that do not meet are impossible. Where the release has fewer
    records, z is put among the originals and its place there is r plus noise: the r-th of n
    draws comes from a place with variance r (n - r) / n, divided by t for the mean and, for
    the rank in the release itself, multiplied by how many originals a released record
    stands for.

    **Guarantee.** The true record is a candidate where all records were released.

    **Cost.** All pairs of a file of up to 6,000 records, candidates of a larger one.

    References
    ----------
    Heer (1993) for the method; the attack follows from its definition.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(60, 2))
    >>> AwareResampling().link(x, np.sinh(x)).rate
    1.0
    """

    method = "resampling"

    def __init__(
        self,
        samples: Annotated[int, Ge(1)] = 3,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.samples = samples
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwareResampling:
        """How many samples were averaged is known."""
        return cls(samples=protector.samples)

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says("that values were resampled and ranks kept")

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Ranks must meet in every column; of a sample, places are compared."""
        names = continuous(original, columns)
        rest = [name for name in columns if name not in names]
        total = Evidence.none(original.n, masked.n)
        if rest:
            total = total + unchanged(original, masked, rest)
        for name in names:
            x = original.column(name)
            z = masked.column(name)
            if np.isnan(x).sum() == np.isnan(z).sum() and len(x) == len(z):
                total = total + _same_rank(x, z)
            else:
                total = total + self._same_place(x, z)
        return total

    def _same_place(
        self,
        x: Floats,
        z: Floats,
    ) -> Evidence:
        """Places among the originals, in units of what sampling moves them by."""
        n = max(int((~np.isnan(x)).sum()), 1)
        ours = rank_range(x, x).mean(axis=1) + 0.5
        theirs = rank_range(z, x).mean(axis=1) + 0.5
        # Angles of ranks: their spread is the same at every rank, 1 / (2 sqrt(n t))
        spread = 0.5 / np.sqrt(n * self.samples)
        u = _angle(ours / n) / spread
        v = _angle(theirs / n) / spread
        return Evidence(u[:, None], v[:, None])


def _angle(share: Floats) -> Floats:
    """arcsin sqrt(p), whose derivative cancels sqrt(p (1 - p)); missing values lie apart."""
    angle = np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0)))
    # twice the largest angle: far from every rank
    return np.asarray(np.where(np.isnan(share), np.pi, angle))


def _same_rank(x: Floats, z: Floats) -> Evidence:
    """0 where the ranges of ranks meet, inf where they do not."""
    ours = rank_range(x, x)
    theirs = rank_range(z, z)
    hint = (
        np.nan_to_num(ours.mean(axis=1, keepdims=True), nan=FAR),
        np.nan_to_num(theirs.mean(axis=1, keepdims=True), nan=FAR),
    )
    part = Part(
        np.nan_to_num(ours, nan=MISSING),
        np.nan_to_num(theirs, nan=MISSING),
        _meet,
        hint,
    )
    return Evidence.of_part(part)


def _meet(p: Floats, q: Floats) -> Floats:
    """Costs of all pairs of rank ranges; a missing value has rank MISSING, and stays missing."""
    return np.where(gap(p, q) > 0, np.inf, 0.0)
