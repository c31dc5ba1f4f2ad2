"""What method-aware attackers share: evidence on their columns, and a rule that turns it into links."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacit.attack.base import Attacker, Matching
from tacit.attack.evidence import Evidence, Rule, link_by, restore, value_order
from tacit.microdata import FloatArray, Kind, Microdata


class Informed(Attacker):
    """An intruder who knows how the file was masked.

    A method writes `evidence`: minus the log likelihood of 'masked j came from original i'. The rule is
    `assignment` (all links at once: the intruder knows that the link is a bijection), `nearest` or `likeliest`.
    """

    method: ClassVar[str] = ""
    rule: Rule

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        raise NotImplementedError

    def _link(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        ours, theirs = value_order(original), value_order(masked)
        return restore(self._match(original.take(ours), masked.take(theirs), columns), ours, theirs)

    def _match(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        """Link files whose rows are in the order of their values."""
        return link_by(self.evidence(original, masked, columns), self.rule)

    def _says(self, told: str) -> str:
        together = ", and that each masked record belongs to one original" if self.rule == "assignment" else ""
        return f"every compared column of each original, {told}{together}"


def continuous(data: Microdata, columns: list[str]) -> list[str]:
    return [name for name in columns if data.schema[name].kind is Kind.continuous]


def numbers(original: Microdata, masked: Microdata, columns: list[str]) -> tuple[FloatArray, FloatArray]:
    """Continuous columns of both files, centred at the original's mean; missing values sit there."""
    if not columns:
        return np.empty((original.n, 0)), np.empty((masked.n, 0))
    wrong = [name for name in columns if masked.schema[name].kind is not Kind.continuous]
    if wrong:
        masked = masked.with_schema(masked.schema.set(continuous=wrong))
    x, z = original.numbers(columns), masked.numbers(columns)
    present = np.maximum((~np.isnan(x)).sum(0), 1)
    mean = np.where(np.isnan(x), 0.0, x).sum(0) / present
    return np.nan_to_num(x - mean), np.nan_to_num(z - mean)
