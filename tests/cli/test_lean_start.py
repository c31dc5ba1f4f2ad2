"""What each command may not import: a budget by names, which no busy machine can blur."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tacit as tc

SOURCE = str(Path(tc.__file__).parents[1])
HEAVY = (
    "pandas",
    "polars",
    "narwhals",
    "sklearn",
    "scipy.stats",
    "matplotlib",
    "jinja2",
    "joblib",
)
"""Never needed to read, mask and write a file; each costs a tenth of a second or more."""
COMPILER = ("numba", "llvmlite")
SCIPY = ("scipy",)
SCRIPT = """
import atexit, sys
listing = sys.argv.pop(1)
atexit.register(lambda: print(*sys.modules, file=open(listing, "w")))
from tacit.cli import main
sys.argv[0] = "tacit"
main()
"""

COMMANDS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "--help": (["--help"], HEAVY + COMPILER + SCIPY + ("numpy", "pyarrow")),
    "schema": (["schema", "file.csv"], HEAVY + COMPILER + SCIPY),
    "verify": (["verify", "before.csv.manifest.json"], HEAVY + COMPILER + SCIPY),
    "microaggregation": (
        ["protect", "file.csv", "out.csv", "--method", "microaggregation"],
        HEAVY + COMPILER + SCIPY,
    ),
    "rank_swapping": (
        [
            "protect",
            "file.csv",
            "out.csv",
            "--method",
            "rank_swapping",
            "--quasi",
            "income,age",
        ],
        HEAVY + COMPILER + SCIPY,
    ),
    # the normal distribution is scipy's, by its compiled file alone
    "noise": (
        [
            "protect",
            "file.csv",
            "out.csv",
            "--method",
            "noise",
            "--quasi",
            "income,age",
        ],
        HEAVY + COMPILER + SCIPY,
    ),
    # whoever reads everything that a record says weighs pairs in compiled loops, and a release
    # is compared with its nearest originals by scipy's trees
    "demo": (["demo", "--json"], HEAVY + COMPILER),
    "assess": (
        [
            "assess",
            "numbers.csv",
            "numbers-out.csv",
            "--plan",
            "numbers-out.csv.manifest.json",
            "--html",
            "report.html",
            "--force",
        ],
        # the report is written by a template
        tuple(name for name in HEAVY if name != "jinja2"),
    ),
    # every record passes through a kernel, so a stream needs the compiler
    "stream": (
        [
            "stream",
            "--filter",
            "noise",
            "--set",
            "percent=5",
            "--set",
            "columns=income,age",
        ],
        HEAVY,
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Numbers, words and missing values; and a release with its manifest."""
    folder = tmp_path_factory.mktemp("lean")
    rng = np.random.default_rng(0)
    n = 300
    columns = {
        "age": rng.integers(18, 90, n),
        "sex": rng.choice(["f", "m"], n),
        "town": rng.choice(["Ostrau", "Brünn", "Eger"], n),
        "income": rng.lognormal(10, 1, n).round(2),
    }
    tc.write(tc.Microdata.of(columns), folder / "file.csv")
    _run(
        folder,
        ["protect", "file.csv", "before.csv", "--method", "microaggregation"],
    )
    # numbers alone: a nominal column would be predicted by scikit-learn's trees
    people = tc.datasets.make_census(200, seed=1)
    tc.write(tc.Microdata.of(people), folder / "numbers.csv")
    method = ["--method", "microaggregation"]
    _run(folder, ["protect", "numbers.csv", "numbers-out.csv", *method])
    return folder


def _run(folder: Path, arguments: list[str]) -> set[str]:
    """The modules that a command imported; it must succeed."""
    listing = folder / "modules.txt"
    with (folder / "file.csv").open() as records:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(listing), *arguments],
            cwd=folder,
            stdin=records,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": SOURCE},
        )
    assert done.returncode == 0, done.stderr
    return set(listing.read_text().split())


@pytest.mark.few(2)
@pytest.mark.parametrize("command", COMMANDS)
def test_import_budget(command: str, folder: Path) -> None:
    """None of the forbidden modules is loaded."""
    arguments, forbidden = COMMANDS[command]
    if "out.csv" in arguments:
        arguments = [*arguments, "--force"]
    loaded = _run(folder, arguments)
    assert "tacit.cli" in loaded
    assert set(forbidden) & loaded == set()


@pytest.mark.slow
def test_the_budget_can_be_overrun(folder: Path) -> None:
    """The test sees what is imported: a stream needs numba."""
    assert "numba" in _run(folder, COMMANDS["stream"][0])
