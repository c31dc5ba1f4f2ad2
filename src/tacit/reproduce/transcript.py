"""The published values, as transcribed from the papers into ``published/*.csv``.

The columns are target, cell, measure, value, spread. ``value`` is kept as the text that was
printed: its last digit tells how far it was rounded. ``spread`` is the standard deviation over
the executions of which the value is the mean, where the paper gives one. ``runs.csv`` says of each
table what kind of run it shows: nothing drawn, one draw, or the mean of so many executions.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# The file that says what kind of run each table shows; the others hold values.
RUNS = "runs.csv"


@dataclass(frozen=True)
class Runs:
    """What kind of run a published table shows, and how that is known.

    Parameters
    ----------
    count : int
        Executions of which a value is the mean; 0 where nothing is drawn.
    said : bool
        Whether the document says so. Where it does not, a value is taken for one draw.
    where : str
        The place that says so, or what speaks for it.
    """

    count: int = 1
    said: bool = False
    where: str = ""

    def __str__(self) -> str:
        """In words, for pages and terminals.

        >>> str(Runs(10, True)), str(Runs(1, False)), str(Runs(0, True))
        ('mean of 10 runs', 'one draw (not said)', 'nothing drawn')
        """
        kind = {0: "nothing drawn", 1: "one draw"}.get(
            self.count, f"mean of {self.count} runs"
        )
        return kind if self.said else f"{kind} (not said)"


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


def _rows(wanted: bool) -> Iterator[dict[str, str]]:
    """The lines of the file of runs, or of all files of values."""
    folder = files("tacit.reproduce").joinpath("published")
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        # the list of known differences lies there as well
        if file.name.endswith(".csv") and (file.name == RUNS) == wanted:
            yield from csv.DictReader(file.read_text(encoding="utf-8").splitlines())


@cache
def published() -> dict[str, dict[str, dict[str, Published]]]:
    """The transcript: target -> cell -> measure -> Published."""
    table: dict[str, dict[str, dict[str, Published]]] = {}
    for row in _rows(wanted=False):
        spread = float(row["spread"]) if row["spread"] else None
        cells = table.setdefault(row["target"], {}).setdefault(row["cell"], {})
        cells[row["measure"]] = Published(row["value"], spread)
    return table


@cache
def runs() -> dict[str, Runs]:
    """What kind of run each published table shows."""
    return {
        row["target"]: Runs(int(row["runs"]), row["said"] == "yes", row["where"])
        for row in _rows(wanted=True)
    }
