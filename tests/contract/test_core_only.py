"""The package works with its core dependencies only; an extra that is needed is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tacit

EXTRAS = [
    "pandas",
    "polars",
    "pyreadstat",
    "fastapi",
    "uvicorn",
    "pyspark",
    "opendp",
    "river",
    "redis",
    "rdata",
    "matplotlib",
    "ortools",
    "lapx",
]

SCRIPT = f"""
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Block())
import tacit as tc
data = tc.datasets.make_census(120, seed=1)
masked = tc.protect.Microaggregation(k=3).fit_transform(data)
result = tc.assess(data, masked, attackers=["nearest", "assignment"], losses=["PIL", "IL"])
assert not result.failures, result.failures
print(result.verdict.word)
import pathlib, tempfile
path = pathlib.Path(tempfile.mkdtemp(), "a.dta"); path.write_bytes(b"x")
try:
    tc.read(path)
except tc.TacitError as error:
    print(error)
"""


@pytest.mark.slow
def test_core_only() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(tacit.__file__).parents[1])},
    )
    assert done.returncode == 0, done.stderr
    verdict, error = done.stdout.strip().splitlines()
    assert verdict == "not safe"
    assert "pip install 'tacit[stats]'" in error
