"""Units that have each label, against sets of Python."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels.unit_counts import (
    count_agreeing,
    count_units,
    only_unit,
    shared_out,
)
from tacit.risk.agreeing_persons import Agreement


def records(seed: int, labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where units begin, the unit and the label of each record."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, rng.integers(1, 12))
    unit = np.repeat(np.arange(len(sizes)), sizes)
    label = rng.integers(0, labels, len(unit)).astype(np.int32)
    return np.cumsum(sizes) - sizes, unit, label


CASES = {"seed": st.integers(0, 10_000), "labels": st.integers(1, 8)}


@given(**CASES)
@pytest.mark.parametrize("weighted", [True, False])
def test_each_unit_counts_once_in_each_label(weighted, seed, labels):
    starts, unit, label = records(seed, labels)
    weight = np.random.default_rng(seed).integers(1, 9, len(unit)).astype(float)
    given = weight if weighted else np.zeros(0)
    f, F = count_units(starts, label, given, labels)
    pairs = set(zip(label.tolist(), unit.tolist(), strict=True))
    means = [weight[unit == u].mean() if weighted else 1.0 for u in range(len(starts))]
    for at in range(labels):
        members = [u for one, u in pairs if one == at]
        assert f[at] == len(members)
        assert F[at] == pytest.approx(sum(means[u] for u in members), abs=1e-12)


@given(**CASES)
def test_the_owner_of_a_label_has_all_its_records(seed, labels):
    starts, unit, label = records(seed, labels)
    owner = only_unit(starts, label, labels)
    for at in range(labels):
        members = set(unit[label == at].tolist())
        expected = -2 if not members else (-1 if len(members) > 1 else members.pop())
        assert owner[at] == expected


@given(**CASES)
def test_a_unit_is_shared_out_over_its_records_of_a_label(seed, labels):
    starts, unit, label = records(seed, labels)
    row = np.random.default_rng(seed).integers(0, 5, len(unit)).astype(np.int32)
    total = shared_out(starts, label, row, labels, 5)
    wanted: defaultdict[int, Fraction] = defaultdict(Fraction)
    for u, one, r in zip(unit, label, row, strict=True):
        wanted[int(r)] += Fraction(1, int(((unit == u) & (label == one)).sum()))
    assert total == pytest.approx([float(wanted[r]) for r in range(5)], abs=1e-12)


@given(seed=st.integers(0, 10_000), rows=st.integers(1, 14), keys=st.integers(1, 3))
def test_units_agree_with_rows_of_which_some_have_gaps(seed, rows, keys):
    rng = np.random.default_rng(seed)
    distinct = np.unique(rng.integers(-1, 3, (rows, keys)), axis=0)
    starts, unit, row = records(seed, len(distinct))
    weight = rng.integers(1, 9, len(unit)).astype(float)
    same = Agreement.of(distinct)
    groups = same.group, same.indptr, same.member, same.pattern
    f, F = count_agreeing(starts, row, weight, *groups)
    for at, ours in enumerate(distinct):
        members = set()
        for u, r in zip(unit.tolist(), row, strict=True):
            both = (ours >= 0) & (distinct[r] >= 0)
            if (ours[both] == distinct[r][both]).all():
                members.add(u)
        assert f[at] == len(members)
        total = sum(weight[unit == u].mean() for u in members)
        assert F[at] == pytest.approx(total, abs=1e-9)
