"""Nobody's files: no option names the input or another output, and each output can be written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tacit.base.errors import InputError, ParameterError

Named = Mapping[str, Path | None]
"""Files by the argument or option that named them; None where it was not given."""


def refuse_collisions(inputs: Named, outputs: Named) -> None:
    """No two options may name the same file; what is read is never written.

    Two names may be one file: a link of either kind, or another spelling.
    """
    taken = _given(inputs)
    for option, path in _given(outputs).items():
        for other, file in taken.items():
            if not _same(path, file):
                continue
            if other in inputs:
                raise ParameterError(
                    f"{path}: is the input itself ({other}), which is never written; "
                    f"name another file for {option}"
                )
            raise ParameterError(
                f"{path}: is named by {other} and by {option}; "
                "every file needs a name of its own"
            )
        taken[option] = path


def refuse(inputs: Named, outputs: Named, *, force: bool) -> None:
    """Say now, before any work, that an output cannot be written."""
    from tacit.data import io

    refuse_collisions(inputs, outputs)
    for path in _given(outputs).values():
        for option, folder in _given(inputs).items():
            # the next run would read what this one has written
            if folder.is_dir() and path.resolve().is_relative_to(folder.resolve()):
                raise ParameterError(
                    f"{path}: lies in the input itself ({option}); write it elsewhere"
                )
        io.refuse_overwrite(path, force=force)
        # else the work would be done and lost at the end
        if not os.access(path.parent, os.W_OK):
            raise InputError(
                f"{path}: the folder {path.parent} cannot be written; name another place"
            )


def _given(files: Named) -> dict[str, Path]:
    """The files that were named; ``-`` is standard output or input."""
    return {
        option: path
        for option, path in files.items()
        if path is not None and str(path) != "-"
    }


def _same(one: Path, other: Path) -> bool:
    if one.resolve() == other.resolve():
        return True
    # a hard link has another path and is the same file
    return one.exists() and other.exists() and one.samefile(other)
