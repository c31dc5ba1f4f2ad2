"""The lists of mutations: each still applies, still compiles, and names tests that exist."""

from __future__ import annotations

import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.mutants.mutation import Mutation, load, rooms  # noqa: E402

ROOMS = sorted(
    path.name
    for path in (ROOT / "src" / "tacit").iterdir()
    if (path / "__init__.py").exists()
)
# 300 over all rooms is what issue 23 asks for; below 15 a room has hardly been looked at
FEWEST, FEWEST_OF_A_ROOM = 300, 15


@cache
def source(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("room", ROOMS)
def test_every_mutation_applies_and_compiles(room: str) -> None:
    """A stale one says which, so that whoever changed the line can change the list."""
    for mutation in load(room):
        changed = mutation.of(source(mutation.path))
        compile(changed, str(mutation.path), "exec")


@pytest.mark.parametrize("room", ROOMS)
def test_every_mutation_names_tests_that_are_there(room: str) -> None:
    for mutation in load(room):
        assert mutation.tests, mutation.meaning
        for test in mutation.tests:
            file, _, name = test.partition("::")
            text = source(Path(file))
            function = re.sub(r"\[.*", "", name).rpartition("::")[2]
            assert not function or f"def {function}(" in text, (mutation.meaning, test)


def test_all_rooms_have_enough_and_no_two_are_the_same() -> None:
    assert rooms() == ROOMS
    every: list[Mutation] = [one for room in ROOMS for one in load(room)]
    assert len(every) >= FEWEST
    assert min(Counter(one.room for one in every).values()) >= FEWEST_OF_A_ROOM
    meanings = Counter(one.meaning for one in every)
    assert [text for text, count in meanings.items() if count > 1] == []
    changes = Counter((one.file, one.old, one.new) for one in every)
    assert max(changes.values()) == 1
