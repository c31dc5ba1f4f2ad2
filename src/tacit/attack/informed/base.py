"""What method-aware attackers share: evidence on their columns, and a rule that turns it into
links."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from tacit.attack.base import Attacker, Matching
from tacit.attack.holding import GRAPH, Holding
from tacit.attack.informed.evidence import Evidence, Rule, link_by
from tacit.attack.informed.row_order import restore, value_order
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata, Role


class Informed(Attacker):
    """An intruder who knows how the file was masked.

    A method writes ``evidence``: minus the log likelihood of 'masked j came from original
    i'. The rule is ``assignment`` (all links at once: the intruder knows that the link is a
    bijection), ``nearest`` or ``likeliest``.
    """

    method: ClassVar[str] = ""
    rule: Rule
    held_over_blocks = Holding(480, 20, GRAPH)

    @property
    def works_over_blocks(self) -> bool:
        """Not by itself: where its evidence is vectors alone (``goes_over_blocks``)."""
        return False

    def goes_over_blocks(self, original: Microdata) -> bool:
        """Does its rule link all records at once, by vectors that files on the disk can give?"""
        columns = [name for name in original.quasi if name in original.schema]
        asked = getattr(self, "columns", None) or columns
        return self.rule == "assignment" and self.is_vectors(original, asked)

    def is_vectors(self, original: Microdata, columns: list[str]) -> bool:
        """Is the evidence on these columns vectors alone, of any release?

        Parameters
        ----------
        original : Microdata
            The file before masking, or its first records.
        columns : list of str
            The columns that are compared.
        """
        return False

    @property
    def compares_classes(self) -> bool:
        """No: the method says which label a number gets."""
        return False

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> Self | Informed:
        """The attacker who knows this protector.

        Parameters
        ----------
        protector : protector
            The step of the plan; its own parameters are known.
        original : Microdata
            It tells what the method computed from the originals (worst case).
        """
        return cls()

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Minus the log likelihood that each masked record came from each original.

        Parameters
        ----------
        original, masked : Microdata
            Both files.
        columns : list of str
            The columns that are compared.
        """
        raise NotImplementedError

    def _link(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        masked = _same_roles(original, masked)
        # row order is not knowledge: neither sums nor ties may depend on it
        ours = value_order(original)
        theirs = value_order(masked)
        matching = self._match(original.take(ours), masked.take(theirs), columns)
        return restore(matching, ours, theirs)

    def _match(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        """Link files whose rows are in the order of their values."""
        spill = spill_of(original)
        return link_by(self.evidence(original, masked, columns), self.rule, spill)

    def _says(self, knowledge: str) -> str:
        """The phrase of ``knows``, with what the rule adds."""
        phrase = f"every compared column of each original, {knowledge}"
        if self.rule == "assignment":
            phrase += ", and that each masked record belongs to one original"
        return phrase


def spill_of(original: Microdata) -> Path | None:
    """The folder of a file on the disk; None: it is in memory."""
    if original.in_memory:
        return None
    # measured: what reads files is not loaded where they are in memory
    from tacit.attack.over_blocks.blocked_files import folder_of

    return folder_of(original)


def _same_roles(original: Microdata, masked: Microdata) -> Microdata:
    """The release with the original's confidential columns: a file that was read has guesses."""
    names = [
        name
        for name in original.schema.names(role=Role.confidential)
        if name in masked.schema
    ]
    return masked.with_schema(masked.schema.set(confidential=names))


def continuous(data: Microdata, columns: list[str]) -> list[str]:
    """Those of the columns that are continuous."""
    return [name for name in columns if data.schema[name].scale is Kind.continuous]


def numbers(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
) -> tuple[Floats, Floats]:
    """Continuous columns of both files, centred at the original's mean; missing values sit there.

    Parameters
    ----------
    original, masked : Microdata
        Both files; a column that is continuous in the original is read so in both.
    columns : list of str
        Continuous columns of the original.
    """
    if not columns:
        return np.empty((original.n, 0)), np.empty((masked.n, 0))
    read_otherwise = [
        name for name in columns if masked.schema[name].scale is not Kind.continuous
    ]
    if read_otherwise:
        schema = masked.schema.set(continuous=read_otherwise)
        masked = masked.with_schema(schema)
    x = original.numbers(columns)
    z = masked.numbers(columns)
    # a column without any value has mean 0, not NaN
    present = np.maximum((~np.isnan(x)).sum(0), 1)
    mean = np.where(np.isnan(x), 0.0, x).sum(0) / present
    return np.nan_to_num(x - mean), np.nan_to_num(z - mean)
