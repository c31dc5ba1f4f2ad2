"""Differentially private microaggregation on a stream."""

from __future__ import annotations

import math
import os
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt
from numpy.typing import NDArray

from tacit.dp import discrete_laplace, split
from tacit.dp.accountant import CHANGE_ONE
from tacit.errors import ParameterError
from tacit.parameters import Seed
from tacit.stream.base import Columns, Filter, FloatArray, IntArray, Kernel, Ordered
from tacit.stream.records import NOMINAL, Records

STEPS = 2**20  # grid steps between the bounds of a column
POOL = 40_000  # noise is drawn ahead in blocks: one large exact draw is much cheaper than many small ones
HELD, ARRIVAL, WINDOWS = range(3)


class PrivateMicroaggregation(Filter):
    """Differentially private group means of tumbling windows, by individual ranking.

    Definition: the stream is cut into windows of ``window`` records. In a window each column is clipped to its
    ``bounds``, put on a grid, sorted, and cut into groups of k neighbours; each group's sum gets discrete Laplace
    noise once, scale (upper - lower) / epsilon_j; the noisy means are handed out in an order that does not depend on
    the data, column by column. Columns in ``categories`` (nominal) go through randomised response instead.
    epsilon_j = epsilon / (appearances * columns).

    Guarantee: epsilon-DP, neighbours differ in one record's values (the number of records is public), for the whole
    released stream: the L1 sensitivity of all sums of a column is upper - lower (proof in
    `tacit.kernels.stream_ranking`), columns compose by addition, windows in parallel since a record is in one
    window. That is event-level privacy. For persons who appear up to w times, ``appearances=w`` divides the budget
    by w (group privacy), wherever their records fall. ``budget`` shows it all. Source: Sanchez and others (2016),
    without the link between record and rank, which no proof covers: a release is a row of the masked window, not
    the masked form of one person, associations between columns are not kept, and nothing else (labels, other
    columns) is carried along. Values missing count as the middle of the bounds. A last window with fewer than k
    records is withheld. Known attacks: none within the guarantee. Cost: a sort a window and noise of sd sqrt(2)
    (upper - lower) / (k epsilon_j). With ``random_state`` the noise can be computed by whoever knows the seed: for
    tests only. ``sampler="fast"`` is floating-point noise from a statistical generator: for tests only, too.

    >>> import numpy as np
    >>> f = PrivateMicroaggregation(epsilon=1.0, k=2, window=4, bounds=[(0, 10)], random_state=1)
    >>> f.apply(np.arange(8.0).reshape(8, 1)).shape, f.budget["epsilon"]
    ((8, 1), 1.0)
    """

    linked = False

    def __init__(
        self,
        epsilon: Annotated[float, Gt(0)] = 1.0,
        k: Annotated[int, Ge(1)] = 3,
        window: Annotated[int, Ge(2)] = 100,
        bounds: dict[str | int, tuple[float, float]] | list[tuple[float, float]] | None = None,
        categories: dict[str | int, list[Any]] | None = None,
        ordinal: Ordered = None,
        appearances: Annotated[int, Ge(1)] = 1,
        clamp: bool = True,
        sampler: Literal["safe", "fast"] = "safe",
        random_state: Seed = None,
    ) -> None:
        self.epsilon = epsilon
        self.k = k
        self.window = window
        self.bounds = bounds
        self.categories = categories
        self.ordinal = ordinal
        self.appearances = appearances
        self.clamp = clamp
        self.sampler = sampler
        self.random_state = random_state
        self._ready()

    def _check(self) -> None:
        if not (self.bounds or self.categories or self.ordinal):
            raise ParameterError(
                "PrivateMicroaggregation needs bounds={column: (lower, upper)} (or categories, or ordinal) that were "
                "known beforehand: limits read from the data are not private"
            )
        if self.window < self.k:
            raise ParameterError(f"PrivateMicroaggregation: window={self.window} must be at least k = {self.k}")
        given = self.bounds or {}
        pairs: Any = enumerate(given) if isinstance(given, list) else given
        self._bounds: dict[str | int, tuple[float, float]] = dict(pairs)
        for name, (low, high) in self._bounds.items():
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise ParameterError(f"PrivateMicroaggregation: bounds of '{name}' must be finite, lower below upper")
        for name, order in (self.ordinal or {}).items():
            self._bounds[name] = (0.0, max(len(order) - 1.0, 1.0))
        for name, values in (self.categories or {}).items():
            if len(set(values)) < 2:
                raise ParameterError(f"PrivateMicroaggregation: column '{name}' needs at least two distinct categories")
        self.columns: Columns = [*self._bounds, *(self.categories or {})]
        self.nominal = list(self.categories or {})
        self._share = split(self.epsilon / self.appearances, len(self.columns))

    # -- state -----------------------------------------------------------------------------------------

    def _begin(self, records: Records) -> None:
        for j, name in enumerate(records.names):
            if records.kinds[j] == NOMINAL:
                if name not in (self.categories or {}):
                    raise ParameterError(f"PrivateMicroaggregation: declare categories={{'{name}': [...]}}")
                records.categories[j] = list((self.categories or {})[name])
        records._prepare()
        super()._begin(records.alone())
        low, high = np.array([self._bounds.get(n, (0.0, 1.0)) for n in records.names]).T
        self._low, self._width = low, (high - low) / STEPS
        self._numeric = np.flatnonzero(records.kinds != NOMINAL)
        if not hasattr(self, "_pool"):  # noise that was drawn and not used stays good
            self._pool = np.empty(0, dtype=np.int64)

    def _state(self, kinds: IntArray) -> tuple[FloatArray, IntArray]:
        return np.zeros(self.window * len(kinds)), np.zeros(3, dtype=np.int64)

    def _kernel(self) -> Kernel:
        from tacit.kernels.stream_ranking import release

        return release

    def _burst(self) -> int:
        return self.window

    # -- the work --------------------------------------------------------------------------------------

    def _advance(self, values: FloatArray, last: bool, out: FloatArray, meta: IntArray) -> tuple[int, int]:
        held = self._floats.reshape(self.window, -1)
        ints = self._ints
        n, taken, emitted = len(values), 0, 0
        while taken < n:
            step = min(n - taken, self.window - int(ints[HELD]))
            held[ints[HELD] : ints[HELD] + step] = values[taken : taken + step]
            ints[HELD] += step
            ints[ARRIVAL] += step
            taken += step
            if ints[HELD] == self.window:
                emitted += self._release(held, out[emitted:], meta[emitted:])
        waiting = int(ints[HELD])
        if last and waiting:
            if waiting < self.k:
                ints[HELD] = 0
                return emitted, waiting
            emitted += self._release(held[:waiting], out[emitted:], meta[emitted:])
        return emitted, 0

    def _release(self, rows: FloatArray, out: FloatArray, meta: IntArray) -> int:
        n, number = len(rows), int(self._ints[WINDOWS])
        seeded = self.random_state is not None
        rng = np.random.Generator(np.random.Philox(key=self._keys ^ np.uint64(number))) if seeded else None
        numeric = self._numeric
        if numeric.size:
            noise = self._noise(numeric.size, n // self.k, number, rng)
            target = np.empty((n, numeric.size))
            inputs = np.ascontiguousarray(rows[:, numeric]), self._low[numeric], self._width[numeric]
            self._step(*inputs, STEPS, self.k, noise, self.clamp, number, *self._keys, target)
            out[:n, numeric] = target
        for j in range(rows.shape[1]):
            if j not in numeric:
                out[:n, j] = self._respond(rows[:, j], j, rng)
        first = int(self._ints[ARRIVAL]) - n
        meta[:n, 0] = np.arange(first, first + n)
        meta[:n, 1] = np.arange(n - 1, -1, -1)
        meta[:n, 2], meta[:n, 3] = number, n
        self._ints[HELD] = 0
        self._ints[WINDOWS] += 1
        return n

    def _noise(self, d: int, groups: int, number: int, rng: np.random.Generator | None) -> IntArray:
        scale = math.nextafter(STEPS / self._share, math.inf)  # never less noise than was promised
        if self.sampler == "fast":
            from tacit.kernels.stream_ranking import fast_laplace

            noise = np.empty((d, groups), dtype=np.int64)
            fast_laplace(np.full(d, scale), number, *self._keys, noise)
            return noise
        if rng is not None:
            return discrete_laplace(scale, d * groups, rng).reshape(d, groups)
        if self._pool.size < d * groups:
            self._pool = discrete_laplace(scale, max(POOL, d * groups))
        noise, self._pool = self._pool[: d * groups].reshape(d, groups), self._pool[d * groups :]
        return noise

    def _respond(self, codes: FloatArray, j: int, rng: np.random.Generator | None) -> FloatArray:
        """Randomised response; the probability of the truth is rounded down to the grid of 2^-53."""
        m = len((self.categories or {})[self._records.names[j]] if self._records else ())
        odds = math.exp(min(self._share, 30.0))
        keep = max(int(odds / (odds + m - 1) * 2**53) - 1, 0)
        words = _words(2 * len(codes), rng)
        truth = np.where(np.isnan(codes), 0, codes).astype(np.int64)
        other = (words[: len(codes)] % np.uint64(m - 1)).astype(np.int64)
        other += other >= truth
        kept = (words[len(codes) :] >> np.uint64(11)) < np.uint64(keep)
        return np.where(kept, truth, other).astype(np.float64)

    @property
    def budget(self) -> dict[str, Any]:
        """What is guaranteed and what was spent."""
        windows = int(self._ints[WINDOWS]) if self._ints.size else 0
        return {
            "epsilon": self.epsilon,
            "level": "event" if self.appearances == 1 else f"persons with at most {self.appearances} records",
            "neighbours": CHANGE_ONE,
            "per_column": {str(name): self._share for name in self.columns or ()},
            "windows": windows,
            "composition": "columns add up; windows hold different records, so they do not",
            "spent": self.epsilon if windows else 0.0,
            "private": self.random_state is None and self.sampler == "safe",
        }


def _words(size: int, rng: np.random.Generator | None) -> NDArray[np.uint64]:
    raw = os.urandom(8 * size) if rng is None else rng.bytes(8 * size)
    return np.frombuffer(raw, dtype=np.uint64)
