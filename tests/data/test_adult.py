"""Files to generalise: the Adult-like one of the papers, and a hospital extract."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.base.errors import ParameterError
from tacit.data.hierarchies.tree import coded


def test_adult_has_the_shape_of_the_papers() -> None:
    table = tc.datasets.make_adult(30_162)
    distinct = {name: len(table[name].unique()) for name in table.column_names}
    assert distinct["sex"] == 2
    assert distinct["race"] == 5
    assert distinct["marital"] == 7
    assert distinct["education"] == 16
    assert distinct["country"] == 41
    assert distinct["occupation"] == 14
    assert 70 <= distinct["age"] <= 74
    data = tc.Microdata.of(table, continuous=["age"])
    rules = tc.datasets.adult_hierarchies()
    heights = [
        coded(tc.hierarchies.rule_of(rules[name]), data, name).tree.height + 1
        for name in table.column_names
    ]
    assert np.prod(heights) == 12_960


@pytest.mark.parametrize("make", [tc.datasets.make_adult, tc.datasets.make_hospital])
def test_same_seed_same_table(make) -> None:
    assert make(50, seed=3).equals(make(50, seed=3))
    assert not make(50, seed=3).equals(make(50, seed=4))
    with pytest.raises(ParameterError, match="at least 1"):
        make(0)
