"""Dates in text: which format, and whether day and month can be told apart."""

from __future__ import annotations

import re

from tacit.data.column import Kind
from tacit.data.dates import both_ways, formats_of
from tacit.data.inference.guess import Guess
from tacit.data.inference.profile import Profile

# 19 of 20: a slip here and there is named by its row when the column is read
MOST = 0.95
_LIKE = re.compile(
    r"\d{1,4}[-/. ]?(\d{1,2}|[^\W\d_]{3,9})[-/. ,]*\d{0,4}.*|[^\W\d_]{3,9} .*"
)
_NAMED = re.compile(r"date|datum|fecha|dob|birth|geb|dat$", re.IGNORECASE)
# texts on which all formats are tried: a column that is no date costs little
TRIED = 100


def of_dates(profile: Profile) -> Guess | None:
    """A column of text dates, or None.

    Where every value reads as a date with the day first and with the month first, nothing is
    guessed: the column stays a category, and the question is asked.
    """
    texts = profile.sample
    if not texts or not all(any(c.isdigit() for c in text) for text in texts[:5]):
        return None
    if profile.share(_LIKE) < MOST:
        return None
    few = formats_of(texts[:TRIED])
    shares = formats_of(texts) if few and few[0][1] >= MOST else []
    best = [form for form, share in shares if share == shares[0][1] and share >= MOST]
    if not best:
        return None
    if best[0] == "%Y%m%d" and not _NAMED.search(profile.name):
        return None
    ways = both_ways(best)
    if ways:
        example = texts[0]
        return Guess(
            Kind.nominal,
            "dates in which day and month cannot be told apart",
            "unsure",
            ask=f"is {example} day first or month first? "
            f"kind = date with date_format = '{ways[0]}' or '{ways[1]}'",
        )
    slips = "" if shares[0][1] == 1 else ", with slips"
    return Guess(
        Kind.date,
        f"text dates as {best[0]}{slips}",
        "sure" if not slips else "likely",
        date_format=best[0],
    )
