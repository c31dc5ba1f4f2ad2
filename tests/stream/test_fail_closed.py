"""A filter lets nothing out that it was not asked to let out: noise, categories, columns, groups,
persons, clocks.
"""

from __future__ import annotations

import math
import os
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.base.errors import TacitError
from tacit.stream.monitors.loss import LossMonitor

S = tc.stream


def private(**options: Any) -> Any:
    return S.DPMicroaggregation(
        **({"epsilon": 1.0, "k": 2, "window": 10, "bounds": [(0.0, 1.0)]} | options)
    )


# -- noise that was drawn for something else -------------------------------------------


@pytest.mark.parametrize("how", ["set_params", "attribute"])
def test_noise_of_another_epsilon_is_not_used(how: str) -> None:
    f = private(epsilon=1e6, clamp=False)
    x = np.full((400, 1), 0.5)
    assert f.apply(x).std() < 0.01
    if how == "set_params":
        f.set_params(epsilon=0.1)
    else:
        f.epsilon = 0.1
    spread = f.apply(x).std()  # sd of the noise of a mean: sqrt(2) / (k epsilon) = 7.1
    assert f.budget["epsilon"] == 0.1
    assert 3.5 < spread < 15


def test_noise_follows_appearances() -> None:
    f = private(epsilon=1e6, clamp=False)
    f.apply(np.full((400, 1), 0.5))
    f.set_params(appearances=10**7)
    assert f.apply(np.full((400, 1), 0.5)).std() > 3.5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)
def test_forked_processes_do_not_share_noise_for_other_records() -> None:
    f = private(clamp=False)
    x = np.full((40, 1), 0.5)
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(into, f.feed(x / 2).values.tobytes())
        os._exit(0)
    theirs = np.frombuffer(os.read(out, 1 << 16))
    os.waitpid(child, 0)
    # the noise alone: the same one would cancel
    ours = f.feed(x).values.ravel() - 0.5
    assert not np.isin(np.round(ours, 9), np.round(theirs - 0.25, 9)).any()


# -- categories and columns that nobody declared ---------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: S.PRAM(categories={"sex": ["f", "m"]}, random_state=1),
        lambda: S.DPMicroaggregation(
            k=2,
            window=4,
            categories={"sex": ["f", "m"]},
            random_state=1,
            test_seed=True,
        ),
    ],
)
def test_undeclared_categories_are_refused(make: Any) -> None:
    f = make()
    for _ in range(3):
        f.push({"sex": "f"})
    with pytest.raises(TacitError, match="not among the declared categories"):
        f.push({"sex": "rare disease"})
    again = make()
    again.push({"sex": "f"})
    saved = make().load_state_dict(again.state_dict())
    with pytest.raises(TacitError, match="not among the declared"):
        saved.push({"sex": "rare disease"})
    with pytest.raises(TacitError, match="not among the declared"):
        make().apply(pd.DataFrame({"sex": ["f", "m", "rare disease"] * 4}))


def test_declared_categories_of_a_frame_keep_their_meaning() -> None:
    frame = pd.DataFrame({"sex": ["f"] * 4000 + ["m"] * 1000})
    for order in (["f", "m"], ["m", "f"], ["x", "m", "f"]):
        out = S.PRAM(diagonal=0.9, categories={"sex": order}, random_state=1).apply(
            frame
        )
        assert (out["sex"] == frame["sex"]).mean() == pytest.approx(0.9, abs=0.02)
        masked = private(
            epsilon=6.0, bounds=None, window=500, categories={"sex": order}
        ).apply(frame)
        assert set(masked["sex"]) <= set(order)
        assert (masked["sex"] == frame["sex"]).mean() > 0.95


def test_a_refused_record_leaves_no_category_behind() -> None:
    f = S.Noise(replace=1.0, warmup=2, columns=["town", "age"], random_state=1)
    f.push({"town": "x", "age": 1.0})
    with pytest.raises(TacitError, match="not a number"):
        f.push({"town": "secret", "age": "old"})
    rest = [{"town": t, "age": float(i)} for i, t in enumerate("xyzxyz" * 50)]
    released = [r.record["town"] for x in rest for r in f.push(x)] + [
        r.record["town"] for r in f.flush()
    ]
    assert set(released) == {"x", "y", "z"}


@pytest.mark.parametrize("columns", [None, ["age"]])
@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"age": 3.0, "town": 1.0, "ssn": "123"}, "unknown column 'ssn'"),
        ({"age": 3.0, "ssn": "123"}, "unknown column 'ssn'"),
        ({"age": 3.0}, "lacks the column 'town'"),
    ],
)
def test_a_record_with_other_columns_is_refused(
    columns: Any, bad: dict[str, Any], words: str
) -> None:
    f = S.Noise(warmup=2, columns=columns, random_state=1)
    f.push({"age": 1.0, "town": 1.0})
    with pytest.raises(TacitError, match=words):
        f.push(bad)


@pytest.mark.parametrize("bad", [[1.0], [1.0, 2.0, 3.0]])
@pytest.mark.parametrize("form", [list, np.array])
@pytest.mark.parametrize("columns", [None, [0]])
def test_a_row_of_another_length_is_refused(
    bad: list[float], form: Any, columns: Any
) -> None:
    f = S.Noise(warmup=2, columns=columns, random_state=1)
    f.push(form([1.0, 2.0]))
    with pytest.raises(TacitError, match="where the first one had 2"):
        f.push(form(bad))


def test_infinities_in_a_frame_are_refused() -> None:
    with pytest.raises(TacitError, match="row 2: the value is infinite"):
        S.Noise(random_state=1).apply(pd.DataFrame({"a": [1.5, np.inf, 2.5]}))
    with pytest.raises(TacitError, match="infinite"):
        list(S.Noise()([{"a": 1.0}, {"a": 10**400}]))


