"""The streams and filters of Martinez Rodriguez (2015), drawn again, and what they give."""

import math

import numpy as np
import pytest

from tacit.base.errors import ParameterError
from tacit.data.datasets.rbf import JavaRandom, RandomRBF
from tacit.data.datasets.waveform import WAVES
from tacit.reproduce import moa_filters
from tacit.reproduce.moa_streams import published_stream
from tacit.reproduce.model import Context, params
from tacit.reproduce.targets import targets
from tacit.reproduce.transcript import published


class Java(JavaRandom):
    """nextGaussian as the documentation of java.util.Random gives it."""

    spare = None

    def next_gaussian(self):
        if self.spare is not None:
            kept, self.spare = self.spare, None
            return kept
        square = 0.0
        while not 0.0 < square < 1.0:
            a, b = 2 * self.next_double() - 1, 2 * self.next_double() - 1
            square = a * a + b * b
        factor = math.sqrt(-2 * math.log(square) / square)
        self.spare = b * factor
        return a * factor


def plain_rbf(n, seed):
    java, model, rows = Java(seed), RandomRBF(), []
    for _ in range(n):
        value = java.next_double() * sum(model.weights)
        which = np.flatnonzero(np.cumsum(model.weights) > value)[0]
        direction = np.array([2 * java.next_double() - 1 for _ in range(10)])
        length = java.next_gaussian() * model.deviations[which]
        rows.append(
            model.centres[which] + direction * length / np.linalg.norm(direction)
        )
    return np.array(rows)


def plain_waveform(n, seed):
    java, rows = Java(seed), []
    pairs = [(0, 1), (0, 2), (1, 2)]
    for _ in range(n):
        one, other = pairs[java.next_int(3)]
        share = java.next_double()
        noise = np.array([java.next_gaussian() for _ in range(21)])
        rows.append(share * WAVES[one] + (1 - share) * WAVES[other] + noise)
    return np.array(rows)


@pytest.mark.parametrize("seed", [1, 2, 3141592])
def test_streams_equal_their_twins(seed):
    rbf = published_stream("rbf", 300, seed)
    np.testing.assert_allclose(rbf, plain_rbf(300, seed), rtol=1e-12)
    waveform = published_stream("waveform", 300, seed)
    np.testing.assert_allclose(waveform, plain_waveform(300, seed), rtol=1e-12)


def test_an_unknown_stream_is_refused():
    with pytest.raises(ParameterError, match="rbf, waveform"):
        published_stream("sea", 10)


def plain_swap(records, reach, window):
    java = JavaRandom(moa_filters.SEED)
    out, free = records.copy(), np.ones(records.shape, bool)
    n, d = records.shape
    for t in range(n):
        for j in range(d):
            if not free[t, j]:
                continue
            free[t, j] = False
            seen = range(t + 1, min(t + window, n))
            low = [s for s in seen if free[s, j] and records[s, j] < records[t, j]]
            low = sorted(low, key=lambda s: -records[s, j])[:reach]
            if low:
                s = low[int(java.next_double() * len(low))]
                out[t, j], out[s, j] = records[s, j], records[t, j]
                free[s, j] = False
    return out


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(6))
def test_swap_downwards_equals_its_twin(seed):
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 200)), int(rng.integers(1, 5)))
    records = rng.normal(size=shape)
    reach, window = int(rng.integers(1, 30)), int(rng.integers(2, 60))
    out = moa_filters.swap_downwards(records, reach, window)
    np.testing.assert_array_equal(out, plain_swap(records, reach, window))
    np.testing.assert_array_equal(np.sort(out, axis=0), np.sort(records, axis=0))


def test_laplace_noise_is_drawn_row_by_row():
    java = JavaRandom(moa_filters.SEED)
    noise = moa_filters.JavaNoise().laplace(size=(4, 3))
    for drawn in noise.ravel():
        u = java.next_double() - 0.5
        assert drawn == pytest.approx(-math.copysign(1, u) * math.log(1 - 2 * abs(u)))


# One cell of each faulty filter on each generator; `tacit reproduce` looks at all of them.
CELLS = [
    ("stream-A.3", "generator=rbf filter=microaggregation b=100 k=3"),
    ("stream-A.4", "generator=waveform filter=microaggregation b=100 k=15"),
    ("stream-A.5", "generator=rbf filter=rank_swapping b=100 p=25"),
    ("stream-A.6", "generator=waveform filter=rank_swapping b=250 p=25"),
    ("stream-A.11", "generator=rbf filter=dp b=250 epsilon=100 k=20"),
    ("stream-A.15", "generator=waveform filter=dp b=100 epsilon=10 k=10"),
]


@pytest.mark.few(2)
@pytest.mark.parametrize(("name", "cell"), CELLS)
def test_published_figures_come_out_to_the_printed_digits(name, cell):
    program = targets()[name].fault
    values = program.run(params(cell), 0, Context()).values
    for measure, printed in published()[name][cell].items():
        assert abs(values[measure] - printed.value) <= 1.0001 * printed.rounding
    # nothing is drawn anew: another seed has nothing to add
    assert program.run(params(cell), 1, Context()).values == {}
