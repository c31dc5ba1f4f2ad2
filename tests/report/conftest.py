"""A small file with values that could not occur by accident, and its release."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacit as tc


@pytest.fixture(scope="session")
def survey() -> tc.Microdata:
    rng = np.random.default_rng(5)
    n = 150
    income = np.round(rng.lognormal(10, 1, n) + 0.137, 4)
    table = pa.table(
        {
            "person": [f"Zyx-{i:04d}-person" for i in range(n)],
            "income": income,
            "wealth": np.round(income * 3.7 + rng.normal(0, 900, n), 4),
            "town": [f"Quarfleton<{k}>" for k in rng.integers(0, 5, n)],
            "illness": [f"ailment-{k}-kx" for k in rng.integers(0, 7, n)],
        }
    )
    return tc.Microdata.of(
        table,
        identifier=["person"],
        quasi=["income", "wealth"],
        confidential=["illness"],
        other=["town"],
    )


@pytest.fixture(scope="session")
def plan() -> tc.Plan:
    return tc.Plan((tc.Step("noise", {"percent": 23.4567}, seed=918273),))


@pytest.fixture(scope="session")
def assessment(survey: tc.Microdata, plan: tc.Plan) -> tc.Assessment:
    masked = plan.apply(survey)
    result = tc.assess(
        survey,
        masked,
        risks=["interval", "k_anonymity", "attribute"],
        losses=["PIL", "IL1", "KS", "correlation"],
    )
    return tc.Assessment(
        survey, masked, result.attacks, result.risk, result.loss, plan, result.seconds
    )
