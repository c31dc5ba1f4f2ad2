"""Finished parts of an assessment, kept beside its report, from which a stopped one goes on.

A part is an attack or a measure, known by its name. The folder has the rules of ``kept_pieces``: it
is its owner's alone, belongs to one run (input, plan, options, version), and goes when that ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tacit
from tacit.attack.linkage import Linkage
from tacit.base.data_only import NotData, to_bytes
from tacit.base.measure import Measure
from tacit.data.lazy import is_file
from tacit.scale.kept_pieces import (
    Kept,
    files_about,
    kept_in,
    not_ours,
    read_kept,
    write_whole,
)


@dataclass
class KeptParts:
    """The parts of one assessment."""

    kept: Kept

    def take(self, name: str) -> Any:
        """A part that an earlier run has finished; None: it is to be done."""
        path = self._path(name)
        if not self.kept.goes_on or not path.exists():
            return None
        result = read_kept(path)
        if not isinstance(result, Linkage | Measure):
            raise not_ours(path)
        self.kept.taken += 1
        return result

    def keep(self, name: str, result: object) -> None:
        """A part is finished."""
        if isinstance(result, Linkage):
            # what explains single links holds both files, and nothing that is written asks it
            result = replace(result, explainer=None)
        try:
            content = to_bytes(result)
        except NotData:
            return  # it is done again by a run that goes on
        write_whole(self._path(name), content)

    def _path(self, name: str) -> Path:
        return self.kept.folder / f"part-{name}.done"


@contextmanager
def kept_parts(
    files: tuple[Path, Path], report: Path, request: Mapping[str, Any]
) -> Iterator[KeptParts]:
    """The folder OUT.work of an assessment of two files.

    Parameters
    ----------
    files : pair of paths
        The original and the release.
    report : path
        The JSON or the report beside which it lies.
    request : mapping
        What else makes it this run: plan, roles, schema, options.
    """
    run = {
        "tacit": tacit.__version__,
        "files": [files_about(file) if is_file(file) else str(file) for file in files],
        **request,
    }
    folder = Path(f"{report}.work").absolute()
    with kept_in(folder, run, secret={}) as kept:
        yield KeptParts(kept)
