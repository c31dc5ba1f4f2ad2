"""Errors that a user can mend.

Each message is one sentence: which file, column or row, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class TacitError(ValueError):
    """Anything wrong with what the user gave; the command line prints it and exits with code 2."""

    def __init__(self, sentence: str) -> None:
        # names of columns may hold line breaks; a sentence does not
        super().__init__(" ".join(sentence.split()))


class InputError(TacitError):
    """The data cannot be used as they are."""


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


def choices(
    name: str,
    known: Iterable[str],
) -> str:
    """What there is, for a message about a name that there is not; the nearest name first.

    >>> choices("nois", ["pram", "noise"])
    "did you mean 'noise'? There are: pram, noise"
    """
    names = list(known)
    all_of_them = f"There are: {', '.join(names) or 'none'}"
    near = get_close_matches(name, names, 1)
    if not near:
        return all_of_them
    return f"did you mean '{near[0]}'? {all_of_them}"


class TacitWarning(UserWarning):
    """Something that the user should know about a result that was computed all the same."""
