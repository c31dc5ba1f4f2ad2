"""Direct identifiers: told by name, by a pattern or check digits, or because they are serial."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tacit.data.column import Kind, Role
from tacit.data.inference import name_words
from tacit.data.inference.check_digits import by_check_digits
from tacit.data.inference.guess import Guess
from tacit.data.inference.profile import LEAST_VALUES, Profile

_PEOPLE = (
    "person|patient|record|customer|user|client|case|member|student|pupil|employee|subject"
    "|resp|respondent|indiv|individual|worker"
)
NAMED = re.compile(
    r"^(id|uuid|guid|ssn|nin|nhs|iban|bic|pid|idno|idnum|idcode|seqn|serial|index|rownames?|rowid"
    r"|name|vorname|nachname|nombre|apellidos?|pr[eé]nom|nom|(first|last|full|sur|middle|maiden)_?name"
    r"|e?-?mail(_?address)?|phone|tele?fono?|telephone|mobile|passport|address|street|url|website"
    r"|ip(_?address)?|licen[cs]e_?plate|account(_?(no|number))?|nr|lfdnr|lfd_?nr)$"
    r"|_(id|uuid|ssn|email|phone|iban)$"
    rf"|^({_PEOPLE})_?(id|no|nr|num|number|key|code)$|^(id|nr)_?({_PEOPLE})$",
    re.IGNORECASE,
)
"""Names of columns that say who somebody is."""
LABELLED = re.compile(
    r"\b(identifier|identification|id number|serial number|sequence number|e-?mail|telephone"
    r"|person(al)? (id|number)|case (id|number)|social security n)"
)
NAMED_HOUSEHOLD = re.compile(
    r"^(ori_)?h(ouse)?h?(old)?_?(id|no|nr|num|number)$|^hid$|^household$|^haushalt(s_?nr)?$|^fam(ily)?_?(id|no|nr)$",
    re.IGNORECASE,
)
# 19 of 20: a file holds a slip here and there
MOST = 0.95
PATTERNS: dict[str, re.Pattern[str]] = {
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]{2,}"),
    "web addresses": re.compile(r"(https?://|www\.)\S+", re.IGNORECASE),
    "telephone numbers": re.compile(
        r"(\+|00)[1-9][\d\s()./-]{6,18}\d|\(?0?\d{2,5}\)?[\s./-]\d[\d\s./-]{4,14}\d"
    ),
    "network addresses": re.compile(r"\d{1,3}(\.\d{1,3}){3}|([0-9a-f]{1,4}:){7}\w+"),
    "universal identifiers": re.compile(
        r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
    ),
}
"""Texts that nobody shares."""
# telephone numbers have as many figures (ITU E.164), dates and years-with-months fewer
LEAST_DIGITS = 8
# random numbers of persons have many figures, and all as many; amounts do not
LONG_NUMBER = 1e7


def is_named(profile: Profile) -> bool:
    """Name or label say that it identifies somebody, and the values are not a few codes."""
    named = NAMED.search(profile.name) is not None or profile.labelled(LABELLED)
    return named and not profile.has_few


def is_household(profile: Profile) -> bool:
    """Named like the number of a household."""
    named = NAMED_HOUSEHOLD.search(profile.name) is not None
    return named and not profile.has_few


def by_values(profile: Profile) -> Guess | None:
    """A direct identifier that only its values give away, or None."""
    finders: tuple[Callable[[Profile], Guess | None], ...]
    if profile.is_text:
        finders = (_by_pattern, by_check_digits, _all_texts_differ)
    # a few numbers all differ by chance
    elif profile.is_number and profile.n >= LEAST_VALUES and profile.is_whole:
        finders = (_serial, by_check_digits)
    else:
        return None
    for find in finders:
        found = find(profile)
        if found is not None:
            return found
    return None


def _by_pattern(profile: Profile) -> Guess | None:
    for what, pattern in PATTERNS.items():
        if profile.share(pattern) < MOST:
            continue
        # dates and ranges are written with the same signs
        if what == "telephone numbers" and not _long_enough(profile):
            continue
        return found(f"{what}", "sure")
    return None


def _long_enough(profile: Profile) -> bool:
    digits = [sum(sign.isdigit() for sign in text) for text in profile.sample]
    return float(np.median(digits)) >= LEAST_DIGITS


def _all_texts_differ(profile: Profile) -> Guess | None:
    if profile.n < LEAST_VALUES or not profile.all_differ:
        return None
    return found("text that is different in every record", "likely")


def _serial(profile: Profile) -> Guess | None:
    """A number of its own for each record: 1, 2, 3, ..., or long numbers of one length."""
    if not profile.all_differ:
        return None
    # a run of years or months is a time, not a number of records
    is_time = profile.holds(name_words.YEARS) or profile.holds(name_words.MONTHS)
    if profile.has_all_between and not is_time:
        return found("a serial number: each once, without a gap", "likely")
    long = profile.low >= LONG_NUMBER
    if long and len(str(int(profile.low))) == len(str(int(profile.high))):
        return found("long numbers of one length that all differ", "likely")
    return None


def found(why: str, confidence: str) -> Guess:
    """An identifier with its reason."""
    return Guess(
        Kind.nominal,
        "tells records apart",
        "sure" if confidence == "sure" else "likely",
        role=Role.identifier,
        role_why=why,
    )
