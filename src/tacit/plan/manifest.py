"""The manifest of a release: what is needed to repeat it and to see that the bytes are the same."""

from __future__ import annotations

import hashlib
import json
import platform
import tempfile
import warnings
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import numpy
import pyarrow

import tacit
from tacit.base.errors import InputError, TacitWarning
from tacit.base.typing import Ints
from tacit.data import io, lazy
from tacit.data.content_hash import content_hash
from tacit.data.frames import Frame
from tacit.data.io import legal_names
from tacit.data.io.parquet_parts import ParquetParts, files_of
from tacit.data.microdata import Column, Microdata, Schema
from tacit.plan import row_order
from tacit.plan.claims import claims
from tacit.plan.leaving import Leaving
from tacit.plan.plan import Plan, Table
from tacit.plan.row_order import RowOrder

Manifest: TypeAlias = Table
"""A manifest as JSON has it; ``load`` has seen that it holds what is asked of it."""


def sha256(path: str | Path) -> str:
    """The SHA-256 of a file's bytes; of a folder, that of the names and hashes of its files."""
    if Path(path).is_dir():
        lines = [
            f"{sha256(file)}  {file.relative_to(path).as_posix()}\n"
            for file in files_of(Path(path))
        ]
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def path_of(release: str | Path) -> Path:
    """Where the manifest of a release lies: beside it."""
    return Path(f"{release}.manifest.json")


def describe(
    plan: Plan,
    source: str | Path | Frame,
    data: Microdata,
    release: str | Path,
    masked: Microdata,
    seconds: float,
    *,
    order: RowOrder | None = None,
    columns: Iterable[Leaving] = (),
    encoding: str | None = None,
    safe_formulas: bool = True,
    outcomes: Iterable[Table] = (),
    file: Path | None = None,
) -> Manifest:
    """The manifest of a release that has just been written.

    ``plan`` must hold the seeds that were used, and ``order`` that of the rows (None: they
    are as the plan gives them); ``columns`` are those that left without protection;
    ``encoding`` and ``safe_formulas`` are how the files were read and written; ``outcomes`` are
    what the steps said of their work; ``file`` is where the release lies before it has its
    name.
    """
    rows = RowOrder.of(plan, keep=True) if order is None else order
    return {
        # versions, because another one may give other bytes
        "tacit": tacit.__version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "pyarrow": pyarrow.__version__,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "plan": plan.to_dict(),
        # what differential privacy is claimed for, and what no claim covers
        "claims": claims(plan, data, masked),
        # what local suppression blanked and how far that may be from the least; what became of
        # gaps
        "outcomes": list(outcomes),
        "schema": data.schema.to_dict(),
        "order": rows.to_dict(data.n),
        "leaving": [one.to_dict() for one in columns],
        "input": _input(source, data) | {"encoding": encoding},
        "output": _file(release, file or release, masked)
        | {"safe_formulas": safe_formulas, "renamed": renamed(masked.names, release)},
    }


def _input(source: str | Path | Frame, data: Microdata) -> dict[str, object]:
    """What was read: a file, or a table or frame by the hash of its records in their order."""
    if lazy.is_file(source):
        return _file(source, source, data)
    return {
        "path": lazy.described(source),
        "sha256": content_hash(data),
        "records": data.n,
    }


def _file(
    path: str | Path,
    content: str | Path,
    data: Microdata,
) -> dict[str, object]:
    """A file as a manifest names it."""
    return {
        "path": str(Path(path).resolve()),
        "sha256": sha256(content),
        "records": data.n,
    }


def renamed(names: Iterable[str], release: str | Path) -> dict[str, str]:
    """Columns that the format of the release calls otherwise, with the names that they have there.

    >>> renamed(["age", "net income"], "release.dta")
    {'net income': 'net_income'}
    """
    ending = Path(release).suffix.lower()
    legal = legal_names.legal(names, ending)
    return {name: there for name, there in legal.items() if name != there}


def write(
    manifest: Manifest,
    release: str | Path,
    *,
    force: bool = False,
) -> Path:
    """Write the manifest beside its release, for its owner alone (mode 0600): it holds seeds."""
    path = path_of(release)
    with io.replacing(path, force=force, private=True) as temporary:
        put(manifest, temporary)
    return path


def put(manifest: Manifest, path: Path) -> None:
    """Write the manifest into this file."""
    # names of columns stay readable
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def shown(manifest: Manifest) -> Manifest:
    """The manifest as it may be printed: without seeds, and without whose row is whose."""
    plan = Plan.from_dict(manifest["plan"]).without_seeds()
    order = row_order.hidden(manifest["order"])
    return manifest | {"plan": plan.to_dict(), "order": order}


def order_of(manifest: Manifest, source: str | Path) -> RowOrder:
    """The order of the rows of a release; releases of version 0.1 kept that of the original."""
    plan = Plan.from_dict(manifest["plan"], source=str(source))
    return row_order.read(manifest.get("order", {}), plan, source)


