"""Differentially private microaggregation on a stream."""

from __future__ import annotations

import math
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np
from annotated_types import Ge, Gt

from tacit.base import seeds
from tacit.base.errors import ParameterError
from tacit.base.facts import Strength
from tacit.base.parameters import Seed, TestSeed
from tacit.base.typing import Floats, Ints
from tacit.kernels.stream.ranking import fast_laplace, release
from tacit.protect.private import split
from tacit.protect.private.accountant import CHANGE_ONE
from tacit.protect.private.discrete_laplace import laplace_of
from tacit.stream import sound
from tacit.stream.base import Kernel
from tacit.stream.batches import Categories, Columns, Ordered
from tacit.stream.filters.draws import (
    FIRST_RESPONSE,
    NOISE,
    WindowWords,
    randomised_response,
)
from tacit.stream.filters.spending import (
    ARRIVAL,
    HELD,
    WINDOWS,
    SpendingFilter,
    nothing_left,
)
from tacit.stream.kinds import NOMINAL, Name
from tacit.stream.records import Records

# grid steps between the bounds of a column: a step is below the noise for every epsilon_j below it
STEPS = 2**20


class DPMicroaggregation(SpendingFilter):
    """Differentially private group means of tumbling windows, by individual ranking.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole stream, shared by the columns.
    k : int
        Smallest group of values whose mean is released.
    window : int
        Records that are released together.
    bounds : dict or list of pairs
        Smallest and largest value of each column, known beforehand and not read from the data.
    categories : dict, optional
        Nominal columns, each with all categories that may occur.
    ordinal : dict, optional
        Columns that hold ordered categories, each with its categories from lowest to highest.
    appearances : int
        How many records one person may have in the stream.
    clamp : bool
        Put noisy means that fall outside the bounds on the bound.
    sampler : {"safe", "fast"}
        Exact noise, or floating-point noise for tests only.
    random_state : int, Generator or None
        Seed, refused without test_seed: whoever knows it computes the noise.
    test_seed : bool
        For tests only: allow a seed, with which the noise can be taken off.

    Notes
    -----
    **Definition.** The stream is cut into windows of ``window`` records. In a window each column is
    clipped to its ``bounds``, put on a grid, sorted, and cut into groups of k neighbours; each
    group's sum gets discrete Laplace noise once, scale (upper - lower) / epsilon_j; the noisy means
    are handed out in an order that does not depend on the data, column by column. Columns in
    ``categories`` go through randomised response instead. epsilon_j = epsilon / (appearances *
    columns). Missing values count as the middle of the bounds, or as the first category. A last
    window with fewer than k records is withheld. What is declared decides, in records, arrays and
    frames alike: bounds make real numbers, categories are looked up in their list and answered from
    it. A category that was not declared is refused, never released, and never added to the list.

    **Guarantee.** epsilon-DP, neighbours differ in one record's values, both of the declared
    domain (the number of records is public, and so is that a record outside was refused), for the
    whole released stream: the L1 sensitivity of all sums of a column is upper - lower (proof in
    `tacit.kernels.stream.ranking`), columns compose by addition, windows in parallel since a
    record is in one window. That is event-level privacy. For persons who appear up to w times,
    ``appearances=w`` divides the budget by w (group privacy), wherever their records fall. `budget`
    shows it all. The noise is drawn by address under the key of the stream, which the state keeps:
    the same records at the same place get the same noise, so that a replay after a crash is the
    same release and spends nothing. Other records get other noise, which would spend again:
    `tacit.stream.spent` refuses that. The link between record and rank, which no proof covers, is
    not released: a release is a row of the masked window, not the masked form of one person,
    associations between columns are not kept, and nothing else (labels, other columns, the index
    of a frame) is carried along.

    **Cost.** A sort per window and noise of sd sqrt(2) (upper - lower) / (k epsilon_j).

    **Known attacks.** None within the guarantee.

    References
    ----------
    Sanchez and others (2016).

    Examples
    --------
    >>> import numpy as np
    >>> private = DPMicroaggregation(epsilon=1.0, k=2, window=4, bounds=[(0, 10)])
    >>> private.apply(np.arange(8.0).reshape(8, 1)).shape, private.budget["epsilon"]
    ((8, 1), 1.0)
    """

    title = "Microaggregation, differentially private"
    family = "differential privacy"
    purpose = (
        "release noisy means of windows with a bound on what any one record changes"
    )
    goal = "guarantee by differential privacy"
    plain = {
        "epsilon": "privacy budget",
        "k": "people in each group",
        "window": "records that wait to be grouped",
        "bounds": "range of each column",
    }
    strength = Strength("epsilon", 100.0, 0.001)

    linked = False
    unseeded: ClassVar[bool] = True

    def __init__(
        self,
        epsilon: Annotated[float, Gt(0)] = 1.0,
        k: Annotated[int, Ge(1)] = 3,
        window: Annotated[int, Ge(2)] = 100,
        bounds: dict[str | int, tuple[float, float]]
        | list[tuple[float, float]]
        | None = None,
        categories: Categories | None = None,
        ordinal: Ordered = None,
        appearances: Annotated[int, Ge(1)] = 1,
        clamp: bool = True,
        sampler: Literal["safe", "fast"] = "safe",
        random_state: Seed = None,
        test_seed: TestSeed = False,
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
        self.test_seed = test_seed
        self._ready()

    def _check(self) -> None:
        who = type(self).__name__
        seeds.refuse(self.random_state, self.test_seed, who)
        if not (self.bounds or self.categories or self.ordinal):
            raise ParameterError(
                f"{who} needs bounds={{column: (lower, upper)}} (or categories, or ordinal) that "
                "were known beforehand: limits read from the data are not private"
            )
        if self.window < self.k:
            raise ParameterError(
                f"{who}: window={self.window} must be at least k = {self.k}"
            )
        self._bounds: dict[Name, tuple[float, float]] = {}
        if isinstance(self.bounds, list):
            self._bounds.update(enumerate(self.bounds))
        else:
            self._bounds.update(self.bounds or {})
        for name, (low, high) in self._bounds.items():
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise ParameterError(
                    f"{who}: bounds of '{name}' must be finite, lower below upper"
                )
        # an ordinal category is its rank; a single category still needs a range above 0
        for name, order in (self.ordinal or {}).items():
            self._bounds[name] = (0.0, max(len(order) - 1.0, 1.0))
        for name, values in (self.categories or {}).items():
            if len(set(values)) < 2:
                raise ParameterError(
                    f"{who}: column '{name}' needs at least two distinct categories"
                )
        self.nominal = list(self.categories or {})
        self.columns: Columns = [*self._bounds, *self.nominal]

    @property
    def _share(self) -> float:
        """epsilon_j, computed whenever noise is drawn: never older than the parameters."""
        return split(self.epsilon / self.appearances, len(self.columns or ()))

    # -- state -------------------------------------------------------------------------

    def _begin(self, records: Records) -> None:
        super()._begin(records)
        bounds = [self._bounds.get(name, (0.0, 1.0)) for name in records.names]
        low, high = np.array(bounds).T
        self._low, self._high, self._width = low, high, (high - low) / STEPS
        self._numeric = np.flatnonzero(records.kinds != NOMINAL)
        self._catch_up()

    def _state(self, kinds: Ints) -> tuple[Floats, Ints]:
        floats = np.zeros(self.window * len(kinds))
        return floats, nothing_left()

    def _refuse_unsound(self, ints: Ints, fresh: Ints) -> None:
        sound.of_window(self.window, HELD)(ints, fresh)

    def _kernel(self) -> Kernel:
        return release

    def _burst(self) -> int:
        return self.window

    # -- the work ----------------------------------------------------------------------

    def _advance(
        self,
        values: Floats,
        last: bool,
        out: Floats,
        meta: Ints,
    ) -> tuple[int, int]:
        held = self._floats.reshape(self.window, -1)
        ints = self._ints
        n, taken, emitted = len(values), 0, 0
        while taken < n:
            start = int(ints[HELD])
            step = min(n - taken, self.window - start)
            held[start : start + step] = values[taken : taken + step]
            ints[HELD] += step
            ints[ARRIVAL] += step
            taken += step
            if ints[HELD] == self.window:
                emitted += self._release(held, out[emitted:], meta[emitted:])
        waiting = int(ints[HELD])
        if last and waiting:
            # too few for one group of k
            if waiting < self.k:
                ints[HELD] = 0
                return emitted, waiting
            emitted += self._release(held[:waiting], out[emitted:], meta[emitted:])
        return emitted, 0

    def _release(
        self,
        rows: Floats,
        out: Floats,
        meta: Ints,
    ) -> int:
        """Release a window; returns its size."""
        n, number = len(rows), int(self._ints[WINDOWS])
        # what is outside the bounds is the bound, for the noise as well
        words = self._window_words(self._within(rows))
        numeric = self._numeric
        if numeric.size:
            noise = self._noise(numeric.size, n // self.k, number, words)
            values = np.ascontiguousarray(rows[:, numeric])
            low, width = self._low[numeric], self._width[numeric]
            means = np.empty((n, numeric.size))
            order = (number, *self._keys)
            self._step(
                values,
                low,
                width,
                STEPS,
                self.k,
                noise,
                self.clamp,
                *order,
                means,
            )
            out[:n, numeric] = means
        for j in range(rows.shape[1]):
            if j not in numeric and self._records is not None:
                size = len(self._records.categories[j] or ())
                out[:n, j] = randomised_response(
                    rows[:, j],
                    size,
                    self._share,
                    words.draw(FIRST_RESPONSE + j, 2 * n),
                )
        self._shown(out[:n])
        first = int(self._ints[ARRIVAL]) - n
        meta[:n, 0] = np.arange(first, first + n)
        meta[:n, 1] = np.arange(n - 1, -1, -1)
        meta[:n, 2] = number
        meta[:n, 3] = n
        self._ints[HELD] = 0
        self._ints[WINDOWS] += 1
        return n

    def _within(self, rows: Floats) -> Floats:
        """The rows as they count; categories are codes, which have no bounds."""
        plain = rows.copy()
        bounds = self._low[self._numeric], self._high[self._numeric]
        plain[:, self._numeric] = rows[:, self._numeric].clip(*bounds)
        return plain

    def _noise(
        self,
        columns: int,
        groups: int,
        window: int,
        words: WindowWords,
    ) -> Ints:
        """Noise for each group of each column, in steps of the grid."""
        # rounded up: never less noise than was promised
        scale = math.nextafter(STEPS / self._share, math.inf)
        if self.sampler == "fast":
            noise = np.empty((columns, groups), dtype=np.int64)
            fast_laplace(np.full(columns, scale), window, *self._keys, noise)
            return noise
        drawn = laplace_of(scale, columns * groups, partial(words.draw, NOISE))
        return drawn.reshape(columns, groups)

    @property
    def budget(self) -> dict[str, object]:
        """What is guaranteed and what was spent."""
        windows = max(self.spent.windows, self._windows_before)
        level = "event"
        if self.appearances > 1:
            level = f"persons with at most {self.appearances} records"
        return {
            "epsilon": self.epsilon,
            "level": level,
            "neighbours": CHANGE_ONE,
            "per_column": {str(name): self._share for name in self.columns or ()},
            "windows": windows,
            "composition": "columns add up; windows hold different records, so they do not",
            # other columns, labels and index do not leave
            "not_private": [],
            "spent": self.epsilon if windows else 0.0,
            "private": self.random_state is None and self.sampler == "safe",
        }
