"""A printed weight is refuted only where another one links no fewer records."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.reproduce.experiments import swapped_weights
from tacit.reproduce.experiments.swapped_weights import DRAWS, undetermined_weight

PRINTED = np.linspace(85.0, 90.0, DRAWS)


@pytest.mark.parametrize(
    ("change", "refuted"), [(0.0, True), (2.0, True), (-0.01, True), (-3.0, False)]
)
def test_a_fall_beyond_two_standard_errors_speaks_for_the_printed_weight(
    change: float, refuted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    swapped = np.tile(PRINTED[:, None], (1, 7))
    # a standard error of 0.16
    swapped[:, 2] += change + np.resize([0.5, -0.5], DRAWS)
    monkeypatch.setattr(swapped_weights, "_links", lambda cell: (PRINTED, swapped))
    said = undetermined_weight("file=x", "weight_V3", "0.00178")
    assert (said is not None) == refuted
    if said:
        assert "our V3 in place of 0.00178" in said
        assert f"{PRINTED.mean() + change:.1f} % instead of 87.5 %" in said
