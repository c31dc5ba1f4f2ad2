"""A private stream on a pipeline that can die at any window: what left, and what it does again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import tacit as tc
from tacit.stream.pipeline import Pipeline
from tacit.stream.released import Release

Rows = list[dict[str, float]]


def private(**options: Any) -> tc.stream.DPMicroaggregation:
    usual = {"epsilon": 1.0, "k": 2, "window": 10, "bounds": {"a": (0, 1)}}
    return tc.stream.DPMicroaggregation(**(usual | options))


def records(n: int, seed: int = 1) -> Rows:
    return [{"a": float(a)} for a in np.random.default_rng(seed).random(n)]


class Died(Exception):
    """As kill -9: nothing is done after it."""


class Left:
    """A sink that keeps what left, and dies in the middle of one write or after it."""

    def __init__(self, dies_at: int | None = None) -> None:
        self.releases: list[Release] = []
        self.dies_at = dies_at

    def write(self, releases: list[Release]) -> None:
        self.releases += releases
        if self.dies_at is not None and len(self.releases) > self.dies_at:
            raise Died

    def values(self) -> dict[int, float]:
        return {one.index: one.record["a"] for one in self.releases}


def run(
    state: Path,
    rows: Rows,
    dies_at: int | None = None,
    again: bool = True,
    every: int = 25,
    **options: Any,
) -> tuple[Left, tc.stream.DPMicroaggregation]:
    """Run a stream on its state until its end or its death."""
    sink, unit = Left(dies_at), private(**options)
    pipeline = Pipeline(unit, sink, state=state, every=every)
    pipeline.resume()
    try:
        pipeline(rows, skip=again)
    except Died:
        pass
    return sink, unit
