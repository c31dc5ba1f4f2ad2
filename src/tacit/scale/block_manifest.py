"""The manifest of a release in blocks, and its repetition: ``tacit verify`` reads both kinds.

It has the entries of every manifest (plan, input, output with their hashes), and ``blocks`` with
what blocks add: what they are cut on, how large they may be, and the digest of the masked columns,
which is the same on every engine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy
import pyarrow

import tacit
from tacit.base.facts import draws_numbers
from tacit.data import io
from tacit.data.schema import Schema
from tacit.plan.manifest import Manifest, load, path_of, put, sha256
from tacit.plan.plan import Plan, Step
from tacit.protect import registry
from tacit.scale.in_blocks import BLOCKS
from tacit.scale.protect import protect
from tacit.scale.run_result import BlockRelease


def write(
    done: BlockRelease,
    source: str | Path,
    release: str | Path,
    method: str,
    parameters: Mapping[str, Any],
    seed: int | None,
    request: Mapping[str, Any],
) -> Path:
    """Write the manifest beside its release, for its owner alone: it may hold a seed."""
    drawn = seed if draws_numbers(registry[method]) else None
    record: Manifest = {
        "tacit": tacit.__version__,
        "numpy": numpy.__version__,
        "pyarrow": pyarrow.__version__,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(sum(done.seconds.values()), 3),
        "plan": Plan((Step(method, dict(parameters), drawn),)).to_dict(),
        "schema": Schema(()).to_dict(),
        # blocks are written in the order of the input
        "order": {"shuffled": False},
        BLOCKS: {**request, "leaf": done.leaf, "digest": done.digest},
        "input": _file(source, done.records),
        "output": _file(release, done.records),
    }
    path = path_of(release)
    # the release was written with leave to overwrite it, and its manifest goes with it
    with io.replacing(path, force=True, private=True) as temporary:
        put(record, temporary)
    return path


def seeds_matter(method: str) -> bool:
    """Does the method draw numbers, and not from the system alone?"""
    kind = registry[method]
    return draws_numbers(kind) and not getattr(kind, "unseeded", False)


def _file(path: str | Path, records: int) -> dict[str, object]:
    return {
        "path": str(Path(path).resolve()),
        "sha256": sha256(path),
        "records": records,
        "encoding": None,
    }


def verify(
    path: str | Path, source: Path | None, release: Path | None
) -> dict[str, bool | None]:
    """Repeat a release in blocks and compare the digest of its masked columns."""
    record = load(path)
    beside = Path(str(path).removesuffix(".manifest.json"))
    read_from = source or Path(record["input"]["path"])
    written = release or (beside if beside.exists() else Path(record["output"]["path"]))
    same_input = sha256(read_from) == record["input"]["sha256"]
    same_output = sha256(written) == record["output"]["sha256"]
    (step,) = Plan.from_dict(record["plan"], source=str(path)).steps
    request = dict(record[BLOCKS])
    digest = request.pop("digest")
    with tempfile.TemporaryDirectory() as folder:
        again = protect(
            read_from,
            Path(folder, "again.parquet"),
            method=step.method,
            parameters=step.parameters,
            seed=step.seed,
            **request,
        )
    fits = again.records == record["output"]["records"]
    repeated = (
        again.digest == digest if not step.random or step.seed is not None else None
    )
    return {
        "input_unchanged": same_input,
        "output_unchanged": same_output,
        "plan_gives_same_columns_and_records": fits,
        "repeated_same_bytes": repeated,
        "verified": same_input and same_output and fits and repeated is not False,
    }
