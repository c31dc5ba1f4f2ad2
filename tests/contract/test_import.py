"""What importing costs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tacit

SOURCE = str(Path(tacit.__file__).parents[1])


def _modules(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(' '.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_import_tacit_is_light() -> None:
    assert not {"pandas", "polars", "sklearn", "numba", "scipy"} & _modules(
        "import tacit"
    )


def test_the_command_line_is_light() -> None:
    assert not {"pandas", "sklearn", "numba", "scipy", "numpy"} & _modules(
        "import tacit.cli"
    )
