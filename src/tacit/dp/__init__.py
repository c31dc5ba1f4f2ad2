"""Differential privacy: an exact sampler (`laplace`) and a record of what was spent (`accountant`)."""

from tacit.dp.accountant import Accountant, BudgetError, Spend, split
from tacit.dp.laplace import discrete_laplace

__all__ = ["Accountant", "BudgetError", "Spend", "discrete_laplace", "split"]
