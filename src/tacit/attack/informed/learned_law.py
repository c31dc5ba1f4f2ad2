"""The law of a plan on a file, learned once: several attackers ask for the same."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock
from typing import TypeVar

import pyarrow as pa

from tacit.attack.informed.shadow_law import Law, learn
from tacit.attack.informed.shadow_runs import ShadowRun, Shadows
from tacit.attack.informed.steps import protectors_of
from tacit.base.seeds import FIXED
from tacit.data.microdata import Microdata

MOST, FEWEST = 40, 8
"""Shadows of a small and of a large file."""
RECORDS = 120_000
"""Records that are simulated in all, within these limits: it bounds the time, the same on
every machine."""
SAMPLED = 200
"""Most shadows of a plan that releases a small sample: each original must come up now and then."""
CERTAIN = 10
"""Shadows of a plan that draws nothing; only ties that it breaks by the order of rows differ."""
AT_HAND = 2
"""Laws and sets of shadows that are remembered: those of the release at hand."""

Kept = TypeVar("Kept")
_lock = Lock()
_runs: OrderedDict[str, list[ShadowRun]] = OrderedDict()
_laws: OrderedDict[str, Law] = OrderedDict()


def learned_law(
    plan: object,
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    many: int | None = None,
) -> Law:
    """Run the plan with seeds of the intruder's own, and learn how it moves each record.

    Parameters
    ----------
    plan : plan, protector or list of protectors
        How the file was masked; its seeds are not looked at.
    original, masked : Microdata
        Both files; the release only says whether numbers are numbers.
    columns : list of str
        The columns whose law is learned.
    many : int, optional
        Runs of the plan; by default 40, fewer for more than 3,000 records.
    """
    told = _told(plan, original, many)
    runs = _runs.get(told)
    if runs is None:
        runs = _remember(_runs, told, _run(Shadows(plan, original, FIXED), many))
    kinds = [str(masked.table.schema.field(name).type) for name in columns]
    key = f"{told} {columns} {kinds}"
    law = _laws.get(key)
    if law is None:
        law = _remember(_laws, key, learn(original, runs, masked, columns))
    return law


def _run(shadows: Shadows, many: int | None) -> list[ShadowRun]:
    first = shadows.run(0)
    released = max(first.released.n, 1)
    if many is None:
        many = min(MOST, max(FEWEST, RECORDS // max(shadows.n, 1)))
        if released < shadows.n:
            many = min(SAMPLED, many * shadows.n // released)
        if not shadows.random:
            many = min(many, CERTAIN)
    return [first, *shadows.runs(1, many)]


def _told(plan: object, original: Microdata, many: int | None) -> str:
    """What the shadows depend on: the records in order, their schema, the plan but for seeds."""
    digest = hashlib.sha256()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, original.table.schema) as stream:
        stream.write_table(original.table)
    digest.update(sink.getvalue())
    for step in protectors_of(plan):
        given = {
            k: v for k, v in step.get_params(deep=False).items() if "seed" not in k
        }
        given.pop("random_state", None)
        digest.update(f"{type(step)} {sorted(given.items())}".encode())
    digest.update(f"{original.schema} {getattr(plan, 'columns', None)} {many}".encode())
    return digest.hexdigest()


def _remember(memory: OrderedDict[str, Kept], key: str, value: Kept) -> Kept:
    """Keep the last few."""
    with _lock:
        memory[key] = value
        while len(memory) > AT_HAND:
            memory.popitem(last=False)
    return value
