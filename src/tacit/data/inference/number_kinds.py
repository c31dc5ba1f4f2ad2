"""Whole numbers and broken ones: measured, counted, steps of a scale, or codes.

The same digits may be any of these. Values rule some out, names and labels speak for others,
and where neither decides the guess is a category, because a category is never averaged.
"""

from __future__ import annotations

import re

import numpy as np

from tacit.data.column import Kind
from tacit.data.inference import name_words
from tacit.data.inference.guess import Guess
from tacit.data.inference.keys import ENDS, is_place
from tacit.data.inference.profile import Profile

# the usual numbers of steps of a scale, counted from 1 (Likert 1932: five; Osgood 1957: seven)
LEAST_STEPS = 5
# a scale from 0 to 10 has the most steps
MOST_STEPS = 11
# from 0 to 10 and from 1 to 11 are eleven
ELEVEN = 11
# more years of schooling than anybody has: the number of a school
MOST_YEARS_OF_SCHOOL = 30
# numbers of groups whose frequencies are looked at
LEAST_GROUPS, MOST_GROUPS = 100, 100_000
# of what is measured, neighbouring values are about as frequent; of numbers given out they are not
ALIKE = 0.2
# twice as much or half of the variance of counts of random numbers, which is their mean
BY_CHANCE = 2.0
HEAPED = 1.5
# and not much fewer occur than lie between the lowest and the highest
DENSE = 0.3
# classes of income in surveys: more are amounts
MOST_CLASSES = 30
# a number that is counted by hand rather than measured
MOST_COUNTED = 100
FIRST_YEAR, LAST_YEAR = 1850, 2100
NEGATIVE = "is the negative value a code for missing?"


def of_numbers(profile: Profile) -> Guess:
    """What a column of numbers is.

    Parameters
    ----------
    profile : Profile
        A column that is stored as numbers.
    """
    if profile.n == 0:
        return Guess(Kind.continuous, "numbers, all missing", "unsure")
    if not profile.is_whole:
        return _of_broken(profile)
    whole = "whole numbers" + (" stored as broken ones" if profile.is_float else "")
    part = _part_of_a_date(profile, whole)
    if part is not None:
        return part
    if profile.has_few:
        return _of_few(profile, whole)
    return _of_many(profile, whole)


def _of_broken(profile: Profile) -> Guess:
    if profile.has_few and profile.size < LEAST_STEPS:
        return Guess(
            Kind.continuous,
            f"broken numbers with {profile.size} distinct values",
            "unsure",
            ask="a number (continuous), or steps of a scale (ordinal)?",
        )
    return Guess(Kind.continuous, "broken numbers")


def _part_of_a_date(profile: Profile, whole: str) -> Guess | None:
    low, high = profile.low, profile.high
    # numbers that hardly repeat are no months or years of a survey
    if not profile.repeats and profile.n < profile.size * 2:
        return None
    if profile.holds(name_words.MONTHS) and low >= 1 and high <= 12 and high > 2:
        return Guess(Kind.ordinal, f"{whole} from 1 to 12, named like months", "likely")
    if profile.holds(name_words.YEARS):
        four = low >= FIRST_YEAR and high <= LAST_YEAR
        # years with two digits; lower ones may as well be steps
        two = low > MOST_STEPS and high <= 99
        if four or two:
            # few years are the waves of a survey, many are years of birth
            kind = Kind.ordinal if profile.has_few else Kind.continuous
            return Guess(kind, f"{whole}, named like years")
    return None


def _of_few(profile: Profile, whole: str) -> Guess:
    """Few distinct values, each seen often: what they are called decides."""
    size = profile.size
    said = f"{whole} with {size} distinct values"
    if profile.low == 0 and profile.high == 1 and size == 2:
        return Guess(Kind.boolean, f"{whole}, 0 and 1 only")
    # two values have no order worth keeping
    if size <= 2:
        return Guess(Kind.nominal, f"{said}, which look like codes", "likely")
    if profile.low < 0:
        return Guess(
            Kind.nominal,
            f"{said}, one of them negative",
            "unsure",
            ask=NEGATIVE,
        )
    # a label is a phrase of the producer, a name often four letters
    named = _by_label(profile, said) or _by_name(profile, said)
    return named or _by_values(profile, said)


