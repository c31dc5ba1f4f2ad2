"""One guess: what a column is, why, how sure that is, and what to ask if it is not."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.data.column import Category, Confidence, Kind, Role
from tacit.data.missing import Code


@dataclass(frozen=True)
class Guess:
    """A kind (and a role, where the values say it) with its reason.

    Parameters
    ----------
    kind : Kind
        What the values are.
    why : str
        The reason of the kind, in a phrase.
    confidence : str
        ``sure``, ``likely`` or ``unsure``.
    ask : str
        The question that a person must decide; empty where nothing is open.
    role, role_why : Role, str
        The role that the values give away, and its reason.
    categories : tuple, optional
        The order of an ordinal column.
    date_format : str
        How text says a date, in the letters of ``strptime``.
    missing : tuple
        Words without which the values are numbers or dates.
    """

    kind: Kind
    why: str
    confidence: Confidence = "sure"
    ask: str = ""
    role: Role | None = None
    role_why: str = ""
    categories: tuple[Category, ...] | None = None
    date_format: str = ""
    missing: tuple[Code, ...] = ()
