"""No private mechanism may be caught above the epsilon that it claims.

``python tools/epsilon.py`` writes the table of the docs.
"""

from __future__ import annotations

import pandas as pd
import pytest

import tacit as tc
from protect.private.cases import ABC, ALL, BEFORE, RARE, V, laplace, stream
from protect.private.epsilon import lower_bound
from protect.private.worst_files import WORST, alone, choice, exact_epsilon

QUICK, MANY = 250, 1000


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ALL)
def test_the_lower_bound_is_at_most_epsilon(name: str) -> None:
    epsilon, mechanism = ALL[name]
    assert lower_bound(mechanism, QUICK) <= epsilon


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_so_it_is_with_many_runs(name: str) -> None:
    epsilon, mechanism = ALL[name]
    sure = lower_bound(mechanism, MANY)
    print(f"\n{name:50} claimed {epsilon:4}   at least {sure:5.2f}")
    assert sure <= epsilon


@pytest.mark.few(2)
@pytest.mark.parametrize("name", BEFORE)
def test_the_trial_catches_what_was_wrong(name: str) -> None:
    epsilon, mechanism = BEFORE[name]
    assert lower_bound(mechanism, QUICK) > epsilon


@pytest.mark.slow
def test_the_trial_is_sharp_enough_to_tell() -> None:
    """Noise for epsilon 3 where 1 is claimed is caught."""
    from protect.private.cases import EDGE, file_case

    assert lower_bound(file_case(laplace(3.0, bounds=V), EDGE), 1500) > 1.0


# -- private generalisation, on files made for it -----------------------------------------


def test_a_class_of_one_tells_nearly_all_of_epsilon() -> None:
    """It bites: a sample for twice the epsilon is caught."""
    assert 0.4 < lower_bound(alone(1.0), 400, one_way=True) <= 1.0
    assert lower_bound(alone(2.0), 400, one_way=True) > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
def test_worst_files_tell_much_of_epsilon_and_no_more(name: str) -> None:
    epsilon, delta, mechanism, one_way = WORST[name]
    sure = lower_bound(mechanism, 1500, delta, one_way=one_way)
    print(f"\n{name:50} claimed {epsilon:4}   at least {sure:5.2f}")
    assert 0.3 * epsilon < sure <= epsilon


@pytest.mark.slow
def test_a_choice_with_too_little_noise_is_caught() -> None:
    """Noise for epsilon 6 where 2 is claimed."""
    assert lower_bound(choice(6.0), 2000, 0.01) > 2.0


@pytest.mark.few(1)
@pytest.mark.parametrize("delta", [1e-6, 1e-2])
def test_the_law_of_the_sample_keeps_its_epsilon_and_not_much_less(
    delta: float,
) -> None:
    exact = exact_epsilon(1.0, delta)
    assert 0.4 < exact <= 1.0
    if delta == 1e-6:
        assert exact > 0.75


# -- what is declared decides ----------------------------------------------------------


def test_undeclared_categories_are_refused_everywhere() -> None:
    two = {"c": ["a", "b"]}
    with pytest.raises(tc.TacitError, match="not among the declared categories"):
        laplace(1.0, categories=two)().fit_transform(RARE[1])
    with pytest.raises(tc.TacitError, match="not among the declared categories"):
        stream(1.0, k=2, window=10, categories=two)().apply(RARE[1])
    f = stream(1.0, k=2, window=10, categories=two)()
    f.push({"c": "a"})
    with pytest.raises(tc.TacitError, match="not among the declared categories"):
        f.push({"c": "c"})
    assert f.budget["not_private"] == []
    with pytest.raises(tc.TacitError, match="not among the declared categories"):
        stream(1.0, k=2, window=4, categories={0: [10, 20]})().apply([[10.0], [30.0]])


def test_a_column_without_declaration_is_refused() -> None:
    with pytest.raises(tc.errors.ParameterError, match="or categories="):
        laplace(1.0)().fit_transform(RARE[0])
    with pytest.raises(tc.errors.ParameterError, match="one or the other"):
        laplace(1.0, bounds={"c": (0, 1)}, categories=ABC)().fit_transform(RARE[0])
    with pytest.raises(tc.errors.ParameterError, match="each named once"):
        laplace(1.0, categories={"c": ["a", "a"]})().fit_transform(RARE[0])
    with pytest.raises(tc.errors.ParameterError, match="without bounds"):
        laplace(1.0, categories=ABC, integers=["c"])().fit_transform(RARE[0])


@pytest.mark.parametrize("method", [tc.protect.Laplace, tc.protect.DPMicroaggregation])
def test_columns_outside_the_claim_are_named(method: type) -> None:
    table = pd.DataFrame({"v": [0.1] * 20, "job": ["x", "y"] * 10, "w": [1.5] * 20})
    made = method(bounds=V, columns=["v"])
    with pytest.warns(tc.errors.TacitWarning, match="not private: job, w"):
        masked = made.fit_transform(table)
    assert masked["job"].equals(table["job"])
    assert made.not_private_ == ["job", "w"]
    assert made.accountant_.not_private == ["job", "w"]
    assert made.accountant_.to_dict()["not_private"] == ["job", "w"]
    assert "not private: job, w" in str(made.accountant_)
    assert "of v together; not of job, w" in made.guarantee_
    claim = made.claim(tc.Microdata.of(table))
    assert claim["columns"] == ["v"]
    assert claim["not_private"] == ["job", "w"]


def test_where_all_is_private_nothing_is_said(recwarn: pytest.WarningsRecorder) -> None:
    made = laplace(1.0, bounds=V)()
    made.fit_transform(pd.DataFrame({"v": [0.1] * 20}))
    assert made.not_private_ == []
    assert not [w for w in recwarn if "not private" in str(w.message)]


def test_a_private_stream_leaves_the_index_behind() -> None:
    frame = pd.DataFrame({"v": [0.5] * 6, "w": range(6)}, index=list("abcdef"))
    out = stream(1.0, k=3, window=6, bounds=V)().apply(frame)
    assert list(out.columns) == ["v"]
    assert list(out.index) == list(range(6))
