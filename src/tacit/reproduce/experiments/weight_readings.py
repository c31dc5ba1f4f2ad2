"""Readings of Tables 2 and 4 of Abril and others (2012), equal weights: which fits, how likely.

The paper masks Census, draws 400 records ten times and prints mean and sd. Two things are not said:
was the file masked once, or anew in each of the ten executions, and how are ties and details read?
If it was masked once ("given the random selection of records in each execution"), the mean of ten
executions keeps the luck of one masked file: its sd is that between files and not a tenth of the
variance. `file_means` draws files and gives the mean of ten executions for each, so that the
printed mean can be looked up in that distribution. `READINGS` are the details that were tried; ddof
is none of them, because both files are divided by the same factor. What was found is in
docs/explanation/literature.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from tacit.base.typing import Floats, Ints
from tacit.protect.rank_swapping import swap_column
from tacit.reproduce.experiments.weights import KNOWN, TRAIN, masked_by

# Mean and standard deviation of ten executions, in percent.
PUBLISHED = {
    ("rank_swapping", 1): (99.65, 0.253),
    ("rank_swapping", 2): (98.525, 0.518),
    ("rank_swapping", 3): (96.975, 0.944),
    ("rank_swapping", 4): (94.65, 0.921),
    ("rank_swapping", 5): (92.85, 1.715),
    ("rank_swapping", 6): (88.0, 1.668),
    ("noise", 8): (99.45, 0.369),
    ("noise", 10): (98.05, 0.633),
    ("noise", 12): (95.6, 0.637),
    ("noise", 14): (93.85, 0.899),
    ("noise", 16): (90.025, 1.102),
}
EXECUTIONS = 10


@dataclass(frozen=True)
class Reading:
    """What the paper leaves open.

    ``ties``: equal values are ranked in random order or in that of the file. ``whole``: means and
    standard deviations are those of all records, not of the 400. ``rounded``: released values are
    whole numbers, as the originals are.
    """

    ties: str = "random"
    whole: bool = False
    rounded: bool = False


READINGS = {
    "as in the targets": Reading(),
    "ties in the order of the file": Reading(ties="file"),
    "standardised by the whole file": Reading(whole=True),
    "released values rounded": Reading(rounded=True),
}


def masked_file(
    values: Floats, method: str, p: int, seed: int, reading: Reading
) -> Floats:
    """One masked file."""
    if method == "rank_swapping" and reading.ties == "file":
        rng = np.random.default_rng(seed)
        # ranks have no ties; the values at these ranks are put back
        ranks = np.argsort(np.argsort(values, axis=0, kind="stable"), axis=0)
        masked = np.empty_like(values)
        for j in range(values.shape[1]):
            swapped = swap_column(ranks[:, j].astype(float), float(p), rng)
            masked[:, j] = np.sort(values[:, j])[swapped.astype(np.int64)]
    else:
        masked = np.asarray(masked_by(values, method, p, seed))
    return np.round(masked) if reading.rounded else masked


def linked(original: Floats, masked: Floats, rows: Ints, whole: bool) -> float:
    """Percent of the sample that is nearest to its own masked record (DBRL1, first seven)."""
    a, b = original[rows, :KNOWN], masked[rows, :KNOWN]
    base_a, base_b = (original[:, :KNOWN], masked[:, :KNOWN]) if whole else (a, b)
    a = (a - base_a.mean(axis=0)) / base_a.std(axis=0)
    b = (b - base_b.mean(axis=0)) / base_b.std(axis=0)
    _, match = cKDTree(b).query(a)
    return 100.0 * float(np.mean(match == np.arange(len(a))))


def file_means(
    values: Floats, method: str, p: int, files: int, reading: Reading
) -> Floats:
    """For each masked file the mean of ten executions."""
    means = []
    for seed in range(files):
        masked = masked_file(values, method, p, seed, reading)
        runs = []
        for execution in range(EXECUTIONS):
            rng = np.random.default_rng([seed, execution])
            sample = rng.permutation(len(values))[:TRAIN]
            runs.append(linked(values, masked, sample, reading.whole))
        means.append(float(np.mean(runs)))
    return np.array(means)
