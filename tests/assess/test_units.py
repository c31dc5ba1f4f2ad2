"""A release that hides rows and not persons, or cells and not households, is not safe."""

from __future__ import annotations

import tacit as tc
from tacit.assess.assessment import Assessment


def _ignoring_units(data: tc.Microdata, k: int) -> tc.Microdata:
    """Local suppression that knows neither persons nor households, as version 0.1."""
    roles = ("person", "household")
    numbers = [name for role in roles for name in data.schema.names(role=role)]
    blind = data.with_schema(data.schema.set(other=numbers))
    release = tc.protect.LocalSuppression(k=k, random_state=1).fit_transform(blind)
    return tc.Microdata.of(release).with_schema(data.schema)


def _assessed(data: tc.Microdata) -> Assessment:
    return tc.assess(
        data,
        _ignoring_units(data, 5),
        attackers=["nearest"],
        risks=["k_anonymity", "household_keys", "person_keys"],
        losses=[],
        options={"k_anonymity": {"k": 5}},
        truth="rows",
    )


def test_a_panel_with_k_records_is_not_k_anonymous() -> None:
    keys = ["sex", "region", "schooling", "age"]
    table = tc.datasets.make_panel(200, seed=1).select(["person", "year", *keys])
    data = tc.Microdata.of(table, person="person", quasi=keys, nominal=keys)
    result = _assessed(data)
    rows = {row.name: row for row in result.verdict.rows}
    assert rows["k_anonymity"].standing == "fails"
    assert rows["person_keys"].standing == "fails"
    assert rows["nearest"].why.startswith("persons found; ")
    assert result.verdict.state == "not safe"
    found = result.to_dict()
    assert found["units"] == {"person": 200}
    details = found["risk"]["k_anonymity"]["details"]
    assert details["read off"] >= 0.8 * details["suppressed cells"]
    attack = found["attacks"]["nearest"]
    assert attack["counts"] == "persons"
    assert attack["records"]["rate"] < attack["rate"]


def test_a_survey_whose_relatives_tell_is_not_k_anonymous() -> None:
    keys = ["region", "dwelling", "water", "sex", "education"]
    table = tc.datasets.make_households(300, seed=1).select(["household", *keys])
    data = tc.Microdata.of(table, household="household", quasi=keys, nominal=keys)
    result = _assessed(data)
    rows = {row.name: row for row in result.verdict.rows}
    assert rows["k_anonymity"].standing == "fails"
    assert rows["household_keys"].standing == "fails"
    assert result.to_dict()["units"] == {"household": 300}
