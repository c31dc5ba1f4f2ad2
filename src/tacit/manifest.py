"""The manifest of a release: everything needed to repeat it and to see that the bytes are the same."""

from __future__ import annotations

import hashlib
import json
import platform
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.microdata import Microdata, Schema
from tacit.plan import Plan


def sha256(path: str | Path) -> str:
    """The SHA-256 of a file's bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def path_of(release: str | Path) -> Path:
    """Where the manifest of a release lies: beside it."""
    return Path(f"{release}.manifest.json")


def describe(
    plan: Plan, source: str | Path, data: Microdata, release: str | Path, masked: Microdata, seconds: float
) -> dict[str, Any]:
    """The manifest of a release that has just been written. ``plan`` must hold the seeds that were used."""
    import numpy
    import pyarrow

    from tacit import __version__

    return {
        "tacit": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "pyarrow": pyarrow.__version__,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "plan": plan.to_dict(),
        "schema": data.schema.to_dict(),
        "input": {"path": str(Path(source).resolve()), "sha256": sha256(source), "records": data.n},
        "output": {"path": str(Path(release).resolve()), "sha256": sha256(release), "records": masked.n},
    }


def write(manifest: dict[str, Any], release: str | Path, *, force: bool = False) -> Path:
    """Write the manifest beside its release."""
    from tacit.io import replacing

    path = path_of(release)
    with replacing(path, force=force) as temporary:
        temporary.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def load(path: str | Path) -> dict[str, Any]:
    """Read a manifest."""
    try:
        manifest = json.loads(Path(path).read_text(encoding="utf-8"))
        manifest["plan"], manifest["input"]["sha256"], manifest["output"]["sha256"], manifest["schema"]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path}: is not a manifest that tacit wrote") from None
    return dict(manifest)


def schema_of(manifest: dict[str, Any], source: str | Path) -> Schema:
    """The roles and kinds that the release was made with."""
    import tomli_w

    return Schema.from_toml(tomli_w.dumps(manifest["schema"]), source=str(source))


def verify(path: str | Path, *, source: str | Path | None = None, release: str | Path | None = None) -> dict[str, Any]:
    """Repeat the run of a manifest and compare bytes. Files that have moved are named by ``source`` and ``release``."""
    from tacit.io import read, write

    manifest = load(path)
    beside = Path(str(path).removesuffix(".manifest.json"))
    source = Path(source or manifest["input"]["path"])
    release = Path(release or (beside if beside.exists() else manifest["output"]["path"]))
    for file in (source, release):
        if not file.exists():
            raise InputError(f"{file}: is named in the manifest but is not there; say where it is now")
    same_input = sha256(source) == manifest["input"]["sha256"]
    same_output = sha256(release) == manifest["output"]["sha256"]
    plan = Plan.from_dict(manifest["plan"], source=str(path))
    with tempfile.TemporaryDirectory() as directory:
        again = Path(directory, "again" + release.suffix)
        write(plan.apply(read(source, schema_of(manifest, path))), again)
        repeated = sha256(again) == manifest["output"]["sha256"]
    return {
        "input_unchanged": same_input,
        "output_unchanged": same_output,
        "repeated_same_bytes": repeated,
        "verified": same_input and same_output and repeated,
    }
