"""Forms come from annotations, and what is sent back is what was shown."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from annotated_types import Ge, Le

from tacit.app import forms, work
from tacit.app.fitting import by_goal, columns_for, masked_by, new_step, offered
from tacit.app.project import Setup
from tacit.base.parameters import model_of
from tacit.plan.plan import Step
from tacit.protect import registry


class Example:
    """Example.

    Parameters
    ----------
    k : int
        Smallest group.
    share : float
        Part of it;
        goes on here.

    Examples
    --------
    >>> 1
    1
    """

    def __init__(
        self,
        k: Annotated[int, Ge(2)] = 3,
        share: Annotated[float, Ge(0), Le(1)] = 0.5,
        kind: Literal["a", "b"] = "a",
        flag: bool = True,
        columns: list[str] | None = None,
        blocks: list[list[str]] | int | None = None,
        needed: Annotated[float, Ge(0)] = ...,  # type: ignore[assignment]
    ) -> None: ...


def made(**values: object) -> dict[str, forms.Field]:
    """The inputs of the example, by name."""
    schema = model_of(Example).model_json_schema()
    return {f.name: f for f in forms.fields(schema, values, Example.__doc__)}


def as_sent(inputs: list[forms.Field]) -> dict[str, list[str]]:
    """What a browser sends of the inputs that hold text."""
    return {
        one.name: [one.shown] for one in inputs if one.widget not in ("flag", "columns")
    }


def test_widgets_limits_and_help() -> None:
    """Type, range and docstring become widget, limits and hint."""
    inputs = made()
    assert [one.widget for one in inputs.values()] == [
        "integer",
        "number",
        "choice",
        "flag",
        "columns",
        "text",
        "number",
    ]
    assert inputs["k"].limits == "2 or more"
    assert inputs["share"].limits == "0 to 1"
    assert inputs["k"].help == "Smallest group."
    assert inputs["share"].help == "Part of it; goes on here."
    assert inputs["kind"].choices == ["a", "b"]


def test_what_is_shown_is_what_comes_back() -> None:
    """A form that is sent as it was shown changes nothing."""
    values = {
        "k": 7,
        "share": 0.25,
        "kind": "b",
        "flag": False,
        "columns": ["x", "y"],
        "blocks": [["x"], ["y"]],
    }
    inputs = list(made(**values).values())
    sent = as_sent(inputs) | {"columns": ["x", "y"]}
    assert forms.read(inputs, sent, "") == values


def test_defaults_and_empty_fields_are_left_out() -> None:
    """A plan holds only what differs from the defaults."""
    inputs = list(made().values())
    sent = {"k": ["3"], "share": [""], "flag": ["on"], "kind": ["a"]}
    assert forms.read(inputs, sent, "") == {}


def test_text_that_is_no_number_reaches_the_plan_as_it_is() -> None:
    """The plan says what is wrong with it; a decimal comma is not wrong."""
    inputs = list(made().values())
    assert forms.read(inputs, {"k": ["many"], "flag": ["on"]}, "") == {"k": "many"}
    assert forms.read(inputs, {"share": ["0,25"], "flag": ["on"]}, "") == {
        "share": 0.25
    }


@pytest.mark.parametrize("method", list(registry))
def test_every_protector_has_a_form_that_keeps_its_defaults(method: str) -> None:
    """Whatever is registered can be chosen and run."""
    owner = registry[method]
    inputs = forms.fields(model_of(owner).model_json_schema(), about=owner.__doc__)
    sent = as_sent(inputs)
    # a browser sends a box only if it is ticked
    sent |= {one.name: ["on"] for one in inputs if one.widget == "flag" and one.default}
    given = forms.read(inputs, sent, "")
    assert given == {}
    Step(method, given)


def test_methods_are_listed_by_what_somebody_wants() -> None:
    """Every method stands in one group, says what it is for, and labels real parameters."""
    methods = work.catalogue(lambda kind, value: None)["protect"]
    goals = by_goal(methods)
    listed = [name for _, group in goals for name, _ in group]
    assert sorted(listed) == sorted(methods)
    crowd = next(group for goal, group in goals if goal == "Hide in a crowd")
    assert "microaggregation" in dict(crowd)
    for name, entry in methods.items():
        assert entry["goal"] != entry["family"], name
        assert entry["purpose"], name
        assert set(entry["plain"]) <= set(entry["schema"]["properties"]), name


def test_only_methods_that_fit_the_keys_are_offered() -> None:
    """Categories get no rounding, and a step begins with the keys that it can mask."""
    methods = work.catalogue(lambda kind, value: None)["protect"]
    roles = {"sex": "quasi", "region": "quasi", "pay": "confidential", "id": "other"}
    kinds = {"sex": "nominal", "region": "code", "pay": "continuous", "id": "code"}
    setup = Setup(roles=roles, kinds=kinds)
    there = offered(methods, setup, set())
    assert {"rounding", "date_shift", "pseudonyms", "ipso"}.isdisjoint(there)
    assert {"generalisation", "pram", "local_suppression"} <= set(there)
    assert "rounding" in offered(methods, setup, {"rounding"})
    assert columns_for(methods["rounding"], setup) == ["pay"]
    mixed = Setup(roles=roles | {"pay": "quasi"}, kinds=kinds)
    step = new_step("rounding", methods["rounding"], mixed)
    assert step["parameters"] == {"columns": ["pay"]}
    assert new_step("noise", methods["noise"], mixed)["parameters"] == {}
    # what an earlier step masks is not masked again: first other keys, then other columns
    first = new_step("pram", methods["pram"], setup)
    assert masked_by([first], methods, setup) == {"sex", "region"}
    half = new_step("pram", methods["pram"], setup, {"sex"})
    assert half["parameters"] == {"columns": ["region"]}
    later = new_step("rounding", methods["rounding"], setup, {"sex", "region"})
    assert later["parameters"] == {"columns": ["pay"]}
    named = Setup(roles=roles | {"id": "identifier"}, kinds=kinds)
    assert "pseudonyms" in offered(methods, named, set())


def test_what_most_people_set_comes_first_in_plain_words() -> None:
    """The others are folded away; what is required is never folded."""
    entry = work.catalogue(lambda kind, value: None)["protect"]["microaggregation"]
    inputs = forms.fields(entry["schema"], {}, entry["doc"], entry["plain"])
    shown = {one.name: one.label for one in inputs if not one.advanced}
    assert shown == {"k": "People in each group", "columns": "Columns"}
    required = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}
    assert not forms.fields(required, plain={"b": "x"})[0].advanced


def test_rules_have_an_editor_and_stay_as_they_are() -> None:
    """A table of rules is not in the form: what was given for it is kept when a form is read."""
    schema = model_of(registry["generalisation"]).model_json_schema()
    rules = {"age": {"cuts": [[18.0]]}}
    inputs = forms.fields(schema, {"hierarchies": rules})
    widgets = {one.name: one.widget for one in inputs}
    assert widgets["hierarchies"] == "rules"
    assert [name for name, widget in widgets.items() if widget == "rules"] == [
        "hierarchies"
    ]
    read = forms.read(inputs, {"p.k": ["4"]}, "p.")
    assert read["hierarchies"] == rules
    assert read["k"] == 4
