"""The reference household survey: every published figure, to 1e-6."""

import json
from itertools import pairwise

import numpy as np
import pytest

import tacit as tc


@pytest.fixture(scope="module")
def survey(reference_data):
    pandas = pytest.importorskip("pandas")
    return pandas.read_csv(reference_data / "testdata.csv")


@pytest.fixture(scope="module")
def figures(reference_data):
    return json.loads(
        (reference_data.parent / "reference" / "testdata_risk.json").read_text()
    )


def test_frequencies(survey, figures):
    for which in ("kv5", "kv7"):
        check_frequencies(survey, figures["frequency_risk"][which])


def check_frequencies(survey, want):
    got = tc.risk.frequencies(survey, keys=want["keyVars"], weight="sampling_weight")
    assert got.classes == want["n_keys"]
    assert [got.violations(k) for k in (2, 3, 5, 10)] == [
        want[f"viol_{k}anon"] for k in (2, 3, 5, 10)
    ]
    assert got.uniques == want["n1"]
    assert (got.sample == 2).sum() == want["n2"]
    assert (got.sample.sum(), got.sample.max()) == (want["sum_fk"], want["max_fk"])
    assert (got.population.sum(), got.population.max()) == (
        want["sum_Fk"],
        want["max_Fk"],
    )


def test_individual_and_household_risk(survey, figures):
    for which in ("kv5", "kv7"):
        check_individual(survey, figures["frequency_risk"][which])


def check_individual(survey, want):
    got = tc.risk.individual(
        survey, want["keyVars"], "sampling_weight", "ori_hid", method="approximate"
    )
    assert got.expected == pytest.approx(want["approx_ER"], rel=1e-9)
    assert got.record.max() == pytest.approx(want["approx_max"], rel=1e-9)
    assert 100 * got.rate == pytest.approx(want["mr_global_risk_pct"], rel=1e-9)
    assert got.expected_household == pytest.approx(want["hier_risk_ER"], rel=1e-9)
    assert 100 * got.household.mean() == pytest.approx(want["hier_risk_pct"], rel=1e-9)
    exact = tc.risk.individual(survey, want["keyVars"], "sampling_weight", "ori_hid")
    assert exact.expected == pytest.approx(got.expected, rel=1e-3)
    assert exact.expected != got.expected
    assert tc.risk.individual(survey, want["keyVars"]).expected == pytest.approx(
        want["unweighted_ER"], rel=1e-9
    )


def test_l_diversity(survey, figures):
    for which, column in [("kv5", "relat"), ("kv5", "hhcivil"), ("kv7", "hhcivil")]:
        check_diversity(survey, figures["frequency_risk"][which], column)


def check_diversity(survey, want, column):
    got = tc.risk.diversity(survey, want["keyVars"], column, c=2)
    for form in ("distinct", "entropy", "recursive"):
        values = getattr(got, form)
        figure = want["ldiv"][f"{column}_{form.capitalize()}_Ldiversity"]
        assert [values.min(), values.mean(), values.max()] == pytest.approx(
            [figure["min"], figure["mean"], figure["max"]], rel=1e-9
        )


@pytest.mark.parametrize("definition", ["elliot", "ihsn"])
def test_suda(survey, figures, definition):
    for which in ("kv5", "kv7"):
        check_suda(survey, figures["suda2"][f"suda2_{which}_{definition}"], definition)


def check_suda(survey, want, definition):
    got = tc.risk.suda(survey, want["keyVars"], definition=definition, fraction=0.01)
    assert (got.score > 0).sum() == want["n_pos_score"]
    assert got.score.sum() == pytest.approx(want["sum_score"], rel=1e-9)
    assert got.score.max() == pytest.approx(want["max_score"], rel=1e-9)
    # the reference computes DIS in single precision
    assert got.dis.sum() == pytest.approx(want["sum_disScore"], rel=1e-6)
    assert got.dis.max() == pytest.approx(want["max_disScore"], rel=1e-6)
    assert got.contributions == pytest.approx(want["attribute_contributions"], rel=1e-9)
    edges = [-1, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, np.inf]
    table = [
        int(((got.dis > low) & (got.dis <= high)).sum())
        for low, high in pairwise(edges)
    ]
    assert table == want["dis_table"]
    assert tc.risk.suda(
        survey, want["keyVars"], weight="sampling_weight"
    ).fraction == pytest.approx(0.01)


def test_francdat_file(reference_data):
    pandas = pytest.importorskip("pandas")
    small = pandas.read_csv(reference_data / "francdat.csv")
    got = tc.risk.individual(small, ["Key1", "Key2", "Key3", "Key4"], "w")
    assert got.sample.tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    assert got.population.tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]
    assert got.record == pytest.approx(
        [
            0.0171442,
            0.0220423,
            0.0220423,
            0.1770758,
            0.0116545,
            0.2970631,
            0.4023595,
            0.0171442,
        ],
        abs=1e-6,
    )
