"""Links of rows as votes for persons, beside the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.attack.unit_votes import found_at_all, name_persons
from tacit.data.units import Units


def _units(raw: list[int]) -> Units:
    return Units("person", np.unique(raw, return_inverse=True)[1].astype(np.int64))


def test_one_person_is_among_the_candidates_of_every_year() -> None:
    # two persons of two rows; each row names a class of two records, one of each row's owner
    ours = _units([0, 0, 1, 1])
    theirs = _units([0, 0, 1, 2])
    masked_class = np.array([0, 1, 0, 1])
    # person 0 names class 0, then class 1: masked person 0 is in both
    named = name_persons(
        masked_class,
        np.array([0, 1, 2, 3, 4]),
        np.array([0, 1, 0, 0]),
        np.ones(4),
        np.array([0, 1, 2, 3]),
        ours,
        theirs,
    )
    # person 1 names class 0 twice: masked persons 0 and 1 tie, and 1 is right
    assert named.success.tolist() == [1.0, 0.5]
    assert named.margin.tolist() == [0.25, 0.0]


@given(st.integers(0, 10_000))
def test_votes_equal_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 12)), int(rng.integers(1, 12))
    ours, theirs = (
        _units(rng.integers(0, 4, n).tolist()),
        _units(rng.integers(0, 4, m).tolist()),
    )
    masked_class = np.unique(rng.integers(0, 5, m), return_inverse=True)[1]
    classes_of = [
        rng.permutation(masked_class.max() + 1)[: rng.integers(0, 3)] for _ in range(n)
    ]
    degree = np.array([len(one) for one in classes_of])
    indptr = np.concatenate([[0], np.cumsum(degree)])
    classes = np.concatenate(classes_of).astype(np.int64)
    probability = np.repeat(1 / np.maximum(degree, 1), degree)
    truth = rng.integers(-1, m, n)
    named = name_persons(
        masked_class, indptr, classes, probability, truth, ours, theirs
    )
    for person in range(ours.number):
        votes = np.zeros(theirs.number)
        own = set()
        for i in ours.rows(person):
            if truth[i] >= 0:
                own.add(int(theirs.labels[truth[i]]))
            for e in range(indptr[i], indptr[i + 1]):
                members = np.flatnonzero(masked_class == classes[e])
                for j in members:
                    votes[theirs.labels[j]] += probability[e] / len(members)
        winners = np.flatnonzero(votes >= votes.max() - 1e-9) if votes.any() else []
        expected = len(own & set(map(int, winners))) / max(len(winners), 1)
        assert named.success[person] == pytest.approx(expected)


def test_without_numbers_one_row_is_enough() -> None:
    units = _units([0, 0, 1, 1])
    found = found_at_all(
        np.array([0.5, 0.5, 0.2, 1.0]), np.array([True, True, True, False]), units
    )
    assert found == pytest.approx([0.75, 0.2])
