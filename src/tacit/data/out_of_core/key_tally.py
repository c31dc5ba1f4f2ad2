"""The different combinations of keys of a file, how many records have each, and their weights.

As in ``key_counts``, each item counts its own combinations and sends each of them once, by a hash
of its keys, to the target that adds them up; here the weights of the records go with them, and
what the targets have found is read at once. Memory: an item, a target, and what is read: 8
bytes for each key, the count and the weight of a combination.

    tally = tally_keys(KeyColumns.of(data, ["age", "region"]), folder)
    tally.number                    # different combinations, before any is read
    keys, times, weights = tally.read()
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.base.typing import Floats, Ints
from tacit.data.io.disk_table import SpillFolder
from tacit.data.out_of_core.grouped_files import GroupedFiles, write_grouped
from tacit.data.out_of_core.key_counts import KeySource, group_rows, target_of
from tacit.data.out_of_core.number_files import NumberSource
from tacit.data.out_of_core.pieces import mapped, spans, spent


@dataclass(frozen=True)
class KeyTally:
    """Combinations in files, one for each target."""

    files: tuple[Path, ...]
    lengths: tuple[int, ...]
    dtype: Any

    @property
    def number(self) -> int:
        """How many different combinations there are."""
        return sum(self.lengths)

    def in_turn(self) -> Iterator[tuple[Ints, Ints, Floats | None]]:
        """As ``read``, those of one target at a time."""
        for path in self.files:
            found = np.fromfile(path, self.dtype)
            if len(found):
                weights = found["weight"] if "weight" in self.dtype.names else None
                yield found["key"], found["count"], weights

    def remove(self) -> None:
        """The combinations are not needed any more."""
        spent(self.files)

    def read(self) -> tuple[Ints, Ints, Floats | None]:
        """(keys, records, weights or None) of every combination, in no order."""
        found = np.empty(self.number, self.dtype)
        row = 0
        for path, length in zip(self.files, self.lengths, strict=True):
            found[row : row + length] = np.fromfile(path, self.dtype)
            row += length
        weights = found["weight"].copy() if "weight" in self.dtype.names else None
        return found["key"].copy(), found["count"].copy(), weights


@dataclass(frozen=True)
class _TallyItem:
    """Item: (first, stop, file). Its combinations by target, with counts and weights."""

    source: KeySource
    weights: NumberSource | None
    targets: int
    dtype: Any

    def __call__(self, item: tuple[int, int, Path]) -> Ints:
        first, stop, path = item
        keys = self.source.read(first, stop)
        label, occurs = group_rows(keys)
        records = np.empty(len(occurs), self.dtype)
        records["key"] = keys[occurs]
        records["count"] = np.bincount(label, minlength=len(occurs))
        if self.weights is not None:
            weight = self.weights.read(first, stop)
            records["weight"] = np.bincount(label, weight, len(occurs))
        target = target_of(keys[occurs], self.targets)
        return write_grouped(path, records, target, self.targets)


@dataclass(frozen=True)
class _AddUp:
    """Item: (target, file). Each combination once; how many there are."""

    grouped: GroupedFiles
    weighted: bool

    def __call__(self, item: tuple[int, Path]) -> int:
        target, path = item
        sent = self.grouped.read(target)
        if not len(sent):
            sent.tofile(path)
            return 0
        label, first = group_rows(sent["key"])
        found = sent[first].copy()
        found["count"] = 0
        np.add.at(found["count"], label, sent["count"])
        if self.weighted:
            # in the order of the items, so that the bits are the same whoever adds
            found["weight"] = np.bincount(label, sent["weight"], len(first))
        found.tofile(path)
        return len(first)


def tally_keys(
    source: KeySource,
    folder: SpillFolder,
    weights: NumberSource | None = None,
    *,
    length: int | None = None,
) -> KeyTally:
    """Count the combinations of keys of a file.

    Parameters
    ----------
    source : KeySource
        Keys in row order (``KeyColumns``).
    folder : SpillFolder
        Where files are written.
    weights : NumberSource, optional
        What is summed over the records of a combination.
    length : int, optional
        Records of an item; a piece unless given.
    """
    items = spans(source.n, length)
    targets = len(items)
    fields: list[Any] = [("key", "<i8", (source.width,)), ("count", "<i8")]
    if weights is not None:
        fields.append(("weight", "<f8"))
    record = np.dtype(fields)
    files = [folder.next_file() for _ in items]
    work = _TallyItem(source, weights, targets, record)
    starts = mapped(work, [(*s, f) for s, f in zip(items, files, strict=True)])
    grouped = GroupedFiles.of(files, starts, targets, record)
    wanted = [(target, folder.next_file()) for target in range(targets)]
    lengths = mapped(_AddUp(grouped, weights is not None), wanted)
    grouped.remove()
    return KeyTally(tuple(path for _, path in wanted), tuple(lengths), record)
