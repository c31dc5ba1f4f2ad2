"""Codes of the categories that a frame has as codes of those that were declared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.base.errors import InputError
from tacit.base.typing import Floats


def recode(
    own: Sequence[object],
    name: str,
    declared: list[object],
    codes: Floats,
) -> Floats:
    """A category of the frame that was not declared is refused."""
    for value in own:
        if value not in declared:
            raise InputError(
                f"column '{name}': '{value}' is not among the declared categories"
            )
    # one place more than there are categories: missing values look it up and stay missing
    place = np.array([*(declared.index(value) for value in own), np.nan])
    where = np.where(np.isnan(codes), len(own), codes).astype(np.int64)
    return place[where]
