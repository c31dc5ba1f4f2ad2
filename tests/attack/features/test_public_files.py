"""The same releases made from public files: Census amounts, and the NHEFS health survey."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from attack.features import releases
from attack.features.releases import RELEASES

pytestmark = pytest.mark.slow


@pytest.fixture
def public(reference_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the releases are made from."""
    from causaldata import nhefs_complete

    patients = nhefs_complete.load_pandas().data.dropna(subset=["sbp"])
    amounts = pd.read_csv(reference_data / "census.csv")

    def census(
        rng: np.random.Generator, n: int = releases.N, columns: int = 10
    ) -> pd.DataFrame:
        """A month's amounts, in cents."""
        file = amounts.sample(n, random_state=rng).iloc[:, :columns] / 12
        return (
            file.round(2)
            .set_axis([f"c{i}" for i in range(columns)], axis=1)
            .reset_index(drop=True)
        )

    def health(rng: np.random.Generator, n: int = releases.N) -> pd.DataFrame:
        file = patients.sample(n, random_state=rng)[
            ["age", "ht", "wt71", "wt82", "sbp"]
        ]
        names = ["age", "height", "before", "after", "pressure"]
        return file.set_axis(names, axis=1).reset_index(drop=True)

    monkeypatch.setattr(releases, "census", census)
    monkeypatch.setattr(releases, "health", health)


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize("name", RELEASES)
def test_none_of_public_people_is_called_safe(name: str) -> None:
    file = RELEASES[name](np.random.default_rng(7))
    result = tc.assess(
        tc.Microdata.of(file.original, **file.roles), file.masked, truth="rows"
    )
    assert result.verdict.state == "not safe"
    assert result.strongest is not None
    assert result.strongest[1].rate >= 0.95 * file.simple