# -- means of fewer than k values ------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: S.Microaggregation(k=3, window=12),
        lambda: S.DelayBoundClusters(k=3, delay=11),
        lambda: S.DelayBoundClusters(k=3, delay=11, person=2, columns=[0, 1]),
    ],
)
def test_means_of_fewer_than_k_values_are_gaps(make: Any) -> None:
    rng = np.random.default_rng(5)
    for missing in (0.1, 0.5, 0.9):
        x = rng.normal(size=(400, 2))
        x[rng.random(x.shape) < missing] = np.nan
        rows = (
            np.column_stack([x, np.arange(400.0) % 7])
            if make().get_params().get("person")
            else x
        )
        f = make()
        batch, end = f.feed(rows), f.finish()
        values, index = (
            np.concatenate([batch.values, end.values]),
            np.concatenate([batch.index, end.index]),
        )
        raw = set(x[~np.isnan(x)].tolist())
        assert not any(v in raw for v in values[:, :2].ravel().tolist())
        groups = np.concatenate([batch.group, end.group])
        for g in np.unique(groups):
            members = x[index[groups == g]]
            for j in range(2):
                if not np.isnan(values[groups == g][0, j]):
                    assert (~np.isnan(members[:, j])).sum() >= 3
    assert np.isnan(values).any()


# -- persons of whom it is not known who they are --------------------------------------


def test_unknown_persons_are_nobody_in_arrays_and_records() -> None:
    rows = np.column_stack([np.arange(30.0), np.full(30, np.nan)])
    f = S.DelayBoundClusters(k=3, delay=8, person=1, columns=[0])
    f.feed(rows)
    f.finish()
    assert f.withheld == list(range(30))
    for unknown in (None, "", math.nan):
        g = S.DelayBoundClusters(k=3, delay=8, person="who", columns=["a"])
        assert list(g([{"a": float(i), "who": unknown} for i in range(30)])) == []
    some = rows.copy()
    some[::2, 1] = (
        np.arange(15) % 2
    )  # two known persons, the others unknown: never three
    h = S.DelayBoundClusters(k=3, delay=8, person=1, columns=[0])
    assert len(h.feed(some)) + len(h.finish()) == 0
    some[::2, 1] = np.arange(15) % 5
    h = S.DelayBoundClusters(k=3, delay=8, person=1, columns=[0])
    released = np.concatenate([h.feed(some).index, h.finish().index])
    assert sorted([*released, *h.withheld]) == list(range(30))
    assert len(released) > 20


# -- monitors --------------------------------------------------------------------------


@pytest.mark.parametrize("delay", [20, 500, 1500])
def test_the_risk_monitor_holds_every_original_that_leaves(delay: int) -> None:
    """Clusters leave out of order: the oldest record inside may be far older than the number
    inside says.
    """
    rng = np.random.default_rng(2)
    x = np.where(
        rng.random((4000, 1)) < 0.02,
        rng.normal(100, 50, (4000, 1)),
        rng.normal(size=(4000, 1)),
    )
    risk = S.RiskMonitor(window=10, only="past")
    watch = S.Watch(S.DelayBoundClusters(k=3, delay=delay, reuse=1), [risk], every=64)
    places = []
    evaluate = risk._evaluate

    def checked(name: str, last: bool) -> None:
        places.extend(
            int(b.index.min()) - risk._first for b in risk._queue[name] if len(b.index)
        )
        evaluate(name, last)

    risk._evaluate = checked  # type: ignore[method-assign]
    released = sum(len(watch.push(row)) for row in x) + len(watch.flush())
    assert min(places) >= 0
    assert risk._count["past"] == released


def test_clusters_with_monitors_go_on_after_a_restart() -> None:
    def make() -> Any:
        return S.DelayBoundClusters(k=3, delay=30)

    x = np.random.default_rng(1).normal(size=(200, 2))
    first = S.Watch(make())
    head = [r for row in x[:100] for r in first.push(row)]
    second = S.Watch(make().load_state_dict(first.filter.state_dict()), every=7)
    rest = [r for row in x[100:] for r in second.push(row)] + second.flush()
    assert sorted(r.index for r in head + rest) == list(range(200))


def test_the_loss_monitor_may_be_asked_before_the_first_record() -> None:
    monitor = LossMonitor()
    assert math.isnan(monitor.pil())
    assert math.isnan(monitor.values()["loss"])
    assert len(monitor.sample()[0]) == 0


# -- clocks ----------------------------------------------------------------------------


def test_a_saved_wait_does_not_depend_on_the_clock_of_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    f = S.DelayBoundClusters(k=2, delay=100, seconds=50.0)
    f.clock = lambda: 1_000_000.0  # up for long
    f.push({"a": 1.0})
    f.push({"a": 2.0})
    state = f.state_dict()
    g = S.DelayBoundClusters(k=2, delay=100, seconds=50.0)
    now = 5.0  # after a reboot
    g.clock = lambda: now
    g.load_state_dict(state)
    assert g.tick() == []
    now = 40.0
    assert g.tick() == []
    now = 56.0
    assert [r.record["a"] for r in g.tick()] == [1.5, 1.5]
    saved = time.time()
    monkeypatch.setattr(
        time, "time", lambda: saved + 60.0
    )  # switched off for a minute: that was waiting, too
    h = S.DelayBoundClusters(k=2, delay=100, seconds=50.0)
    h.clock = lambda: 5.0
    h.load_state_dict(state)
    assert [r.record["a"] for r in h.tick()] == [1.5, 1.5]
