"""The intruder who has a release and this software, and tries seeds.

For a seed the software itself draws the noise. The right seed is known from the release alone:
its noise correlates with what was released, that of other seeds does not. Then the noise comes
off: x = release - noise(x), solved by repeating it, since noise depends on x through standard
deviations only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Protect = Callable[[Floats, int], Floats]
"""The face under attack: (values, seed) -> what it would release."""
SURE = 7.0
"""Standard errors above chance from which the intruder believes a seed: one wrong seed in 10^12
gets there."""
SMALL = range(200)


@dataclass(frozen=True)
class Found:
    """The best seed, how sure it is, and what is left of the noise when it is taken off."""

    seed: int
    score: float
    values: Floats

    @property
    def sure(self) -> bool:
        return self.score > SURE


def attack(
    release: Floats, protect: Protect, seeds: Iterable[int], start: Floats | None = None
) -> Found:
    """Try every seed; take the noise of the likeliest off."""
    begin = release if start is None else start
    spread = (release - release.mean(axis=0)).ravel()

    def score(seed: int) -> float:
        noise = protect(begin, seed) - begin
        noise = (noise - noise.mean(axis=0)).ravel()
        return float(
            noise
            @ spread
            / np.sqrt((noise @ noise) * (spread @ spread))
            * np.sqrt(noise.size)
        )

    best = max(seeds, key=score)
    values = begin
    for _ in range(25):
        values = release - (protect(values, best) - values)
    return Found(best, score(best), values)


def share_near(values: Floats, original: Floats) -> float:
    """Cells within one unit of the original, in percent."""
    return 100.0 * float((np.abs(values - original) <= 1.0).mean())


def thirty_two_bits(count: int) -> list[int]:
    """A sample of the seeds of 32 bits."""
    return [int(s) for s in np.random.default_rng(0).integers(0, 2**32, count)]


def line(
    face: str, how: str, release: Floats, found: Found, original: Floats
) -> dict[str, Any]:
    """A row of the table that is printed."""
    before, after = share_near(release, original), share_near(found.values, original)
    print(
        f"{face:<10} {how:<9} within one unit: released {before:6.2f} %, "
        f"after the attack {after:6.2f} %"
    )
    return {"before": before, "after": after}
