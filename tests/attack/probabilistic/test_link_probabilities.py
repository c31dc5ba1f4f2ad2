"""Link probabilities on files: calibration, copies, large files by candidates."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from attack.informed.test_aware import correlated, euclid
from tacit.attack.base import distinct
from tacit.attack.informed.evidence import Evidence, Part
from tacit.attack.probabilistic import left_out as sampling
from tacit.attack.probabilistic.left_out import left_out
from tacit.attack.probabilistic.link_probabilities import LinkProbabilities, calibration
from tacit.data.microdata import Microdata
from tacit.reproduce.experiments.weights import census


def noisy(n, d, percent, seed):
    x = correlated(n, d, 0.4, seed)
    return x, tc.protect.Noise(percent=percent, random_state=seed + 100).fit_transform(
        x
    )


def error(x, z, attacker):
    found = attacker.risk(x, z)
    data = Microdata.of(z)
    classes = distinct(data.numbers(data.names)).inverse
    return calibration(found, np.arange(len(classes)), classes)


def test_probabilities_are_calibrated():
    x, z = noisy(500, 4, 30, 1)
    stated = error(x, z, LinkProbabilities(plan=tc.protect.Noise(percent=30)))
    assert (
        stated.error < 0.05
    )  # 500 records: the sampling error of ten bins is about 0.03
    boast = error(x, z, LinkProbabilities(plan=tc.protect.Noise(percent=15)))
    assert boast.error > 3 * stated.error


def test_probabilities_are_calibrated_on_census():
    data, _ = census()
    masked = tc.protect.Noise(percent=25, random_state=3).fit_transform(data)
    stated = error(data, masked, LinkProbabilities(plan=tc.protect.Noise(percent=25)))
    assert stated.error < 0.03


def test_naming_the_likeliest_is_as_good_as_assignment():
    x, z = noisy(500, 4, 40, 2)
    found = LinkProbabilities(plan=tc.protect.Noise(percent=40)).link(x, z)
    assert found.correct >= 0.97 * euclid(x, z)
    assert np.all((found.score >= 0) & (found.score <= 1 + 1e-9))
    assert found.score.sum() == pytest.approx(
        found.correct, rel=0.15
    )  # what the probabilities themselves expect


def test_each_record_has_one_image():
    x, z = noisy(300, 3, 30, 3)
    found = LinkProbabilities(plan=tc.protect.Noise(percent=30)).risk(x, z)
    assert np.allclose(np.bincount(found.original, found.probability), 1, atol=1e-3)
    best = found.of(0)
    assert best == sorted(best, key=lambda e: -e[1])


def test_copies_of_a_group_share_the_probability():
    x = correlated(240, 3, 0.2, 4)
    plan = tc.protect.Microaggregation(k=4)
    z = plan.fit_transform(x)
    found = LinkProbabilities(plan=plan).link(x, z)
    assert found.correct <= 60 + 1e-9
    assert found.score.max() <= 0.25 + 0.005


def test_candidates_give_what_all_pairs_give():
    x, z = noisy(500, 4, 25, 5)
    plan = tc.protect.Noise(percent=25)
    whole = LinkProbabilities(plan=plan, dense=2000).link(x, z)
    part = LinkProbabilities(plan=plan, dense=10, candidates=20).link(x, z)
    assert part.log[0]["edges"] < 0.5 * whole.log[0]["edges"]
    assert np.abs(part.score - whole.score).mean() < 0.01


def test_candidates_of_methods_that_are_no_distances():
    x = np.random.default_rng(6).lognormal(0, 1, (300, 4))
    plan = tc.protect.RankSwapping(p=8, random_state=1)
    z = plan.fit_transform(x)
    whole = LinkProbabilities(plan=plan, dense=2000).link(x, z)
    part = LinkProbabilities(plan=plan, dense=10, candidates=15).link(x, z)
    assert part.correct == pytest.approx(whole.correct, rel=0.05)
    assert whole.correct > 1.3 * euclid(x, z)


def test_a_sample_leaves_some_originals_without_an_image():
    x = correlated(200, 3, 0.3, 12)
    plan = tc.protect.Sampling(fraction=0.4, random_state=0)
    z = plan.fit_transform(x)
    truth = np.full(200, -1)
    truth[plan.rows_] = np.arange(len(z))
    found = LinkProbabilities(plan=plan).link(x, z, truth=truth)
    assert found.correct == pytest.approx(80)
    assert found.score[truth < 0].max() < 0.01
    assert found.score[truth >= 0].min() > 0.99


def test_what_a_graph_leaves_out_is_the_sum_over_all_that_are_no_edges():
    rng = np.random.default_rng(7)
    x, z = rng.normal(size=(40, 2)).round(1), rng.normal(size=(30, 2)).round(1)
    ranks = Part(x, z, lambda a, b: np.abs(a[:, None] - b[None]).sum(2))
    for evidence in (Evidence(x, z), Evidence(x[:, :1], z[:, :1], [ranks])):
        ours, theirs = evidence.classes()
        cost = evidence.block(ours.rows, theirs.rows)
        edge = rng.random(cost.shape) < 0.2
        edge[:, 0] = True
        rows, columns = np.nonzero(edge)
        likelihood = np.where(edge, 0, np.exp(-cost))
        forth, back = left_out(
            evidence, ours, theirs, rows, columns, cost[rows, columns]
        )
        assert np.exp(-forth) == pytest.approx(likelihood @ theirs.count)
        assert np.exp(-back) == pytest.approx(ours.count @ likelihood)


def test_a_sample_estimates_what_is_left_out(monkeypatch):
    x, z = noisy(3000, 3, 30, 8)
    evidence = LinkProbabilities(plan=tc.protect.Noise(percent=30)).evidence(
        *map(Microdata.of, (x, z)), ["x0", "x1", "x2"]
    )
    ours, theirs = evidence.classes()
    rows = np.arange(3000)
    edges = rows, rows, 0.5 * ((ours.rows - theirs.rows) ** 2).sum(1)
    monkeypatch.setattr(sampling, "SAMPLE", 3000)
    whole = left_out(evidence, ours, theirs, *edges)[0]
    monkeypatch.setattr(sampling, "SAMPLE", 500)
    part = left_out(evidence, ours, theirs, *edges)[0]
    crowded = whole < np.median(whole)
    assert np.abs(part - whole)[crowded].mean() < 0.5


def test_few_candidates_of_a_crowded_file_stay_calibrated():
    x, z = noisy(4000, 3, 40, 9)
    stated = error(
        x, z, LinkProbabilities(plan=tc.protect.Noise(percent=40), candidates=8)
    )
    assert stated.error < 0.02


@pytest.mark.slow
def test_a_large_file_is_calibrated_and_settles():
    data = Microdata.of(tc.datasets.make_census(149_642, seed=1))
    masked = tc.protect.Noise(percent=25, random_state=1).fit_transform(data)
    found = LinkProbabilities(plan=tc.protect.Noise(percent=25)).risk(data, masked)
    values = Microdata.of(masked)
    classes = distinct(values.numbers(values.names)).inverse
    assert found.restless < 0.001 * data.n
    assert calibration(found, np.arange(data.n), classes).error < 0.03
