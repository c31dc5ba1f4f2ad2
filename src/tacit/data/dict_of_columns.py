"""A dict of columns: each a list, an array or a column of some library."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import pyarrow as pa

from tacit.base.errors import InputError, shown
from tacit.data.category_codes import as_arrow
from tacit.data.frames import NO_TYPE_FITS, Frame, no_type_fits


def of_columns(data: Mapping[Hashable, Frame]) -> pa.Table:
    """A dict of columns as a table; what is no column, or of another length, is said."""
    columns: dict[str, pa.Array] = {}
    for label, values in data.items():
        name = str(label)
        if name in columns:
            raise InputError(
                f"two columns are named '{name}'; give each column a name of its own"
            )
        if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
            raise InputError(
                f"column '{name}' is {shown(values)}, and no list of values; give one value for "
                "each record"
            )
        try:
            columns[name] = as_arrow(values)
        except (*NO_TYPE_FITS, TypeError, ValueError) as error:
            raise InputError(no_type_fits(name, error)) from None
        first = next(iter(columns))
        if len(columns[name]) != len(columns[first]):
            raise InputError(
                f"column '{name}' has {len(columns[name]):,} values and column '{first}' has "
                f"{len(columns[first]):,}; give one for each record"
            )
    return pa.table(columns)
