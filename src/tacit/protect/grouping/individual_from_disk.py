"""Individual ranking of a file on the disk: each column averaged along its own line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.base.errors import ParameterError
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core.column_numbers import ColumnNumbers
from tacit.protect.by_rank import decoded
from tacit.protect.grouping.along_line import Average
from tacit.protect.grouping.gap_classes import too_few_values
from tacit.protect.grouping.line_from_disk import (
    TooFew,
    ValueOrder,
    masked_along_disk,
)
from tacit.protect.grouping.value_order import refuse_weights


def averaged_on_disk(
    data: OnDisk,
    lines: Sequence[tuple[str, int]],
    weight: Sequence[str],
    average: Mapping[str, Average],
    *,
    optimal: bool,
    fill: bool,
) -> OnDisk:
    """The file with the averages of groups along each column.

    Parameters
    ----------
    data : OnDisk
        The file.
    lines : list of (str, int)
        The columns, and the smallest group of each.
    weight : list of str
        The column of sampling weights, if they are used.
    average : dict of function
        Mean or median, by column, in the order in which columns break ties.
    optimal : bool
        The best groups, or runs of k.
    fill : bool
        Records without a value get an average, too.
    """
    folder = data.disk.folder
    for name in weight:
        refuse_weights(data, name)
    # equal values are in the order of the columns, and then of the weights, as in memory
    keys = [*average, *weight]
    order = ValueOrder.of([ColumnNumbers.of(data, name) for name in keys], folder)
    weights = ColumnNumbers.of(data, weight[0]) if weight else None
    for name, k in lines:
        column = ColumnNumbers.of(data, name)
        how = order, weights, k, average[name], folder
        try:
            numbers = masked_along_disk(column, *how, optimal=optimal, fill=fill)
        except TooFew as few:
            why = too_few_values([name], few.args[0], k)
            raise ParameterError(why) from None
        # a column without any value stays as it is
        if numbers is not None:
            data = decoded(data, name, numbers)
    order.ranks.remove()
    return data
