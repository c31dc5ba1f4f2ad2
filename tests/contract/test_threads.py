"""Same seed, same bytes at any number of threads: the whole registry with one and with two."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tacit

SOURCE = Path(tacit.__file__).parents[1]
TESTS = Path(__file__).parents[1]

DIGEST = """
import hashlib, warnings
warnings.simplefilter("ignore")
import numpy as np
import tacit as tc
from contract import examples

frame = examples.frame(400)
for name in tc.protect.registry:
    masked = examples.seeded(name, 7).fit_transform(frame)
    print(name, hashlib.sha256(masked.to_csv().encode()).hexdigest())
x = np.random.default_rng(0).normal(size=(400, 4))
z = x + 0.5 * np.random.default_rng(1).normal(size=x.shape)
for name in ("nearest", "assignment"):
    link = tc.attack.registry[name]().link(x, z)
    found = link.match.tobytes() + link.score.tobytes() + link.success.tobytes()
    print(name, hashlib.sha256(found).hexdigest())
"""


def _digests(threads: int) -> str:
    done = subprocess.run(
        [sys.executable, "-c", DIGEST],
        capture_output=True,
        text=True,
        check=True,
        env={
            **os.environ,
            "PYTHONPATH": f"{SOURCE}{os.pathsep}{TESTS}",
            "NUMBA_NUM_THREADS": str(threads),
            "OMP_NUM_THREADS": str(threads),
            "OPENBLAS_NUM_THREADS": str(threads),
            "TACIT_CONTRACT_KEY": "a key of the contract suite, long enough to be one",
        },
    )
    return done.stdout


def test_one_and_two_threads_give_the_same_bytes() -> None:
    one, two = _digests(1), _digests(2)
    assert len(one.splitlines()) == len(tacit.protect.registry) + 2
    assert one == two
