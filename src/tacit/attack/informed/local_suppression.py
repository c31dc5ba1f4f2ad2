"""Local suppression: what is left must agree; what is missing says nothing."""

from __future__ import annotations

import numpy as np

from tacit.attack.common_codes import common_codes
from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata

# Nats that a removed value costs where the original has one: of two records that fit,
# the one that shows more is the likelier.
REMOVED = 0.5


class AwareSuppression(Informed):
    """A masked record is a candidate when every value that it still shows is the original's own.

    Parameters
    ----------
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** The cost of a pair is inf where a value that is shown differs, and 0.5
    for each value of the original that the masked record does not show.

    **Guarantee.** No true link is ruled out, as the method only removes values.

    **Cost.** All pairs; with ``rule="assignment"`` up to 6,000 records.

    References
    ----------
    Willenborg and de Waal (2001) for the method; the attack follows from its definition.

    Examples
    --------
    >>> x = np.arange(8.0).reshape(4, 2)
    >>> z = x.copy()
    >>> z[0, 0] = np.nan
    >>> AwareSuppression().link(x, z).correct
    4.0
    """

    method = "local_suppression"

    def __init__(
        self,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says("that values were removed and none was changed")

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """0 where values agree, inf where they differ, a little where one was removed."""
        left, right = [], []
        for name in columns:
            if original.schema[name].scale is Kind.continuous:
                x = original.column(name)
                z = masked.column(name)
            else:
                x, z, _ = common_codes(original, masked, name)
            # inf marks what is missing: unlike NaN it is equal to itself
            left.append(np.where(np.isnan(x), np.inf, x))
            right.append(np.where(np.isnan(z), np.inf, z))
        part = Part(np.stack(left, 1), np.stack(right, 1), _agree)
        return Evidence.of_part(part)


def _agree(p: Floats, q: Floats) -> Floats:
    """Costs of all pairs, column by column."""
    total = np.zeros((len(p), len(q)))
    for k in range(p.shape[1]):
        x = p[:, k, None]
        z = q[None, :, k]
        if_removed = np.where(np.isinf(x), 0.0, REMOVED)
        if_shown = np.where(x == z, 0.0, np.inf)
        total += np.where(np.isinf(z), if_removed, if_shown)
    return total
