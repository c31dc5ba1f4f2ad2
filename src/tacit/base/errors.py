"""Errors that a user can mend.

Each message is one sentence: which file, column or row, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from tacit.base.visible import visible

# letters of a sentence that somebody reads, and how many of them stand at its end
LONGEST, AT_THE_END = 1500, 300


class TacitError(ValueError):
    """Anything wrong with what the user gave; the command line prints it and exits with code 2."""

    def __init__(self, sentence: str) -> None:
        # names of columns may hold line breaks and worse; a sentence does not
        super().__init__(visible(" ".join(in_short(sentence).split())))


class InputError(TacitError):
    """The data cannot be used as they are."""


class OtherTypeError(InputError, TypeError):
    """The data are of a type that is no table of numbers (scikit-learn asks for a TypeError)."""


class ColumnError(InputError):
    """A column is unknown, or of a kind or role that the method cannot take."""


class ParameterError(TacitError):
    """A parameter is unknown or outside its range."""


class MissingExtra(TacitError):
    """An optional package is not installed."""

    def __init__(
        self,
        package: str,
        extra: str,
        what: str,
    ) -> None:
        super().__init__(
            f"{what} needs the package '{package}', which is not installed; "
            f"run: pip install 'tacit[{extra}]'"
        )


def some(names: Iterable[str], most: int = 8) -> str:
    """Names in a sentence; of many, the first.

    >>> some("abcd", most=2)
    "'a', 'b' and 2 more"
    """
    every = list(names)
    shown = ", ".join(f"'{name}'" for name in every[:most])
    left = len(every) - most
    return f"{shown} and {left:,} more" if left > 0 else shown


def in_short(text: str, longest: int = LONGEST, at_the_end: int = AT_THE_END) -> str:
    """A text of which the middle is left out where it is too long.

    >>> in_short("abcdefghij", longest=8, at_the_end=2)
    'a ... ij'
    """
    if len(text) <= longest:
        return text
    return f"{text[: longest - at_the_end - 5]} ... {text[len(text) - at_the_end :]}"


def shown(value: object, longest: int = 60) -> str:
    """A value in a sentence, as Python writes it; of a long one the beginning.

    >>> shown("x" * 99, longest=9)
    "'xxx ..."
    """
    try:
        text = repr(value)
    except Exception:  # of a stranger's class
        text = f"a {type(value).__name__}"
    return in_short(text, longest, at_the_end=0).rstrip()


def choices(
    name: object,
    known: Iterable[str],
    most: int = 60,
) -> str:
    """What there is, for a message about a name that there is not; the nearest name first.

    >>> choices("nois", ["pram", "noise"])
    "did you mean 'noise'? There are: pram, noise"
    """
    names = list(known)
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    all_of_them = f"There are: {', '.join(names[:most]) or 'none'}{more}"
    near = get_close_matches(name, names, 1) if isinstance(name, str) else []
    if not near:
        return all_of_them
    return f"did you mean '{near[0]}'? {all_of_them}"


class TacitWarning(UserWarning):
    """Something that the user should know about a result that was computed all the same."""

    def __init__(self, sentence: str) -> None:
        super().__init__(visible(in_short(sentence, 2 * LONGEST)))
