"""Forms come from annotations: every registered method has one, and what is sent back is what was shown."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from annotated_types import Ge, Le

from tacit.app import forms
from tacit.parameters import model_of
from tacit.plan import Step
from tacit.protect import registry


class Example:
    """Example.

    Parameters: ``k``: smallest group. ``share``: part of it;
    goes on here.

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
    schema = model_of(Example).model_json_schema()
    return {f.name: f for f in forms.fields(schema, values, Example.__doc__)}


def test_widgets_limits_and_help() -> None:
    found = made()
    assert [f.widget for f in found.values()] == ["integer", "number", "choice", "flag", "columns", "text", "number"]
    assert found["k"].limits == "2 or more"
    assert found["share"].limits == "0 to 1"
    assert found["k"].help == "smallest group"
    assert found["share"].help == "part of it; goes on here"
    assert found["kind"].choices == ["a", "b"]


def test_what_is_shown_is_what_comes_back() -> None:
    values = {"k": 7, "share": 0.25, "kind": "b", "flag": False, "columns": ["x", "y"], "blocks": [["x"], ["y"]]}
    found = list(made(**values).values())
    sent = {f.name: [f.shown] for f in found if f.widget not in ("flag", "columns")} | {"columns": ["x", "y"]}
    assert forms.read(found, sent, "") == values


def test_defaults_and_empty_fields_are_left_out() -> None:
    found = list(made().values())
    assert forms.read(found, {"k": ["3"], "share": [""], "flag": ["on"], "kind": ["a"]}, "") == {}


def test_text_that_is_no_number_reaches_the_plan_as_it_is() -> None:
    found = list(made().values())
    assert forms.read(found, {"k": ["many"], "flag": ["on"]}, "") == {"k": "many"}
    assert forms.read(found, {"share": ["0,25"], "flag": ["on"]}, "") == {"share": 0.25}


@pytest.mark.parametrize("method", list(registry))
def test_every_protector_has_a_form_that_keeps_its_defaults(method: str) -> None:
    owner = registry[method]
    found = forms.fields(model_of(owner).model_json_schema(), about=owner.__doc__)
    sent = {f.name: [f.shown] for f in found if f.widget not in ("flag", "columns")}
    sent |= {f.name: ["on"] for f in found if f.widget == "flag" and f.default}
    given = forms.read(found, sent, "")
    assert given == {}
    Step(method, given)
