"""An age instead of a date of birth."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import numpy as np
import pyarrow as pa
from annotated_types import Ge

from tacit.base.errors import InputError, ParameterError
from tacit.base.parameters import IsoDate
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata
from tacit.protect.dated import DateProtector


class AgeAt(DateProtector):
    """Replace dates of birth by ages in whole years at a reference date.

    Parameters
    ----------
    at : str
        The reference date, as 2024-12-31.
    width : int
        Years of a class; an age is released as the first of its class: 5 gives 30 for 30 to 34.
    top : int, optional
        Ages above it are released as this one.
    columns : list of str, optional
        Columns to mask; the quasi-identifiers that are dates unless given.

    Notes
    -----
    **Definition.** age = years between birth and ``at``, less one before the birthday of that
    year (who is born on 29 February has it on 1 March); then width floor(age / width), and at
    most ``top``. Missing dates are missing ages. The column becomes a count.

    **Guarantee.** Who has the same age (class) has the same value.

    **Cost.** Linear.

    **Known attacks.** An age leaves a year of dates of birth; releases at several reference
    dates narrow it down to the days between them (containment, ``informed.rerun``).

    References
    ----------
    Willenborg and De Waal (2001), as a global recoding.

    Examples
    --------
    >>> import tacit as tc
    >>> data = tc.Microdata.of({"born": ["1980-06-01", "1981-01-31"]}, date="born")
    >>> AgeAt(at="2020-05-31").fit_transform(data).to_native()["born"].to_pylist()
    [39, 39]
    """

    title = "Age at a date"
    purpose = "publish an age instead of a date of birth"
    goal = "blur dates"
    plain = {
        "at": "day on which ages are counted",
        "width": "years in one class",
        "top": "oldest class from",
    }
    attacker = "informed.rerun:Rerun"
    changes_types = "a date becomes a number of years"
    keeps_levels = True
    example = {"at": "2024-12-31"}
    whole_file = "dates are not read in blocks"
    passes = "values"

    def __init__(
        self,
        at: IsoDate = "",
        width: Annotated[int, Ge(1)] = 1,
        top: Annotated[int, Ge(0)] | None = None,
        columns: list[str] | None = None,
    ) -> None:
        self.at = at
        self.width = width
        self.top = top
        self.columns = columns

    def _apply(
        self,
        data: Microdata,
        columns: list[str],
        rng: np.random.Generator,
    ) -> Microdata:
        try:
            day = date.fromisoformat(str(self.at))
        except ValueError:
            raise ParameterError(
                f"at = {str(self.at)!r} is no date; give the reference date as 2024-12-31"
            ) from None
        for name in columns:
            ages = ages_at(data.days(name), day)
            unborn = ages < 0
            if unborn.any():
                row = int(np.argmax(unborn)) + 1
                raise InputError(
                    f"column '{name}', row {row}: the date lies after {self.at}; "
                    "correct it, or give a later reference date"
                )
            classes = ages // self.width * self.width
            if self.top is not None:
                classes = np.minimum(classes, self.top)
            years = pa.array(classes, from_pandas=True)
            whole = years.cast(pa.int64())
            data = data.with_column(name, whole, kind=Kind.count)
        return data


def ages_at(births: Floats, day: date) -> Floats:
    """Whole years from each day of birth to the reference day; NaN stays.

    Parameters
    ----------
    births : array
        Days since 1970-01-01.
    day : date
        The reference day.
    """
    gaps = np.isnan(births)
    filled = np.where(gaps, 0, births)
    born = np.floor(filled).astype("datetime64[D]")
    month = born.astype("datetime64[M]")
    since_1970 = born.astype("datetime64[Y]").astype(np.int64)
    year = since_1970 + 1970
    month_of_year = month.astype(np.int64) % 12 + 1
    day_of_month = (born - month).astype(np.int64) + 1
    same_month = month_of_year == day.month
    earlier = month_of_year < day.month
    passed = earlier | (same_month & (day_of_month <= day.day))
    ages = day.year - year - np.where(passed, 0, 1)
    return np.where(gaps, np.nan, ages.astype(np.float64))
