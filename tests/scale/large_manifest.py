"""A release in blocks with the manifest that ``tacit large protect`` of version 0.1 wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tacit import scale as large
from tacit.data.schema import Schema
from tacit.plan.manifest import path_of, sha256
from tacit.plan.plan import Plan, Step


def written_in_blocks(
    source: Path,
    release: Path,
    *,
    method: str = "microaggregation",
    parameters: dict[str, Any],
    seed: int | None = None,
    **request: Any,
) -> Path:
    """The release, whose rows keep their order; returns the path of its manifest."""
    done = large.protect(
        source, release, method=method, parameters=parameters, seed=seed, **request
    )

    def file(path: Path) -> dict[str, object]:
        return {
            "path": str(path.resolve()),
            "sha256": sha256(path),
            "records": done.records,
            "encoding": None,
        }

    record = {
        "tacit": "0.1.0",
        "made": "2026-01-01T00:00:00+00:00",
        "seconds": 0.1,
        "plan": Plan((Step(method, parameters, seed),)).to_dict(),
        "schema": Schema(()).to_dict(),
        "order": {"shuffled": False},
        "blocks": {**request, "leaf": done.leaf, "digest": done.digest},
        "input": file(source),
        "output": file(release),
    }
    path = path_of(release)
    path.write_text(json.dumps(record))
    return path
