"""The small experiments behind the docs page "What the literature got wrong". Each returns the figures
it prints.

``python -m tacit.reproduce.artefacts docs/literature.md`` runs them and writes their figures between the
markers ``<!-- run: NAME -->`` and ``<!-- end -->`` of the page; a test runs them again and compares.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tacit.reproduce import faults
from tacit.reproduce.faults import Floats

Rows = list[tuple[str, str]]


def _census() -> tuple[Floats, str]:
    from tacit.datasets.casc import load

    table, note = load("census")
    values = np.column_stack([table[c].to_numpy() for c in table.column_names]).astype(np.float64)
    return values, note


def tie_breaking() -> Rows:
    """Identical masked records told apart by row number."""
    from tacit.attack import Assignment, Nearest
    from tacit.protect import Microaggregation

    original, _ = _census()
    masked = Microaggregation(k=3).fit_transform(original)
    groups = len(np.unique(masked, axis=0))
    shuffled = np.random.default_rng(0).permutation(len(masked))
    by_row = faults.assignment_by_row_order(original, masked)
    back = np.argsort(shuffled)
    unaligned = Assignment(scale="std").link(original, masked[shuffled], truth=back)
    return [
        ("ties broken by row, files aligned: optimal assignment", f"{by_row} of {len(original)}"),
        ("most that any intruder can expect: the number of groups", f"{groups}"),
        ("tacit: optimal assignment, ties shared", f"{Assignment(scale='std').link(original, masked).correct:.2f}"),
        ("the same after shuffling the masked rows", f"{unaligned.correct:.2f}"),
        ("tacit: nearest record, ties shared", f"{Nearest(scale='std').link(original, masked).correct:.2f}"),
    ]


def unstandardised() -> Rows:
    """Euclidean distance on raw units."""
    from tacit.attack import Assignment, Nearest
    from tacit.protect import Noise

    original, _ = _census()
    masked = Noise(percent=25, random_state=0).fit_transform(original)
    variances = original.var(axis=0)
    found = {
        (who, scale): attacker(scale=scale).link(original, masked).correct
        for who, attacker in (("nearest record", Nearest), ("optimal assignment", Assignment))
        for scale in ("none", "std")
    }
    share = 100 * variances.max() / variances.sum()
    rows = [("share of the largest column in the raw squared distance", f"{share:.0f} %")]
    for who in ("nearest record", "optimal assignment"):
        rows.append((f"{who}, raw units", f"{found[who, 'none']:.0f} of {len(original)}"))
        rows.append((f"{who}, standardised", f"{found[who, 'std']:.0f} of {len(original)}"))
    return rows


def percentages() -> Rows:
    """A parameter documented as percent and used as something else."""
    original, _ = _census()
    column = original[:, 1]
    ranks = np.argsort(np.argsort(column))
    rows = []
    for percent in (1, 5, 15, 50):
        moved = []
        for swap in (faults.swap_by_fraction, faults.swap_by_ranks):
            after = np.argsort(np.argsort(swap(column, percent, np.random.default_rng(0))))
            moved.append(int(np.abs(after - ranks).max()))
        meant = percent * len(column) // 100
        rows.append((f"{percent} % of {len(column)}: at most {meant} ranks", f"{moved[0]} / {moved[1]}"))
    return rows


def _stream(n: int) -> Floats:
    """A mixture of 50 Gaussian balls in 10 dimensions, as RandomRBF draws them (without its class column)."""
    rng = np.random.default_rng(1)
    centres, spread, weight = rng.random((50, 10)), rng.random(50), rng.random(50)
    which = rng.choice(50, size=n, p=weight / weight.sum())
    direction = rng.standard_normal((n, 10))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return centres[which] + direction * (rng.standard_normal(n) * spread[which])[:, None]


def _knn_groups(records: Floats, k: int, window: int) -> Floats:
    """Sound: the oldest record of a full window and its k - 1 nearest leave as one group; centroids are
    emitted.
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
        while len(waiting) < window and following < len(records):
            waiting.append(following)
            following += 1
    return out


def arrival_order() -> Rows:
    """Groups in order of arrival instead of nearest neighbours."""
    records = _stream(4000)
    spread = float(((records - records.mean(axis=0)) ** 2).sum())
    wrong = float(((records - faults.arrival_groups(records, 3)) ** 2).sum())
    rows = [
        ("loss of arrival-order groups, k = 3, any window", f"{100 * wrong / spread:.1f} % of the variance"),
        ("(k - 1) / k, what groups formed at random lose", f"{100 * 2 / 3:.1f} %"),
    ]
    for window in (100, 250, 1000):
        loss = float(((records - _knn_groups(records, 3, window)) ** 2).sum())
        rows.append((f"loss of true nearest neighbours, window {window}", f"{100 * loss / spread:.1f} %"))
    return rows


