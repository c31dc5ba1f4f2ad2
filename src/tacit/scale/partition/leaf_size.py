"""L = "auto": the largest blocks that the time allows.

The ESSnet report leaves the choice of L open. Loss falls as L grows (fewer cuts through natural
groups) and time rises, so the best L is the largest one that is affordable. Time is predicted,
not measured on the spot: a measurement would make the blocks, and so the result, depend on the
machine and its load. The model is

    seconds of one thread = n * A(d) * L^(B(d) - 1)

for MDAV, which takes A L^B seconds on a block of L records; A and B were measured once by
``bench/large.py`` (Gaussian columns, k = 5, one core at 2.8 GHz; docs/large.md has the table)
and are interpolated in d.
"""

from __future__ import annotations

import numpy as np

#: columns, seconds per record in a block of 1,000, exponent (of blocks of 1,000 to 32,000 records)
MEASURED = (
    (2, 1.0e-6, 1.16),
    (5, 1.6e-6, 1.24),
    (10, 2.2e-6, 1.50),
    (20, 3.5e-6, 1.86),
)
# the block size for which A was measured
MEASURED_LEAF = 1000.0
# what a person waits for without being asked: a minute
SECONDS = 60.0
# bounds of the search: blocks of a thousand are cheap already, a million is ample for one block
SMALLEST, LARGEST = 1_000, 1_000_000


def seconds(
    n: int,
    d: int,
    leaf: int,
) -> float:
    """Predicted seconds of one thread for MDAV on n records of d columns in blocks of ``leaf``."""
    columns, units, exponents = np.array(MEASURED).T
    # interpolated: A as a power of d, B linearly in log d
    log_d, log_columns = np.log(d), np.log(columns)
    unit = np.exp(np.interp(log_d, log_columns, np.log(units)))
    exponent = np.interp(log_d, log_columns, exponents)
    growth = (min(leaf, n) / MEASURED_LEAF) ** (exponent - 1)
    return float(n * unit * growth)


def leaf_size(
    n: int,
    d: int,
    least: int,
    budget: float = SECONDS,
) -> int:
    """The largest L (1, 2 or 5 times a power of ten) with ``seconds`` within the budget."""
    steps = [digit * 10**exponent for exponent in range(3, 7) for digit in (1, 2, 5)]
    fits = [
        step
        for step in steps
        if SMALLEST <= step <= LARGEST and seconds(n, d, step) <= budget
    ]
    # ten times the smallest block, so that few leaves have to be fused
    return int(max([SMALLEST, 10 * least, *fits]))
