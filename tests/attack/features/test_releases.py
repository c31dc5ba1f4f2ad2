"""Who reads digits, sums, ranks, ratios, names or the order of rows finds no more than we do."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from attack.features.releases import RELEASES, Made
from tacit.attack.features.everything import Everything


def made(name: str) -> Made:
    return RELEASES[name](np.random.default_rng(7))


@pytest.mark.parametrize("name", RELEASES)
def test_no_short_attack_finds_more(name: str) -> None:
    file = made(name)
    link = Everything(in_order=True).link(
        tc.Microdata.of(file.original, **file.roles), file.masked
    )
    assert file.simple > 0.05
    assert link.rate >= 0.95 * file.simple


@pytest.mark.slow
@pytest.mark.parametrize("name", RELEASES)
def test_none_is_called_safe(name: str) -> None:
    file = made(name)
    result = tc.assess(
        tc.Microdata.of(file.original, **file.roles), file.masked, truth="rows"
    )
    assert result.verdict.state == "not safe"
    assert result.strongest is not None
    assert result.strongest[1].rate >= 0.95 * file.simple
