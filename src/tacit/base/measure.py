"""The result of one risk or loss measure: a number that says what it means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacit.base.typing import Floats

# the key of ``details`` under which a measure says why it has no value
NOT_COMPUTED = "not computed"


@dataclass(frozen=True)
class Measure:
    """A value with its range, what zero means, what a higher value means, and its parts."""

    name: str
    value: float
    range: tuple[float, float]
    zero: str
    higher: str
    # parts differ from measure to measure, and reports read them by name
    details: dict[str, Any] = field(default_factory=dict)
    per_record: Floats | None = None
    per_column: dict[str, float] | None = None

    @classmethod
    def absent(
        cls,
        name: str,
        why: str,
    ) -> Measure:
        """A measure that could not be computed.

        Its value is NaN (null in JSON), never 0, and it says why.
        """
        return cls(
            name,
            value=float("nan"),
            range=(0.0, 1.0),
            zero=NOT_COMPUTED,
            higher=NOT_COMPUTED,
            details={NOT_COMPUTED: why},
        )

    @property
    def computed(self) -> bool:
        """False for a measure that says why it could not be computed."""
        return NOT_COMPUTED not in self.details

    def to_dict(self) -> dict[str, Any]:
        """Plain types for JSON.

        Per-record values are left out: they are records' data, not a summary.
        """
        out: dict[str, object] = {
            "value": jsonable(self.value),
            "range": [jsonable(end) for end in self.range],
            "zero": self.zero,
            "higher": self.higher,
        }
        if self.details:
            out["details"] = jsonable(self.details)
        if self.per_column is not None:
            out["per_column"] = jsonable(self.per_column)
        return out


def jsonable(value: object) -> Any:
    """numpy to plain Python.

    Infinities and NaN become strings or null, which JSON has no numbers for.
    """
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [jsonable(item) for item in value]
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, np.generic):
        return jsonable(value.item())
    if isinstance(value, float):
        if np.isnan(value):
            return None
        if np.isinf(value):
            return "inf" if value > 0 else "-inf"
    return value
