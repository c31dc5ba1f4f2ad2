"""Sentences are read by people: a long one is cut in its middle, a value after its beginning."""

from __future__ import annotations

import pytest

from tacit.base.errors import (
    LONGEST,
    InputError,
    TacitWarning,
    choices,
    in_short,
    shown,
)


class Shy:
    def __repr__(self) -> str:
        raise RuntimeError


def test_a_sentence_keeps_its_beginning_and_its_end() -> None:
    long = "column 'a' " + "x" * 30_000 + " give another name"
    for told in (InputError(long), TacitWarning(long)):
        assert len(str(told)) <= 2 * LONGEST
        assert str(told).startswith("column 'a'")
        assert str(told).endswith("give another name")


@pytest.mark.parametrize("longest", [10, 50, 51, 52, 200])
def test_what_is_cut_is_no_longer_than_asked(longest: int) -> None:
    text = "".join(map(str, range(26)))[:51]
    cut = in_short(text, longest, at_the_end=3)
    assert len(cut) <= max(longest, len(text) if longest >= len(text) else 0)
    assert (cut == text) == (longest >= len(text))


def test_any_value_can_be_shown() -> None:
    assert shown(3) == "3"
    assert shown(Shy()) == "a Shy"
    assert len(shown(list(range(9999)))) <= 60


def test_of_many_names_some_are_listed() -> None:
    said = choices("colum7", [f"column{j}" for j in range(20_000)])
    assert said.startswith("did you mean 'column7'?")
    assert said.endswith("and 19,940 more")
    assert choices(5, ["a", "b"]) == "There are: a, b"
