"""Count what the kernels do, without a clock: lines of kernel code executed when numba is switched off.

A kernel's compiled loop and its plain-Python run execute the same statements, so the number of executed
lines inside ``tacit/kernels`` is an operation count: it does not depend on the machine, and it grows
when an algorithm visits more nodes, evaluates more distances or needs more rounds. ``python
tests/guard/operations.py --update`` (in an environment with tacit on its path) rewrites
``baseline.json``; do that only for a growth that you can defend.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"  # before anything imports numba

import numpy as np

BASELINE = Path(__file__).with_name("baseline.json")


def _census(n: int) -> np.ndarray:
    from tacit.datasets.census import make_census

    table = make_census(n, seed=0)
    return np.column_stack([table[c].to_numpy() for c in table.column_names]).astype(float)


def mdav(n: int) -> Callable[[], object]:
    from tacit.protect import Microaggregation

    values = _census(n)
    return lambda: Microaggregation(k=3).fit_transform(values)


def individual_ranking(n: int) -> Callable[[], object]:
    from tacit.protect import Microaggregation

    values = _census(n)
    return lambda: Microaggregation(k=3, partition="individual").fit_transform(values)


def vmdav(n: int) -> Callable[[], object]:
    from tacit.protect import Microaggregation

    values = _census(n)
    return lambda: Microaggregation(k=3, partition="vmdav").fit_transform(values)


def rank_swapping(n: int) -> Callable[[], object]:
    from tacit.protect import RankSwapping

    values = _census(n)
    return lambda: RankSwapping(p=5, random_state=0).fit_transform(values)


def orthtree(n: int) -> Callable[[], object]:
    from tacit.partition import OrthTree

    values = np.random.default_rng(0).random((n, 3))
    return lambda: OrthTree(leaf=50).fit(values).assign(values)


def suda(n: int) -> Callable[[], object]:
    import tacit as tc

    rng = np.random.default_rng(0)
    frame = {f"c{j}": rng.geometric(0.4, n).clip(1, 6) for j in range(5)}
    data = tc.Microdata.of(frame, nominal=list(frame))
    return lambda: tc.risk.suda(data, keys=list(frame))


def stream_microaggregation(n: int) -> Callable[[], object]:
    from tacit.stream import Microaggregation

    values = np.random.default_rng(0).random((n, 4))
    return lambda: Microaggregation(k=3, window=40).apply(values)


def stream_rank_swapping(n: int) -> Callable[[], object]:
    from tacit.stream import RankSwapping

    values = np.random.default_rng(0).random((n, 4))
    return lambda: RankSwapping(percent=10, window=40, random_state=0).apply(values)


def stream_noise(n: int) -> Callable[[], object]:
    from tacit.stream import Noise

    values = np.random.default_rng(0).random((n, 4))
    return lambda: Noise(amount=0.5, random_state=0).apply(values)


#: workload -> the two sizes at which it is counted (two, so that the growth is guarded as well)
WORKLOADS: dict[Callable[[int], Callable[[], object]], tuple[int, int]] = {
    mdav: (200, 400),
    individual_ranking: (200, 400),
    vmdav: (100, 200),
    rank_swapping: (200, 400),
    orthtree: (500, 1000),
    suda: (100, 200),
    stream_microaggregation: (200, 400),
    stream_rank_swapping: (200, 400),
    stream_noise: (200, 400),
}


def count(function: Callable[[], object]) -> int:
    """Lines executed in files of tacit/kernels while ``function`` runs."""
    lines = 0
    marker = f"{os.sep}tacit{os.sep}kernels{os.sep}"

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        if event == "line":
            lines += 1
        return local

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        return local if marker in frame.f_code.co_filename else None

    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(None)
    return lines


def measure() -> dict[str, int | str]:
    """Counts by 'workload n=size'; a workload whose parts are absent says so."""
    found: dict[str, int | str] = {}
    for workload, sizes in WORKLOADS.items():
        for n in sizes:
            try:
                found[f"{workload.__name__} n={n}"] = count(workload(n))
            except (ImportError, AttributeError) as error:
                found[f"{workload.__name__} n={n}"] = f"not available: {error}"
    return found


if __name__ == "__main__":
    counts = measure()
    if "--update" in sys.argv:
        kept = {name: value for name, value in counts.items() if isinstance(value, int) and value}
        # the counters of rounds.py come from compiled code: keep theirs, and change them by hand
        old = json.loads(BASELINE.read_text())
        kept |= {name: value for name, value in old.items() if name.startswith("assignment ")}
        BASELINE.write_text(json.dumps(kept, indent=1) + "\n")
    print(json.dumps(counts, indent=1))
