"""What is proven of the fewest cells: never more than the best choice, which is found by trying
all of them."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit.base.errors import TacitWarning
from tacit.plan.release import release
from tacit.protect.grouping import anonymity, least_cells
from tacit.protect.grouping.anonymity import suppress
from tacit.protect.grouping.least_cells import least_cost

SHAPES = [(5, 2), (4, 3), (6, 2), (3, 4), (7, 2)]


def best(codes: np.ndarray, k: int, price: np.ndarray, missing: str) -> float:
    """The cheapest of all 2^cells choices that leave every record with k equals."""
    n, d = codes.shape
    bits = np.arange(2 ** (n * d))[:, None] >> np.arange(n * d)
    blank = (bits & 1).astype(bool).reshape(-1, n, d)
    left = np.where(blank, -1, codes)
    mine, theirs = left[:, :, None], left[:, None]
    same = mine == theirs
    if missing == "any":
        same |= (mine < 0) | (theirs < 0)
    safe = (same.all(axis=3).sum(axis=2) >= k).all(axis=1)
    cost = (blank & (codes >= 0)).sum(axis=1) @ price
    return float(cost[safe].min())


def small_files(
    missing: str, weighted: bool, gaps: float
) -> Iterator[tuple[np.ndarray, int, np.ndarray]]:
    """Small files with what is asked of them."""
    rng = np.random.default_rng([ord(missing[0]), weighted, int(10 * gaps)])
    for number in range(40):
        n, d = SHAPES[number % len(SHAPES)]
        codes = rng.integers(0, rng.integers(2, 5), (n, d))
        codes[rng.random(codes.shape) < gaps] = -1
        price = rng.choice([0.5, 1.0, 3.0], d) if weighted else np.ones(d)
        yield codes, int(rng.integers(2, min(4, n) + 1)), price


@pytest.mark.few(2)
@pytest.mark.parametrize("missing", ["any", "value"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_no_choice_is_below_the_bound(
    missing: str, weighted: bool, gaps: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    proven, needed = 0.0, 0.0
    for codes, k, price in small_files(missing, weighted, gaps):
        least = least_cost(codes, k, price, missing)
        optimum = best(codes, k, price, missing)
        rng = np.random.default_rng(1)
        found = suppress(codes, k, price, missing, rng)
        assert least <= optimum + 1e-9
        assert optimum <= (found @ price).sum() + 1e-9
        assert (least == 0) == (optimum == 0) or missing == "value"
        with monkeypatch.context() as patched:
            # when not every class is looked at less is proven, never more
            patched.setattr(least_cells, "WORK", 1)
            patched.setattr(least_cells, "FEWEST", 2)
            assert least_cost(codes, k, price, missing) <= optimum + 1e-9
        proven += least
        needed += optimum
    # a bound of nothing is one, too; a third of what is needed says something
    assert proven > needed / 3


def test_some_classes_prove_less(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.random.default_rng(3).integers(0, 3, (60, 6))
    price = np.ones(6)
    for missing in ("any", "value"):
        every = least_cost(codes, 3, price, missing)
        with monkeypatch.context() as patched:
            patched.setattr(least_cells, "WORK", 1)
            patched.setattr(least_cells, "FEWEST", 2)
            some = least_cost(codes, 3, price, missing)
        assert 0 < some < every


def test_by_hand() -> None:
    """Two equal records and one that differs from them in two cells.

    It loses both, and the others nothing where a gap matches anything; where it is a value of its
    own k = 2 needs one of them to join.
    """
    codes = np.array([[1, 1, 1], [1, 1, 1], [1, 2, 2]])
    assert least_cost(codes, 2, np.ones(3), "value") == 2
    assert least_cost(codes, 2, np.ones(3), "any") in (1, 2)
    assert best(codes, 2, np.ones(3), "any") == 2
    assert least_cost(codes[:2], 2, np.ones(3), "value") == 0


def test_the_method_says_its_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    # as with 15 columns and more, which take seconds
    monkeypatch.setattr(anonymity, "MOST_SETS", 40)
    rng = np.random.default_rng(5)
    names = [f"c{j}" for j in range(7)]
    table = {name: rng.integers(0, 3, 60) for name in names}
    data = tc.Microdata.of(table, quasi=names)
    with pytest.warns(TacitWarning, match="at least .* is needed .a gap of at most"):
        wide = tc.protect.LocalSuppression(k=2, missing="value").fit(data)
    assert 0 < wide.least_ < wide.cost_ == wide.suppressions_
    assert wide.gap_ == wide.cost_ - wide.least_
    # combinations without a common column add up, those with one do not
    apart = [["c0", "c1", "c2"], ["c3", "c4", "c5"]]
    method = tc.protect.LocalSuppression
    each = [method(k=5, keys=[key], missing="value").fit(data).least_ for key in apart]
    both = method(k=5, keys=apart, missing="value").fit(data)
    assert both.least_ == sum(each) > 0
    shared = [["c0", "c1", "c2"], ["c2", "c4", "c5"]]
    each = [method(k=5, keys=[key], missing="value").fit(data).least_ for key in shared]
    assert method(k=5, keys=shared, missing="value").fit(data).least_ == max(each)


def test_the_manifest_holds_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    lines = ["town,job"] + [f"t{a},j{b}" for a, b in rng.integers(0, 5, (60, 2))]
    source = tmp_path / "in.csv"
    source.write_text("\n".join(lines) + "\n")
    plan = [
        tc.protect.PRAM(columns=["job"], random_state=1),
        tc.protect.LocalSuppression(k=4, missing="value", importance={"job": 2.0}),
    ]
    out = tmp_path / "out.csv"
    release(plan, source, out, quasi=["town", "job"])
    kept = json.loads(Path(f"{out}.manifest.json").read_text())["outcomes"]
    assert [(one["step"], one["method"]) for one in kept] == [(2, "local_suppression")]
    told = kept[0]
    blank = {"town": 0, "job": 0}
    for line in out.read_text().splitlines()[1:]:
        for name, cell in zip(("town", "job"), line.split(","), strict=True):
            blank[name] += cell == ""
    assert told["suppressed"] == blank
    assert told["cost"] == blank["town"] + 2 * blank["job"]
    assert 0 < told["at_least"] <= told["cost"]
    assert told["gap"] == told["cost"] - told["at_least"]
