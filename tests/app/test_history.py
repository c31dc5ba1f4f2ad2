"""Decisions in words, and the way back to each of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tacit.app.history import in_words
from tacit.app.project import Project, Setup
from tacit.app.worker import Job


def step(method: str, **parameters: object) -> dict:
    """A step as the form holds it."""
    return {"method": method, "parameters": parameters, "seed": None}


METHODS = {"noise": {"title": "Noise"}, "pram": {"title": "PRAM"}}
START = Setup(roles={"age": "quasi", "sex": "quasi"}, kinds={"age": "count"})


def said(old: Setup, **changes: object) -> str:
    """The line of a decision."""
    return in_words(old, replace(old, **changes), METHODS)


def test_every_sort_of_decision_has_its_words() -> None:
    """A role, a kind, steps, parameters, thresholds, the release."""
    assert in_words(None, START, METHODS) == "The file was read"
    assert said(START, roles={"age": "other", "sex": "quasi"}) == "Role of age is other"
    assert said(START, kinds={"age": "ordinal"}) == "Kind of age is ordinal"
    one = replace(START, steps=(step("noise", percent=5),))
    assert said(START, steps=one.steps) == "Added Noise"
    assert said(one, steps=()) == "Removed Noise"
    assert said(one, steps=(step("noise", percent=9),)) == "Set percent of Noise to 9"
    assert said(one, steps=(step("noise"),)) == "Set percent of Noise as usual"
    assert said(one, steps=(step("pram"),)) == "Step 1 is PRAM"
    two = replace(START, steps=(step("noise"), step("pram")))
    assert said(two, steps=two.steps[::-1]) == "Steps in another order"
    assert said(START, bound=0.2, limits={"suda": 0.1}) == (
        "Accepted risk 20 %; other thresholds"
    )
    assert said(START, release=3) == "Release chosen"
    assert said(START, as_is=("age",)) == "Columns accepted: age"


def test_many_columns_are_counted() -> None:
    roles = {f"c{i}": "quasi" for i in range(6)}
    text = said(replace(START, roles=roles), roles=dict.fromkeys(roles, "other"))
    assert text.endswith("c2 is other; 3 more columns")


def test_a_state_is_named_and_gone_to(tmp_path: Path) -> None:
    """A name is no decision: it neither adds a state nor changes the version."""
    project = Project("survey.csv", tmp_path / "in.csv", Job("load", {}))
    for bound in (0.1, 0.2, 0.3):
        project.change("bound", bound=bound)
    version = project.version
    project.name_state(3, "strict")
    assert project.version == version
    states, at = project.history
    assert (len(states), at, states[3].title) == (4, 3, "strict")
    project.go_to(1)
    assert project.setup.bound == 0.1
    assert project.can_redo
    project.go_to(99)
    assert project.setup.title == "strict"
    # what is decided next is another state, without that name
    project.change("bound", bound=0.4)
    assert project.setup.title == ""
