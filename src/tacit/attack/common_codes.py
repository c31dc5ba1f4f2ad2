"""Codes of categories that mean the same in both files."""

from __future__ import annotations

import numpy as np

from tacit.base.errors import ColumnError
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Kind, Microdata
from tacit.data.schema import Category


def common_codes(
    original: Microdata,
    masked: Microdata,
    name: str,
) -> tuple[Floats, Floats, int]:
    """Codes of a nominal or ordinal column over the categories of both files.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    name : str
        A nominal or ordinal column of the original; the masked one is read the same way.

    Returns
    -------
    codes, masked_codes, size
        NaN where missing; ``size``: how many categories there are in all.
    """
    kind = original.schema[name].scale
    # the original says how a column is read
    if masked.schema[name].scale != kind:
        masked = masked.with_schema(masked.schema.set(**{str(kind): [name]}))
    ours = original.categories(name)
    theirs = masked.categories(name)
    known = set(ours)
    every = ours + [value for value in theirs if value not in known]
    if kind is Kind.ordinal and len(every) > len(ours):
        # new values must fall into the order of the old ones
        try:
            every = sorted(every)
        except TypeError:
            # '2023-05' and '2023 Q2' stand beside the days that they hold, written as text
            if original.schema[name].kind is Kind.date:
                every = sorted(every, key=str)
                return _both(original, masked, name, every)
            raise ColumnError(
                f"column '{name}': the masked file has values that the original's order "
                "does not know"
            ) from None
    return _both(original, masked, name, every)


def _both(
    original: Microdata,
    masked: Microdata,
    name: str,
    every: list[Category],
) -> tuple[Floats, Floats, int]:
    """The places of both files' values among all of them."""
    code = {value: position for position, value in enumerate(every)}
    ours = [code[value] for value in original.categories(name)]
    theirs = [code[value] for value in masked.categories(name)]
    x = _recode(original.column(name), ours)
    z = _recode(masked.column(name), theirs)
    return x, z, len(every)


def _recode(codes: Floats, new: list[int] | Ints) -> Floats:
    """``new[code]`` for each code; NaN stays NaN."""
    # the last place of the table is for missing values
    table = np.asarray([*new, np.nan], dtype=np.float64)
    place = np.where(np.isnan(codes), len(new), codes)
    return table[place.astype(np.int64)]


def one_sided_merged(x: Floats, z: Floats, size: int) -> tuple[Floats, Floats, int]:
    """The same agreements with fewer codes: those of one file alone become one code of that file.

    A category that the other file does not have differs from everything there, whatever it is.
    So coarsened categories ('13' has become '10-19') need no code each, and records that no
    comparison can tell apart are identical.

    >>> one_sided_merged(np.array([0.0, 1, 2]), np.array([2.0, 3, np.nan]), 4)
    (array([1., 1., 0.]), array([ 0.,  2., nan]), 3)
    """
    ours = np.bincount(x[~np.isnan(x)].astype(np.int64), minlength=size) > 0
    theirs = np.bincount(z[~np.isnan(z)].astype(np.int64), minlength=size) > 0
    common = ours & theirs
    both = int(common.sum())
    has_ours, has_theirs = bool((ours & ~theirs).any()), bool((theirs & ~ours).any())
    new = np.where(ours, both, both + has_ours)
    new[common] = np.arange(both)
    return _recode(x, new), _recode(z, new), both + has_ours + has_theirs
