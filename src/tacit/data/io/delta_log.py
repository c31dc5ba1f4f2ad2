"""Delta tables: the Parquet files that a table shows now, and the values of its partitions.

A Delta table is a folder of Parquet files with a log. Rows that were deleted or changed still lie
in files that the log has removed, so the folder must not be read file by file. ``read`` goes
through the log as its protocol says (Delta Transaction Log Protocol, 'Action Reconciliation'): the
newest whole checkpoint, then every later commit; a file that was added and not removed since is
shown. What would need more than a list of files (rows deleted inside a file, columns under other
names) is refused with a sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from tacit.base.errors import InputError

LOG = "_delta_log"
"""The folder by which a Delta table is known."""
WANTED = ["add", "remove", "metaData", "protocol"]
"""Actions that say which files there are; the others are notes of writers."""
# the last reader version without a list of features: columns may have names besides the files'
MAPPED = 2
# Features that change nothing while no file uses them; what files use is looked at one by one
HARMLESS = frozenset(
    {
        "columnMapping",
        "deletionVectors",
        "timestampNtz",
        "v2Checkpoint",
        "vacuumProtocolCheck",
    }
)
# types of partition columns, whose values stand in the log as text; others stay text
TYPES = {
    "byte": pa.int64(),
    "short": pa.int64(),
    "integer": pa.int64(),
    "long": pa.int64(),
    "float": pa.float64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
}

_COMMIT = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10}))?\.parquet")

Texts = dict[str, str | None]
"""Partition columns of a file, with their values as the log says them."""
Action = Mapping[str, Any]


@dataclass(frozen=True)
class DeltaTable:
    """What a table shows now."""

    files: dict[Path, Texts]
    """Its files, each with the values of the partition columns."""
    columns: dict[str, pa.DataType]
    """The partition columns."""


@dataclass
class _Log:
    """The last word on each file, on the columns and on who can read them."""

    path: Path
    added: dict[Path, Action] = field(default_factory=dict)
    about: Action = field(default_factory=dict)
    protocol: Action = field(default_factory=dict)

    def take(self, action: Action) -> None:
        """One line of the log."""
        self.protocol = action.get("protocol") or self.protocol
        self.about = action.get("metaData") or self.about
        removed, added = action.get("remove"), action.get("add")
        if removed:
            self.added.pop(self._file(removed["path"]), None)
        if added:
            self.added[self._file(added["path"])] = added

    def table(self) -> DeltaTable:
        """What is left; refused if a list of files does not say it."""
        self._refuse_protocol()
        if any(one.get("deletionVector") for one in self.added.values()):
            raise self._refused("has rows that were deleted inside its files")
        settings = dict(self.about.get("configuration") or {})
        if settings.get("delta.columnMapping.mode", "none") != "none":
            raise self._refused("has columns under other names than its files")
        fields = json.loads(self.about["schemaString"])["fields"]
        types = {one["name"]: one["type"] for one in fields}
        columns = {
            name: TYPES.get(types[name], pa.string())
            for name in self.about.get("partitionColumns") or []
        }
        return DeltaTable(
            {file: _texts(one, columns) for file, one in self.added.items()}, columns
        )

    def _refuse_protocol(self) -> None:
        features = self.protocol.get("readerFeatures") or []
        for name in features:
            if name not in HARMLESS:
                raise self._refused(f"needs the reader feature '{name}'")
        version = self.protocol["minReaderVersion"]
        if version > MAPPED and not features:
            raise self._refused(f"needs reader version {version}")

    def _file(self, text: str) -> Path:
        """A path of the log: of this folder, or a whole address."""
        address = urlsplit(text)
        if address.scheme not in ("", "file"):
            raise self._refused(f"has files elsewhere ({address.scheme}:)")
        file = self.path / unquote(address.path)
        if not file.resolve().is_relative_to(self.path.resolve()):
            raise self._refused("has files outside its folder")
        return file

    def _refused(self, why: str) -> InputError:
        return InputError(
            f"{self.path}: is a Delta table that {why}, which is not read here; write what it "
            "shows now as plain Parquet, or give it as a table of Spark (table:NAME)"
        )


def _texts(added: Action, columns: Iterable[str]) -> Texts:
    """The partition of a file; an empty text is a missing value, as the protocol has it."""
    values = dict(added.get("partitionValues") or {})
    return {name: values.get(name) or None for name in columns}


def is_delta(path: Path) -> bool:
    """Is this folder a Delta table?"""
    return (path / LOG).is_dir()


def read(path: Path) -> DeltaTable:
    """The files that a table shows now, each with the values of its partition columns."""
    log = _Log(path)
    try:
        for action in _actions(path):
            log.take(action)
        table = log.table()
    except (KeyError, TypeError, ValueError, AttributeError, OSError) as error:
        # ArrowInvalid and errors of JSON are ValueErrors
        reason = str(error).splitlines()[0]
        raise InputError(
            f"{path}: the log of this Delta table cannot be read ({reason})"
        ) from None
    if not table.files:
        raise InputError(f"{path}: this Delta table shows no records")
    for file in table.files:
        if not file.exists():
            raise InputError(
                f"{path}: is a Delta table without its file {file.name}; restore it, or "
                "repair the table (FSCK REPAIR TABLE)"
            )
    return table


def _actions(path: Path) -> Iterator[Action]:
    """Every line of the log that counts: a checkpoint, then the commits after it."""
    names = sorted(file.name for file in (path / LOG).iterdir())
    commits = [int(found[1]) for name in names if (found := _COMMIT.fullmatch(name))]
    start, parts = _newest_checkpoint(names)
    later = [version for version in commits if version > start]
    expected = list(range(start + 1, start + 1 + len(later)))
    if later != expected or (start < 0 and not later):
        raise InputError(
            f"{path}: the log of this Delta table has gaps; repair the table"
        )
    for name in parts:
        yield from _rows(path / LOG / name)
    for version in later:
        text = (path / LOG / f"{version:020d}.json").read_text(encoding="utf-8")
        # a commit removes what it replaces: additions come last, in whatever order they stand
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
        yield from sorted(lines, key=_turn)


def _turn(action: Action) -> int:
    """What must be known first comes first."""
    turns = {"protocol": 0, "metaData": 1, "remove": 2}
    return min((turns.get(name, 3) for name in action), default=3)


def _newest_checkpoint(names: Iterable[str]) -> tuple[int, list[str]]:
    """Version and files of the newest checkpoint of which no part is missing; -1: none."""
    found: dict[tuple[int, int], list[str]] = {}
    for name in names:
        match = _CHECKPOINT.fullmatch(name)
        if match:
            found.setdefault((int(match[1]), int(match[3] or 1)), []).append(name)
    whole = [(version, n) for (version, n), files in found.items() if len(files) == n]
    if not whole:
        return -1, []
    newest = max(whole)
    return newest[0], found[newest]


def _rows(checkpoint: Path) -> Iterator[Action]:
    """The actions of a checkpoint."""
    file = pq.ParquetFile(checkpoint)
    names = file.schema_arrow.names
    if "sidecar" in names:
        beside = file.read(["sidecar"]).column("sidecar")
        if beside.null_count < len(beside):
            raise ValueError("its checkpoint has sidecar files")
    table = file.read([name for name in WANTED if name in names])
    yield from sorted(table.to_pylist(), key=_row_turn)


def _row_turn(row: Action) -> int:
    return _turn({name: value for name, value in row.items() if value is not None})
