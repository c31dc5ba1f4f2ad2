"""What a differentially private filter knows of its own releases: how many, of which records."""

from __future__ import annotations

from typing import Self

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.stream.filters.declared import DeclaredFilter
from tacit.stream.filters.draws import CHAIN, WindowWords, chained, name_of
from tacit.stream.spent import Spent

# places in the integers of the state; the hash of what left follows, in words of 64 bits
HELD, ARRIVAL, WINDOWS, HASH = range(4)


def nothing_left() -> Ints:
    """The integers of a filter from which nothing has left."""
    return np.zeros(HASH + CHAIN // 8, dtype=np.int64)


class SpendingFilter(DeclaredFilter):
    """Windows leave one after the other, each once, with noise that belongs to its records."""

    # what had left when the stream was stopped, if it is to be passed over with the first record
    _passed: Spent | None
    _windows_before: int

    def reset(self) -> Self:
        """Forget everything; the noise of what comes has another key."""
        self._passed = None
        self._windows_before = 0
        return super().reset()

    def _key(self) -> bytes:
        return self._keys.astype("<u8").tobytes()

    def _window_words(self, rows: Floats) -> WindowWords:
        """The random words of the window that leaves now; from here on it counts as left."""
        first = int(self._ints[ARRIVAL]) - len(rows)
        chain = chained(self._key(), self._chain(), first, rows)
        self._ints[HASH:] = np.frombuffer(chain, dtype="<i8")
        return WindowWords(self._key(), chain)

    def _chain(self) -> bytes:
        return self._ints[HASH:].astype("<i8").tobytes()

    @property
    def spent(self) -> Spent:
        """How far the releases have come."""
        name = name_of(self._key())
        if not self._ints.size:
            return Spent(name, 0, 0, bytes(CHAIN).hex())
        arrived = int(self._ints[ARRIVAL]) - int(self._ints[HELD])
        return Spent(name, int(self._ints[WINDOWS]), arrived, self._chain().hex())

    def remember(self, spent: Spent) -> None:
        """So much had left when the stream was stopped: the budget says so, too."""
        self._windows_before = spent.windows

    def pass_over(self, spent: Spent) -> None:
        """Go on behind what has left: records that are still inside have left with it."""
        self._passed = spent
        # before the first record there is no state to change
        if self._ints.size:
            self._catch_up()

    def _catch_up(self) -> None:
        if self._passed is None:
            return
        spent, self._passed = self._passed, None
        self._arrived = self._left = spent.arrived
        self._ints[[HELD, ARRIVAL, WINDOWS]] = 0, spent.arrived, spent.windows
        self._ints[HASH:] = np.frombuffer(bytes.fromhex(spent.chain), dtype="<i8")
