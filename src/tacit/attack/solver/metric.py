"""Names of f(distance) between vectors, as the search and the solver know them."""

from __future__ import annotations

from typing import Literal

Metric = Literal["euclidean", "squared", "manhattan"]
"""Euclidean distance, its square, or the sum of absolute differences."""
