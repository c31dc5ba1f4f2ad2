"""Experiments behind "What the literature got wrong" on files: ties, scales, percentages."""

from __future__ import annotations

import numpy as np

from tacit.attack import Assignment, Nearest
from tacit.base.typing import Floats
from tacit.data.datasets.casc import load
from tacit.data.microdata import Microdata
from tacit.protect import IPSO, Microaggregation, Noise
from tacit.reproduce import faults
from tacit.reproduce.experiments.mahalanobis import firm_columns

Rows = list[tuple[str, str]]
"""What a figure is, and the figure as the page shows it."""


def census() -> Floats:
    """The reference file as numbers."""
    table, _ = load("census")
    columns = [table[name].to_numpy() for name in table.column_names]
    return np.column_stack(columns).astype(np.float64)


def tie_breaking() -> Rows:
    """Identical masked records told apart by row number."""
    original = census()
    masked = Microaggregation(k=3).fit_transform(original)
    groups = len(np.unique(masked, axis=0))
    by_row = faults.assignment_by_row_order(original, masked)
    # nobody would publish the files aligned: shuffled, an honest count must not change
    shuffled = np.random.default_rng(0).permutation(len(masked))
    back = np.argsort(shuffled)
    assignment = Assignment(scale="std")
    aligned = assignment.link(original, masked).correct
    unaligned = assignment.link(original, masked[shuffled], truth=back).correct
    nearest = Nearest(scale="std").link(original, masked).correct
    return [
        (
            "ties broken by row, files aligned: optimal assignment",
            f"{by_row} of {len(original)}",
        ),
        ("most that any intruder can expect: the number of groups", f"{groups}"),
        ("tacit: optimal assignment, ties shared", f"{aligned:.2f}"),
        ("the same after shuffling the masked rows", f"{unaligned:.2f}"),
        ("tacit: nearest record, ties shared", f"{nearest:.2f}"),
    ]


def unstandardised() -> Rows:
    """Euclidean distance on raw units."""
    original = census()
    masked = Noise(percent=25, random_state=0).fit_transform(original)
    # raw units: the column of largest variance decides who is near
    variances = original.var(axis=0)
    share = 100 * variances.max() / variances.sum()
    largest = "share of the largest column in the raw squared distance"
    rows = [(largest, f"{share:.0f} %")]
    attackers = {"nearest record": Nearest, "optimal assignment": Assignment}
    for name, attacker in attackers.items():
        for units, scale in (("raw units", "none"), ("standardised", "std")):
            correct = attacker(scale=scale).link(original, masked).correct
            rows.append((f"{name}, {units}", f"{correct:.0f} of {len(original)}"))
    return rows


def percentages() -> Rows:
    """A parameter documented as percent and used as something else."""
    # one column is enough: swapping treats each by itself
    column = census()[:, 1]
    ranks = np.argsort(np.argsort(column))
    rows = []
    for percent in (1, 5, 15, 50):
        moved = []
        for swap in (faults.swap_by_fraction, faults.swap_by_ranks):
            swapped = swap(column, percent, np.random.default_rng(0))
            after = np.argsort(np.argsort(swapped))
            moved.append(int(np.abs(after - ranks).max()))
        # what the documentation promises
        meant = percent * len(column) // 100
        what = f"{percent} % of {len(column)}: at most {meant} ranks"
        rows.append((what, f"{moved[0]} / {moved[1]}"))
    return rows


def mahalanobis() -> Rows:
    """Mahalanobis linkage of IPSO without modelling the masking, and with it.

    Muralidhar and Domingo-Ferrer (undated slides).
    """
    quasi, given = firm_columns(1500, np.random.default_rng(0))
    y_names = [f"q{j}" for j in range(quasi.shape[1])]
    x_names = [f"c{j}" for j in range(given.shape[1])]
    columns = np.column_stack([quasi, given]).T
    table = dict(zip([*y_names, *x_names], columns, strict=True))
    data = Microdata.of(table, quasi=y_names, confidential=x_names)
    rows = []
    for variant in ("A", "C"):
        released = IPSO(variant=variant, random_state=0).fit_transform(data)
        masked = Microdata.of(released).numbers(y_names)
        naive = faults.naive_mahalanobis(quasi, masked)
        aware = _given_expectation(quasi, masked, given)
        name = f"IPSO-{variant}"
        of = f"of {len(quasi)}"
        rows.append((f"{name}: naive Mahalanobis, y against masked y", f"{naive} {of}"))
        rows.append((f"{name}: y against its expectation given x", f"{aware} {of}"))
    return rows


def _given_expectation(quasi: Floats, masked: Floats, given: Floats) -> int:
    """Correct links when y is compared with what the released columns say about it."""
    design = np.column_stack([np.ones(len(given)), given])
    fitted = design @ np.linalg.lstsq(design, masked, rcond=None)[0]
    # distances in units of what the regression leaves unexplained
    inverse = np.linalg.inv(np.cov((masked - fitted).T))
    root = np.linalg.cholesky(inverse)
    distance = faults.squared_distances(quasi @ root, fitted @ root)
    return int((distance.argmin(axis=1) == np.arange(len(quasi))).sum())
