"""Private generalisation on the neighbouring files that tell most, made for its parameters.

The ordinary pairs of files tell hardly anything: with delta 1e-6 a class is released from some
seventy sampled records on, and one record more of hundreds changes the chance of that by nothing
that runs can see. Two pairs by construction, and what the law of the sample says of all pairs:

- *Somebody alone.* With a delta that lets single records out (k = 1), a class of one record: it is
  missing with probability 1 without the person and exp(-epsilon) with, which is all of epsilon.
- *A choice at its margin.* The noisy scores of two levels; a class has one record too few to count
  in one of them: a record more raises its score by the whole sensitivity, the other's by nothing.
- *The law.* Of classes of every size: the least epsilon that the sample keeps at its delta.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
from scipy.stats import binom

import tacit as tc
from protect.private.epsilon import Floats, Mechanism, aligned, many
from tacit.protect.private.sampled_counts import largest_share, smallest_k

CODES = ["A", "B", *(f"C{i}" for i in range(9))]
LABELS = ["A", "B", "*"]


def released(
    epsilon: float, files: tuple[list[str], list[str]], **given: object
) -> Mechanism:
    """How many records of each class are in the release of two files of one column."""
    # read once: what a release costs is then the method alone
    both = [tc.Microdata.of({"icd": f}, quasi=["icd"], code=["icd"]) for f in files]
    rules = {"icd": dict.fromkeys(CODES, "*")}

    def make() -> tc.protect.DPGeneralisation:
        return tc.protect.DPGeneralisation(epsilon, hierarchies=rules, **given)

    def run(which: int, runs: int) -> Floats:
        made = make()

        def look() -> Floats:
            shown = made.fit_transform(both[which]).table.column("icd").to_pylist()
            return np.array([float(shown.count(label)) for label in LABELS])

        with warnings.catch_warnings():
            # an empty release says so
            warnings.simplefilter("ignore")
            return many(look, runs)

    return aligned(run, make)


def alone(epsilon: float) -> Mechanism:
    """A record whose class nobody else has, where classes of one may leave."""
    beta = largest_share(epsilon)
    delta = 1.001 * beta
    assert smallest_k(epsilon, delta, beta) == 1
    files = ["B"] * 3, ["B"] * 3 + ["A"]
    return released(epsilon, files, delta=delta, levels={"icd": 0})


def choice(epsilon: float, search: float = 0.9, delta: float = 0.01) -> Mechanism:
    """Two levels of one column, the lower of which has one class that counts, or none.

    All records at the top are always shown, so that who won can be seen.
    """
    rest = epsilon * (1 - search)
    beta = largest_share(rest)
    enough = math.ceil(smallest_k(rest, delta, beta) / beta)
    rest_of_file = [code for code in CODES[2:] for _ in range(enough - 1)]
    # without the record no class counts, and both levels win equally often
    files = ["A"] * (enough - 1) + rest_of_file, ["A"] * enough + rest_of_file
    return released(epsilon, files, delta=delta, search=search)


def exact_epsilon(epsilon: float, delta: float) -> float:
    """The least epsilon that the sample of one class keeps at this delta: its exact law.

    For neighbours a and b the delta of e is the sum over counts of max(0, P_a - exp(e) P_b).
    """
    beta = largest_share(epsilon)
    k = smallest_k(epsilon, delta, beta)
    low, high = 0.0, epsilon
    while high - low > 1e-4:
        middle = (low + high) / 2
        if _delta(k, middle, beta) > delta:
            low = middle
        else:
            high = middle
    return high


def _delta(k: int, epsilon: float, beta: float) -> float:
    """The largest delta of classes up to a size beyond which it falls."""
    worst = 0.0
    for m in range(1, math.ceil(4 * k / beta) + 20):
        counts = np.arange(k, m + 1)
        seen = [
            np.r_[binom.cdf(k - 1, size, beta), binom.pmf(counts, size, beta)]
            for size in (m, m - 1)
        ]
        for a, b in (seen, seen[::-1]):
            gap = float(np.maximum(a - math.exp(epsilon) * b, 0.0).sum())
            worst = max(worst, gap)
    return worst


WORST: dict[str, tuple[float, float, Mechanism, bool]] = {
    "DP generalisation, somebody alone": (1.0, 0.0, alone(1.0), True),
    "DP generalisation, somebody alone, epsilon .5": (0.5, 0.0, alone(0.5), True),
    "DP generalisation, a choice of levels at its margin": (
        4.0,
        0.01,
        choice(4.0),
        False,
    ),
}
"""Name -> the epsilon that is claimed, delta, the mechanism, and whether one way is looked at."""
