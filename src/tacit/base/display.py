"""How results show themselves: the drawing is the report's, the classes only ask for it.

The rooms below ``report`` may not import it. They name the function that draws them, and it is
looked up when a notebook or ``to_html`` asks, so that a plain computation never loads templates
and charts.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

REPORT = "tacit.report"


def show(function: str, *arguments: object, **options: object) -> Any:
    """Call a function of the report, given as ``module:name``."""
    module, _, name = function.partition(":")
    # ":name" is a function of the room itself
    place = f"{REPORT}.{module}" if module else REPORT
    draw = getattr(import_module(place), name)
    return draw(*arguments, **options)
