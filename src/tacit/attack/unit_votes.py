"""Persons are found by all their rows together: links of rows are votes for persons.

Six years of a man name six masked records. Each may be one of five that look alike, but only one
masked person is among the candidates of every year. So a link of a row is a vote for the person
whose row it names, and the person with most votes is named.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tacit.attack.solver.csr import owners
from tacit.base.typing import TIE, Bools, Floats, Ints
from tacit.data.units import Units
from tacit.kernels.voting import winners

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Votes that are counted at once: some tenths of a second.
MOST_VOTES = 100_000_000
# Lines of the kernel that a vote takes
LINES = 4


@dataclass(frozen=True)
class Named:
    """Whom an attacker names for each person, scored against the truth."""

    success: Floats
    """The probability that the named masked person is the right one, over random tie breaking."""
    margin: Floats
    """By how many votes per row the named person leads over the next; 0: a tie."""


def name_persons(
    masked_class: Ints,
    indptr: Ints,
    classes: Ints,
    probability: Floats,
    truth: Ints,
    ours: Units,
    theirs: Units,
) -> Named:
    """Votes of rows for masked persons, and how often the winner is the right one.

    Parameters
    ----------
    masked_class, indptr, classes, probability : arrays
        What is named for each original row, as in ``Matching``.
    truth : array of int
        The masked row of each original; -1: not released.
    ours, theirs : Units
        Whose row each original and each masked record is; the release says the latter.

    Notes
    -----
    **Definition.** A row that names a class of g identical records with probability p gives each of
    them p / g votes. v(P, Q) = sum over the rows of P of the votes for rows of Q. The attacker
    names the Q of largest v; equal ones share. Right is whoever has a released row of P.
    """
    # here, because importing it takes a quarter of a second and few files have such units
    from scipy.sparse import csr_array

    number = int(masked_class.max(initial=-1)) + 1
    size = np.bincount(masked_class, minlength=number)
    # votes for classes, and what a vote for a class gives to each person in it
    ballots = csr_array(
        (probability, (ours.labels[owners(indptr)], classes)),
        shape=(ours.number, number),
    )
    share = csr_array(
        (1.0 / size[masked_class], (masked_class, theirs.labels)),
        shape=(number, theirs.number),
    )
    released = truth >= 0
    right = csr_array(
        (
            np.ones(int(released.sum()), dtype=bool),
            (ours.labels[released], theirs.labels[truth[released]]),
        ),
        shape=(ours.number, theirs.number),
    )
    success, margin = np.zeros(ours.number), np.zeros(ours.number)
    lists = [_lists(one) for one in (ballots, share, right)]
    steps, parts = _parts(ballots, share)
    # few votes are counted in plain Python, step by step as compiled
    count = winners.taking(LINES * steps)
    for first, stop in parts:
        count(
            first,
            stop,
            lists[0],
            lists[1],
            lists[2][:2],
            theirs.number,
            TIE,
            success,
            margin,
        )
    return Named(success, margin / ours.sizes)


def _lists(matrix: csr_array) -> tuple[Ints, Ints, Floats]:
    """(pointers, columns, numbers) of a matrix."""
    return (
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int64),
        matrix.data.astype(np.float64),
    )


def _parts(ballots: csr_array, share: csr_array) -> tuple[int, list[tuple[int, int]]]:
    """How many votes there are, and persons in parts between which Ctrl-C is heard."""
    per_class = np.diff(share.indptr)
    so_far = np.concatenate([[0], np.cumsum(per_class[ballots.indices])])
    votes = so_far[ballots.indptr]
    part = votes[:-1] // MOST_VOTES
    begins = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(part)]
    return int(so_far[-1]), list(pairwise(begins))


def found_at_all(success: Floats, released: Bools, units: Units) -> Floats:
    """The probability that some row leads to the person, where the release numbers nobody.

    1 - product over the released rows of (1 - s): the rows of a release without persons' numbers
    cannot be put together, and each is a link of its own.
    """
    missed = np.where(released, 1.0 - np.minimum(success, 1.0), 1.0)
    with np.errstate(divide="ignore"):
        log_missed = np.bincount(
            units.labels, weights=np.log(missed), minlength=units.number
        )
    return np.asarray(-np.expm1(log_missed), np.float64)
