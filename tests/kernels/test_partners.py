"""Partners by partial sums are those that a scan of all households finds, draw by draw."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels.partners import in_order, swap_in_turn


@dataclass
class Scan:
    """The plain twin: every swap looks at all households of the same kind."""

    area: np.ndarray
    """The area of each household, one row per level."""
    kinds: list[np.ndarray]
    """Alike in everything, and then in size alone."""
    source: np.ndarray = field(init=False)
    free: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        number = self.area.shape[1]
        self.source = np.arange(number)
        self.free = np.ones(number, dtype=bool)
        # the r-th one elsewhere is counted in the order of areas
        self.order = np.argsort(self.area[-1], kind="stable")

    def swap(self, home: int, level: int, uniform: float) -> bool:
        """Exchange areas with a free household elsewhere; False where there is none."""
        for labels in self.kinds:
            others = self.order[labels[self.order] == labels[home]]
            elsewhere = self.area[level, others] != self.area[level, home]
            found = others[self.free[others] & elsewhere]
            if level > 0:
                larger = self.area[level - 1]
                near = found[larger[found] == larger[home]]
                found = near if near.size else found
            if found.size:
                partner = found[min(int(uniform * found.size), found.size - 1)]
                self.source[[home, partner]] = partner, home
                self.free[[home, partner]] = False
                return True
        return False

    def in_turn(self, turn, uniform, level, wanted):
        moved = alone = 0
        for home, u in zip(turn, uniform, strict=True):
            if moved >= wanted:
                break
            if self.free[home]:
                found = self.swap(home, level, u)
                moved, alone = moved + 2 * found, alone + (not found)
        return moved, alone


def nested(rng: np.random.Generator, areas: int) -> np.ndarray:
    """Areas at three levels, of each of the smallest; those of a larger one in a row."""
    up = [np.arange(areas)]
    for _ in range(2):
        cuts = rng.random(areas) < 0.4
        cuts[0] = False
        # a larger area ends only where a smaller one does
        begins = np.append(True, np.diff(up[0]) != 0)
        up.insert(0, np.cumsum(cuts & begins))
    return np.array(up)


@given(
    seed=st.integers(0, 10_000),
    number=st.integers(1, 60),
    areas=st.integers(1, 9),
    alike=st.sampled_from([1, 3]),
)
@pytest.mark.parametrize("compiled", [True, False])
def test_the_scan_finds_the_same_partners(compiled, seed, number, areas, alike):
    rng = np.random.default_rng(seed)
    up = nested(rng, areas)
    area = rng.integers(0, areas, number).astype(np.int32)
    size = rng.integers(1, 4, number).astype(np.int32)
    kind = (size * alike + rng.integers(0, alike, number)).astype(np.int32)
    sized = in_order(size, area, up)
    strict = in_order(kind, area, up) if alike > 1 else sized
    scan = Scan(up[:, area], [kind, size])
    source = np.arange(number, dtype=np.int32)
    kernel = swap_in_turn if compiled else swap_in_turn.plainly
    for level, wanted in ((0, 4), (1, number), (2, 6), (2, number), (0, number)):
        turn = rng.permutation(number).astype(np.int32)
        uniform = rng.random(number)
        found = kernel(turn, uniform, level, wanted, source, strict, sized, alike > 1)
        assert found == scan.in_turn(turn, uniform, level, wanted)
        assert np.array_equal(source, scan.source)


def test_every_free_one_elsewhere_is_as_likely_as_any_other():
    """A household in the middle of five areas, two of whose neighbours have moved before."""
    area = np.repeat(np.arange(5, dtype=np.int32), 4)
    kind = np.zeros(20, np.int32)
    up = np.arange(5)[None, :]
    drawn: Counter[int] = Counter()
    for u in (np.arange(14_000) + 0.5) / 14_000:
        places = in_order(kind, area, up)
        source = np.arange(20, dtype=np.int32)
        first = np.array([0], np.int32)
        # household 0 takes the last one; 16 of 20 less these two are left elsewhere
        swap_in_turn(first, np.array([0.999]), 0, 2, source, places, places, False)
        one = np.array([9], np.int32)
        swap_in_turn(one, np.array([u]), 0, 2, source, places, places, False)
        drawn[int(source[9])] += 1
    assert set(drawn) == {1, 2, 3, *range(4, 8), *range(12, 19)}
    assert set(drawn.values()) == {1000}
