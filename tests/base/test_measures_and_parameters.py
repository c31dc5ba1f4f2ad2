"""What did not run is not zero; seeds that cannot be are refused; how a method is made stronger."""

import numpy as np
import pytest

from tacit.base import parameters, seeds
from tacit.base.errors import InputError, ParameterError
from tacit.base.facts import Strength
from tacit.base.measure import Measure, jsonable


def test_an_absent_measure_is_not_zero_and_says_why() -> None:
    absent = Measure.absent("SSE", "no numbers")
    assert np.isnan(absent.value)
    assert not absent.computed
    written = absent.to_dict()
    assert written["value"] is None
    assert written["details"] == {"not computed": "no numbers"}


def test_numbers_that_json_has_not() -> None:
    values = {"a": float("nan"), "b": [np.float64("inf"), -np.inf], 3: (np.int64(1),)}
    assert jsonable(values) == {"a": None, "b": ["inf", "-inf"], "3": [1]}


def test_a_negative_random_state_is_refused() -> None:
    with pytest.raises(ParameterError, match="zero or more"):
        parameters.generator(-1)
    with pytest.raises(ParameterError, match="must be an integer"):
        parameters.generator("1")


def test_a_random_state_of_numpy_gives_128_bits(monkeypatch) -> None:
    taken = []
    monkeypatch.setattr(np.random, "default_rng", taken.append)
    for seed in range(8):
        parameters.generator(np.random.RandomState(seed))
    assert max(taken) > 2**120


def test_without_a_random_state_the_key_is_drawn(monkeypatch) -> None:
    drawn = seeds.DRAWN | 12345
    monkeypatch.setattr(seeds, "draw", lambda: drawn)
    expected = seeds.generator(drawn).random(3)
    assert parameters.generator(None).random(3).tolist() == expected.tolist()


def test_stronger_is_twice_as_strong_towards_the_strongest() -> None:
    rising = Strength("k", 2, 100, whole=True)
    assert rising.stronger(3) == 6
    assert rising.stronger(80) == 100
    falling = Strength("epsilon", 10.0, 0.1)
    assert falling.stronger(2.0) == 1.0
    assert falling.stronger(0.15) == 0.1


def test_a_search_ends_between_neighbours() -> None:
    rising = Strength("k", 2, 100, whole=True)
    assert rising.between(3, 7) == 5
    assert rising.between(3, 4) is None
    real = Strength("percent", 1.0, 100.0)
    assert real.between(1.0, 2.0) == 1.5
    assert real.between(1.0, 1.01) is None


def test_a_message_is_one_line() -> None:
    assert str(InputError("column 'a\nb': is\tempty")) == "column 'a b': is empty"