def truth_of(manifest: Manifest, n: int, source: str | Path) -> Ints | None:
    """The released row of each of the n originals, as the manifest says it; None: it does not."""
    entry = manifest.get("order")
    if entry is None:
        return None
    if entry.get("shuffled") and row_order.LISTED in entry:
        return row_order.read_truth(entry, n, source)
    if entry.get("shuffled") and "key" not in entry:
        return None
    return order_of(manifest, source).truth(n)


def load(path: str | Path) -> Manifest:
    """Read a manifest."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        manifest = json.loads(text)
        # what everything else relies on; other keys may come and go between versions
        for file in (manifest["input"], manifest["output"]):
            for word in ("sha256", "path"):
                if not isinstance(file[word], str):
                    raise TypeError
        if not isinstance(manifest["input"].get("encoding"), str | None):
            raise TypeError
        # version 0.1 wrote no order
        for entry in (manifest["plan"], manifest.get("order", {})):
            if not isinstance(entry, dict):
                raise TypeError
        manifest["schema"]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(f"{path}: is not a manifest that tacit wrote") from None
    return dict(manifest)


def schema_of(manifest: Manifest, source: str | Path) -> Schema:
    """The roles and kinds that the release was made with; ``source`` is what errors name."""
    try:
        entries = manifest["schema"]["columns"].items()
        return Schema(tuple(Column.from_entry(name, entry) for name, entry in entries))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{source}: its schema cannot be read ({error})") from None


def verify(
    path: str | Path,
    *,
    source: str | Path | Frame | None = None,
    release: str | Path | None = None,
    read: Callable[..., Microdata] | None = None,
    mask: Callable[[Plan, Microdata], Microdata] | None = None,
) -> dict[str, bool | None]:
    """Repeat the run of a manifest and compare bytes.

    The noise of differentially private steps has no seed and cannot be repeated by design: then
    ``repeated_same_bytes`` is None, and what is checked is both hashes, and that the plan
    applied to the input gives as many records with the same columns.

    Parameters
    ----------
    path : path
        The manifest.
    source : path or frame, optional
        Where the input is now, if it has moved; the frame, if it was one.
    release : path, optional
        Where the release is now, if it has moved.
    read : function
        How the input is read: ``io.read``, or what reads files larger than memory.
    mask : function
        How the plan is run: ``Plan.mask``, or what does some steps in blocks.
    """
    manifest = load(path)
    if "in_blocks" in manifest and mask is None:
        raise InputError(
            f"{path}: some of its steps were done in blocks; repeat them with tacit verify"
        )
    # a release that was moved together with its manifest is found beside it
    beside = Path(str(path).removesuffix(".manifest.json"))
    written = beside if beside.exists() else manifest["output"]["path"]
    read_from = manifest["input"]["path"]
    source = read_from if source is None else source
    release = Path(release or written)
    if str(source).startswith("frame: "):
        raise InputError(
            f"{path}: the input was a {read_from.removeprefix('frame: ')}; "
            "give it again (source=...)"
        )
    of_file = lazy.is_file(source)
    for file in ([Path(source)] if of_file else []) + [release]:
        if not file.exists():
            raise InputError(
                f"{file}: is named in the manifest but is not there; "
                "say where it is now"
            )
    same_output = sha256(release) == manifest["output"]["sha256"]
    plan = Plan.from_dict(manifest["plan"], source=str(path))
    with tempfile.TemporaryDirectory() as directory:
        # the suffix decides the format, and with it the bytes
        again = Path(directory, "again" + release.suffix)
        # manifests of version 0.1 do not say how the files were read and written
        encoding = manifest["input"].get("encoding")
        safe_formulas = bool(manifest["output"].get("safe_formulas"))
        schema = schema_of(manifest, path)
        if read is not None:
            data = read(source, schema, encoding=encoding)
        elif of_file:
            data = io.read(source, schema, encoding=encoding)
        else:
            data = Microdata.of(source, schema)
        found = sha256(source) if of_file else content_hash(data)
        same_input = found == manifest["input"]["sha256"]
        order = order_of(manifest, path)
        masked = plan.mask(data) if mask is None else mask(plan, data)
        masked = order.arranged(masked)
        with warnings.catch_warnings():
            # what the format cannot hold was said when the release was made
            warnings.simplefilter("ignore", TacitWarning)
            io.write(masked, again, safe_formulas=safe_formulas)
        by_design = any(step.unseeded and step.seed is None for step in plan.steps)
        # noise that has no seed differs by design
        same_bytes = sha256(again) == manifest["output"]["sha256"]
        repeated = None if by_design else same_bytes
        fits = _shape(again) == _shape(release)
    return {
        "input_unchanged": same_input,
        "output_unchanged": same_output,
        "plan_gives_same_columns_and_records": fits,
        "repeated_same_bytes": repeated,
        "verified": same_input and same_output and fits and repeated is not False,
    }


def _shape(path: Path) -> tuple[int, list[str]]:
    """Number of records and names of columns."""
    if io.FORMATS.get(path.suffix.lower()) == "parquet":
        # the header says both, however large the file
        parts = ParquetParts.of(path)
        return parts.num_rows, parts.schema.names
    data = io.read(path)
    return data.n, data.names
