"""Dates cut to the month, the quarter or the year."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tacit.base.typing import Floats
from tacit.data.microdata import Microdata
from tacit.protect.dated import DateProtector

MONTHS = {"month": 1, "quarter": 3, "year": 12}


class DateTruncation(DateProtector):
    """Replace a date by the first day of its month, quarter or year.

    Parameters
    ----------
    to : {'month', 'quarter', 'year'}
        What is left of the date.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers that are dates unless given.

    Notes
    -----
    **Definition.** With m = 12 year + month - 1 counted from 0, and w = 1, 3 or 12 months,
    the date becomes the first day of month w floor(m / w). Times of day go; missing dates
    stay.

    **Guarantee.** Dates of the same month (quarter, year) are released as the same date.

    **Cost.** Linear.

    **Known attacks.** A date lies in its month; several dates of one person intersect, and
    intervals between them are known up to two months (containment, ``informed.rerun``).

    References
    ----------
    Willenborg and De Waal (2001), as a global recoding.

    Examples
    --------
    >>> import tacit as tc
    >>> data = tc.Microdata.of({"born": ["17/05/1980", "28/11/1981"]}, date="born")
    >>> tc.protect.DateTruncation(to="quarter").fit_transform(data).to_native()["born"].to_pylist()
    ['01/04/1980', '01/10/1981']
    """

    title = "Date truncation"
    purpose = "publish the month, the quarter or the year of a date"
    goal = "blur dates"
    plain = {"to": "what is left of a date"}
    attacker = "informed.rerun:Rerun"
    keeps_levels = True
    whole_file = "dates are not read in blocks"
    passes = "values"

    def __init__(
        self,
        to: Literal["month", "quarter", "year"] = "month",
        columns: list[str] | None = None,
    ) -> None:
        self.to = to
        self.columns = columns

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        for name in columns:
            days = truncated(data.days(name), MONTHS[self.to])
            data = data.with_days(name, days)
        return data


def truncated(days: Floats, months: int) -> Floats:
    """The first day of the run of months in which each day lies.

    Parameters
    ----------
    days : array
        Days since 1970-01-01; NaN stays.
    months : int
        Length of a run: 1, 3 or 12; runs begin in January.
    """
    gaps = np.isnan(days)
    filled = np.where(gaps, 0, days)
    whole = np.floor(filled).astype("datetime64[D]")
    month = whole.astype("datetime64[M]").astype(np.int64)
    # months are counted from January 1970, so that runs begin in January
    first_month = (month // months * months).astype("datetime64[M]")
    first = first_month.astype("datetime64[D]")
    return np.where(gaps, np.nan, first.astype(np.float64))
