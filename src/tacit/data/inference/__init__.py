"""What the columns of a file are, guessed from names, labels and values.

In doubt a column is ``quasi``, which never hides a risk, and a category, which is never
averaged. A guess says how sure it is, and what to ask where it is not.
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from tacit.data.column import Column, Kind, Role
from tacit.data.inference import identifiers, missing_codes
from tacit.data.inference.guess import Guess
from tacit.data.inference.number_kinds import NEGATIVE, of_numbers
from tacit.data.inference.precision import decimals_of
from tacit.data.inference.profile import Profile
from tacit.data.inference.roles import role_of
from tacit.data.inference.texts import is_named_code, of_texts
from tacit.data.missing import Code, Missing


def infer(
    name: str,
    values: pa.ChunkedArray,
    label: str = "",
    *,
    no_codes: bool = False,
) -> Column:
    """The column with its guessed kind and role, the reason of each, and how sure they are.

    Parameters
    ----------
    name : str
        Name of the column.
    values : Arrow column
        Its values.
    label : str
        What the file calls the column, in a phrase.
    no_codes : bool
        Somebody said that no value is a missing code.
    """
    profile = Profile(name, values, label)
    profile.no_codes = no_codes
    return infer_from(profile, values, decimals_of(values))


def infer_from(
    profile: Profile, values: pa.ChunkedArray, decimals: int | None
) -> Column:
    """As ``infer``, from a profile that may have been taken of a file larger than memory.

    ``values`` are some of the column, for its type and the order of a categorical.
    """
    name = profile.name
    guess = _kind(profile, values.type, values)
    if guess.missing:
        # what the column is, its codes apart
        return _without_codes(profile, guess.missing, values)
    role, role_why = role_of(profile, guess)
    kind = guess.kind
    why, ask, confidence = guess.why, guess.ask, guess.confidence
    if role is Role.weight:
        kind, why, ask, confidence = Kind.continuous, "a weight is a number", "", "sure"
    elif role in (Role.identifier, Role.person, Role.household):
        if kind is not Kind.text:
            kind, why = Kind.nominal, "tells records apart"
        if guess.role is None:
            ask = ""
            confidence = "likely"
    names_people = role in (Role.identifier, Role.person, Role.household)
    asks = not (names_people or profile.no_codes)
    suspects = missing_codes.suspected(profile) if asks else ()
    if suspects and ask == NEGATIVE:
        ask = ""
    return Column(
        name,
        kind,
        role,
        guess.categories if kind is guess.kind else None,
        f"{kind}: {why}; {role}: {role_why}",
        confidence=confidence,
        ask=ask,
        date_format=guess.date_format if kind is Kind.date else "",
        decimals=decimals,
        suspects=suspects,
    )


def _without_codes(
    profile: Profile, codes: tuple[Code, ...], values: pa.ChunkedArray
) -> Column:
    """A column of text that holds numbers or dates and some words: the words are taken for codes,
    which is asked."""
    missing = Missing(codes)
    inner = profile.opened(missing)
    guess = infer_from(inner, inner.values, decimals_of(inner.values))
    return replace(guess, missing=missing, suspects=codes)


def number(name: str) -> Column:
    """A column of an array, which has no name that says more than numbers."""
    why = "continuous: a column of an array; quasi: nothing says otherwise"
    return Column(name, Kind.continuous, Role.quasi, why=why)


def _kind(profile: Profile, type_: pa.DataType, values: pa.ChunkedArray) -> Guess:
    if pa.types.is_dictionary(type_):
        return _of_categorical(profile, values)
    if pa.types.is_boolean(type_):
        return Guess(Kind.boolean, "true or false")
    if pa.types.is_temporal(type_):
        return Guess(Kind.date, "dates or times")
    if profile.is_number:
        return identifiers.by_values(profile) or of_numbers(profile)
    if profile.is_text and not profile.no_codes:
        codes = missing_codes.among_numbers(profile) or missing_codes.among_dates(
            profile
        )
        if codes:
            return Guess(Kind.nominal, "text with codes", missing=codes)
    if profile.is_text:
        found = of_texts(profile)
        # sentences and dates may all differ, too
        if found.kind in (Kind.text, Kind.date) or found.ask.startswith("is "):
            return found
        # postcodes may all differ, and say so by their name
        if found.kind is Kind.code and is_named_code(profile):
            return found
        return identifiers.by_values(profile) or found
    return Guess(Kind.nominal, f"values of type {type_}", "unsure")


def _of_categorical(profile: Profile, values: pa.ChunkedArray) -> Guess:
    # two values have no order that matters, whatever the program that wrote them says
    if values.type.ordered and profile.size != 2:
        order = values.chunk(0).dictionary.to_pylist() if values.num_chunks else []
        return Guess(Kind.ordinal, "an ordered categorical", categories=tuple(order))
    if profile.is_text and profile.n:
        found = of_texts(profile)
        # who made a categorical meant categories
        if found.kind in (Kind.boolean, Kind.ordinal):
            return found
    return Guess(Kind.nominal, "a categorical")
