"""What a column is for: told by its name, its label, or what its values gave away."""

from __future__ import annotations

import re

from tacit.data.column import Kind, Role
from tacit.data.inference import identifiers
from tacit.data.inference.guess import Guess
from tacit.data.inference.keys import is_key, is_numbered
from tacit.data.inference.profile import Profile

WEIGHT = re.compile(
    r"^(sampl(e|ing)|survey|design|household|person|hh|pop(ulation)?|final|analysis)_?(weights?|wgt|wt)$"
    r"|^[pfa]?wgt$|^weights_|^[pf]weights?$|^wgt_|_wgt$|^(wtssall|finalwt|perwt|hhwt|fnlwgt)$",
    re.IGNORECASE,
)
"""Names of sampling weights; 'weight' alone is rather that of a body."""
WEIGHT_LABEL = re.compile(r"\b(sampl\w+|survey|design|final|expansion) weight\b")
# one row in twenty that repeats a number is a person seen again rather than a slip
SEEN_AGAIN = 0.95


def role_of(profile: Profile, guess: Guess) -> tuple[Role, str]:
    """The role and its reason.

    Names come first: they are what the producer of the file meant. A number that names people
    and stands in several rows is ``person``: whose record this is.
    """
    is_weight = WEIGHT.search(profile.name) or profile.labelled(WEIGHT_LABEL)
    if profile.is_number and is_weight:
        return Role.weight, "named like a sampling weight"
    if guess.kind in (Kind.boolean, Kind.date):
        return Role.quasi, "nothing says that an intruder cannot know it"
    if identifiers.is_household(profile):
        return Role.household, "named like a household number"
    if identifiers.is_named(profile):
        if is_numbered(profile) and _stands_in_several_rows(profile):
            return (
                Role.person,
                "named like the number of a person, with several rows each",
            )
        return Role.identifier, "named like a direct identifier"
    if guess.role is not None:
        return guess.role, guess.role_why
    if is_key(profile):
        why = "named like a number that tells records apart"
        return (Role.identifier if profile.all_differ else Role.person), why
    return Role.quasi, "nothing says that an intruder cannot know it"


def _stands_in_several_rows(profile: Profile) -> bool:
    if not (profile.is_number or profile.is_text):
        return False
    if profile.is_number and not profile.is_whole:
        return False
    return 1 < profile.size < SEEN_AGAIN * profile.n
