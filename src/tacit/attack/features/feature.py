"""A feature of a record: what it reads of the release, in which way, and how it agrees."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.attack.features.agreement import Agreement


@dataclass(frozen=True)
class Feature:
    """Something that both files say of a record.

    Attributes
    ----------
    way
        How the released columns are used, in words for a table.
    columns
        The released columns that it reads.
    source
        The known columns that it is compared with, as text.
    agreement
        What both files say.
    """

    way: str
    columns: tuple[str, ...]
    source: str
    agreement: Agreement
