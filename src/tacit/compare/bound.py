"""What a release must keep: a measure, and what it may be at most."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from tacit.base.errors import ParameterError
from tacit.risk import registry as risks

RISK = "risk"
"""The name of 'the rate of the strongest attacker' in a bound."""

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
}
# a measure, a sign and a number: risk<=0.05
_BOUND = re.compile(r"\s*(\w+)\s*(<=|<)\s*([0-9.eE+-]+)\s*")


@dataclass(frozen=True)
class Bound:
    """'risk<=0.05': a measure, and what it may be at most."""

    measure: str
    sign: str
    value: float

    @classmethod
    def parse(cls, text: str) -> Bound:
        """Read a bound."""
        match = _BOUND.fullmatch(text)
        try:
            if match is None:
                raise ValueError
            bound = cls(match[1], match[2], float(match[3]))
        except ValueError:
            raise ParameterError(
                f"'{text}' is not a bound; write it as 'risk<=0.05' or 'k_anonymity<=0'"
            ) from None
        if bound.measure != RISK:
            risks[bound.measure]  # raises if there is no such measure
        return bound

    def met(self, value: float) -> bool:
        """Is the value within the bound? (NaN is not.)"""
        return _OPERATORS[self.sign](value, self.value)

    def __str__(self) -> str:
        return f"{self.measure}{self.sign}{self.value:g}"
