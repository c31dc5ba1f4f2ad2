"""Who knows the plan links files on the disk there: the same links as in memory, from vectors in
small blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.attack.base import Attacker
from tacit.attack.informed import evidence_assignment
from tacit.attack.informed.aware import Aware
from tacit.attack.informed.rerun import Rerun
from tacit.attack.over_blocks import assigned_records, blocked_files
from tacit.data.io.on_disk import OnDisk
from tacit.data.microdata import Microdata

N = 700
QUASI = ["a", "b", "c"]


def original(gap: bool = False) -> dict[str, Any]:
    rng = np.random.default_rng(6)
    x = np.exp(0.3 * rng.normal(size=(N, 1)) + 0.2 * rng.normal(size=(N, 3)))
    if gap:
        x[3, 0] = np.nan
    kinds = np.array(["f", "m"])[rng.integers(0, 2, N)]
    return dict(zip(QUASI, x.T, strict=True)) | {"sex": kinds, "note": x[:, 1] + 1}


def on_disk(folder: Path, data: Microdata, quasi: list[str]) -> OnDisk:
    folder.mkdir()
    pq.write_table(data.table, folder / "file.parquet")
    return OnDisk.open(folder / "file.parquet", folder, data.schema, quasi=quasi)


PLANS = {
    "noise": tc.protect.Noise(percent=20, columns=QUASI, random_state=1),
    "correlated": tc.protect.Noise(
        kind="correlated", percent=20, columns=QUASI, random_state=1
    ),
    "transformed": tc.protect.Noise(
        kind="transformed", percent=20, columns=QUASI, random_state=1
    ),
    "multiplicative": tc.protect.Noise(
        kind="multiplicative", percent=10, columns=QUASI, random_state=1
    ),
    "microaggregation": tc.protect.Microaggregation(k=3, columns=QUASI),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("name", [*PLANS, "rerun"])
def test_the_links_are_those_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    plan = PLANS.get(name, PLANS["microaggregation"])
    # a column that no step touches is compared, too
    quasi = [*QUASI, "sex"]
    ours = Microdata.of(original(), quasi=quasi)
    rng = np.random.default_rng(2)
    order = rng.permutation(N)
    theirs = Microdata.of(plan.fit_transform(ours)).take(order)
    truth = np.argsort(order)
    attacker: Attacker = Rerun(plan=plan) if name == "rerun" else Aware(plan=plan)
    held = attacker.link(ours, theirs, truth=truth)
    monkeypatch.setattr(evidence_assignment, "HELD", 100)
    monkeypatch.setattr(blocked_files, "BLOCK", 90)
    seen = []
    usual = assigned_records.assigned_vectors

    def watched(*given: Any) -> Any:
        seen.append(usual(*given))
        return seen[-1]

    monkeypatch.setattr(assigned_records, "assigned_vectors", watched)
    files = [
        on_disk(tmp_path / word, file, quasi)
        for word, file in (("x", ours), ("z", theirs))
    ]
    assert attacker.goes_over_blocks(files[0])
    found = attacker.link(*files, truth=truth)
    assert seen[0].blocks > 4
    assert found.certified
    assert held.certified
    assert found.cost == pytest.approx(held.cost, rel=1e-9)
    assert found.bound == pytest.approx(held.bound, rel=1e-6)
    if name in ("microaggregation", "rerun"):
        # averages of three: classes share their links, so that the expectation is the same
        assert found.correct == pytest.approx(held.correct, abs=0.02 * N)
    else:
        np.testing.assert_array_equal(found.match, held.match)
        np.testing.assert_allclose(found.success, held.success)
        np.testing.assert_allclose(found.score, held.score, rtol=1e-9)
    # nothing is left of the blocks
    assert not list((tmp_path / "x").glob("nearest-*"))


def test_what_is_no_distance_does_not_go_over_blocks() -> None:
    file = Microdata.of(original(), quasi=QUASI)

    def goes(plan: Any, data: Microdata = file, **how: Any) -> bool:
        return Aware(plan=plan, **how).goes_over_blocks(data)

    assert goes(PLANS["noise"])
    assert not goes(PLANS["noise"], rule="nearest")
    assert not goes(PLANS["noise"], Microdata.of(original(gap=True), quasi=QUASI))
    assert not goes([PLANS["noise"], PLANS["noise"]])
    assert not goes(tc.protect.RankSwapping(p=5, columns=QUASI))
    factors = tc.protect.Noise(
        kind="multiplicative", factor="normal", percent=10, columns=QUASI
    )
    assert not goes(factors)
    # one column by itself is cut into runs of its sorted values
    assert not goes(tc.protect.Microaggregation(k=3, columns=["a"]))
    assert goes(PLANS["microaggregation"])
    assert not Aware().goes_over_blocks(file)


def test_rerun_holds_what_its_plan_holds() -> None:
    file = Microdata.of(original(), quasi=QUASI)
    plan = PLANS["microaggregation"]
    each, _ = plan.holds(file)
    here = Rerun(plan=plan).holding(file, on_disk=True)
    assert here.each == max(each, Rerun().holding(file, on_disk=True).each)
