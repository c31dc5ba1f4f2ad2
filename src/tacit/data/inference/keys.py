"""Numbers of persons and families: told by the end of their name, and by the order of the file."""

from __future__ import annotations

import re

from tacit.data.inference import name_words
from tacit.data.inference.profile import LEAST_VALUES, Profile

ENDS = re.compile(r".(num|nr|no|number|id|key|idx|code)\d*$", re.IGNORECASE)
_NUMBERED = re.compile(
    r"id(no|num|code)?$|^id|nr$|no$|num(ber)?$|key$|code$|^seqn|^case|serial|index|rowname",
    re.IGNORECASE,
)
# a key has at least one value in twenty rows; a village or a school has fewer
ROWS_EACH = 20


def is_numbered(profile: Profile) -> bool:
    """Named like a number that is given to people, rather than a name or an address."""
    named = _NUMBERED.search(profile.name) is not None
    return named or bool(profile.label and "identifier" in profile.label)


def is_place(profile: Profile) -> bool:
    """Named like a place, an institution or a part of a sample, or like the number of one."""
    if name_words.PLACE_NUMBER.search(profile.name):
        return True
    last = frozenset((*profile.words[-1:], profile.squashed))
    return bool(last & name_words.PLACES) and not profile.says(name_words.NUMBERS)


def is_key(profile: Profile) -> bool:
    """Whole numbers, named like a key, by which the file is sorted or that all differ."""
    if not (profile.is_number and profile.n >= LEAST_VALUES and profile.is_whole):
        return False
    if not ENDS.search(profile.name) or profile.has_few:
        return False
    if is_place(profile) and not profile.all_differ:
        return False
    if profile.size * ROWS_EACH < profile.n:
        return False
    if profile.all_differ:
        return True
    return profile.rises
