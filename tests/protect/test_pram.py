"""PRAM: the diagonal asked for is the diagonal applied, and invariant matrices are invariant."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.protect.pram import invariant, uniform


@given(st.lists(st.integers(1, 50), min_size=2, max_size=7), st.floats(0, 1))
def test_invariant_matrices(counts: list[int], diagonal: float) -> None:
    share = np.array(counts) / sum(counts)
    matrix = invariant(share, diagonal)
    assert (matrix >= -1e-15).all()
    assert matrix.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert share @ matrix == pytest.approx(share, abs=1e-9)
    asked = share <= 0.5
    assert matrix.diagonal()[asked] == pytest.approx(diagonal, abs=1e-12)
    if not asked.all():
        top = share[~asked][0]
        assert matrix.diagonal()[~asked] == pytest.approx(
            1 - (1 - top) * (1 - diagonal) / top, abs=1e-9
        )


def test_the_diagonal_applied_is_the_one_asked_for() -> None:
    table = pd.DataFrame(
        {"c": np.random.default_rng(0).choice(list("abc"), 60_000, p=[0.5, 0.3, 0.2])}
    )
    for matrix in ("invariant", "uniform"):
        method = tc.protect.PRAM(diagonal=0.7, matrix=matrix, random_state=2)
        masked = method.fit_transform(table)
        moves = pd.crosstab(table["c"], masked["c"], normalize="index").to_numpy()
        assert moves.diagonal() == pytest.approx(0.7, abs=0.012)
        assert np.abs(moves - method.matrices_["c"]).max() < 0.015
    before, after = (
        table["c"].value_counts(normalize=True),
        masked["c"].value_counts(normalize=True),
    )
    assert (
        abs(before["a"] - after["a"]) > 0.03
    )  # uniform (the last) shifts the frequencies
    kept = (
        tc.protect.PRAM(diagonal=0.7, random_state=2)
        .fit_transform(table)["c"]
        .value_counts(normalize=True)
    )
    assert (before - kept).abs().max() < 0.01


def test_a_dominant_category_is_announced() -> None:
    table = pd.DataFrame({"c": ["a"] * 80 + ["b"] * 20})
    method = tc.protect.PRAM(diagonal=0.6, random_state=0)
    with pytest.warns(tc.errors.TacitWarning, match="stays with probability 0.9000"):
        method.fit(table)
    assert method.diagonal_["c"].tolist() == pytest.approx([0.9, 0.6])
    assert tc.protect.PRAM(diagonal=0.6, matrix="uniform").fit(table).diagonal_[
        "c"
    ].tolist() == [0.6, 0.6]


def test_a_matrix_of_your_own() -> None:
    table = pd.DataFrame({"c": list("aabbcc")})
    swap = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    masked = tc.protect.PRAM(matrices={"c": swap}, random_state=0).fit_transform(table)
    assert "".join(masked["c"]) == "bbccaa"
    with pytest.raises(tc.errors.ParameterError, match="rows sum to 1"):
        tc.protect.PRAM(matrices={"c": [[0.5] * 3] * 3}).fit(table)
    with pytest.raises(tc.errors.ParameterError, match="3 x 3"):
        tc.protect.PRAM(matrices={"c": [[1.0]]}).fit(table)


def test_a_file_that_lacks_a_category_of_the_fit() -> None:
    fit = pd.DataFrame({"c": list("abc") * 20})
    method = tc.protect.PRAM(
        matrices={"c": [[0, 0, 1], [0, 1, 0], [1, 0, 0]]}, random_state=0
    ).fit(fit)
    assert method.transform(pd.DataFrame({"c": ["a", "b", "a"]}))["c"].tolist() == [
        "c",
        "b",
        "c",
    ]
    with pytest.raises(tc.errors.InputError, match="'z'"):
        method.transform(pd.DataFrame({"c": ["a", "z"]}))


def test_uniform_of_one_category_is_the_identity() -> None:
    assert uniform(1, 0.3).tolist() == [[1.0]]
