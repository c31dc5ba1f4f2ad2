"""Next to each method stands its card, in numpydoc form.

Every own parameter is described once, the notes say what the method is, what it promises, what
it costs and who breaks it, and the example runs (test_doctests.py runs it).
"""

from __future__ import annotations

from types import ModuleType

import pytest

from tacit import attack, loss, protect, risk, stream
from tacit.base.docs import card_of
from tacit.base.parameters import model_of

SECTIONS = ("Notes", "References", "Examples")
NOTES = ("**Definition.**", "**Guarantee.**", "**Cost.**")
ROOMS = {
    protect: (*NOTES, "**Known attacks.**"),
    stream: (*NOTES, "**Known attacks.**"),
    attack: NOTES,
}
METHODS = [(room, name) for room in ROOMS for name in room.registry]


def name_of(value: object) -> str:
    """'protect' and 'noise' in the name of a test."""
    return getattr(value, "__name__", str(value)).removeprefix("tacit.")


@pytest.mark.parametrize(("room", "name"), METHODS, ids=name_of)
def test_a_method_has_its_card(room: ModuleType, name: str) -> None:
    card = card_of(room.registry[name])
    assert card.summary.endswith(".")
    assert [section for section in SECTIONS if section not in card.sections] == []
    notes = card.sections["Notes"]
    assert [words for words in ROOMS[room] if words not in notes] == []
    assert ">>>" in card.sections["Examples"]


@pytest.mark.parametrize(("room", "name"), METHODS, ids=name_of)
def test_every_own_parameter_is_described_and_no_other(
    room: ModuleType, name: str
) -> None:
    method = room.registry[name]
    described = card_of(method).parameters
    own = set(model_of(method).model_fields)
    assert own <= set(described)
    # a seed is described where it stands in the constructor, but is no part of the model
    assert set(described) - own <= {"random_state", "n_jobs"}
    assert all(described.values())


@pytest.mark.parametrize(
    ("room", "name"),
    [(room, name) for room in (risk, loss) for name in room.registry],
    ids=name_of,
)
def test_a_measure_says_what_it_computes(room: ModuleType, name: str) -> None:
    assert len((room.registry[name].__doc__ or "").strip()) > 40
