"""Some records to protect, the same in every scenario."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def people(n: int) -> pa.Table:
    """Some records to protect."""
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "age": rng.integers(18, 90, n),
            "income": np.round(rng.normal(3000, 500, n), 2),
            "hours": np.round(rng.uniform(0, 60, n), 1),
        }
    )
