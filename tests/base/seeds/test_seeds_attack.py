"""The attacker `seeds` on every face.

It must fail where the seed was drawn, and take the noise off for --seed 1.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from base.seeds.attack import SMALL, Found, attack, line, thirty_two_bits
from base.seeds.faces import FACES, NAMES, N, original

pytestmark = [
    pytest.mark.filterwarnings("ignore:a seed was given by hand"),
    pytest.mark.system_keys,
]
SAMPLE = 300
# rounding up or down at random leaves no noise to take off; that its seed is drawn is checked
# in test_keys
NOISY = [face for face in FACES if face != "large"]


def tried(face: str, release: np.ndarray, *more: int) -> Found:
    start = np.full((N, len(NAMES)), 30_000.0) if face == "private" else None
    return attack(
        release, FACES[face][1], [*SMALL, *thirty_two_bits(SAMPLE), *more], start
    )


def by_hand(face: str, seed: int) -> list[str]:
    return ["--seed", str(seed), *(["--test-seed"] if face == "private" else [])]


@pytest.mark.few(2)
@pytest.mark.parametrize("face", NOISY)
def test_a_seed_given_by_hand_is_found_and_the_noise_comes_off(
    face: str, tmp_path: Path
) -> None:
    release = FACES[face][0](tmp_path, *by_hand(face, 1))
    found = tried(face, release)
    told = line(face, "--seed 1", release, found, original())
    assert found.sure
    assert found.seed == 1
    assert told["before"] < 1
    assert told["after"] > 99.9


@pytest.mark.few(2)
@pytest.mark.parametrize("face", NOISY)
def test_a_seed_that_was_drawn_is_not_found(face: str, tmp_path: Path) -> None:
    release = FACES[face][0](tmp_path)
    found = tried(face, release)
    told = line(face, "default", release, found, original())
    assert not found.sure
    assert told["after"] < 1


@pytest.mark.slow
def test_a_seed_of_32_bits_is_found_by_who_comes_to_it(tmp_path: Path) -> None:
    seed = 3_141_592_653
    release = FACES["protect"][0](tmp_path, *by_hand("protect", seed))
    assert not tried("protect", release).sure
    assert tried("protect", release, seed).seed == seed


@pytest.mark.few(2)
@pytest.mark.parametrize("face", FACES)
def test_two_runs_without_a_seed_differ(face: str, tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    noise = [FACES[face][0](tmp_path / folder) - original() for folder in "12"]
    assert abs(np.corrcoef(noise[0].ravel(), noise[1].ravel())[0, 1]) < 0.1
