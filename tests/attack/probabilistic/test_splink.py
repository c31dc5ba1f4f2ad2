"""Our EM against splink's on the same records.

The same steps from the same start, the same end from the start of each.
"""

from __future__ import annotations

import numpy as np
import pytest

from tacit.attack.probabilistic.comparisons import compare
from tacit.attack.probabilistic.em import fit
from tacit.data.microdata import Microdata

pytestmark = pytest.mark.slow  # a peer, which only `make test-all` installs
pd = pytest.importorskip("pandas")

TEXTS = ["town", "trade", "school"]
TOLERANCE = 0.1
START_M = [[0.1, 0.9]] * 3 + [[0.05, 0.15, 0.8]]
START_U = [[0.95, 0.05]] * 3 + [[0.8, 0.15, 0.05]]


def files(n=300, seed=1):
    """Two files of the same people: three words with errors and gaps, and a noisy number."""
    rng = np.random.default_rng(seed)
    first = {
        c: rng.choice([f"{c}{k}" for k in range(25)], n).astype(object) for c in TEXTS
    }
    second = {
        c: np.where(rng.random(n) < 0.15, rng.permutation(v), v)
        for c, v in first.items()
    }
    for c in TEXTS:
        second[c][rng.random(n) < 0.05] = None
    first["age"] = rng.normal(size=n).round(2)
    second["age"] = np.where(
        rng.random(n) < 0.6,
        first["age"],
        first["age"] + rng.normal(0, 0.05, n).round(2),
    )
    return pd.DataFrame(first), pd.DataFrame(second)


def splink_em(a, b, *, start, hold_prior, rounds, change):
    """(prior, m, u) of splink, levels in our order: least agreement first."""
    import splink.comparison_level_library as levels
    from splink import DuckDBAPI, Linker, SettingsCreator
    from splink.comparison_library import CustomComparison

    def comparison(k, name, agree):
        steps = [*agree, levels.ElseLevel()]
        if start is not None:
            pairs = zip(steps, start[0][k][::-1], start[1][k][::-1], strict=True)
            steps = [
                step.configure(m_probability=m, u_probability=u) for step, m, u in pairs
            ]
        return CustomComparison(
            [levels.NullLevel(name), *steps], output_column_name=name
        )

    near = levels.CustomLevel(
        f"abs(age_l - age_r) <= {TOLERANCE * a.age.std(ddof=0)}", "near"
    )
    compared = [
        comparison(k, name, [levels.ExactMatchLevel(name)])
        for k, name in enumerate(TEXTS)
    ]
    compared.append(comparison(3, "age", [levels.ExactMatchLevel("age"), near]))
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=compared,
        probability_two_random_records_match=1 / len(a),
        em_convergence=change,
        max_iterations=rounds,
    )
    api = DuckDBAPI()
    tables = [api.register(t.assign(unique_id=np.arange(len(t)))) for t in (a, b)]
    session = Linker(
        tables, settings
    ).training.estimate_parameters_using_expectation_maximisation(
        "1=1",
        fix_u_probabilities=False,
        fix_probability_two_random_records_match=hold_prior,
    )
    model = session.core_model_settings
    seen = [
        [lv for lv in c.comparison_levels if not lv.is_null_level][::-1]
        for c in model.comparisons
    ]
    m, u = (
        [[getattr(lv, p) for lv in c] for c in seen]
        for p in ("m_probability", "u_probability")
    )
    return model.probability_two_random_records_match, m, u


def patterns(a, b):
    names = [*TEXTS, "age"]
    sides = [Microdata.of(t, nominal=TEXTS, continuous=["age"]) for t in (a, b)]
    compared = compare(*sides, names, (0.0, TOLERANCE), ())
    return *compared.counts(), compared.sizes


def assert_close(ours, theirs, within):
    prior, m, u = theirs
    assert ours.prior == pytest.approx(prior, abs=within)
    for got, want in zip(ours.m + ours.u, m + u, strict=True):
        assert got == pytest.approx(want, abs=within)


@pytest.mark.parametrize("hold_prior", [False, True])
def test_five_rounds_from_the_same_start_are_splinks(hold_prior):
    a, b = files()
    theirs = splink_em(
        a, b, start=(START_M, START_U), hold_prior=hold_prior, rounds=5, change=0.0
    )
    m, u = ([np.array(v) for v in start] for start in (START_M, START_U))
    ours = fit(
        *patterns(a, b),
        prior=1 / len(a),
        hold_prior=hold_prior,
        rounds=5,
        tolerance=0.0,
        m=m,
        u=u,
    )
    assert_close(ours, theirs, 1e-9)


@pytest.mark.slow
def test_both_end_at_the_same_parameters_from_their_own_starts():
    a, b = files()
    theirs = splink_em(a, b, start=None, hold_prior=False, rounds=100, change=1e-6)
    ours = fit(*patterns(a, b), prior=1 / len(a), tolerance=1e-12)
    assert ours.settled
    assert_close(ours, theirs, 1e-4)
