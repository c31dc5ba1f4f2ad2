"""Streams where noise, odds or states could be off by a little, or be used twice."""

from __future__ import annotations

import io
import math
import os
import stat
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit.base.errors import InputError, ParameterError
from tacit.stream.decisions import Decisions
from tacit.stream.filters.draws import randomised_response
from tacit.stream.gate import Gate
from tacit.stream.refused import INFINITE, UNKNOWN, DeadLetters, Refused
from tacit.stream.state import unpacked

S = tc.stream


def private(**options: object) -> S.DPMicroaggregation:
    usual = {"epsilon": 1.0, "k": 5, "window": 10, "bounds": [(0.0, 1.0)]}
    return S.DPMicroaggregation(**(usual | options), clamp=False)


@pytest.mark.few(2)
@pytest.mark.parametrize("sampler", ["safe", "fast"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_private_noise_has_the_scale_of_epsilon(epsilon: float, sampler: str) -> None:
    """The sd of a group mean is sqrt(2) width / (epsilon k): too little noise is no privacy."""
    f = private(epsilon=epsilon, sampler=sampler, random_state=3, test_seed=True)
    means = f.apply(np.full((40_000, 1), 0.5)).reshape(-1, 10)
    # two groups of five in every window of ten, in any order
    both = np.column_stack([means.min(axis=1), means.max(axis=1)]).ravel()
    expected = math.sqrt(2) / (epsilon * 5)
    assert both.std() == pytest.approx(expected, rel=0.06)


def test_persons_with_more_records_get_more_noise() -> None:
    few, many = (
        private(appearances=n, random_state=3, test_seed=True)
        .apply(np.full((4_000, 1), 0.5))
        .std()
        for n in (1, 4)
    )
    assert many == pytest.approx(4 * few, rel=0.1)


def test_every_window_has_noise_of_its_own() -> None:
    f = private(random_state=3, test_seed=True)
    means = f.apply(np.full((40, 1), 0.5)).reshape(-1, 10)
    assert len({tuple(np.unique(window)) for window in means}) == 4


def test_a_private_filter_takes_no_seed() -> None:
    with pytest.raises(ParameterError, match="takes no seed"):
        private(random_state=3)


@pytest.mark.parametrize(("categories", "epsilon"), [(2, 0.5), (5, 1.0)])
def test_randomised_response_keeps_with_the_odds_of_epsilon(
    categories: int, epsilon: float
) -> None:
    n = 60_000
    codes = np.ones(n)
    words = np.random.default_rng(4).integers(0, 2**64, 2 * n, dtype=np.uint64)
    answers = randomised_response(codes, categories, epsilon, words)
    odds = math.exp(epsilon)
    kept = odds / (odds + categories - 1)
    shares = np.bincount(answers.astype(int), minlength=categories) / n
    for code, share in enumerate(shares):
        expected = kept if code == 1 else (1 - kept) / (categories - 1)
        four_sd = 4 * math.sqrt(expected * (1 - expected) / n)
        assert share == pytest.approx(expected, abs=four_sd)


def test_an_undeclared_number_is_refused() -> None:
    f = private(bounds=None, categories={0: [1, 2, 3]}, k=2, window=4)
    with pytest.raises(InputError, match="not among the declared categories"):
        f.apply(np.array([[1.0], [2.0], [7.0], [3.0]]))


def test_percent_is_percent() -> None:
    x = np.random.default_rng(1).normal(0, 10, (8_000, 1))
    masked = S.Noise(percent=50, random_state=1).apply(x)
    assert (masked - x)[2_000:].std() == pytest.approx(5.0, rel=0.1)


def test_an_infinite_value_is_refused() -> None:
    f = S.Noise(percent=10, random_state=1)
    f.push({"a": 1.0})
    with pytest.raises(InputError, match="infinite"):
        f.push({"a": math.inf})


def test_the_gate_lets_in_what_it_knows() -> None:
    gate = Gate(S.Noise(percent=10, columns=["a"]), keep=["b"])
    gate.open([{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}])
    assert gate.check({"a": 3.0, "b": "z"}) == {"a": 3.0, "b": "z"}
    new = gate.check({"a": 3.0, "b": "z", "ssn": "1"})
    assert isinstance(new, Refused)
    assert new.kind == UNKNOWN
    for value in ("inf", 1e400, "-Infinity", "1e999"):
        far = gate.check({"a": value, "b": "z"})
        assert isinstance(far, Refused)
        assert far.kind == INFINITE


def test_a_state_is_that_of_its_columns_and_parameters() -> None:
    saved = Decisions(S.Noise(percent=10, columns=["a"])).to_dict()
    Decisions(S.Noise(percent=10, columns=["a"])).load(saved)
    with pytest.raises(ParameterError, match="belongs to other columns"):
        Decisions(S.Noise(percent=10, columns=["b"])).load(saved)
    state = S.Noise(percent=10).state_dict()
    with pytest.raises(ParameterError, match="the saved state belongs to"):
        S.Noise(percent=20).load_state_dict(state)


class MakesAFolder:
    """What a pickle can do when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


def test_a_state_runs_no_code(tmp_path: Path) -> None:
    room = io.BytesIO()
    np.savez(room, text=np.array([MakesAFolder(tmp_path / "ran")], dtype=object))
    with pytest.raises(InputError, match="is not a saved state"):
        unpacked(room.getvalue(), "state")
    assert not (tmp_path / "ran").exists()


def test_three_values_of_one_person_are_the_value_of_one_person() -> None:
    """At the end all rows form a cluster: a column that only one person has stays a gap."""
    f = S.DelayBoundClusters(k=2, delay=10, person="who", columns=["a", "b"])
    rows = [(1, 1.0, 5.0), (1, 1.1, 6.0), (1, 1.2, 7.0), (2, 1.3, None)]
    records = [{"who": who, "a": a, "b": b} for who, a, b in rows]
    released = [one.record for one in f(records)]
    assert [one["b"] for one in released] == [None] * 4
    assert [one["a"] for one in released] == pytest.approx([1.15] * 4)


def test_withheld_records_are_their_owners(tmp_path: Path) -> None:
    """They are originals. A file that was there with an open mode is closed, too."""
    before = os.umask(0)
    try:
        there = tmp_path / "there.jsonl"
        there.touch(0o666)
        for path in (there, tmp_path / "new.jsonl"):
            letters = DeadLetters(path)
            letters.write(Refused("wrong type", "is not a number", {"a": "x"}))
            letters.close()
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(before)
    assert letters.counts == {"wrong type": 1}
