"""Person and household numbers are replaced by release numbers: 1, 2, ... in random order.

The number of a household in the office's list says where it lives to whoever has the list. What
researchers need is who belongs together, and a number of the release says that as well. It is
drawn from the plan's key, so that ``tacit verify`` repeats it.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tacit.base import seeds
from tacit.data.buffers import array_of
from tacit.data.category_codes import floats
from tacit.data.microdata import Microdata, Role
from tacit.data.same_values import values_of

UNITS = (Role.person, Role.household)


def release_numbers(
    data: Microdata,
    key: int,
    kept: Collection[str] = (),
) -> Microdata:
    """The file with new numbers for persons and households, but for the columns that are kept.

    Equal numbers stay equal and different ones different; gaps stay gaps.

    Examples
    --------
    >>> data = Microdata.of({"hid": ["x9", "x9", "x7"], "age": [1, 2, 3]}, household="hid")
    >>> new = release_numbers(data, seeds.draw()).table["hid"].to_pylist()
    >>> new[0] == new[1], sorted(set(new))
    (True, [1, 2])
    """
    for place, column in enumerate(data.schema):
        if column.role not in UNITS or column.name in kept:
            continue
        values = data.table.column(column.name)
        # numpy by way of buffers: Arrow's own way loads pandas, a third of a second
        gaps = floats(values.is_null()) > 0
        known = values_of(data, column.name)[~gaps]
        _, code = np.unique(known, return_inverse=True)
        number = int(code.max(initial=-1)) + 1
        rng = seeds.generator(seeds.child(key, place))
        drawn = rng.permutation(number) + 1
        new = np.zeros(data.n, dtype=np.int64)
        new[~gaps] = drawn[code]
        numbers = array_of(new, gaps)
        data = data.with_column(column.name, numbers, kind=column.kind)
    return data
