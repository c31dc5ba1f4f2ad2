"""The key kernels may not do more than 20 % more work than the committed counts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from guard import rounds

HERE = Path(__file__).parent
BASELINE = json.loads((HERE / "baseline.json").read_text())
ALLOWED = 1.2


@pytest.fixture(scope="module")
def counts():
    """In a process of its own: numba is switched off there."""
    environment = os.environ | {"PYTHONPATH": str(HERE.parents[1] / "src"), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, str(HERE / "operations.py")], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout) | rounds.measure()


@pytest.mark.parametrize("workload", sorted(BASELINE))
def test_no_kernel_does_much_more_than_it_did(workload, counts):
    now, then = counts[workload], BASELINE[workload]
    assert isinstance(now, int), f"{workload}: {now}"
    assert now > 0, f"{workload}: the kernels are not used any more"
    assert now <= ALLOWED * then, (
        f"{workload}: {now} operations, {now / then:.2f} times the committed {then}; if that is right, say why and "
        "run: python tests/guard/operations.py --update"
    )


def test_every_workload_is_in_the_baseline(counts):
    missing = [name for name, value in counts.items() if not isinstance(value, int) or name not in BASELINE]
    assert not missing, "run: python tests/guard/operations.py --update"


def test_the_counter_sees_more_work():
    """The guard can fail: twice the records are more operations."""
    for name, value in BASELINE.items():
        workload, _, size = name.partition(" n=")
        double = f"{workload} n={2 * int(size)}"
        if double in BASELINE and value:
            assert BASELINE[double] > 1.2 * value, name
