"""Counters of the certified assignment, from its own log: rounds, pairs, rows priced.

Its kd-tree is vector code that cannot run as plain Python, so lines cannot be counted (see
``operations``); these counters are as independent of the machine.
"""

from __future__ import annotations

import numpy as np


def measure(n: int = 4000) -> dict[str, int]:
    """A census-like file with noise of 25 % of each column's sd: a hard instance."""
    from tacit.attack import Assignment
    from tacit.data.datasets.census import make_census

    table = make_census(n, seed=0)
    original = np.column_stack(
        [table[c].to_numpy() for c in table.column_names]
    ).astype(float)
    rng = np.random.default_rng(0)
    masked = (
        original + rng.standard_normal(original.shape) * original.std(axis=0) * 0.25
    )
    log = Assignment().link(original, masked).log
    return {
        f"assignment rounds n={n}": len(log),
        f"assignment pairs n={n}": int(log[-1]["arcs"]),
        f"assignment rows priced n={n}": int(sum(entry["searched"] for entry in log)),
    }
