"""Attackers and what they find.

Ties are counted as an intruder would meet them: row order is not knowledge.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tacit.attack.common_classes import in_common_classes
from tacit.attack.holding import COLUMNS, Holding
from tacit.attack.identical_rows import Distinct, distinct
from tacit.attack.linkage import Linkage, UnitLinks
from tacit.attack.solver.csr import owners, take_rows
from tacit.attack.solver.solution import LogEntry
from tacit.attack.truth import true_rows
from tacit.attack.unit_counts import (
    by_surest,
    counted_units,
    released_units,
    to_own_unit,
)
from tacit.attack.unit_votes import name_persons
from tacit.base import parameters
from tacit.base.errors import ColumnError, InputError
from tacit.base.estimator import Estimator
from tacit.base.facts import Described
from tacit.base.typing import Floats, Ints
from tacit.data.fill_in import as_read
from tacit.data.microdata import Kind, Microdata
from tacit.data.units import Units

__all__ = ["Attacker", "Distinct", "Linkage", "Matching", "distinct"]


@dataclass
class Matching:
    """What an attacker names, before it is scored against the truth.

    Identical masked records form a class. For an original with list l the attacker names a
    record of class ``classes[e]`` with probability ``probability[e]`` (over its random tie
    breaking), for e in ``indptr[l] .. indptr[l + 1] - 1``; within a class each record is
    equally likely. Identical originals share one list: of few classes that name many, a list
    for each original would grow with the square of the records.

    Attributes
    ----------
    match
        The masked row named for each original (-1: none); with ties, one of them.
    score
        The attacker's figure for the link, mostly a distance.
    masked_class
        The class of each masked record.
    margin
        How much worse the second best is; None: not worked out.
    cost, bound, certified, tolerance
        Of linkages that minimise a total: see ``Linkage``.
    log
        What the attacker did, step by step.
    duals
        Of assignments: the price of each original and of each masked record.
    lists
        The list of each original; None: original i has list i.
    """

    match: Ints
    score: Floats
    masked_class: Ints
    indptr: Ints
    classes: Ints
    probability: Floats
    margin: Floats | None = None
    cost: float | None = None
    bound: float | None = None
    certified: bool | None = None
    tolerance: float = 0.0
    log: list[LogEntry] = field(default_factory=list)
    duals: tuple[Floats, Floats] | None = None
    lists: Ints | None = None

    @property
    def named(self) -> tuple[Ints, Ints, Ints, Floats]:
        """Classes of the masked records, and who is named: a list for each original."""
        if self.lists is None:
            return self.masked_class, self.indptr, self.classes, self.probability
        indptr, entries = take_rows(self.indptr, self.lists)
        return (
            self.masked_class,
            indptr,
            self.classes[entries],
            self.probability[entries],
        )


@dataclass(frozen=True)
class Release:
    """A release as an attacker sees it before it decides whether to try."""

    original: Microdata
    masked: Microdata
    truth: ArrayLike | None = None
    columns: list[str] | None = None


class Attacker(Described, Estimator):
    """An intruder: knows the original's columns and names a masked record for each original.

    A method writes ``__init__`` (annotated parameters), ``_link`` and ``knows``.
    """

    kinds: ClassVar[frozenset[Kind]] = frozenset(Kind)
    # the score of a link is the attacker's calibrated probability that the link is right
    calibrated: ClassVar[bool] = False
    usual: ClassVar[bool] = False
    """Tries every release, unless other attackers are named."""

    patience: ClassVar[int] = 1
    """Where one attack may be enough, those of less patience go first: 0 links each record by
    itself, 1 all records at once, 2 makes many such linkages."""

    fills_in: ClassVar[bool] = False
    """Reads suppressed cells off the other rows of the person or household before it links."""

    @property
    def compares_classes(self) -> bool:
        """Sees numbers that became labels as those labels, in both files.

        Who knows the plan, or guesses it, reads labels in a better way.
        """
        return True

    held: ClassVar[Holding] = Holding(2800, 160, COLUMNS)
    """What it holds while it links a large file; unless it says so itself, as much as the dearest
    that was measured."""

    held_over_blocks: ClassVar[Holding | None] = None
    """The same of files on the disk, of an attacker who links them there."""

    @property
    def works_over_blocks(self) -> bool:
        """Does it link files that are larger than memory where they are, on the disk?"""
        return self.held_over_blocks is not None

    def goes_over_blocks(self, original: Microdata) -> bool:
        """Would it link this file on the disk? What it compares may decide."""
        return self.works_over_blocks

    def holding(self, original: Microdata, *, on_disk: bool) -> Holding:
        """What it holds while it links a large file in memory, or one on the disk.

        Parameters
        ----------
        original : Microdata
            The file, or its first records.
        on_disk : bool
            Is the file larger than memory?
        """
        if on_disk and self.held_over_blocks and self.goes_over_blocks(original):
            return self.held_over_blocks
        return self.held

    told_nothing: ClassVar[bool] = False
    """Guesses what a plan would say; where the plan is known it adds nothing."""

    @classmethod
    def invited(cls, release: Release) -> bool:
        """Does this release leave what the attacker lives on? Then it tries, whoever is named."""
        return False

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        raise NotImplementedError

    def link(
        self,
        original: object,
        masked: object,
        *,
        truth: ArrayLike | None = None,
    ) -> Linkage:
        """Attack a release.

        Parameters
        ----------
        original, masked : frame, array, dict of columns or Microdata
            What the intruder knows, and what was released.
        truth : array of int, optional
            The masked row of each original (-1: not released); aligned rows unless
            given. It is used to count correct links, never to find them.

        Returns
        -------
        Linkage
            Whom the attacker names for each original, and how often that is right.
        """
        # checked when it attacks: scikit-learn constructors must not check
        parameters.check(type(self), self.get_params(deep=False))
        start = time.perf_counter()
        ours = Microdata.of(original)
        theirs = Microdata.of(masked)
        if not ours.n or not theirs.n:
            raise InputError("a file without records has nobody to link")
        true_row = true_rows(ours.n, theirs.n, truth)
        columns = self._columns(ours, theirs)
        # after the columns: a wrong name is the more useful message
        _refuse_empty(ours, "original")
        _refuse_empty(theirs, "masked")
        seen = as_read(theirs, ours) if self.fills_in else theirs
        read = ours
        if self.compares_classes:
            read, seen = in_common_classes(ours, seen, columns)
        try:
            matching = self._link(read, seen, columns)
        except np.linalg.LinAlgError as error:
            raise InputError(
                f"{type(self).__name__} cannot work with covariances of values of this "
                f"size ({error}); bring the columns to a common unit first"
            ) from None
        # the clock stops here: counting correct links is our work, not the intruder's
        seconds = time.perf_counter() - start
        success, ties = scored(matching, true_row)
        margin = matching.margin
        if margin is None:
            # one number for everybody
            margin = np.broadcast_to(np.float64(np.nan), ours.n)
        explainer = None
        if ours.in_memory and theirs.in_memory:
            # it holds all that was named; of a file on the disk only the links are kept
            explainer = partial(self._explain, read, seen, columns, matching)
        units = counted_units(ours)
        by_rows = None
        if not units.single:
            theirs_units = released_units(ours, theirs, units)
            by_rows = _together(
                matching, success, ties, margin, true_row, units, theirs_units
            )
            success = to_own_unit(*matching.named, true_row, units)
        return Linkage(
            attacker=type(self).__name__,
            knows=self.knows,
            columns=tuple(columns),
            match=matching.match,
            score=matching.score,
            margin=margin,
            success=success,
            ties=ties,
            truth=true_row,
            masked_records=theirs.n,
            seconds=seconds,
            cost=matching.cost,
            bound=matching.bound,
            certified=matching.certified,
            tolerance=matching.tolerance,
            stated=matching.score if self.calibrated else None,
            log=matching.log,
            units=None if units.single else units,
            by_rows=by_rows,
            explainer=explainer,
        )

    def _link(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        """Name masked records; what a method writes."""
        raise NotImplementedError

    def _explain(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
        matching: Matching,
        i: int,
    ) -> dict[str, object]:
        """Which masked classes compete for record i; attackers add why."""
        place = i if matching.lists is None else int(matching.lists[i])
        entries = slice(matching.indptr[place], matching.indptr[place + 1])
        return {
            "record": i,
            "named": int(matching.match[i]),
            "score": float(matching.score[i]),
            "classes": matching.classes[entries].tolist(),
            "probability": matching.probability[entries].tolist(),
        }

    def _columns(self, original: Microdata, masked: Microdata) -> list[str]:
        """The columns that the intruder compares.

        Those asked for, or the quasi-identifiers that both files have.
        """
        asked: list[str] | None = getattr(self, "columns", None)
        if asked is not None:
            for name in asked:
                # a schema names its columns when it is asked for one that is not there
                original.schema[name], masked.schema[name]
            return list(asked)
        names = [name for name in original.quasi if name in masked.schema]
        if not names:
            raise ColumnError(
                "the two files have no quasi-identifier in common; name the columns to "
                "compare (--quasi)"
            )
        return names


def _refuse_empty(file: Microdata, role: str) -> None:
    if file.n == 0:
        raise InputError(f"the {role} file has no records: there is nothing to link")


def scored(matching: Matching, truth: Ints) -> tuple[Floats, Floats]:
    """Probability that each original's own record is named, and how many records tie for it.

    A class of g identical records that is named with probability p names each of them
    with p / g: the expectation under random tie breaking, exactly.
    """
    n = len(matching.match)
    classes = int(matching.masked_class.max(initial=-1)) + 1
    size = np.bincount(matching.masked_class, minlength=classes)
    owner = owners(matching.indptr)
    lists = np.arange(n) if matching.lists is None else matching.lists
    # records that were not released have no own class: nothing can hit
    own_class = matching.masked_class[np.where(truth >= 0, truth, 0)]
    # an original is hit where its list has its own class
    key, place = np.unique(owner * classes + matching.classes, return_inverse=True)
    chance = np.bincount(place.reshape(-1), matching.probability, minlength=len(key))
    wanted = lists * classes + own_class
    at = np.searchsorted(key, wanted)
    hit = (truth >= 0) & (at < len(key))
    hit[hit] = key[at[hit]] == wanted[hit]
    success = np.zeros(n)
    success[hit] = chance[at[hit]] / size[own_class[hit]]
    tied = size[matching.classes].astype(np.float64)
    ties = np.bincount(owner, weights=tied, minlength=len(matching.indptr) - 1)
    return success, ties[lists].astype(np.float64)


def _together(
    matching: Matching,
    own: Floats,
    ties: Floats,
    margin: Floats,
    truth: Ints,
    units: Units,
    released: Units | None,
) -> UnitLinks:
    """What all rows of each unit find: by votes, or by the surest row of an unnumbered release."""
    if released is not None:
        named = name_persons(*matching.named, truth, units, released)
        return UnitLinks(named.success, named.margin, own)
    success = to_own_unit(*matching.named, truth, units)
    found = by_surest(success, matching.match, truth, ties, margin, units)
    return UnitLinks(found, np.full(units.number, np.nan), own)
