"""What ``tacit assess`` would cost (``--dry-run``), and afterwards how far off that was."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.base.errors import InputError
from tacit.cli import options as shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tacit.assess.assessment import Assessment
    from tacit.attack.base import Attacker
    from tacit.data.microdata import Microdata
    from tacit.plan.plan import Plan

# `tacit --help` imports this file: what loads numpy or pyarrow is imported where it is needed.

# Bytes of a file of text up to which it has few records; looking at the beginnings of two files
# takes a tenth of a second
SHORT = 500_000


_Read = tuple[Any, str | None, shared.Roles]
"""Schema, encoding and roles of the original."""
_Head = tuple["Microdata", int, int]
"""The first records of a file, how many there are, and its bytes."""


def _heads(files: tuple[Path, Path], read: _Read) -> tuple[_Head, _Head] | None:
    """The beginnings of both files; None: only reading tells."""
    from tacit.data.schema import Schema
    from tacit.scale.cost import head_of

    schema, encoding, roles = read
    known = Schema.load(schema) if isinstance(schema, Path) else schema
    before = head_of(files[0], known, encoding, roles)
    after = head_of(files[1], None, encoding, {})
    return None if before is None or after is None else (before, after)


def held_in_memory(
    files: tuple[Path, Path],
    read: _Read,
    attackers: Callable[[Microdata, Microdata], Iterable[Attacker]],
) -> int:
    """Bytes in memory while the dearest of these attacks runs; 0: few records, or not known yet.

    What is wrong with a file is said by who reads it.
    """
    if all(not file.is_dir() and _is_short(file) for file in files):
        return 0
    from tacit.assess.held import Allowed
    from tacit.base.errors import TacitError
    from tacit.data.pair import read_as

    try:
        found = _heads(files, read)
        if found is None:
            return 0
        (before, records, _), (after, _, _) = found
        release = read_as(before, after)
        allowed = Allowed(before, release, 0, records, on_disk=False)
        return allowed.most_of(attackers(before, release))
    except (TacitError, OSError):
        return 0


def _is_short(file: Path) -> bool:
    """Has a file few records, as far as can be told at once?"""
    if file.suffix.lower() not in (".parquet", ".pq"):
        return not file.exists() or file.stat().st_size <= SHORT
    import pyarrow as pa
    import pyarrow.parquet as pq

    from tacit.assess.held import SMALL

    try:
        return bool(pq.read_metadata(file).num_rows <= SMALL)
    except (OSError, pa.ArrowException):
        return True


def say(
    files: tuple[Path, Path],
    plan: Path | None,
    names: list[str] | None,
    memory: str | None,
    engine: str | None,
    read: _Read,
    json_file: Path | None,
    force: bool,
) -> None:
    """What an assessment would cost, from the headers and the first records of both files."""
    from tacit.assess.held import Allowed
    from tacit.attack.panel import panel
    from tacit.base.free_memory import free_memory
    from tacit.data.pair import read_as
    from tacit.scale.any_size import SHARE, left_beside_threads
    from tacit.scale.assess_cost import assess_cost, both_fit
    from tacit.scale.memory import bytes_of

    found = _heads(files, read)
    if found is None:
        raise InputError(
            f"{files[0]}, {files[1]}: --dry-run looks at the headers of Parquet and CSV files; "
            "one of these is neither"
        )
    (before, records, size), (after, _, size_after) = found
    limit = bytes_of(memory) if memory is not None else int(SHARE * free_memory())
    release = read_as(before, after)
    intruders = panel(before, release, names, plan=plan_of(plan))
    allowed = Allowed(before, release, limit, records, on_disk=False)
    fits = both_fit(files[0], limit) and allowed.most_of(intruders.values()) <= limit
    on_disk = engine not in (None, "local") or not fits
    held_at_most = limit
    if on_disk and engine in (None, "local"):
        held_at_most = left_beside_threads(limit, files=2)
    cost = assess_cost(
        before,
        release,
        intruders,
        records,
        size + size_after,
        held_at_most,
        on_disk=on_disk,
    )

    def show(_: object) -> None:
        where = "Out of core" if on_disk else "In memory"
        first, *more = cost.sentences()
        shared.say(f"{where}: {first}")
        for sentence in more:
            shared.say(sentence)

    shared.show_or_write(cost, show, json_file, force=force)


def panel_of(
    names: list[str] | None, plan: Path | None, before: Microdata, release: Microdata
) -> Iterable[Attacker]:
    """Who would attack: those named, or everybody who is invited."""
    from tacit.attack.panel import panel

    return panel(before, release, names, plan=plan_of(plan)).values()


def plan_of(path: Path | None) -> Plan | None:
    """The plan of a manifest or a plan file; whose row is whose is not asked."""
    from tacit.plan import manifest
    from tacit.plan.plan import Plan

    if path is None or path.suffix != ".json":
        return None if path is None else Plan.load(path)
    return Plan.from_dict(manifest.load(path)["plan"], source=str(path))


def say_how_far_off(
    result: Assessment, original: Path, masked: Path, limit: int
) -> None:
    """The prediction beside what it took."""
    from tacit.attack import registry
    from tacit.attack.panel import made_by
    from tacit.base.spark_tasks import worker_seconds
    from tacit.scale.assess_cost import assess_cost
    from tacit.scale.cost import size_of

    known: dict[str, object] = {"plan": result.plan}
    cost = assess_cost(
        result.original,
        result.masked,
        {name: made_by(registry[name], known) for name in result.linkages},
        result.original.n,
        size_of(original) + size_of(masked),
        limit,
        on_disk=True,
    )
    shared.tell(cost.cost.afterwards(time.process_time(), worker_seconds()))
