"""How many modules of ours a record passes: ``python tools/walks.py``.

Each walk is run once to compile and load, then once more while every module whose code runs is
counted: a file protected, a release assessed up to its report, a stream filtered, and a file
treated in blocks on Spark (the driver's side; without Java that walk is left out).
"""

from __future__ import annotations

import contextlib
import io
import itertools
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np

import tacit as tc

PACKAGE = Path(tc.__file__).parent


def modules_of(walk: Callable[[], object]) -> set[str]:
    """The modules of ours in which a function runs during the walk, in any thread."""
    seen: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        path = frame.f_code.co_filename
        ours = event == "call" and path.startswith(str(PACKAGE))
        # importing a module is no step of the walk
        if ours and frame.f_code.co_name != "<module>":
            seen.add(path)

    sys.setprofile(note)
    try:
        walk()
    finally:
        sys.setprofile(None)
    return {str(Path(path).relative_to(PACKAGE)) for path in seen}


def command(*words: object) -> Callable[[], object]:
    """A run of the command line, quiet."""
    from tacit.cli import app

    def run() -> None:
        quiet = io.StringIO()
        with contextlib.redirect_stdout(quiet), contextlib.suppress(SystemExit):
            app([str(word) for word in words], standalone_mode=False)

    return run


def walks(folder: Path) -> dict[str, Callable[[], object]]:
    """The four ways that data walk through the house."""
    table = tc.datasets.make_census(300, seed=1)
    source, release, report = (
        folder / "in.csv",
        folder / "out.csv",
        folder / "report.html",
    )
    tc.write(table, source)
    protect = command(
        "protect",
        source,
        release,
        "--method",
        "microaggregation",
        "--set",
        "k=3",
        "--force",
    )
    assess = command("assess", source, release, "--html", report, "--force")
    rows = np.random.default_rng(1).normal(size=(500, 3))
    stream = tc.stream.Microaggregation(k=3, window=50)
    found: dict[str, Callable[[], object]] = {
        "protect a file": protect,
        "assess to the report": assess,
        "a stream filter": lambda: stream.apply(rows),
    }
    with contextlib.suppress(ImportError):
        import pyspark  # noqa: F401

        runs = itertools.count()
        tc.write(table, folder / "in.parquet")
        found["blocks on Spark"] = lambda: tc.scale.protect(
            folder / "in.parquet",
            folder / f"spark-{next(runs)}",
            parameters={"k": 3},
            leaf=100,
            engine="local[2]",
        )
    return found


def main() -> None:
    """Print how many modules each walk passes; with ``--list`` which."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for name, walk in walks(Path(folder)).items():
            try:
                walk()
                passed = modules_of(walk)
            except Exception as error:
                print(f"{name:24} did not run: {error}")
                continue
            print(f"{name:24} {len(passed):4}")
            if "--list" in sys.argv:
                print("    " + " ".join(sorted(passed)))


if __name__ == "__main__":
    main()
