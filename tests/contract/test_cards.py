"""Next to each method stands its card: definition, source, guarantee, cost, known attacks, and an example that runs
(tests/core/test_doctests.py runs it).
"""

import pytest

from tacit import attack, loss, protect, risk, stream

CARD = ("Definition", "Source:", "Guarantee:", "Cost:", ">>>")
METHODS = [
    *((protect, name, (*CARD, "Known attacks:")) for name in protect.registry),
    *((stream, name, (*CARD, "Known attacks:")) for name in stream.registry),
    *((attack, name, CARD) for name in attack.registry),
]


@pytest.mark.parametrize(("room", "name", "card"), METHODS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_a_method_has_its_card(room, name, card):
    text = room.registry[name].__doc__ or ""
    assert [part for part in card if part not in text] == []


@pytest.mark.parametrize(("room", "name"), [(room, name) for room in (risk, loss) for name in room.registry])
def test_a_measure_says_what_it_computes(room, name):
    assert len((room.registry[name].__doc__ or "").strip()) > 40
