"""What a look before protection will cost, before it starts: bytes, passes, CPU time.

    CPU seconds = start + n / 10^6 * (opening x columns + counting x keys)
                  + combinations / 10^6 * each

for n records. Constants are microseconds, fitted once to 200,000 to 4,000,000 generated records of
six columns with three to five keys (one thread at 2.8 GHz). How many different combinations of keys
there are is known when they are counted; before, it is at most the product of the values that each
key has in the first records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from tacit.assess.held import Allowed
from tacit.data.microdata import Microdata
from tacit.scale.cost import Cost

MEMORY: Mapping[str, float] = {
    "start": 1.5,
    "opening": 0.05,
    "counting": 0.05,
    "each": 1.6,
}
DISK: Mapping[str, float] = {
    "start": 1.9,
    "opening": 0.06,
    "counting": 0.12,
    "each": 4.0,
}
# kinds and roles, the keys, and who stands out
PASSES = 3
# bytes of a key of a record in a file of pieces
WIDTH = 8


@dataclass(frozen=True)
class RiskCost:
    """What a look is expected to cost."""

    cost: Cost
    combinations: int
    """Different combinations of keys that there may be."""
    may_be_held: int | None
    """How many of them may be held; None: in memory nothing is refused."""

    def sentences(self) -> list[str]:
        """For the command line."""
        said = [self.cost.sentence()]
        if self.may_be_held is not None:
            said.append(
                f"Up to {self.combinations:,} different combinations of keys are expected, and "
                f"{self.may_be_held:,} may be held (--memory)."
            )
        return said

    def to_dict(self) -> dict[str, object]:
        """Plain types."""
        return asdict(self.cost) | {
            "combinations": self.combinations,
            "may_be_held": self.may_be_held,
        }


def risk_cost(
    data: Microdata, records: int, size: int, limit: int, *, on_disk: bool
) -> RiskCost:
    """The cost of a look at a file of so many records and bytes.

    Parameters
    ----------
    data : Microdata
        The first records of the file, in memory.
    records, size : int
        Records and bytes of the file.
    limit : int
        Bytes of memory that may be used.
    on_disk : bool
        Is the file larger than memory?
    """
    rates = DISK if on_disk else MEMORY
    keys = data.quasi
    values = (len(data.table.column(name).unique()) for name in keys)
    combinations = min(records, math.prod(values)) if keys else 0
    each = rates["opening"] * len(data.names) + rates["counting"] * len(keys)
    seconds = rates["start"] + records * each / 1e6
    seconds += combinations * rates["each"] / 1e6
    beside = WIDTH * len(keys) * records if on_disk else 0
    cost = Cost(records, len(data.names), size, beside, PASSES, seconds)
    held = None
    if on_disk:
        held = Allowed(data, data, limit, records).combinations(len(keys))
    return RiskCost(cost, combinations, held)
