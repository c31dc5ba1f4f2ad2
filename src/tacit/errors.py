"""Errors that a user can mend. Each message is one sentence: which file, column or row, and what to do."""

from __future__ import annotations


class TacitError(ValueError):
    """Anything wrong with what the user gave; the command line prints it and exits with code 2."""

    def __init__(self, sentence: str) -> None:
        super().__init__(" ".join(sentence.split()))  # names of columns may hold line breaks; a sentence does not


class InputError(TacitError):
    """The data cannot be used as they are."""


class ColumnError(InputError):
    """A column is unknown, or of a kind or role that the method cannot take."""


class ParameterError(TacitError):
    """A parameter is unknown or outside its range."""


class MissingExtra(TacitError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str, what: str) -> None:
        super().__init__(
            f"{what} needs the package '{package}', which is not installed; run: pip install 'tacit[{extra}]'"
        )


class TacitWarning(UserWarning):
    """Something that the user should know about a result that was computed all the same."""
