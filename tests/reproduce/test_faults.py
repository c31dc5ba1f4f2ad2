"""The re-enacted stream faults against their plain twins."""

import numpy as np
import pytest

from tacit.kernels.stream_faults import swap_downwards


def plain(values, reach, window, draw):
    out, free = values.copy(), np.ones(len(values), bool)
    for t in range(len(values)):
        if not free[t]:
            continue
        free[t] = False
        seen = np.arange(t + 1, min(t + window, len(values)))
        low = [s for s in seen if free[s] and values[s] < values[t]]
        low = sorted(low, key=lambda s: values[s])[-reach:]
        if low:
            s = low[int(draw[t] * len(low))]
            out[t], out[s] = values[s], values[t]
            free[s] = False
    return out


@pytest.mark.parametrize("seed", range(8))
def test_swap_downwards_equals_its_twin(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 200))
    values, draw = rng.permutation(n).astype(float), rng.random(n)
    reach, window = int(rng.integers(1, 30)), int(rng.integers(2, 60))
    out = np.empty(n)
    swap_downwards(values, reach, window, draw, out)
    np.testing.assert_array_equal(out, plain(values, reach, window, draw))
    assert sorted(out) == sorted(values)
