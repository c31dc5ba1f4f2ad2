"""What is green and what is not: values without numbers, differences that nobody knows, seeds."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from tacit.reproduce import known
from tacit.reproduce.faults import private_microaggregation
from tacit.reproduce.judgement import Judged, interval_of, judge, settle
from tacit.reproduce.transcript import Published
from tacit.reproduce.unit_runs import Unit


def test_a_run_without_a_number_is_left_out_and_is_no_zero() -> None:
    assert interval_of([2.0, math.nan, 2.0]) == pytest.approx((2.0, 2.0))


def test_better_is_on_the_right_side() -> None:
    below = judge(Published("680"), [100.0, 101.0, 102.0], better="higher")
    above = judge(Published("680"), [900.0, 901.0, 902.0], better="lower")
    assert settle([below])[0].verdict == settle([above])[0].verdict == "differs"


def result(*lines: tuple[str, str, Judged]) -> SimpleNamespace:
    target = SimpleNamespace(name="table")
    return SimpleNamespace(
        target=target, missing="", errors=[], lines=list(lines), claims=[]
    )


def test_a_difference_that_nobody_listed_is_a_surprise(monkeypatch) -> None:
    apart = Judged("differs", "680", 500.0, (499.0, 501.0))
    same = Judged("agrees", "680", 680.0, (679.0, 681.0))
    run = result(("k=3", "risk", apart), ("k=5", "risk", apart), ("k=7", "risk", same))
    monkeypatch.setattr(known, "known", dict)
    assert len(known.surprises([run])) == 2
    listed = {"table": {"why": "as the errata say", "cells": ["k=3"]}}
    monkeypatch.setattr(known, "known", lambda: listed)
    (told,) = known.surprises([run])
    assert "k=5 risk" in told


def test_every_seed_is_a_run_of_its_own() -> None:
    keys = {Unit("noise", "sigma=5", seed, False, None).key for seed in range(3)}
    assert len(keys) == 3


def test_the_published_private_filter_has_the_noise_of_its_formula() -> None:
    """1.5 times the range so far over epsilon: re-enacted as it was printed."""
    records = np.random.default_rng(1).uniform(size=(4000, 1))

    def released(epsilon: float) -> np.ndarray:
        rng = np.random.default_rng(2)
        return private_microaggregation(records, 3, 100, epsilon, rng)[0]

    centroids = released(1e12)
    noise = (released(1.0) - centroids)[2000:]
    # a Laplace variable has the sd of sqrt(2) times its scale
    scale = 1.5 * float(np.ptp(centroids))
    assert noise.std() == pytest.approx(math.sqrt(2) * scale, rel=0.1)
