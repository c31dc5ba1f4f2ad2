"""Categories changed at random: log transition probabilities (PRAM, randomised response, replacement)."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from tacit.attack.aware.base import Informed
from tacit.attack.distances import common_codes, embed
from tacit.attack.evidence import Evidence, Part, Rule
from tacit.microdata import FloatArray, Kind, Microdata

SMALLEST = 1e-12


def transition(original: Microdata, masked: Microdata, name: str, matrix: FloatArray) -> Evidence:
    """Evidence of one column: -log P[a, b]; a missing value stays missing."""
    a, b, size = common_codes(original, masked, name)
    table = np.full((size + 1, size + 1), np.inf)
    known = min(len(matrix), size)
    with np.errstate(divide="ignore"):
        table[:known, :known] = -np.log(np.asarray(matrix)[:known, :known])
    table[size, size] = 0.0
    codes = [np.where(np.isnan(c), size, c)[:, None] for c in (a, b)]
    cost = _Look(table)
    stay = np.diag(table)[:size]
    change = table[:size, :size][~np.eye(size, dtype=bool)]
    gain = np.median(change[np.isfinite(change)]) - stay[np.isfinite(stay)].mean() if size > 1 else 1.0
    weight = np.sqrt(max(float(gain), 0.01)) if np.isfinite(gain) else 3.0
    flags = [weight * (c == np.arange(size + 1)) for c in codes]
    return Evidence(
        np.empty((len(a), 0)), np.empty((len(b), 0)), [Part(codes[0], codes[1], cost, (flags[0], flags[1]))]
    )


class _Look:
    def __init__(self, table: FloatArray) -> None:
        self.table = table

    def __call__(self, p: FloatArray, q: FloatArray) -> FloatArray:
        return np.asarray(self.table[np.ix_(p[:, 0].astype(np.int64), q[:, 0].astype(np.int64))])


def replaced(original: Microdata, masked: Microdata, columns: list[str], chance: float) -> Evidence:
    """A value is replaced with this probability by another category, each equally likely."""
    found = Evidence.none(original.n, masked.n)
    for name in columns:
        _, _, size = common_codes(original, masked, name)
        stay, go = max(1.0 - chance, SMALLEST), max(chance, SMALLEST) / max(size - 1, 1)
        matrix = np.full((size, size), go)
        np.fill_diagonal(matrix, stay)
        found = found + transition(original, masked, name, matrix)
    return found


class AwarePRAM(Informed):
    """The intruder knows the transition matrices P: the cost is -sum_k log P_k[x_k, z_k] (Bayes' rule).

    Without matrices each category is taken to stay with probability `diagonal`, the rest spread evenly. Columns
    that PRAM cannot mask (continuous ones) count as unchanged. Source: Gouweleeuw et al. (1998).
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

    @property
    def knows(self) -> str:
        return self._says("the probability of each change of category (PRAM)")

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        found = Evidence.none(original.n, masked.n)
        plain = []
        for name in columns:
            given = (self.matrices or {}).get(name)
            if original.schema[name].kind is Kind.continuous:
                plain.append(name)
            elif given is not None:
                found = found + transition(original, masked, name, np.asarray(given, float))
            else:
                found = found + replaced(original, masked, [name], 1 - self.diagonal)
        if plain:
            found = found + unchanged(original, masked, plain)
        return found


def unchanged(original: Microdata, masked: Microdata, columns: list[str], weight: float = 1e3) -> Evidence:
    """Columns that the method leaves as they are: any difference counts heavily."""
    x, z = embed(original, masked, columns, "std")
    return Evidence(x * weight, z * weight)
