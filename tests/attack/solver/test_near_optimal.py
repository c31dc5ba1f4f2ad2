"""Large files are linked at once without a proof: complete, near the optimum, and said so."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from tacit.assess.assessment import assess
from tacit.attack.assignment import Assignment
from tacit.attack.linkage import wilson
from tacit.attack.nearest import Nearest
from tacit.attack.solver import near_optimal
from tacit.attack.solver.assign import assign
from tacit.base.errors import TacitError
from tacit.base.typing import Floats
from tacit.cli.assess import _print_attacks
from tacit.report.parts import attack_rows


def noisy(n: int, m: int, spread: float = 0.3) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4))
    y = x[np.arange(m) % n] + rng.normal(scale=spread, size=(m, 4))
    return x, y


@pytest.mark.parametrize("metric", ["euclidean", "squared"])
def test_near_the_proven_optimum(metric: str) -> None:
    x, y = noisy(3_000, 3_000)
    near = assign(x, y, metric=metric, exact=0)  # type: ignore[arg-type]
    best = assign(x, y, metric=metric)  # type: ignore[arg-type]
    assert best.certified
    assert not near.certified
    assert best.cost <= near.cost <= 1.01 * best.cost
    assert near.bound <= best.cost
    assert (near.match == best.match).mean() > 0.9
    # what an intruder finds is as in the optimum, to well within what the interval is given
    own = np.arange(len(x))
    found = [(solution.match == own).mean() for solution in (near, best)]
    assert abs(found[0] - found[1]) < near.tolerance


@pytest.mark.parametrize(("n", "m"), [(300, 300), (300, 700), (700, 300)])
@pytest.mark.parametrize("bids", [100, 0])
def test_everybody_is_linked(
    n: int, m: int, bids: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near_optimal, "BIDS", bids)
    monkeypatch.setattr(near_optimal, "LEFT_OVER", 1.0)
    x, y = noisy(n, m)
    y = np.round(y)  # classes of identical records
    match = assign(x, y, exact=0).match
    linked = match[match >= 0]
    assert len(linked) == len(set(linked)) == min(n, m)


def test_an_auction_that_does_not_settle_is_no_low_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(near_optimal, "BIDS", 0)
    with pytest.raises(TacitError, match="did not settle: 400 of 400"):
        Assignment(exact=0).link(*noisy(400, 400))


def test_row_order_changes_nothing() -> None:
    x, y = noisy(500, 500)
    y = np.round(y, 1)
    rng = np.random.default_rng(1)
    ours, theirs = rng.permutation(500), rng.permutation(500)
    plain = Assignment(exact=0).link(x, y)
    moved = Assignment(exact=0).link(x[ours], y[theirs], truth=np.argsort(theirs)[ours])
    assert moved.success.tolist() == plain.success[ours].tolist()


def test_what_is_not_proven_is_said_and_lengthens_the_interval() -> None:
    x, y = noisy(400, 400)
    link = Assignment(exact=399).link(x, y)
    low, high = wilson(link.correct, 400)
    assert link.interval == pytest.approx((low - 0.01, high + 0.01))
    assert link.released_interval == link.interval
    said = link.to_dict()
    assert said["certified"] is False
    assert said["tolerance"] == 0.01
    assert "without a proof" in str(said["remark"])
    # one record fewer, and the optimum is proven
    proven = Assignment(exact=400).link(x, y)
    assert proven.certified
    assert not proven.remark
    assert proven.interval == wilson(proven.correct, 400)
    assert "tolerance" not in proven.to_dict()


def test_the_nearest_of_everybody_is_proven_by_the_first_graph() -> None:
    x, _ = noisy(400, 400)
    found = assign(x, x, exact=0)
    assert found.certified
    assert found.tolerance == 0
    assert found.match.tolist() == list(range(400))


def test_terminal_and_report_say_it_in_words() -> None:
    x, y = noisy(300, 300)
    who = {"assignment": Assignment(exact=0), "nearest": Nearest()}
    result = assess(x, y, attackers=who, risks=["strongest"], losses=[], truth="rows")
    out = Console(file=StringIO(), width=300)
    _print_attacks(out, result)
    said = out.file.getvalue()  # type: ignore[attr-defined]
    assert (
        "assignment: large file: everybody is linked at once, without a proof" in said
    )
    assert said.count("without a proof") == 1
    rows = {row["title"]: row["knows"] for row in attack_rows(result)}
    assert "off by 1 percentage point" in rows["Optimal assignment"]
    assert "proof" not in rows["Nearest record"]
