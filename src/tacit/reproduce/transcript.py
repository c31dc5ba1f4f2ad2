"""The published values, as transcribed from the papers into ``published/*.csv``.

The columns are target, cell, measure, value, spread. ``value`` is kept as the text that was
printed: its last digit tells how far it was rounded. ``spread`` is the standard deviation over
the executions of which the value is the mean, where the paper gives one.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# Executions behind a published mean with a spread (Abril, Navarro-Arribas and Torra 2012,
# section 4).
EXECUTIONS = 10


@dataclass(frozen=True)
class Published:
    """One printed number (or word)."""

    text: str
    spread: float | None = None

    @property
    def value(self) -> float | None:
        """The number that was printed; None for a word."""
        try:
            return float(self.text)
        except ValueError:
            return None

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit.

        >>> Published("3.298E+11").rounding
        50000000.0
        >>> Published("0.232").rounding
        0.0005
        """
        mantissa, _, exponent = self.text.upper().partition("E")
        digits = len(mantissa.partition(".")[2])
        return 0.5 * float(f"1e{int(exponent or 0) - digits}")


@cache
def published() -> dict[str, dict[str, dict[str, Published]]]:
    """The transcript: target -> cell -> measure -> Published."""
    table: dict[str, dict[str, dict[str, Published]]] = {}
    folder = files("tacit.reproduce").joinpath("published")
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        # the list of known differences lies there as well
        if not file.name.endswith(".csv"):
            continue
        lines = file.read_text(encoding="utf-8").splitlines()
        for row in csv.DictReader(lines):
            spread = float(row["spread"]) if row["spread"] else None
            cells = table.setdefault(row["target"], {}).setdefault(row["cell"], {})
            cells[row["measure"]] = Published(row["value"], spread)
    return table