def _by_label(profile: Profile, said: str) -> Guess | None:
    """The label is the producer's own word."""
    if profile.labelled(name_words.COUNT_LABEL):
        return Guess(Kind.count, f"{said}, labelled as a number of something")
    if profile.labelled(name_words.CODE_LABEL):
        return Guess(Kind.code, f"{said}, labelled as a code")
    if profile.labelled(name_words.CATEGORY_LABEL):
        return Guess(Kind.nominal, f"{said}, labelled as a category")
    if profile.labelled(name_words.SCALE_LABEL):
        return Guess(Kind.ordinal, f"{said}, labelled as a scale")
    if profile.labelled(name_words.NUMBER_LABEL):
        return _measured(profile, said, "labelled")
    return None


def _by_name(profile: Profile, said: str) -> Guess | None:
    if profile.holds(name_words.AGE_CLASSES):
        return Guess(Kind.ordinal, f"{said}, named like classes of age", "likely")
    # what stands last is what it is: JobSatisfaction is a satisfaction
    if frozenset(profile.words[-1:]) & name_words.SCALES:
        return Guess(Kind.ordinal, f"{said}, named like a scale", "likely")
    if profile.holds(name_words.SCHOOLING):
        # no ladder of levels is as long as a life at school
        if profile.high > name_words.SCHOOL_YEARS:
            return Guess(Kind.count, f"{said}, named like years of schooling", "likely")
        return Guess(Kind.ordinal, f"{said}, named like a level of schooling", "likely")
    if profile.says(name_words.CATEGORIES) or profile.holds(name_words.CATEGORY_STEMS):
        return Guess(Kind.nominal, f"{said}, named like a category")
    if profile.says(name_words.CODES) or profile.holds(name_words.CODE_STEMS):
        return Guess(Kind.code, f"{said}, named like a code", "likely")
    if _says_count(profile):
        return Guess(Kind.count, f"{said}, named like a count", "likely")
    if profile.says(name_words.SCALES) or profile.holds(name_words.SCALE_STEMS):
        return Guess(Kind.ordinal, f"{said}, named like a scale", "likely")
    if profile.says(name_words.NUMBERS) or profile.holds(name_words.NUMBER_STEMS):
        return _measured(profile, said, "named")
    return None


def _says_count(profile: Profile) -> bool:
    # N1 to N5 are the items of a scale; n and n_kids are numbers
    if re.fullmatch(r"[a-z]\d+", profile.name, re.IGNORECASE):
        return False
    named = profile.says(name_words.COUNTS)
    return named or profile.holds(name_words.COUNT_STEMS)


def _measured(profile: Profile, said: str, by: str) -> Guess:
    """Few values of something that is measured: itself, or classes of it."""
    if (
        profile.has_all_between
        and profile.low <= 1
        and profile.holds(name_words.AMOUNTS)
    ):
        return Guess(
            Kind.ordinal,
            f"{said} without a gap, {by} like an amount: classes of it",
            "likely",
        )
    return Guess(Kind.count, f"{said}, {by} like a number", "likely")


def _by_values(profile: Profile, said: str) -> Guess:
    """Neither name nor label says anything: in doubt it is a category."""
    size = profile.size
    if profile.has_all_between and profile.low <= 1 and size >= LEAST_STEPS:
        return Guess(
            Kind.ordinal,
            f"{said} without a gap, which look like a scale",
            "unsure",
            ask="a scale (ordinal), a count, or codes without order (nominal)?",
        )
    return Guess(
        Kind.nominal,
        f"{said}, which look like codes",
        "unsure",
        ask="codes (nominal), steps of a scale (ordinal), or numbers (count)?",
    )


