"""The intruder who uses everything: laws, honest learning, large files, and what is reported."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit as tc
from attack.features.releases import census, mostly_replaced, noisy, random_thousands
from tacit.attack.features import everything
from tacit.attack.features.agreement import Learned, Near, Same, Table
from tacit.attack.features.everything import Everything
from tacit.attack.features.halves import marks, once
from tacit.attack.features.readings import as_numbers
from tacit.attack.features.relations import relations
from tacit.attack.features.two_files import TwoFiles
from tacit.attack.features.values import _residue


def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def two_files(file: pd.DataFrame, masked: pd.DataFrame) -> TwoFiles:
    ours, theirs = tc.Microdata.of(file), tc.Microdata.of(masked)
    return TwoFiles.of(ours, theirs, list(file), order=None)


def test_rows_in_another_order_give_the_same_rate() -> None:
    made = mostly_replaced(rng())
    link = Everything().link(made.original, made.masked)
    ours, theirs = rng().permutation(400), rng().permutation(400)
    again = Everything().link(
        made.original.iloc[ours].reset_index(drop=True),
        made.masked.iloc[theirs].reset_index(drop=True),
        truth=np.argsort(theirs)[ours],
    )
    assert again.correct == pytest.approx(link.correct)
    assert np.allclose(again.success, link.success[ours])


@pytest.mark.parametrize("seed", range(3))
def test_other_people_are_found_by_chance(seed: int) -> None:
    """Nothing is learned from a person that is used for that person: no memory, no rate."""
    drawn = np.random.default_rng(seed)
    file, others = census(drawn), census(drawn)
    others["lab"] = drawn.normal(size=400)
    link = Everything(in_order=True).link(file, others)
    # chance is one of 400: five are found with probability .003
    assert link.correct <= 5


def test_who_is_linked_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The laws for one half come from the other, whose pairs alone are known."""
    given: list[np.ndarray] = []
    learn = everything._learned

    def spied(files: TwoFiles, known: np.ndarray, *rest: object) -> object:
        given.append(known)
        return learn(files, known, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(everything, "_learned", spied)
    file = census(rng())
    Everything().link(file, noisy(file, rng()))
    files = two_files(file, file)
    half = marks(files) & 1
    assert not given[0][half == 0].any()
    assert not given[1][half == 1].any()
    assert (given[0] | given[1]).all()


def test_equal_rows_of_a_person_teach_once() -> None:
    person = np.array([0, 0, 0, 1, 1, 2])
    file = pd.DataFrame({"a": [5.0, 5.0, 7.0, 5.0, 5.0, 5.0], "person": person})
    known = tc.Microdata.of(file, person=["person"], quasi=["a"])
    files = TwoFiles.of(known, known, ["a"], order=None)
    rows, own = np.array([0, 1, 2, 3, 5]), np.arange(6)
    # of rows 0 and 1 the one whose released record comes first
    assert once(files, rows, own, np.arange(6)).tolist() == [0, 2, 3, 5]
    assert once(files, rows, own, np.arange(6)[::-1]).tolist() == [1, 2, 3, 5]


def test_chance_tells_nothing() -> None:
    """Of two independent files hardly a feature is used."""
    some = [
        len(Everything().link(census(rng()), census(np.random.default_rng(seed))).log)
        for seed in range(3)
    ]
    assert sum(some) <= 3


def test_a_residue_has_no_ends() -> None:
    read = _residue(np.array([9.99999999, 10.0, 10.00000001, 10.25]), 10.0)
    assert read.tolist() == [0.0, 0.0, 0.0, 0.025]


def test_a_household_is_in_one_half() -> None:
    """A number of the household, kept under another name, tells nothing of other households."""
    homes = np.repeat(np.arange(150), 3)
    file = pd.DataFrame({"home": homes, "age": rng().integers(0, 90, 450)})
    masked = pd.DataFrame(
        {"age": rng().permutation(file.age), "code": rng().permutation(150)[homes]}
    )
    known = tc.Microdata.of(file, household=["home"], quasi=["age"])
    assert Everything().link(known, masked).rate < 0.05


def test_large_files_find_by_candidates_what_all_pairs_find(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = random_thousands(rng())
    every = Everything().link(made.original, made.masked)
    monkeypatch.setattr(everything, "DENSE", 100)
    monkeypatch.setattr(everything, "BLOCK", 150)
    few = Everything().link(made.original, made.masked)
    assert every.rate > 0.99
    assert few.rate > 0.99
    weak = noisy(census(rng()), rng(), 0.3)
    among = Everything().link(census(rng()), weak).rate
    monkeypatch.setattr(everything, "DENSE", 6000)
    assert among > 0.8 * Everything(rule="nearest").link(census(rng()), weak).rate


def test_the_order_of_rows_is_evidence_only_where_it_is_that_of_the_release() -> None:
    file = census(rng()).sort_values("c0").reset_index(drop=True)
    masked = noisy(file, rng())
    assert Everything(in_order=True).link(file, masked).rate > 0.9
    assert Everything().link(file, masked).rate < 0.1


def test_laws_by_hand() -> None:
    """Four of four pairs are equal; the label stands in one of four released records."""
    labels = np.arange(4)
    law = Same(labels, labels).learn(Learned(labels, labels))
    assert law is not None
    # P = (4 + 1/4) / (4 + 1), Q = 1/4
    assert law.bits == pytest.approx(np.log2(0.85 / 0.25))
    table = Table(np.array([1, 1, 2, 2]), np.array([2, 2, 1, 1]))
    assert table.learn(Learned(labels, labels)) is not None
    assert Table(labels, labels).learn(Learned(labels, labels)) is None
    values = np.arange(64.0)
    near = Near(values, values).learn(Learned(np.arange(64), np.arange(64)))
    assert near is not None
    assert np.all(np.diff(near.gain) >= 0)
    assert near.bits == pytest.approx(6, abs=0.5)


def test_a_known_pair_does_not_tell_itself() -> None:
    """Noise that is remembered would make the law of known pairs too sharp."""
    file, drawn = census(rng()), rng().normal(size=400)
    masked = pd.DataFrame({"new": drawn})
    files = two_files(file, masked)
    half = np.arange(0, 400, 2)
    for feature in relations(files, Learned(half, half)):
        said = feature.agreement.ours()
        # a forest in which every tree saw a pair says nothing of it
        there = half[~np.isnan(said[half])]
        assert len(there) > 190
        known = np.corrcoef(said[there], drawn[there])[0, 1]
        assert abs(known) < 0.3, feature.way


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["79.0 kg", "81 kg", None], [79.0, 81.0, None]),
        (["N", "12000", "-3"], [None, 12000.0, -3.0]),
        (["01/02/2020", "15/02/2020", "03/02/2020"], [18293.0, 18307.0, 18295.0]),
        (["a", "b", "c1"], None),
    ],
)
def test_numbers_in_texts(texts: list[str | None], numbers: list[float | None]) -> None:
    read = as_numbers(pa.chunked_array([texts]))
    if numbers is None:
        assert read is None
        return
    assert read is not None
    wanted = [np.nan if number is None else number for number in numbers]
    assert np.allclose(np.round(read), np.round(wanted), equal_nan=True)
