"""Does every worker of a cluster see the folder in which pieces lie?

A task that fails on such a worker is run again elsewhere, without a word: a run takes a multiple of
its time, and nobody learns why. So a worker looks first, and says what it does not see.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.base.errors import InputError
from tacit.data.out_of_core.pieces import Mapper, Work


@dataclass(frozen=True)
class Unseen:
    """What a worker answers that does not see the folder."""

    host: str


@dataclass(frozen=True)
class _Looking:
    work: Callable[[Any], Any]
    folder: Path

    def __call__(self, item: Any) -> Any:
        if not self.folder.is_dir():
            return Unseen(socket.gethostname())
        return self.work(item)


def looked_for(folder: Path, inner: Mapper) -> Mapper:
    """The mapper, which ends in a sentence where a worker does not see the folder."""

    def run(work: Work, items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        for place, result in inner(_Looking(work, folder), items):
            if isinstance(result, Unseen):
                raise InputError(
                    f"the worker on {result.host} does not see {folder}: on a cluster every worker "
                    "must see the folder of the release; write to a disk that all of them share"
                )
            yield place, result

    return run
