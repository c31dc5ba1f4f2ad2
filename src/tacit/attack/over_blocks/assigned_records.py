"""The one-to-one linkage of least total cost of two files of any size, over all their blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.attack.base import Matching
from tacit.attack.class_links import members_share
from tacit.attack.distances import Distance, Scale
from tacit.attack.over_blocks.block_rounds import BlockRounds
from tacit.attack.over_blocks.blocked_files import (
    BlockedFiles,
    blocked_files,
    blocked_vectors,
)
from tacit.attack.over_blocks.candidate_pairs import CandidatePairs
from tacit.attack.over_blocks.classes import Classes
from tacit.attack.solver.csr import pointers_of
from tacit.attack.solver.near_optimal import TOLERANCE
from tacit.attack.solver.neighbours import KIND
from tacit.attack.solver.solution import RoundReport
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata


@dataclass(frozen=True)
class Stop:
    """When the solver may stop.

    Attributes
    ----------
    candidates
        Nearest classes in the first graph, each way; it sets the speed only.
    gap
        Relative distance to the optimum that is good enough; 0: prove the optimum.
    time_limit
        Seconds after which the best linkage so far is taken; None: never.
    exact
        Records above which one round is enough, unless a gap or a time is asked for.
    progress
        Called with the entry of the log after each round.
    """

    candidates: int
    gap: float
    time_limit: float | None
    exact: int
    progress: RoundReport | None


@dataclass(frozen=True)
class AssignedRecords:
    """Who is linked to whom, and how it was found.

    Attributes
    ----------
    matching
        The links, with ``cost``, ``bound``, ``certified`` and the log of the rounds.
    blocks, apart
        How many blocks there were, and of how many originals the own record (of the same number)
        is in another one than they themselves.
    """

    matching: Matching
    blocks: int
    apart: int


def assigned_records(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    distance: Distance,
    scale: Scale,
    weights: dict[str, float] | None,
    stop: Stop,
    *,
    squared: bool = False,
    block: int | None = None,
) -> AssignedRecords:
    """The linkage of least total cost, with its proven gap; the shorter file is linked completely.

    The cost is that of ``solver.assign`` on the whole file. Among equally good linkages of records
    that are not identical another one may be taken.

    Parameters
    ----------
    original, masked, columns, distance, scale, weights
        As of ``distances.vectors``, but for Mahalanobis distances.
    stop : Stop
        When the solver may stop.
    squared : bool
        The cost of a link is the square of its distance.
    block : int, optional
        Records of a block, about; it sets the speed and the memory only.
    """
    with blocked_files(
        original, masked, columns, distance, scale, weights, block=block
    ) as files:
        return _assigned(files, original.n, masked.n, stop, squared=squared)


def assigned_vectors(
    both: Iterable[Floats],
    stop: Stop,
    beside: Path | None = None,
    *,
    block: int | None = None,
) -> AssignedRecords:
    """The same of vectors, whose squared distances are the cost.

    Parameters
    ----------
    both : iterable of two arrays
        Of the originals and of the masked records, one row each; they are held no longer than it
        takes to write them.
    stop : Stop
        When the solver may stop.
    beside : path, optional
        A folder that every worker sees.
    block : int, optional
        Records of a block, about.
    """
    with blocked_vectors(both, beside, block=block) as files:
        n, m = files.original.records, files.masked.records
        return _assigned(files, n, m, stop, squared=True)


def _assigned(
    files: BlockedFiles, n: int, m: int, stop: Stop, *, squared: bool
) -> AssignedRecords:
    """Rounds over the blocks of two files with so many records."""
    frame = files.space.frame
    ours = Classes.of(files.original, frame, n)
    theirs = Classes.of(files.masked, frame, m)
    kind = KIND["squared"] if squared else files.space.kind
    # the solver links every row: the shorter file must be the rows
    is_turned = n > m
    sides = (files.original, ours), (files.masked, theirs)
    rows, cols = sides[::-1] if is_turned else sides
    pairs = CandidatePairs(files, rows, cols, kind)
    rounds = BlockRounds(pairs, stop.time_limit, stop.progress)
    is_large = max(n, m) > stop.exact
    one = is_large and stop.gap == 0 and stop.time_limit is None
    rounds.go(stop.candidates, stop.gap, 1 if one else None)
    matching = _matching(rounds, ours, theirs, is_turned, squared)
    if is_large and not rounds.certified:
        # the interval of the rate is longer: the gap is proven for the cost alone
        matching.tolerance = TOLERANCE
    return AssignedRecords(matching, _blocks(files), _apart(ours, theirs))


def _blocks(files: BlockedFiles) -> int:
    return files.masked.blocks


def _apart(ours: Classes, theirs: Classes) -> int:
    """How many records are in different blocks in the two files."""
    both = min(len(ours.records.inverse), len(theirs.records.inverse))
    home = ours.block_of(ours.records.inverse[:both])
    return int(np.count_nonzero(home != theirs.block_of(theirs.records.inverse[:both])))


def _matching(
    rounds: BlockRounds,
    ours: Classes,
    theirs: Classes,
    is_turned: bool,
    squared: bool,
) -> Matching:
    """The links as an intruder meets them (``solver.assign.shares``): classes share theirs."""
    owner = np.repeat(np.arange(len(rounds.count)), rounds.count)
    target = rounds.best_column
    u, v = rounds.best_u, rounds.best_v
    if is_turned:
        owner, target = target, owner
        u, v = v, u
    owner, target, size, cost = _counted(
        owner, target, rounds.best_costs, theirs.number
    )
    indptr = pointers_of(owner, ours.number)
    share = size / ours.records.count[owner]
    score = np.full(ours.number, np.nan)
    linked = np.diff(indptr) > 0
    # of the link that is shown: the first of a class
    score[linked] = cost[indptr[:-1][linked]]
    matching = members_share(
        ours.records,
        theirs.records,
        indptr,
        target,
        share,
        score=np.sqrt(score) if squared else score,
    )
    matching.cost, matching.bound = rounds.cost, rounds.bound
    matching.certified = rounds.certified
    matching.log = rounds.log
    matching.duals = (u[ours.records.inverse], v[theirs.records.inverse])
    return matching


def _counted(
    owner: Ints, target: Ints, cost: Floats, width: int
) -> tuple[Ints, Ints, Ints, Floats]:
    """(owner, target, how often, cost) of the distinct links, owners rising."""
    pair, first, size = np.unique(
        owner * width + target, return_index=True, return_counts=True
    )
    rows, cols = np.divmod(pair, width)
    return rows, cols, size, cost[first]
