"""Whoever of a block may be nearest to some originals, or tied with the nearest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.attack.base import Distinct, distinct
from tacit.attack.over_blocks.laid_out import LaidOut
from tacit.attack.solver.frame import Frame
from tacit.attack.solver.neighbours import ranking, search
from tacit.attack.solver.scan import Points, tie_limits
from tacit.attack.solver.stopper import Stopper
from tacit.base.typing import Floats, Ints
from tacit.kernels.assignment.graph import pair_costs
from tacit.kernels.trees import kdtree

MORE = 8
"""Times as many neighbours are asked for where all that were found are tied."""


@dataclass(frozen=True)
class Space:
    """Where distances are measured: in a turned frame at first, and then exactly."""

    frame: Frame
    kind: int

    @property
    def ranked(self) -> int:
        """The kind of the values that a search compares: squares need no root."""
        return ranking(self.kind)

    def limits(self, least: Floats) -> Floats:
        """The value in the frame below which everybody is who is as near as ``least``."""
        as_ranked = least * least if self.ranked == kdtree.SQUARED else least
        # a true tie may look worse by the error of turning, on both sides
        return tie_limits(as_ranked, self.ranked, 2 * self.frame.error)


@dataclass(frozen=True)
class ReadBlock:
    """The records of a block: identical ones are found once and share the link."""

    rows: Ints
    theirs: Distinct
    points: Points

    @classmethod
    def of(cls, file: LaidOut, block: int, frame: Frame) -> ReadBlock:
        """Read a block."""
        rows, vectors = file.block(block)
        theirs = distinct(vectors)
        return cls(rows, theirs, Points(frame(theirs.rows)))

    def near(
        self, X: Floats, queries: Floats, least: Floats, space: Space
    ) -> tuple[Ints, Ints, Floats]:
        """(owner, class, distance) of all who are as near to an owner as ``least``, and more.

        Parameters
        ----------
        X, queries : arrays
            The originals, as they are and in the frame.
        least : array
            The distance of the nearest record that is known already; inf: none is.
        space : Space
            How distances are measured.
        """
        Y, ranked = self.theirs.rows, space.ranked
        limits = space.limits(least)
        rows = np.arange(len(X))
        parts: list[tuple[Ints, Ints, Floats]] = []
        # two show who is nearest alone, as most are
        k = min(2, len(Y))
        while len(rows):
            value, index = search(
                queries,
                self.points,
                k,
                ranked,
                Stopper(threads=1),
                rows=rows,
                limits=limits[rows],
                ties=2 * space.frame.error,
                at_hand=True,
            )
            within = tie_limits(value[:, 0], ranked, 2 * space.frame.error)
            within = np.minimum(within, limits[rows])
            # a list that is full of ties may have left some out
            full = (index[:, -1] >= 0) & (value[:, -1] <= within) & (k < len(Y))
            found = (index >= 0) & (value <= within[:, None]) & ~full[:, None]
            owner = rows[np.nonzero(found)[0]]
            classes = index[found]
            parts.append((owner, classes, pair_costs(X, Y, owner, classes, space.kind)))
            rows = rows[full]
            k = min(MORE * k, len(Y))
        owners, named, exact = zip(*parts, strict=True) if parts else ((), (), ())
        if not parts:
            none = np.zeros(0, np.int64)
            return none, none, np.zeros(0)
        return np.concatenate(owners), np.concatenate(named), np.concatenate(exact)
