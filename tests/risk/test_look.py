"""The look before protection: hand-computed tables, persons, and the law of contributions."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import tacit as tc
from tacit.cli import app
from tacit.risk import key_sets

PEOPLE = {
    "age": [30, 30, 40, 40, 50, 50],
    "sex": ["f", "f", "f", "m", "m", "m"],
    "town": ["a", "a", "b", "b", "b", "c"],
}


def test_a_table_by_hand() -> None:
    seen = tc.risk.look(PEOPLE)
    # keys: (30,f,a) twice, all others once
    assert seen.uniques == 4
    assert dict(seen.violations) == {2: 4, 3: 6, 5: 6, 10: 6}
    assert seen.expected == pytest.approx(2 * 0.5 + 4)
    assert seen.in_file == pytest.approx(2 * 0.5 + 4)
    assert dict(seen.alone) == {"age": 0, "sex": 0, "town": 1}
    one, two, three = seen.sizes
    assert (one.sets, two.sets, three.sets) == (3, 3, 1)
    assert one.mean[2] == pytest.approx(1 / 3)
    # age and sex: rows 3, 4; age and town: rows 5, 6; sex and town: rows 3 and 6
    assert two.mean[2] == pytest.approx(2)
    assert two.mean[3] == pytest.approx((6 + 6 + 6) / 3)
    assert three.worst[2] == 4
    assert seen.riskiest[0].row == 6
    assert seen.riskiest[0].alone_on == ("town",)
    assert seen.riskiest[0].values["town"] == "c"


def test_contributions_are_the_mean_step_over_all_orders() -> None:
    seen = tc.risk.look(PEOPLE)
    steps = dict.fromkeys(PEOPLE, 0.0)
    for order in permutations(PEOPLE):
        before = 1 / 6
        for place, key in enumerate(order):
            f = tc.risk.frequencies(PEOPLE, keys=list(order[: place + 1])).sample
            now = float((1 / f).mean())
            steps[key] += now - before
            before = now
    total = sum(steps.values())
    for key, step in steps.items():
        assert seen.contributions[key] == pytest.approx(100 * step / total)


@given(st.integers(0, 10_000), st.integers(1, 11), st.booleans())
def test_the_laws(seed: int, m: int, many_rows: bool) -> None:
    """Counts are those of `frequencies`; contributions sum to 100; more keys, more alone."""
    rng = np.random.default_rng(seed)
    n = 60
    table = {f"k{j}": rng.integers(0, rng.integers(2, 9), n) for j in range(m)}
    roles = {"quasi": list(table), "nominal": list(table)}
    if many_rows:
        table["who"] = rng.integers(0, 25, n)
        roles["person"] = "who"
    data = tc.Microdata.of(table, **roles)
    seen = tc.risk.look(data)
    counted = tc.risk.frequencies(data, missing="category")
    assert seen.uniques == counted.violations(2)
    assert seen.violations[5] == counted.violations(5)
    assert seen.units == (len(np.unique(table["who"])) if many_rows else n)
    assert sum(seen.contributions.values()) == pytest.approx(100)
    assert min(seen.contributions.values()) >= -1e-9
    assert seen.sampled == (m > key_sets.ALL_SETS)
    worst = [size.worst[2] for size in seen.sizes]
    assert worst[-1] == seen.uniques == max(worst)
    for one in seen.riskiest:
        if one.alone_on:
            f = tc.risk.frequencies(data, keys=list(one.alone_on), missing="category")
            assert f.sample[one.row - 1] == 1


def test_a_missing_value_never_makes_the_risk_smaller() -> None:
    table = {"a": [1, 1, None, None, 1], "b": ["x"] * 5}
    assert tc.risk.look(table).expected == pytest.approx(3 / 3 + 2 / 2)


def test_persons_and_households_are_counted() -> None:
    data = tc.Microdata.of(
        {
            "who": [1, 1, 1, 2, 3, 4],
            "hid": [1, 1, 1, 1, 2, 2],
            "town": ["a", "a", "a", "b", "b", "b"],
            "w": [10.0] * 6,
        },
        person="who",
        household="hid",
        weight="w",
        quasi=["town"],
        nominal=["town"],
    )
    seen = tc.risk.look(data)
    # three rows of one man are one man, alone in his town
    assert (seen.units, seen.unit, seen.households) == (4, "person", 2)
    assert (seen.uniques, seen.violations[5]) == (1, 4)
    assert seen.weighted
    # one alone, three who share a town: 1 + 3 / 3, and less where the file is a sample
    assert seen.in_file == pytest.approx(2)
    assert 0 < seen.expected < 1.4
    assert [one.row for one in seen.riskiest] == [1, 4, 5, 6]


def test_it_never_calls_a_file_safe() -> None:
    everybody = {"sex": ["f", "m"] * 30}
    assert "NOT SAFE" in tc.risk.look(PEOPLE).verdict
    verdict = tc.risk.look(everybody).verdict
    assert "no group of fewer than 3" in verdict
    assert "nothing was attacked" in verdict


def test_bad_input() -> None:
    with pytest.raises(tc.TacitError, match="there is no column 'height'"):
        tc.risk.look(PEOPLE, keys=["height"])
    many = {f"k{j}": [1, 2] for j in range(63)}
    with pytest.raises(tc.TacitError, match="at most 62 keys, not 63"):
        tc.risk.look(many)


def test_the_command(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    tc.write(tc.Microdata.of(PEOPLE), "in.csv")
    words = ["risk", "in.csv", "--quasi", "age,sex,town", "--nominal", "age"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "Before protection: 6 records, 3 keys" in done.output
    assert "before protection: 4 of 6 records (66.7%) are alone" in done.output
    assert "town=c" in done.output
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).output)
    assert found["stage"] == "before protection"
    assert found["violations"] == {"2": 4, "3": 6, "5": 6, "10": 6}
    assert found["riskiest"][0]["row"] == 6
    none = CliRunner().invoke(app, ["risk", "in.csv", "--confidential", "age,sex,town"])
    assert "there are no key columns" in str(none.exception)
