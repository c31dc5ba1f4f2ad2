"""Differential privacy: exact samplers and a record of what was spent."""

from tacit.protect.private.accountant import Accountant, BudgetError, Spend, split
from tacit.protect.private.discrete_laplace import discrete_laplace

__all__ = ["Accountant", "BudgetError", "Spend", "discrete_laplace", "split"]