def _of_many(profile: Profile, whole: str) -> Guess:
    """Many distinct values."""
    schooling = profile.holds(name_words.SCHOOLING)
    if schooling and profile.low >= 0 and profile.high <= MOST_YEARS_OF_SCHOOL:
        return Guess(Kind.count, f"{whole}, named like years of schooling", "likely")
    named_code = (
        profile.says(name_words.CODES)
        or profile.holds(name_words.CODE_STEMS)
        or ENDS.search(profile.name) is not None
        or is_place(profile)
    )
    if profile.labelled(name_words.CODE_LABEL) or (
        named_code and not _is_labelled(profile)
    ):
        return Guess(
            Kind.code,
            f"{whole} with many values, named like a code",
            "unsure",
            ask="codes (code), a number of a person (person), or a count?",
        )
    if profile.holds(name_words.AMOUNTS) and _are_classes(profile):
        return Guess(
            Kind.ordinal,
            f"{whole} from {profile.low:g} to {profile.high:g} without a gap, "
            "named like an amount: classes of it",
            "likely",
            ask="classes of an amount (ordinal), or the amount itself (continuous)?",
        )
    category = profile.says(name_words.CATEGORIES) or profile.holds(
        name_words.CATEGORY_STEMS
    )
    if category and profile.repeats and not _is_labelled(profile):
        return Guess(
            Kind.code,
            f"{whole} with many values, named like a category",
            "unsure",
            ask="codes (code), or a number (count, continuous)?",
        )
    counted = profile.labelled(name_words.COUNT_LABEL) or _says_count(profile)
    if profile.low >= 0 and counted:
        return Guess(Kind.count, f"{whole} with many values, named like a count")
    if _is_scale_of_eleven(profile):
        return Guess(
            Kind.ordinal,
            f"{whole} from {profile.low:g} to {profile.high:g}, which look like a scale",
            "unsure",
            ask="a scale (ordinal), or a count?",
        )
    if _are_groups(profile):
        return Guess(
            Kind.code,
            f"{whole} from {profile.low:g} on, as numbers of groups of records have",
            "unsure",
            ask="codes (code), a number of a person (person), or a count?",
        )
    small = 0 <= profile.low <= 1 and profile.high <= MOST_COUNTED
    if small and profile.repeats:
        return Guess(Kind.count, f"{whole} from {profile.low:g} up", "likely")
    return Guess(Kind.continuous, f"{whole} with many values", "likely")


def _is_labelled(profile: Profile) -> bool:
    """The label says that it is a number."""
    return profile.labelled(name_words.COUNT_LABEL) or profile.labelled(
        name_words.NUMBER_LABEL
    )


def _is_scale_of_eleven(profile: Profile) -> bool:
    """0 to 10 or 1 to 11, the longest scales of surveys, and neither name nor label says more."""
    named = profile.says(name_words.NUMBERS) or profile.holds(name_words.NUMBER_STEMS)
    eleven = profile.size == ELEVEN and profile.has_all_between
    return bool(
        eleven and profile.low in (0, 1) and profile.repeats and not named
    ) and not _is_labelled(profile)


def _are_groups(profile: Profile) -> bool:
    """Numbers that were given out: 1, 2, 3, ... as the file is sorted, or as many of each as chance
    has it."""
    if profile.low not in (0, 1) or not profile.repeats or _is_labelled(profile):
        return False
    if profile.says(name_words.NUMBERS) or profile.holds(name_words.NUMBER_STEMS):
        return False
    of_time = (name_words.YEARS, name_words.MONTHS, name_words.TIMES)
    time = any(profile.holds(stems) for stems in of_time)
    if profile.rises and profile.has_all_between and not time:
        return True
    some = profile.size >= LEAST_GROUPS and profile.high <= MOST_GROUPS
    if not some or profile.size < DENSE * (profile.high - profile.low + 1):
        return False
    values = np.arange(profile.low, profile.high + 1)
    times = np.array(profile.counts(values.tolist()))
    # people round what they say, and nobody rounds a number that was given out
    fives = values % 5 == 0
    heaped = times[fives].mean() > HEAPED * times[~fives].mean()
    # as often as chance has it is every value of a random number
    dispersion = times.var() / times.mean()
    by_chance = 1 / BY_CHANCE < dispersion < BY_CHANCE
    if heaped or by_chance or dispersion == 0:
        return bool(dispersion == 0)
    return float(np.corrcoef(times[1:], times[:-1])[0, 1]) < ALIKE


def _are_classes(profile: Profile) -> bool:
    """Every whole number of a short range, each seen often: numbers of classes."""
    short = profile.size <= MOST_CLASSES and profile.has_all_between
    share = profile.holds(name_words.SHARES)
    return bool(short and profile.repeats and profile.low >= 0 and not share)
