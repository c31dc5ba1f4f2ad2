"""The manifest that ``tacit large protect`` wrote up to version 0.1, and its repetition.

It has the entries of every manifest (plan, input, output with their hashes), and ``blocks`` with
what blocks add: what they are cut on, how large they may be, and the digest of the masked columns,
which is the same on every engine. Rows were written in the order of the input.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tacit.plan.manifest import load, sha256
from tacit.plan.plan import Plan
from tacit.scale.in_blocks import BLOCKS
from tacit.scale.protect import protect


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
