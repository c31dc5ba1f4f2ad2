"""protect --until: the weakest setting that was itself attacked and met the bound."""

import numpy as np
import pytest

import tacit as tc
from tacit.base.facts import Strength
from tacit.compare.bound import Bound
from tacit.compare.until import SPARED, protect_until


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(90, 3)) @ rng.normal(size=(3, 3))


def test_bounds_are_read():
    assert Bound.parse(" risk <= 0.05 ") == Bound("risk", "<=", 0.05)
    assert Bound.parse("interval<0.3").met(0.29)
    assert not Bound.parse("interval<0.3").met(0.3)
    assert not Bound.parse("risk<=1").met(float("nan"))
    for bad in ("risk>=0.1", "risk", "risk<=a", "risk<=0.1.2"):
        with pytest.raises(ValueError, match="not a bound"):
            Bound.parse(bad)
    with pytest.raises(ValueError, match="no risk method 'dldd'"):
        Bound.parse("dldd<=1")


def test_a_whole_number_ends_next_to_one_that_failed(data):
    found = protect_until(
        data, "microaggregation", "risk<=0.1", attackers=["nearest"], informed=False
    )
    tried = dict(found.tried)
    assert found.upper <= 0.1
    assert tried[found.value] == found.upper
    assert tried[found.value - 1] > 0.1
    assert found.redrawn == (), "drawn again it would be the same"
    again = tc.attack.Nearest().link(data, found.masked)
    assert again.rate == pytest.approx(found.risk)
    assert again.interval[1] == pytest.approx(found.upper)


def test_a_real_number_ends_within_two_percent(data):
    found = protect_until(
        data, "noise", "risk<=0.3", attackers=["nearest"], informed=False, seed=3
    )
    # the search leaves dearer attacks, and other draws, a tenth of the bound
    spared = SPARED * 0.3
    failed = [value for value, upper in found.tried if upper > spared]
    met = min(value for value, upper in found.tried if upper <= spared)
    assert max(v for v in failed if v < met) >= met / 1.03
    assert found.plan.apply(data) == pytest.approx(found.masked.to_native())


def test_a_parameter_that_protects_more_when_smaller():
    knob = Strength("epsilon", 8.0, 1.0)
    assert not knob.rises
    assert knob.stronger(8.0) == 4.0
    assert knob.stronger(1.5) == 1.0
    assert Strength("bins", 9, 1, whole=True).stronger(9) == 4


def test_a_bound_that_cannot_be_met_is_an_error_and_not_a_release(data):
    with pytest.raises(
        ValueError, match=r"noise does not reach risk<=0: even percent=4"
    ):
        protect_until(
            data,
            "noise",
            "risk<=0",
            start=1.0,
            end=4.0,
            attackers=["nearest"],
            informed=False,
        )


def test_other_measures_and_the_first_setting_may_do(data):
    found = protect_until(data, "microaggregation", "interval<=1", informed=False)
    assert found.value == 2
    assert len(found.tried) == 1


def test_what_is_missing_is_asked_for(data):
    with pytest.raises(ValueError, match="say which parameter"):
        protect_until(data, "shuffling")
    with pytest.raises(ValueError, match="say from where to where"):
        protect_until(data, "noise", parameter="replace")
    with pytest.raises(ValueError, match="do not set it"):
        protect_until(data, "noise", settings={"percent": 3})
