"""Rodriguez Fernandez (2013), chapters 4 and 5: noise, nearest record, assignment, blocks.

Only the smallest of the three files (C, the Census of 1,080 records) is public; a drawn file
of the same kind stands for the two others (LC and VLC).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tacit.attack import Assignment, Blocks, Nearest
from tacit.base.typing import Floats
from tacit.data.datasets.casc import load
from tacit.data.datasets.census import SIZES, make_census
from tacit.protect import Noise
from tacit.reproduce.model import Context, Outcome, Params

# A quick run uses so many records of a stand-in.
QUICK = 1500
# Stand-in sizes for the tables of blocks: ten blocks of 15,000 by thirteen attributes would
# take hours.
BLOCKED = {"LC": 13_500, "VLC": 50_000}
# Rules by which the blocks of the attributes vote.
RULES = ("basic", "best", "weighted")
# Keeps a relative gain finite where nearest record finds nobody.
_LEAST = 1e-9


def _drawn(name: str, n: int) -> tuple[Floats, str]:
    """The stand-in for a file that is not public, and the note that says so."""
    table = make_census(n, seed=0)
    columns = [table[column].to_numpy() for column in table.column_names]
    note = (
        f"{name} ({SIZES[name]:,} records) is not public: "
        f"make_census({n}, seed=0) stands for it"
    )
    return np.column_stack(columns).astype(np.float64), note


def _file(params: Params, context: Context) -> tuple[Floats, str]:
    """The original file, and a note when it stands for a file that is not public."""
    name = params["data"]
    if name != "C":
        n = min(SIZES[name], QUICK) if context.quick else SIZES[name]
        return _drawn(name, n)
    table, note = load("census", context.directory())
    columns = [table[column].to_numpy() for column in table.column_names]
    return np.column_stack(columns).astype(np.float64), note


def _masked(original: Floats, params: Params, seed: int) -> Floats:
    noise = Noise(percent=float(params["sigma"]), random_state=seed)
    masked: Floats = noise.fit_transform(original)
    return masked


def both(params: Params, seed: int, context: Context) -> Outcome:
    """Correct links and seconds of nearest record and of optimal assignment."""
    original, note = _file(params, context)
    masked = _masked(original, params, seed)
    nearest = Nearest(scale="max").link(original, masked)
    values = {"nearest": nearest.correct, "nearest_seconds": nearest.seconds}
    # the paper has no optimal assignment of this size to compare with
    if params["data"] == "VLC":
        return Outcome(values, note)
    assigned = Assignment(scale="max").link(original, masked)
    gain = assigned.correct - nearest.correct
    values |= {
        "assignment": assigned.correct,
        "assignment_seconds": assigned.seconds,
        "gain": gain,
        "gain_percent": 100 * gain / max(nearest.correct, _LEAST),
    }
    return Outcome(values, note)


def cluster(params: Params, seed: int, context: Context) -> Outcome:
    """Optimal assignment for the table of the cluster run.

    The optimum does not depend on where it is computed; the published cluster run found less.
    """
    original, note = _file(params, context)
    masked = _masked(original, params, seed)
    link = Assignment(scale="max").link(original, masked)
    values = {"cluster_assignment": link.correct, "cluster_seconds": link.seconds}
    return Outcome(values, note)


class Remember:
    """An engine that links each block once and notes its seconds.

    Every rule of voting is handed the same links.
    """

    def __init__(self) -> None:
        self.done: list[object] = []
        self.seconds: list[float] = []

    def map(
        self,
        work: Callable[[object], object],
        items: Sequence[object],
        **options: object,
    ) -> Iterator[tuple[int, object]]:
        """The results in order, as engines give them."""
        for place, item in enumerate(items):
            if place == len(self.done):
                start = time.perf_counter()
                self.done.append(work(item))
                self.seconds.append(time.perf_counter() - start)
            yield place, self.done[place]


def _blocked_file(params: Params, context: Context) -> tuple[Floats, int, str]:
    """The stand-in, the size of its blocks, and the note."""
    name = params["data"]
    n = QUICK if context.quick else BLOCKED[name]
    values, note = _drawn(name, n)
    # three blocks for LC, ten for VLC, as published
    blocks = 3 if name == "LC" else 10
    # rounded up, so that no block more is needed for the rest
    return values, -(-n // blocks), note


def clusters(params: Params, seed: int, context: Context) -> Outcome:
    """Links in blocks by clusters, and in the same number of blocks by ranks."""
    original, size, note = _blocked_file(params, context)
    masked = _masked(original, params, seed)
    values = {}
    for partition in ("clusters", "ranks"):
        attack = Blocks(partition=partition, size=size, scale="max")
        values[f"{partition}_rate"] = attack.link(original, masked).rate
    values["clusters"] = values["clusters_rate"] * len(original)
    return Outcome(values, note)


def votes(params: Params, seed: int, context: Context) -> Outcome:
    """Links in blocks by one attribute, all attributes voting, against nearest record."""
    original, size, note = _blocked_file(params, context)
    masked = _masked(original, params, seed)
    nearest = Nearest(scale="max").link(original, masked).correct
    engine = Remember()
    values: dict[str, float] = {"nearest": nearest}
    for rule in RULES:
        attack = Blocks(
            partition="attribute",
            vote=rule,
            size=size,
            scale="max",
            engine=engine,
        )
        correct = attack.link(original, masked).correct
        gain = correct - nearest
        values[f"votes_{rule}"] = correct
        values[f"gain_{rule}"] = gain
        values[f"gain_percent_{rule}"] = 100 * gain / max(nearest, _LEAST)
    values["block_min_seconds"] = min(engine.seconds)
    values["block_max_seconds"] = max(engine.seconds)
    values["block_mean_seconds"] = float(np.mean(engine.seconds))
    return Outcome(values, note)
