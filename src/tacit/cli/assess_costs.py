"""What ``tacit assess`` would cost (``--dry-run``), and afterwards how far off that was."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.base.errors import InputError
from tacit.cli import options as shared

if TYPE_CHECKING:
    from tacit.assess.assessment import Assessment
    from tacit.plan.plan import Plan

# `tacit --help` imports this file: what loads numpy or pyarrow is imported where it is needed.


def say(
    files: tuple[Path, Path],
    plan: Path | None,
    names: list[str] | None,
    memory: str | None,
    engine: str | None,
    read: tuple[Any, str | None, shared.Roles],
    json_file: Path | None,
    force: bool,
) -> None:
    """What an assessment would cost, from the headers and the first records of both files."""
    from tacit.attack.panel import panel
    from tacit.base.free_memory import free_memory
    from tacit.data.pair import read_as
    from tacit.data.schema import Schema
    from tacit.scale.any_size import SHARE
    from tacit.scale.assess_cost import assess_cost, both_fit
    from tacit.scale.cost import head_of
    from tacit.scale.memory import bytes_of

    schema, encoding, roles = read
    known = Schema.load(schema) if isinstance(schema, Path) else schema
    found = [
        head_of(files[0], known, encoding, roles),
        head_of(files[1], None, encoding, {}),
    ]
    for source, one in zip(files, found, strict=True):
        if one is None:
            raise InputError(
                f"{source}: --dry-run looks at the header of Parquet and CSV files; this is neither"
            )
    (before, records, size), (after, _, size_after) = [one for one in found if one]
    limit = bytes_of(memory) if memory is not None else int(SHARE * free_memory())
    on_disk = engine not in (None, "local") or not both_fit(files[0], limit)
    release = read_as(before, after)
    intruders = panel(before, release, names, plan=_plan_of(plan))
    cost = assess_cost(
        before,
        release,
        intruders,
        records,
        size + size_after,
        limit,
        on_disk=on_disk,
    )

    def show(_: object) -> None:
        where = "Out of core" if on_disk else "In memory"
        first, *more = cost.sentences()
        shared.say(f"{where}: {first}")
        for sentence in more:
            shared.say(sentence)

    shared.show_or_write(cost, show, json_file, force=force)


def _plan_of(path: Path | None) -> Plan | None:
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
    from tacit.attack.nearest import Nearest
    from tacit.base.spark_tasks import worker_seconds
    from tacit.scale.assess_cost import assess_cost
    from tacit.scale.cost import size_of

    nearest = {"nearest": Nearest()}

    cost = assess_cost(
        result.original,
        result.masked,
        {name: nearest.get(name) for name in result.attacks},
        result.original.n,
        size_of(original) + size_of(masked),
        limit,
        on_disk=True,
    )
    shared.tell(cost.cost.afterwards(time.process_time(), worker_seconds()))
