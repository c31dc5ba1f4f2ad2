"""Rounding: which multiples of the base can a value have become, and how probably."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tacit.attack.informed.base import Informed, continuous
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.attack.informed.pram import unchanged
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata

# A value may lie this much (in bases) beyond the limit: decimal fractions are not
# exact.
SLACK = 1e-9
# Where a missing value sits in a hint: far from every other
FAR = 1e6
# Bases apart at which a pair is impossible in any case
NEVER = 2.0


class AwareRounding(Informed):
    """The intruder knows the base, or sees it: the step of which all values are multiples.

    Parameters
    ----------
    base : float or dict of str to float, optional
        The base, for all columns or by name; read off the release unless given.
    kind : {"random", "nearest"}
        Rounded up or down at random without bias, or to the nearest multiple.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** Nearest: a pair is possible when |x - z| <= base / 2; random: with
    probability 1 - |x - z| / base when |x - z| < base. The cost is minus the logarithm of
    the probability, inf when a column is impossible.

    **Guarantee.** The exact likelihood where base and kind are given.

    **Cost.** All pairs of a file of up to 6,000 records, candidates of a larger one.

    References
    ----------
    Willenborg and de Waal (2001) for the method; the attack follows from its definition.

    Examples
    --------
    >>> x = np.array([[12.0], [38.0], [71.0]])
    >>> AwareRounding(base=10.0, kind="nearest").link(x, np.round(x, -1)).correct
    3.0
    """

    method = "rounding"

    def __init__(
        self,
        base: float | dict[str, float] | None = None,
        kind: Literal["random", "nearest"] = "random",
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.base = base
        self.kind = kind
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwareRounding:
        """The base of each column follows from the method and the originals."""
        protector.fit(original)
        return cls(
            base=dict(protector.base_),
            kind=protector.kind,
        )

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says(
            f"that values were rounded ({self.kind}) to multiples of a base"
        )

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Minus the log probability of each multiple; columns without a base are unchanged."""
        names = continuous(original, columns)
        rest = [name for name in columns if name not in names]
        total = Evidence.none(original.n, masked.n)
        if rest:
            total = unchanged(original, masked, rest)
        for name in names:
            x = original.column(name)
            z = masked.column(name)
            if isinstance(self.base, dict):
                base = self.base.get(name)
            else:
                base = self.base
            if base is None:
                base = granularity(z)
            if base is None:
                total = total + unchanged(original, masked, [name])
            else:
                total = total + _rounded(x, z, float(base), self.kind == "random")
        return total


def _rounded(
    x: Floats,
    z: Floats,
    base: float,
    random: bool,
) -> Evidence:
    """Evidence of one column that was rounded to multiples of a base."""
    if np.isnan(x).all():
        centre = 0.0
    else:
        centre = float(np.nanmean(x))
    hint = (
        np.nan_to_num((x - centre) / base, nan=FAR)[:, None],
        np.nan_to_num((z - centre) / base, nan=FAR)[:, None],
    )
    # inf marks what is missing: unlike NaN it is equal to itself
    ours = np.where(np.isnan(x), np.inf, x)[:, None]
    theirs = np.where(np.isnan(z), np.inf, z)[:, None]
    return Evidence.of_part(Part(ours, theirs, _Rounded(base, random), hint))


class _Rounded:
    """The cost of a pair of values: minus the log probability of rounding one to the other."""

    def __init__(
        self,
        base: float,
        random: bool,
    ) -> None:
        self.base, self.random = base, random

    def __call__(
        self,
        p: Floats,
        q: Floats,
    ) -> Floats:
        x = p
        z = q.T
        with np.errstate(invalid="ignore"):
            steps = np.abs(x - z) / self.base
        both_missing = np.isinf(x) & np.isinf(z)
        steps = np.where(np.isnan(steps), np.inf, steps)
        steps = np.where(both_missing, 0.0, steps)
        if not self.random:
            return np.asarray(np.where(steps <= 0.5 + SLACK, 0.0, np.inf))
        chance = np.maximum(0.0, 1.0 + SLACK - np.minimum(steps, NEVER))
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log(chance))


def granularity(values: Floats) -> float | None:
    """The step of which all values are multiples; None: there is no such step.

    The largest of 1, 2, 5 times a power of ten, or the smallest gap.

    Parameters
    ----------
    values : array
        A released column.

    Examples
    --------
    >>> granularity(np.array([20.0, 60.0, 340.0]))
    20.0
    """
    seen = np.unique(values[np.isfinite(values)])
    if seen.size < 2:
        return None
    smallest_gap = float(np.diff(seen).min())
    largest = float(np.abs(seen).max())
    # bases that people choose: 1, 2 or 5 times a power of ten
    power = 10.0 ** np.floor(np.log10(smallest_gap))
    choices = {smallest_gap}
    for scale in (power / 10, power, power * 10):
        choices.update(scale * digit for digit in (1.0, 2.0, 5.0))
    for base in sorted(choices, reverse=True):
        # beyond nine digits a step cannot be told from rounding
        if base <= smallest_gap * (1 + 1e-9) and base > 1e-9 * largest:
            multiples = seen / base
            if np.abs(multiples - np.rint(multiples)).max() < 1e-6:
                return float(base)
    return None
