"""Risk by record and by column, as columns to treat by."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tacit as tc
from tacit.assess.exposure import by_column, by_record, exposed, table, with_risk


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        rng.normal(size=(50, 3)), columns=list("abc"), index=np.arange(50) + 100
    )
    masked = frame + rng.normal(size=(50, 3)) * [0.2, 0.2, 5.0]
    masked.iloc[7] = frame.iloc[7]
    return tc.assess(frame, masked, risks=["strongest", "interval", "dld"], losses=[])


def test_the_highest_risk_of_each_record(result):
    risks = by_record(result)
    assert risks["highest"] == pytest.approx(
        np.max([link.success for link in result.linkages.values()], axis=0)
    )
    assert risks["nearest"] == pytest.approx(result.attacks["nearest"].success)
    assert risks["interval"][7] == 1
    assert set(exposed(result, 0.5)) == set(np.flatnonzero(risks["highest"] > 0.5))


def test_columns(result):
    found = by_column(result)
    assert set(found["interval"]) == {"a", "b", "c"}
    assert found["interval"]["a"] > found["interval"]["c"]


def test_the_same_kind_of_frame_with_one_more_column(result):
    frame = with_risk(result)
    assert list(frame.columns) == ["a", "b", "c", "risk"]
    assert frame.index.tolist() == list(range(100, 150))
    assert frame["risk"].to_numpy() == pytest.approx(by_record(result)["highest"])
    other = tc.assess(
        pl.DataFrame({"a": [1.0, 2.0, 3.0]}),
        pl.DataFrame({"a": [1.0, 2.5, 9.0]}),
        risks=[],
        losses=[],
    )
    assert with_risk(other, "r").columns == ["a", "r"]
    array = tc.assess(np.eye(3), np.eye(3), risks=[], losses=[])
    assert with_risk(array)[:, -1] == pytest.approx([1, 1, 1])
    with pytest.raises(ValueError, match="has a column 'a' already"):
        with_risk(result, "a")
    with pytest.raises(ValueError, match="no risk 'suda' by record"):
        with_risk(result, which="suda")


def test_a_file_of_risks(result):
    made = table(result)
    assert made.names[:2] == ["row", "highest"]
    assert made.numbers(["row"])[:3, 0].tolist() == [1, 2, 3]
