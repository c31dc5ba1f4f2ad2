"""How numbers, p-values and cells are written on pages and terminals."""

from __future__ import annotations

import math

from tacit.reproduce.model import params
from tacit.reproduce.target_result import Result

# Smaller probabilities than this say no more.
LEAST = 0.0001


def number(value: float | None) -> str:
    """Short text of a number; empty for none."""
    if value is None or not math.isfinite(value):
        return ""
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:.4g}"


def p_text(p: float | None) -> str:
    """Two digits of a probability; 0 is what cannot be drawn.

    >>> p_text(0.034567), p_text(1.0), p_text(1e-9), p_text(0.0), p_text(None)
    ('0.035', '1', '<0.0001', '0', '')
    """
    if p is None:
        return ""
    return f"<{LEAST:g}" if 0 < p < LEAST else f"{p:.2g}"


def cell_text(result: Result, cell: str) -> str:
    """The parameters in which the cells of the target differ.

    What all cells share, such as filter and generator, is in the title of the table.
    """
    given = [set(params(other).items()) for other in result.values]
    shared = set.intersection(*given) if len(given) > 1 else set()
    own = [f"{name}={v}" for name, v in params(cell).items() if (name, v) not in shared]
    return " ".join(own) or cell
