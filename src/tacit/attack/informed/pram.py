"""Categories changed at random: log transition probabilities.

PRAM, randomised response and replacement are of this kind.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le

from tacit.attack.common_codes import common_codes
from tacit.attack.distances import embed
from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Part, Rule
from tacit.base.typing import Floats
from tacit.data.microdata import Kind, Microdata

# Probabilities are at least this: nothing that was seen is impossible
SMALLEST = 1e-12
# Smallest weight (squared) of a category in a hint, in nats
LEAST_GAIN = 0.01
# Weight of a category in a hint where changes are impossible
SURE_GAIN = 3.0


def transition(
    original: Microdata,
    masked: Microdata,
    name: str,
    matrix: Floats,
) -> Evidence:
    """Evidence of one column: -log P[a, b]; a missing value stays missing.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    name : str
        A nominal or ordinal column.
    matrix : array
        P: rows are categories before, columns after, in the order of the original's
        categories.
    """
    x, z, size = common_codes(original, masked, name)
    # the last code is for missing values
    table = np.full((size + 1, size + 1), np.inf)
    # values that only the release has cannot have come from any
    known = min(len(matrix), size)
    with np.errstate(divide="ignore"):
        table[:known, :known] = -np.log(np.asarray(matrix)[:known, :known])
    table[size, size] = 0.0
    our_codes = np.where(np.isnan(x), size, x)[:, None]
    their_codes = np.where(np.isnan(z), size, z)[:, None]
    weight = _hint_weight(table[:size, :size])
    every = np.arange(size + 1)
    hint = weight * (our_codes == every), weight * (their_codes == every)
    return Evidence.of_part(Part(our_codes, their_codes, _Look(table), hint))


def _hint_weight(table: Floats) -> float:
    """How many nats (their root) it tells to see the same category instead of another."""
    size = len(table)
    if size <= 1:
        return 1.0
    stay = np.diag(table)
    change = table[~np.eye(size, dtype=bool)]
    usual_change = np.median(change[np.isfinite(change)])
    gain = usual_change - stay[np.isfinite(stay)].mean()
    if np.isfinite(gain):
        return float(np.sqrt(max(float(gain), LEAST_GAIN)))
    return SURE_GAIN


class _Look:
    """The cost of a pair of codes is looked up in a table."""

    def __init__(self, table: Floats) -> None:
        self.table = table

    def __call__(
        self,
        p: Floats,
        q: Floats,
    ) -> Floats:
        rows = p[:, 0].astype(np.int64)
        columns = q[:, 0].astype(np.int64)
        return np.asarray(self.table[np.ix_(rows, columns)])


def replaced(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    chance: float,
) -> Evidence:
    """A value is replaced with this probability by another category, each equally likely.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    columns : list of str
        Nominal and ordinal columns; none: no evidence.
    chance : float
        Probability of a change.
    """
    total = Evidence.none(original.n, masked.n)
    for name in columns:
        _, _, size = common_codes(original, masked, name)
        # a column of one category has no other to change to
        others = max(size - 1, 1)
        matrix = np.full((size, size), max(chance, SMALLEST) / others)
        np.fill_diagonal(matrix, max(1.0 - chance, SMALLEST))
        total = total + transition(original, masked, name, matrix)
    return total


class AwarePRAM(Informed):
    """The intruder knows the transition matrices of PRAM.

    Parameters
    ----------
    matrices : dict of str to matrix, optional
        Transition matrix of each column, in the order of its categories.
    diagonal : float
        Probability that a category stays, for columns without a matrix.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** The cost is -sum_k log P_k[x_k, z_k] (Bayes' rule). Without matrices each
    category is taken to stay with probability ``diagonal``, the rest spread evenly. Columns
    that PRAM cannot mask (continuous ones) count as unchanged.

    **Guarantee.** The exact likelihood where the matrices are given.

    **Cost.** All pairs of a file of up to 6,000 records, candidates of a larger one.

    References
    ----------
    Gouweleeuw, Kooiman, Willenborg and de Wolf (1998).

    Examples
    --------
    >>> x = {"sex": ["f", "m"], "town": ["a", "b"]}
    >>> AwarePRAM().link(x, x).correct
    2.0
    """

    method = "pram"

    def __init__(
        self,
        matrices: dict[str, list[list[float]]] | None = None,
        diagonal: Annotated[float, Ge(0), Le(1)] = 0.8,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.matrices = matrices
        self.diagonal = diagonal
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwarePRAM:
        """The transition matrices follow from the method and the originals."""
        protector.fit(original)
        matrices = {
            name: matrix.tolist() for name, matrix in protector.matrices_.items()
        }
        return cls(matrices=matrices)

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says("the probability of each change of category (PRAM)")

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Minus the log probability of each change of category."""
        total = Evidence.none(original.n, masked.n)
        matrices = self.matrices or {}
        untouched = []
        for name in columns:
            if original.schema[name].scale is Kind.continuous:
                untouched.append(name)
            elif name in matrices:
                matrix = np.asarray(matrices[name], float)
                total = total + transition(original, masked, name, matrix)
            else:
                total = total + replaced(original, masked, [name], 1 - self.diagonal)
        if untouched:
            total = total + unchanged(original, masked, untouched)
        return total


def unchanged(
    original: Microdata,
    masked: Microdata,
    columns: list[str],
    weight: float = 1e3,
) -> Evidence:
    """Columns that the method leaves as they are: any difference counts heavily.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    columns : list of str
        Columns of any kind.
    weight : float
        Factor of the standardised difference.
    """
    x, z = embed(original, masked, columns, "std")
    return Evidence(x * weight, z * weight)
