"""What every monitor shares: it is told what arrives and what leaves, and gives named values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tacit.base.typing import Bools, Floats, Ints


@dataclass(frozen=True)
class Passage:
    """A block of records that left: the masked rows, their originals, and the filter's books."""

    masked: Floats
    originals: Floats
    index: Ints
    delay: Ints
    size: Ints

    def only(self, which: Bools) -> Passage:
        """Some of the records."""
        return Passage(
            self.masked[which],
            self.originals[which],
            self.index[which],
            self.delay[which],
            self.size[which],
        )


class Monitor(Protocol):
    """A risk or loss measure that is kept live; its memory does not grow with the stream."""

    behind: int
    """How many records before the next ones the oldest arrived that is to leave yet; Watch sets
    it.
    """

    def start(
        self,
        kinds: Ints,
        first: int,
    ) -> None:
        """The kinds of the columns, and the arrival number of the first record to be told."""

    def arrive(self, rows: Floats) -> None:
        """Originals that arrived, in order."""

    def leave(self, block: Passage) -> None:
        """Records that left."""

    def finish(self) -> None:
        """The stream has ended."""

    def values(self) -> dict[str, float]:
        """What is known now."""
