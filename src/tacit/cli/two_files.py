"""An original and its release, as ``tacit assess`` and ``tacit link`` read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.base.errors import InputError
from tacit.cli import options as shared

if TYPE_CHECKING:
    from tacit.data.microdata import Microdata
    from tacit.data.schema import Schema
    from tacit.plan.manifest import Manifest
    from tacit.plan.plan import Plan
    from tacit.scale.any_size import Place

# `tacit --help` imports this file. What loads numpy, pyarrow or scikit-learn is therefore imported
# inside the function that needs it.


def read(
    files: tuple[Path, Path],
    how: tuple[Schema | Path | None, str | None, shared.Roles],
    place: Place | None,
    record: Manifest | None,
    key: str | None,
) -> tuple[Microdata, Microdata]:
    """Both files; ``how`` is schema, encoding and roles, ``record`` the manifest of the release."""
    from tacit.data.units import check

    original, masked = files
    schema, encoding, roles = how
    before = shared.read(original, schema, encoding, roles, place)
    with shared.naming(original):
        check(before)
    # Columns of the release are known by name; roles are those of the original.
    release = shared.read(masked, None, encoding, {}, place)
    after = _named_back(release, before, masked, record)
    if before.n != after.n and key is None:
        raise InputError(
            f"{masked} has {after.n} records and {original} has {before.n}: rows cannot be "
            "aligned; say which column of both files tells whose record it is (--key COLUMN)"
        )
    return before, after


def done(
    record: Mapping[str, object] | None,
    plan: Path | None,
    place: Place | None,
    memory: str | None,
) -> Callable[[Plan], Plan] | None:
    """How the steps of a manifest were done, where that was not on the whole file."""
    if record is None or not {"blocks", "in_blocks"} & record.keys():
        return None
    from tacit.scale.in_blocks import InBlocks

    blocks = InBlocks.of(dict(record), plan, shared.room(place, memory))
    return None if blocks is None else blocks.done


def _named_back(
    after: Microdata, before: Microdata, masked: Path, record: Manifest | None
) -> Microdata:
    """The release with the names of the original where its format does not allow them.

    A column that is not known by its name would be left out of the attacks.
    """
    from tacit.data.io import legal_names
    from tacit.data.microdata import Microdata

    names = None if record is None else record["output"].get("renamed")
    if not isinstance(names, dict | None) or not all(
        isinstance(there, str) for there in (names or {}).values()
    ):
        raise InputError(
            f"the manifest of {masked} does not say which columns were renamed"
        )
    if names is None:
        names = legal_names.legal(before.names, masked.suffix.lower())
    # a name that both files have is the same column
    changed = {
        name: there
        for name, there in names.items()
        if there in after.names and there not in before.names
    }
    # a file on the disk is Parquet, which allows every name
    if not changed or not after.in_memory:
        return after
    return Microdata.of(legal_names.named_back(after.native, changed))
