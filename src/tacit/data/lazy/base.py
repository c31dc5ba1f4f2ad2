"""What each kind of unread frame can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacit.data.out_of_core.pieces import one_by_one


class LazyFrame(ABC):
    """A frame of the user's whose records are elsewhere.

    Parameters
    ----------
    frame : frame
        The user's own object.
    """

    kind = "frame"
    """What sentences call it."""
    has_workers = False
    """There are machines that could do work on its records."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    @abstractmethod
    def columns(self) -> dict[str, str]:
        """The columns, and why one cannot be read (empty: it can)."""

    def widths(self, names: Sequence[str]) -> int:
        """Bytes of a record in memory, about."""
        # a number, or a code of a text with the text itself
        return 16 * len(names)

    @abstractmethod
    def records(self) -> int:
        """How many there are; this may take a pass."""

    @abstractmethod
    def held(self, names: Sequence[str]) -> Any:
        """These columns in memory, as a frame of Arrow or polars."""

    @abstractmethod
    def write(self, names: Sequence[str], folder: Path) -> None:
        """These columns as Parquet files of a folder that is not there yet."""

    @abstractmethod
    def of_held(self, released: Any) -> Any:
        """The user's kind of frame, of records in memory."""

    @abstractmethod
    def of_file(self, path: Path, schema: pa.Schema) -> Any:
        """The user's kind of frame, of a Parquet file."""

    def map(
        self, work: Callable[[Any], Any], items: Sequence[Any]
    ) -> Iterator[tuple[int, Any]]:
        """(place, result) of work on every item, by the workers of the frame if it has any."""
        return one_by_one(work, items)
