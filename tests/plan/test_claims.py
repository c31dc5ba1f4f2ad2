"""The manifest says what differential privacy is claimed for, and what is outside the claim."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.plan import manifest
from tacit.plan.claims import claims

BOUNDS = {"age": (0.0, 100.0), "income": (0.0, 1e6)}


@pytest.fixture
def people() -> tc.Microdata:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, 60).astype(float),
            "income": rng.lognormal(10, 1, 60),
            "job": rng.choice(["a", "b"], 60),
        }
    )
    return tc.Microdata.of(frame, quasi=["age", "income", "job"])


def claimed(plan: tc.Plan, data: tc.Microdata) -> list[dict[str, object]]:
    return claims(plan, data, plan.mask(data))


@pytest.mark.filterwarnings("ignore:not private")
def test_what_is_covered_and_what_is_not(people) -> None:
    step = tc.protect.Laplace(epsilon=2.0, bounds=BOUNDS, columns=["age", "income"])
    (claim,) = claimed(tc.Plan.of(step), people)
    assert claim["method"] == "laplace"
    assert claim["epsilon"] == 2.0
    assert claim["columns"] == ["age", "income"]
    assert claim["not_private"] == ["job"]
    assert claim["holds_for"] == "the original file"
    assert "change one record" in str(claim["neighbours"])


@pytest.mark.filterwarnings("ignore:not private")
def test_a_step_before_it_that_mixes_records_takes_the_claim_away(people) -> None:
    private = tc.protect.Laplace(bounds=BOUNDS, columns=["age", "income"])
    grouped = tc.protect.Microaggregation(k=3, columns=["age", "income"])
    (claim,) = claimed(tc.Plan.of([grouped, private]), people)
    assert "microaggregation made of it, not the original" in str(claim["holds_for"])
    # its limits are quantiles of the file
    coded = tc.protect.TopBottomCoding(columns=["age"])
    (claim,) = claimed(tc.Plan.of([coded, private]), people)
    assert "top_bottom_coding" in str(claim["holds_for"])
    rounded = tc.protect.Rounding(base=5.0, columns=["age"])
    (claim,) = claimed(tc.Plan.of([rounded, private]), people)
    assert claim["holds_for"] == "the original file"
    # what follows only works on what was released
    (claim,) = claimed(tc.Plan.of([private, grouped]), people)
    assert claim["holds_for"] == "the original file"


def test_other_methods_claim_nothing(people) -> None:
    assert claimed(tc.Plan.of(tc.protect.Microaggregation(k=3)), people) == []


@pytest.mark.parametrize("name", list(tc.protect.registry))
def test_who_says_differential_privacy_has_a_claim_and_nobody_else(name: str) -> None:
    method = tc.protect.registry[name]
    makes = method.claim is not tc.protect.Protector.claim
    assert makes == (method.family == "differential privacy")


@pytest.mark.filterwarnings("ignore:not private")
def test_the_manifest_holds_the_claims(people, tmp_path: Path) -> None:
    source, release = tmp_path / "in.csv", tmp_path / "out.csv"
    tc.write(people, source)
    plan = tc.Plan.of(tc.protect.Laplace(bounds=BOUNDS, columns=["age", "income"]))
    masked = plan.mask(people)
    tc.write(masked, release)
    made = manifest.describe(plan, source, people, release, masked, 0.1)
    written = json.loads(manifest.write(made, release).read_text())
    assert written["claims"][0]["not_private"] == ["job"]
    assert manifest.shown(written)["claims"] == written["claims"]