def raw_release() -> Rows:
    """A filter that emits the record and keeps the centroid to itself."""
    records = _stream(4000)
    centroids = faults.arrival_groups(records, 3)
    emitted, kept = records, centroids  # the published slots: what leaves is the record itself
    equal = int((emitted == records).all(axis=1).sum())
    risk = faults.past_linkage(emitted, kept, 100)
    real = faults.past_linkage(emitted, records, 100)
    return [
        ("outputs that equal their input", f"{equal} of {len(records)}"),
        ("risk that its own estimator reports (raw records against centroids)", f"{risk:.3f}"),
        ("risk of what is really released (raw records against originals)", f"{real:.3f}"),
    ]


def not_private() -> Rows:
    """A filter called differentially private (004, Algorithms 6.6 to 6.8), k = 3, window 100, epsilon = 1."""
    records = _stream(4000)
    runs = [faults.private_microaggregation(records, 3, 100, 1.0, np.random.default_rng(seed)) for seed in range(200)]
    masked, raw = np.array([out for out, _ in runs]), runs[0][1]
    first = int((masked[:, 0] == masked[0, 0]).all(axis=1).sum())
    noise = [float(masked[:, at].std(axis=0).mean()) for at in (0, 10, 100, 3999)]
    other = records.copy()
    other[0, 0] += 0.1  # a neighbour: one value of one person changes
    apart = faults.private_microaggregation(other, 3, 100, 1.0, np.random.default_rng(0))[0][0, 0] != masked[0, 0, 0]
    return [
        ("centroids that are one raw record", f"{100 * raw.mean():.0f} %"),
        ("sd of the noise on outputs 1, 11, 101, 4000", ", ".join(f"{sd:.2f}" for sd in noise)),
        ("runs of 200 in which the first output is the same to the last bit", f"{first}"),
        ("and another when one value of the first record changes by 0.1", "yes" if apart else "no"),
    ]


def past_only() -> Rows:
    """An attacker who sees only the past: the first member of a group has no twin yet."""
    rows = []
    for k in (3, 10):
        records = _stream(3000)
        masked = faults.arrival_groups(records, k)
        far = np.arange(len(records))[:, None] // k * 1000.0  # groups so far apart that each is found
        risk = faults.past_linkage(masked + far, masked + far, 10 * k)
        harmonic = sum(1 / j for j in range(1, k + 1)) / k
        rows.append((f"k = {k}: risk seen by the past-only attacker", f"{risk:.3f} (H_k / k = {harmonic:.3f})"))
        rows.append((f"k = {k}: risk when the whole group is out", f"{1 / k:.3f}"))
    return rows


def _firms(n: int = 1500) -> tuple[Floats, Floats]:
    """Quasi-identifiers that follow the size of a firm, and released columns that explain what size does
    not.
    """
    rng = np.random.default_rng(0)
    size, small = rng.standard_normal(n), rng.standard_normal((n, 5))
    quasi = 2.0 * size[:, None] + 0.2 * (small + 0.25 * rng.standard_normal((n, 5)))
    return quasi, np.column_stack([size + rng.standard_normal(n), small])


def mahalanobis() -> Rows:
    """Mahalanobis linkage of IPSO without modelling the masking, and with it (003)."""
    import tacit as tc

    quasi, given = _firms()
    names = {f"q{j}": quasi[:, j] for j in range(5)} | {f"c{j}": given[:, j] for j in range(6)}
    data = tc.Microdata.of(names, quasi=list(names)[:5], confidential=list(names)[5:])
    rows = []
    for variant in ("A", "C"):
        released = tc.protect.IPSO(variant=variant, random_state=0).fit_transform(data)
        masked = tc.Microdata.of(released).numbers(list(names)[:5])
        design = np.column_stack([np.ones(len(given)), given])
        fitted = design @ np.linalg.lstsq(design, masked, rcond=None)[0]
        root = np.linalg.cholesky(np.linalg.inv(np.cov((masked - fitted).T)))
        distance = faults.squared_distances(quasi @ root, fitted @ root)
        aware = int((distance.argmin(axis=1) == np.arange(len(quasi))).sum())
        naive = faults.naive_mahalanobis(quasi, masked)
        rows.append((f"IPSO-{variant}: naive Mahalanobis, y against masked y", f"{naive} of {len(quasi)}"))
        rows.append((f"IPSO-{variant}: y against its expectation given x", f"{aware} of {len(quasi)}"))
    return rows


ARTEFACTS: dict[str, Callable[[], Rows]] = {
    "tie_breaking": tie_breaking,
    "unstandardised": unstandardised,
    "percentages": percentages,
    "arrival_order": arrival_order,
    "raw_release": raw_release,
    "not_private": not_private,
    "past_only": past_only,
    "mahalanobis": mahalanobis,
}

_BLOCK = re.compile(r"(<!-- run: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def block(name: str) -> str:
    """The Markdown table of one artefact, computed now."""
    rows = ARTEFACTS[name]()
    return "\n".join(["| what | figure |", "|---|---|", *(f"| {what} | {figure} |" for what, figure in rows), ""])


def fill(page: str) -> str:
    """The page with every marked block computed afresh."""
    return _BLOCK.sub(lambda match: f"{match[1]}\n{block(match[2])}\n{match[3]}", page)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(fill(path.read_text(encoding="utf-8")), encoding="utf-8")
