"""The experiments that can be run in a moment; the full tables are slow."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.attack.informed.aware import Aware
from tacit.attack.informed.evidence import Evidence, link_by
from tacit.data.microdata import Microdata
from tacit.reproduce.experiments import eia_roles, mahalanobis, weights


def test_the_aware_attacker_wins_or_ties_in_some_cells():
    for cell in [
        ("low", "medium", "independent"),
        ("high", "medium", "correlated"),
        ("high", "low", "independent"),
    ]:
        runs = [mahalanobis.cell(*cell, seed, 500) for seed in range(2)]
        mean = {k: np.mean([r[k] for r in runs]) for k in runs[0]}
        sampling = 100 * np.sqrt(0.25 / 1000)
        for rule in ("aware", "likeliest"):
            assert (
                mean[rule] >= max(mean["euclidean"], mean["mahalanobis"]) - 2 * sampling
            )
    assert (
        mahalanobis.winner([{"euclidean": 10.0, "mahalanobis": 30.0}] * 3)
        == "mahalanobis"
    )


def test_why_the_nearest_record_by_the_true_likelihood_loses_to_euclid():
    """Standardising the masked file by its own sd shrinks it to the middle.

    A guess of the originals should do that; the likelihood alone does not. It needs the
    shrinking, or a rule that counts who else is near.
    """
    found: dict[str, list[float]] = {
        "euclid": [],
        "nearest": [],
        "shrunk": [],
        "likeliest": [],
    }
    for seed in range(3):
        x, z = mahalanobis.simulated("low", "high", "independent", seed, 600)
        a, b = Microdata.of(x), Microdata.of(z)
        known = Aware(mahalanobis.noise_plan("high", "independent")).evidence(
            a, b, a.names
        )
        shrunk = Evidence(
            known.u, known.v / np.sqrt(1 + mahalanobis.LEVEL["high"] ** 2)
        )
        runs = (
            ("euclid", mahalanobis.standardised(x, z), "nearest"),
            ("nearest", known, "nearest"),
        )
        for name, evidence, rule in (
            *runs,
            ("shrunk", shrunk, "nearest"),
            ("likeliest", known, "likeliest"),
        ):
            found[name].append(
                100 * np.mean(link_by(evidence, rule).match == np.arange(600))
            )
    mean = {name: np.mean(v) for name, v in found.items()}
    assert mean["nearest"] < mean["euclid"] - 4
    assert mean["shrunk"] == pytest.approx(mean["euclid"], abs=1)
    assert mean["likeliest"] > mean["euclid"] + 2


def test_the_published_table_of_24_cells_is_read_right():
    assert (
        mahalanobis.NAMES[mahalanobis.PUBLISHED["low", "high", "independent"]] == "both"
    )
    assert (
        mahalanobis.NAMES[mahalanobis.PUBLISHED["medium", "low", "correlated"]]
        == "mahalanobis"
    )
    assert len(mahalanobis.CELLS) == 24


def test_ipso_on_firms():
    found = mahalanobis.ipso_links(mahalanobis.firms(600), "C")
    assert found["aware"] > 10 * found["euclidean"]
    assert found["aware"] > 1.5 * found["naive"]


@pytest.mark.slow
@pytest.mark.needs("data")
def test_the_roles_of_eia_give_the_published_links():
    """IPSO-C keeps moments exactly: what the modified distance finds is the same in every draw."""
    data = eia_roles.eia()
    values = data.numbers(eia_roles.AMOUNTS)
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    quasi = tuple(eia_roles.AMOUNTS.index(name) for name in eia_roles.QUASI)
    links = eia_roles.split_links(values, quasi)
    assert links["aware"] == 3206
    assert abs(links["naive"] - 773) < 60
    assert abs(links["euclidean"] - 65) < 25
    # what the attackers of the package find in what its protector released
    assert mahalanobis.ipso_links(data, "C", seed=1)["aware"] == 3206
    # the earlier study's A and B, without noise
    found = [mahalanobis.without_noise(data, "B", seed)["naive"] for seed in range(4)]
    assert min(found) < 3194 < max(found)
    # first five and last five, as the columns stand: another file
    assert eia_roles.split_links(values, (0, 1, 2, 3, 4))["aware"] == 3542


def test_noise_like_residuals_has_their_moments():
    rng = np.random.default_rng(2)
    x = np.column_stack([np.ones(200), rng.normal(size=(200, 2))])
    y = x @ rng.normal(size=(3, 2)) + rng.normal(size=(200, 2))
    links = eia_roles.split_links(np.column_stack([y, x[:, 1:]]), (0, 1))
    assert links["naive"] <= links["aware"] <= 200
    apart = rng.normal(size=(50, 3))
    # identical rows share their links, and far ones are all found
    assert eia_roles.nearest_links(apart, apart) == 50
    assert eia_roles.nearest_links(apart * 0, apart * 0) == pytest.approx(1.0)


@pytest.mark.needs("data")
@pytest.mark.slow
def test_learned_weights_reach_the_published_optimum_on_raw_units():
    for name, published in [("Mic553-2.8.5", 90.0), ("Mic2236-8.3.10.5", 97.5)]:
        row = weights.table("blocks", name, units="raw", draws=2)
        assert row["learned"] >= published
        assert row["learned"] > row["standard"] + 5


@pytest.mark.slow
@pytest.mark.needs("data")
def test_the_four_files_of_unequal_k():
    for row, published in zip(
        weights.non_uniform("raw"), (90.0, 82.6, 82.375, 97.5), strict=True
    ):
        assert row["learned"] >= published
    for row in weights.non_uniform("std"):
        assert row["learned"] - row["standard"] < 12


@pytest.mark.slow
def test_the_table_of_24_cells():
    rows = mahalanobis.table(4, 1500)
    assert sum(r["winner"] == r["published"] for r in rows) >= 16
    for r in rows:
        assert (
            min(r["aware"], r["likeliest"])
            >= max(r["euclidean"], r["mahalanobis"]) - 1.0
        )
