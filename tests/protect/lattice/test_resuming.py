"""Searches that are ended, kept and gone on with end where they would have ended without."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit as tc
from protect.lattice import plain as twin
from protect.lattice.test_optimal import (
    CLASS_MODELS,
    KEYS,
    draw_rows,
    draw_trees,
    microdata,
    rules_of,
)
from tacit.base.errors import InputError, TacitError
from tacit.plan.ended_search import ended_after
from tacit.protect import generalisation
from tacit.protect.lattice.watching import Watch, watched


@dataclass
class After(Watch):
    """Ends a search when it was asked so often."""

    times: int = 1
    _asked_so_far: int = 0

    def over(self) -> bool:
        self._asked_so_far += 1
        return self._asked_so_far > self.times


def in_pieces(made: Any, data: tc.Microdata, state: Path, times: int) -> list[float]:
    """Fit with a break after every few paths; the bounds that were said on the way."""
    bounds = []
    for _ in range(10_000):
        watch = After(state=state, times=times)
        with watched(watch):
            try:
                made.fit(data)
            except TacitError as error:
                # refused before the search, or found by it that there is nothing
                if watch.ended in ([], [None]):
                    raise
                # nothing was found yet
                assert "looked" in str(error) or "before it had counted" in str(error)
                continue
        if watch.ended[-1] is None:
            return bounds
        bounds.append(made.bound_)
    raise AssertionError("the search does not end")


@pytest.mark.few(2)
@pytest.mark.parametrize("most_nodes", [2**24, 0])
@pytest.mark.parametrize("name", ["k", "entropy l", "average risk"])
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(4, 22),
    share=st.sampled_from([0.0, 0.3]),
    what=st.sampled_from(["loss", "kl", "discernibility"]),
    times=st.integers(1, 4),
)
def test_a_search_in_pieces_finds_the_same(
    name: str,
    most_nodes: int,
    seed: int,
    n: int,
    share: float,
    what: str,
    times: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    rows = draw_rows(seed, n)
    file = twin.Plain(rows, KEYS, draw_trees(seed))
    data = microdata(rows, {})
    wishes = CLASS_MODELS[name][0]

    def made() -> Any:
        return tc.protect.Generalisation(
            **wishes,
            hierarchies=rules_of(file.trees),
            suppression_limit=share,
            utility=what,
        )

    state = tmp_path_factory.mktemp("state") / "state.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generalisation, "MOST_NODES", most_nodes)
        whole = made()
        try:
            whole.fit(data)
        except TacitError as error:
            with pytest.raises(TacitError) as again:
                in_pieces(made(), data, state, times)
            assert str(again.value) == str(error)
            return
        pieces = made()
        bounds = in_pieces(pieces, data, state, times)
    assert pieces.levels_ == whole.levels_
    assert pieces.loss_ == whole.loss_
    assert pieces.suppressed_ == whole.suppressed_
    assert pieces.checked_ == whole.checked_
    assert pieces.proven_
    # no bound on the way is above what the best node loses
    assert all(bound <= whole.loss_ + 1e-12 for bound in bounds)
    # a search that came to its end leaves nothing behind
    assert not state.exists()


def adult(n: int = 400) -> tc.Microdata:
    table = tc.datasets.make_adult(n, seed=5)
    names = [name for name in table.column_names if name != "age"]
    return tc.Microdata.of(
        table, quasi=table.column_names, continuous=["age"], nominal=names
    )


def ours(**more: Any) -> Any:
    return tc.protect.Generalisation(
        **{
            "k": 5,
            "hierarchies": tc.datasets.adult_hierarchies(),
            "suppression_limit": 0.05,
            **more,
        }
    )


def test_the_state_is_for_its_owner_and_holds_no_value(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    watch = After(state=state, times=2)
    with watched(watch):
        made = ours().fit(adult())
    assert not made.proven_
    assert made.bound_ < made.loss_
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    text = state.read_text()
    known = {
        str(value) for column in adult().table.columns for value in column.unique()
    }
    assert not [value for value in known if len(value) > 3 and value in text]
    held = json.loads(text)
    assert set(held) == {
        *("form", "problem", "sort", "best", "loss", "suppressed", "checked"),
        *("reason", "open", "kept"),
    }
    # another file or another model is another search
    for other, data in ((ours(k=6), adult()), (ours(), adult(401))):
        with (
            watched(After(state=state, times=2)),
            pytest.raises(InputError, match="of another search"),
        ):
            other.fit(data)
    state.write_text("{}")
    with (
        watched(After(state=state, times=2)),
        pytest.raises(InputError, match="not the state of a search"),
    ):
        ours().fit(adult())


@pytest.mark.parametrize("times", [1, 3])
def test_a_plan_repeats_a_search_that_was_ended(times: int) -> None:
    plan = tc.Plan.of(ours())
    watch = After(times=times)
    with watched(watch):
        masked = plan.mask(adult())
    again = ended_after(plan, watch.ended)
    assert again.steps[0].parameters["most_checks"] == watch.ended[0]
    assert again.mask(adult()).table.equals(masked.table)
    # a search that came to its end needs nothing
    assert ended_after(plan, [None]) is plan
    with pytest.raises(TacitError, match="in parts"):
        ended_after(plan, [3, 4])


def test_progress_says_the_best_and_the_bound() -> None:
    lines: list[str] = []

    class Told(Watch):
        def tell(self, line: Any) -> None:
            self.say(line())

    with watched(Told(say=lines.append)):
        made = ours().fit(adult())
    assert "none found yet" in lines[0] or "the best loses" in lines[0]
    assert f"the best loses {made.loss_:.6g}" in lines[-1]
    bounds = [float(line.rsplit(" ", 1)[1]) for line in lines]
    assert bounds == sorted(bounds)
    assert bounds[-1] <= made.loss_
    counted = [int(line.split()[1].replace(",", "")) for line in lines]
    assert counted == sorted(counted)


def test_ten_to_the_ninth_nodes_are_searched_with_a_bound(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    names = [f"key{j}" for j in range(13)]
    # thirteen keys of five levels: 1.2e9 nodes
    data = tc.Microdata.of(
        {name: rng.integers(0, 16, 300).astype(float) for name in names},
        quasi=names,
        continuous=names,
    )
    rules = {name: {"ladder": [2, 4, 8], "start": 0} for name in names}
    made = tc.protect.Generalisation(k=3, hierarchies=rules, suppression_limit=0.1)
    state = tmp_path / "state.json"
    bounds = []
    for _ in range(3):
        with watched(After(state=state, times=40)):
            made.fit(data)
        bounds.append(made.bound_)
        assert made.nodes_ == 5**13 > 10**9
        assert 0 < made.bound_ <= made.loss_
    # it went on: the bound rises, and more nodes were counted
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1]
