"""Experiments behind "What the literature got wrong" on streams: groups, noise, attackers."""

from __future__ import annotations

import numpy as np

from tacit.base.typing import Floats
from tacit.reproduce import faults
from tacit.reproduce.file_artefacts import Rows

# The length of the artificial stream.
RECORDS = 4000


def _stream(n: int) -> Floats:
    """A mixture of 50 Gaussian balls in 10 dimensions, as RandomRBF draws them.

    Without its class column.
    """
    rng = np.random.default_rng(1)
    centres, spread, weight = rng.random((50, 10)), rng.random(50), rng.random(50)
    ball = rng.choice(50, size=n, p=weight / weight.sum())
    direction = rng.standard_normal((n, 10))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    distance = rng.standard_normal(n) * spread[ball]
    return centres[ball] + direction * distance[:, None]


def _knn_groups(records: Floats, k: int, window: int) -> Floats:
    """Sound: the oldest record of a full window and its k - 1 nearest leave as one group.

    Centroids are emitted; fewer than 2k records at the end are one group.
    """
    out = np.empty_like(records)
    waiting = list(range(min(window, len(records))))
    following = len(waiting)
    while waiting:
        size = k if len(waiting) >= 2 * k else len(waiting)
        pool = np.array(waiting)
        distance = ((records[pool] - records[pool[0]]) ** 2).sum(axis=1)
        group = pool[np.argsort(distance, kind="stable")[:size]]
        out[group] = records[group].mean(axis=0)
        gone = set(group.tolist())
        waiting = [i for i in waiting if i not in gone]
        # the window is filled again with what arrives
        while len(waiting) < window and following < len(records):
            waiting.append(following)
            following += 1
    return out


def _squares(differences: Floats) -> float:
    return float((differences**2).sum())


def arrival_order() -> Rows:
    """Groups in order of arrival instead of nearest neighbours."""
    records = _stream(RECORDS)
    spread = _squares(records - records.mean(axis=0))
    wrong = 100 * _squares(records - faults.arrival_groups(records, 3)) / spread
    rows = [
        (
            "loss of arrival-order groups, k = 3, any window",
            f"{wrong:.1f} % of the variance",
        ),
        ("(k - 1) / k, what groups formed at random lose", f"{100 * 2 / 3:.1f} %"),
    ]
    for window in (100, 250, 1000):
        loss = 100 * _squares(records - _knn_groups(records, 3, window)) / spread
        what = f"loss of true nearest neighbours, window {window}"
        rows.append((what, f"{loss:.1f} %"))
    return rows


def raw_release() -> Rows:
    """A filter that emits the record and keeps the centroid to itself."""
    records = _stream(RECORDS)
    centroids = faults.arrival_groups(records, 3)
    # the published slots: what leaves is the record itself
    emitted, kept = records, centroids
    equal = int((emitted == records).all(axis=1).sum())
    reported = faults.past_linkage(emitted, kept, 100)
    real = faults.past_linkage(emitted, records, 100)
    return [
        ("outputs that equal their input", f"{equal} of {len(records)}"),
        (
            "risk that its own estimator reports (raw records against centroids)",
            f"{reported:.3f}",
        ),
        (
            "risk of what is really released (raw records against originals)",
            f"{real:.3f}",
        ),
    ]


def _private(records: Floats, seed: int) -> tuple[Floats, Floats]:
    """The published filter with k = 3, window 100, epsilon = 1."""
    rng = np.random.default_rng(seed)
    masked, raw = faults.private_microaggregation(
        records,
        3,
        100,
        1.0,
        rng,
    )
    return masked, raw.astype(np.float64)


def not_private() -> Rows:
    """A filter called differentially private: Martinez Rodriguez (2015), 6.6 to 6.8."""
    records = _stream(RECORDS)
    runs = [_private(records, seed) for seed in range(200)]
    masked, raw = np.array([out for out, _ in runs]), runs[0][1]
    first = int((masked[:, 0] == masked[0, 0]).all(axis=1).sum())
    noise = [float(masked[:, at].std(axis=0).mean()) for at in (0, 10, 100, 3999)]
    # a neighbour: one value of one person changes
    other = records.copy()
    other[0, 0] += 0.1
    apart = _private(other, 0)[0][0, 0] != masked[0, 0, 0]
    return [
        ("centroids that are one raw record", f"{100 * raw.mean():.0f} %"),
        (
            "sd of the noise on outputs 1, 11, 101, 4000",
            ", ".join(f"{sd:.2f}" for sd in noise),
        ),
        (
            "runs of 200 in which the first output is the same to the last bit",
            f"{first}",
        ),
        (
            "and another when one value of the first record changes by 0.1",
            "yes" if apart else "no",
        ),
    ]


def past_only() -> Rows:
    """An attacker who sees only the past: the first member of a group has no twin yet."""
    rows = []
    records = _stream(3000)
    for k in (3, 10):
        masked = faults.arrival_groups(records, k)
        # groups so far apart that each is found
        group = np.arange(len(records))[:, None] // k
        apart = masked + group * 1000.0
        risk = faults.past_linkage(apart, apart, 10 * k)
        # the j-th member of a group is found with probability 1/j
        harmonic = sum(1 / j for j in range(1, k + 1)) / k
        figure = f"{risk:.3f} (H_k / k = {harmonic:.3f})"
        rows.append((f"k = {k}: risk seen by the past-only attacker", figure))
        rows.append((f"k = {k}: risk when the whole group is out", f"{1 / k:.3f}"))
    return rows
