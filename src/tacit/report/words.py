"""How numbers, shares and times are written for people, the same in the report, the page and the notebook."""

from __future__ import annotations

import math

THIN = "\u00a0"
"""A space that does not break: a number and its unit stay on one line."""


def number(value: float | int | None) -> str:
    """A short form: 0, 0.034, 12.5, 1,080, 41.2k, 3.5M."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else "−∞"
    sign = "−" if value < 0 else ""
    size = abs(value)
    if size == 0:
        return "0"
    for limit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if size >= limit:
            return f"{sign}{size / limit:.3g}{letter}"
    if size >= 1e5:
        return f"{sign}{size / 1e3:.0f}k"
    if size >= 1000 or float(size).is_integer():
        return f"{sign}{size:,.0f}"
    if size >= 0.001:
        return f"{sign}{float(f'{size:.3g}'):g}"
    mantissa, power = f"{size:.1e}".split("e")
    return f"{sign}{mantissa}e{int(power)}"


def count(value: float | int | None) -> str:
    """A number of records: whole when whole, else with one decimal (expected links can be fractions)."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def percent(share: float | None, digits: int | None = None) -> str:
    """A share of 1 as percent, with enough digits to tell small risks apart."""
    if share is None or not math.isfinite(share):
        return "–"
    value = 100 * share
    if digits is None:
        digits = 0 if value in (0, 100) else 1 if abs(value) >= 1 else 2
    return f"{value:.{digits}f}{THIN}%"


def span(interval: tuple[float, float] | list[float] | None) -> str:
    """An interval of shares."""
    if not interval:
        return "–"
    return f"{percent(interval[0])} to {percent(interval[1])}"


def seconds(value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "–"
    if value < 0.01:
        return f"{1000 * value:.1f} ms"
    if value < 1:
        return f"{1000 * value:.0f} ms"
    if value < 100:
        return f"{value:.1f} s"
    return f"{value / 60:.1f} min"


def one_in(share: float | None) -> str:
    """A share as 'one in so many', which people read better than small percentages."""
    if share is None or not math.isfinite(share) or share <= 0:
        return "none"
    if share >= 0.995:
        return "every one"
    if share > 0.5:
        return f"{round(share * 10)} in 10" if share < 0.95 else f"{round(share * 100)} in 100"
    return f"one in {round(1 / share):,}"


def limit(share: float | None) -> str:
    """A threshold as percent, without digits that nobody set."""
    return "–" if share is None else f"{100 * share:g}{THIN}%"


TITLES = {
    "nearest": "Nearest record",
    "assignment": "Optimal assignment",
    "unchanged_columns": "Columns left alone",
    "aware": "Knows how it was masked",
    "rerun": "Knows the method and runs it again",
    "reverse": "Guesses how it was masked",
    "weighted": "Learned weights",
    "link_probabilities": "Link probabilities",
    "pram": "PRAM",
    "massc": "MASSC",
    "ipso": "IPSO",
    "dp_microaggregation": "Microaggregation, differentially private",
    "laplace": "Laplace mechanism",
    "dld": "Nearest-record linkage, averaged",
    "dld_assignment": "Assignment linkage, averaged",
    "pld": "Probabilistic linkage, averaged",
    "strongest": "Strongest linkage",
    "interval": "Interval disclosure",
    "interval_sd": "Interval disclosure, by sd",
    "attribute": "Attribute disclosure",
    "k_anonymity": "k-anonymity",
    "l_diversity": "l-diversity",
    "t_closeness": "t-closeness",
    "probabilistic": "Fellegi-Sunter",
    "suda": "Special uniques (SUDA)",
    "private": "Microaggregation, differentially private",
    "clusters": "Clusters with a delay limit",
    "coding": "Top and bottom coding",
    "top_bottom_coding": "Top and bottom coding",
    "multiplicative": "Multiplicative noise",
    "PIL": "Probabilistic information loss",
    "IL": "Information loss (IL)",
    "KS": "Kolmogorov-Smirnov distance",
    "TV": "Total variation",
    "SSE": "SSE / SST",
    "pMSE": "Propensity score (pMSE)",
}
"""Names that are abbreviations get their words; every other name is its own title."""


def title(name: str) -> str:
    """The name of a method or measure as a heading: `local_suppression` becomes `Local suppression`."""
    if name in TITLES:
        return TITLES[name]
    words = name.replace("_", " ").replace("-", " ").strip()
    return words[:1].upper() + words[1:]


def inside(name: str) -> str:
    """The title in the middle of a sentence; abbreviations stay."""
    text = title(name)
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
