"""All counts in one dict.

``python tests/kernels/guard/everything.py --update`` (from the root) rewrites
``baseline.json``; do that only for a growth that you can defend.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BASELINE = HERE / "baseline.json"
# this checkout comes first: an installed tacit must not be counted in its place
PATHS = [str(HERE.parents[2] / "src"), str(HERE.parents[1])]


def measure() -> dict[str, dict[str, int] | int]:
    """Operations in a process of its own, where numba is switched off; the other counters here."""
    sys.path[:0] = [path for path in PATHS if path not in sys.path]
    from kernels.guard import frequencies, rounds

    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(PATHS),
        "NUMBA_DISABLE_JIT": "1",
    }
    command = [sys.executable, str(HERE / "operations.py")]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return json.loads(done.stdout) | rounds.measure() | frequencies.measure()


if __name__ == "__main__":
    counts = measure()
    if "--update" in sys.argv:
        BASELINE.write_text(json.dumps(counts, indent=1) + "\n")
    print(json.dumps(counts, indent=1))
