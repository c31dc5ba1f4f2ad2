"""Fellegi-Sunter on files."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.attack.probabilistic.fellegi_sunter import FellegiSunter
from tacit.data.microdata import Microdata


def people(n=300, errors=0.1, seed=0):
    rng = np.random.default_rng(seed)
    size = {"town": 30, "job": 12, "born": 60, "animal": 40}
    names = [
        "".join(np.random.default_rng(k).choice(list("abcdefghijklmnoprstuvw"), 7))
        for k in range(40)
    ]
    truth = {k: rng.integers(s, size=n) for k, s in size.items()}
    wrong = {
        k: np.where(rng.random(n) < errors, rng.integers(size[k], size=n), v)
        for k, v in truth.items()
    }

    def frame(codes):
        text = {k: [str(c) for c in v] for k, v in codes.items() if k != "animal"}
        return Microdata.of(
            text | {"animal": [names[c] for c in codes["animal"]]}, nominal=list(size)
        )

    return frame(truth), frame(wrong)


def test_it_links_categories_better_than_chance_and_learns_what_matters():
    original, masked = people()
    link = FellegiSunter().link(original, masked)
    assert link.correct > 150
    m, u = link.log[0]["m"], link.log[0]["u"]
    assert all(0.8 < column[-1] < 0.98 for column in m)
    by_name = dict(zip(link.log[0]["columns"], u, strict=True))
    assert by_name["born"][-1] == pytest.approx(1 / 60, rel=0.3)
    assert by_name["job"][-1] == pytest.approx(1 / 12, rel=0.3)


def test_only_links_above_the_threshold_are_named_when_asked():
    original, masked = people(errors=0.3)
    every = FellegiSunter().link(original, masked)
    strict = FellegiSunter(keep="links", false_positive=0.001).link(original, masked)
    named = strict.match >= 0
    assert 0 < named.sum() < (every.match >= 0).sum()
    assert strict.success[named].mean() > every.success.mean()


def test_a_similar_name_is_worth_something():
    original, masked = people(errors=0.4)
    names = original.categories("animal")
    text = [names[int(c)] for c in original.column("animal")]
    slipped = masked.with_column(
        "animal", [t[:-1] + "z" for t in text]
    )  # a slip of the pen in every name
    exact = FellegiSunter().link(original, slipped).correct
    alike = FellegiSunter(similarities=(0.9,)).link(original, slipped).correct
    assert alike > exact + 20


def test_continuous_columns_agree_within_tolerances():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(300, 4))
    z = tc.protect.Noise(percent=5, random_state=1).fit_transform(x)
    assert FellegiSunter(tolerances=(0.05, 0.15)).link(x, z).correct > 200
