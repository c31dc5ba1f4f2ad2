"""How numbers, shares and times are written for people.

The same in the report, the page and the notebook.
"""

from __future__ import annotations

import math

from tacit.attack import registry as attackers
from tacit.base.facts import in_words, title_of
from tacit.loss import registry as losses
from tacit.protect import registry as protectors
from tacit.risk import registry as risks
from tacit.stream import registry as filters

THIN = "\u00a0"
"""A space that does not break: a number and its unit stay on one line."""
NONE = "–"
"""A number that there is not."""


def number(value: float | int | None) -> str:
    """A short form: 0, 0.034, 12.5, 1,080, 41.2k, 3.5M."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NONE
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else "−∞"
    sign = "−" if value < 0 else ""
    size = abs(value)
    if size == 0:
        return "0"
    for unit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if size >= unit:
            return f"{sign}{size / unit:.3g}{letter}"
    # a count of records is written out as long as it has at most five digits
    if size >= 1e5:
        return f"{sign}{size / 1e3:.0f}k"
    if size >= 1000 or float(size).is_integer():
        return f"{sign}{size:,.0f}"
    if size >= 0.001:
        # through text and back: three digits, without zeros at the end
        return f"{sign}{float(f'{size:.3g}'):g}"
    mantissa, power = f"{size:.1e}".split("e")
    return f"{sign}{mantissa}e{int(power)}"


def count(value: float | int | None) -> str:
    """A number of records: whole when whole, else with one decimal.

    Expected links can be fractions.
    """
    if value is None or not math.isfinite(value):
        return NONE
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def percent(share: float | None, digits: int | None = None) -> str:
    """A share of 1 as percent, with enough digits to tell small risks apart."""
    if share is None or not math.isfinite(share):
        return NONE
    value = 100 * share
    if digits is None:
        # nobody and everybody need no digit; below one percent a second one counts
        exact = value in (0, 100)
        digits = 0 if exact else 1 if abs(value) >= 1 else 2
    return f"{value:.{digits}f}{THIN}%"


def span(interval: tuple[float, float] | list[float] | None) -> str:
    """An interval of shares."""
    if not interval:
        return NONE
    return f"{percent(interval[0])} to {percent(interval[1])}"


def seconds(value: float | None) -> str:
    """A time, in the unit that keeps it short: 2.5 ms, 250 ms, 12.0 s, 3.4 min."""
    if value is None or not math.isfinite(value):
        return NONE
    if value < 0.01:
        return f"{1000 * value:.1f} ms"
    if value < 1:
        return f"{1000 * value:.0f} ms"
    if value < 100:
        return f"{value:.1f} s"
    return f"{value / 60:.1f} min"


def roughly(value: float) -> str:
    """A time that is a guess: 12 s, 4 min."""
    return f"{value:.0f} s" if value < 90 else f"{value / 60:.0f} min"


def one_in(share: float | None) -> str:
    """A share as 'one in so many', which people read better than small percentages."""
    if share is None or not math.isfinite(share) or share <= 0:
        return "none"
    if share >= 0.995:
        return "every one"
    # 'one in 1' would be wrong above a half, and 10 in 10 would be everybody
    if share > 0.5:
        of = 10 if share < 0.95 else 100
        return f"{round(share * of)} in {of}"
    return f"one in {round(1 / share):,}"


def limit(share: float | None) -> str:
    """A threshold as percent, without digits that nobody set."""
    return NONE if share is None else f"{100 * share:g}{THIN}%"


def title(name: str) -> str:
    """The title of a registered method or measure; any other name is written as words."""
    for registry in (attackers, protectors, risks, losses, filters):
        if name in registry:
            return title_of(registry[name], name)
    return in_words(name)


def inside(name: str) -> str:
    """The title in the middle of a sentence; abbreviations stay."""
    text = title(name)
    abbreviated = text[1:2].isupper()
    return text if abbreviated else text[:1].lower() + text[1:]
