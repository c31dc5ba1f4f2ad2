"""Synthetic values drawn given released columns: compare the original with what those columns predict."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from tacit.attack.aware.base import Informed, continuous
from tacit.attack.evidence import Evidence, Rule
from tacit.attack.whiten import filled, spread, whitener
from tacit.errors import ColumnError
from tacit.microdata import FloatArray, Microdata, Role


def predicted(y: FloatArray, masked: FloatArray, given: FloatArray) -> Evidence:
    """y_i against x_k B with the residual covariance; B and the covariance come from the release alone (003)."""
    masked, given = filled(masked), filled(given)
    mean = masked.mean(0)
    x = given - given.mean(0)
    size = np.sqrt((x**2).mean(0))
    x = x / np.where(size > 0, size, 1.0)
    beta = np.linalg.lstsq(x, masked - mean, rcond=1e-10)[0]
    expected = x @ beta
    residual = masked - mean - expected
    w = whitener(spread(residual), spread(masked))
    return Evidence((filled(y, mean) - mean) @ w, expected @ w)


def scores(values: FloatArray) -> FloatArray:
    """Normal scores of the ranks of each column, equal values sharing a rank; a missing value scores 0."""
    out = np.zeros(values.shape)
    for k in range(values.shape[1]):
        seen = ~np.isnan(values[:, k])
        out[seen, k] = ndtri((rankdata(values[seen, k]) - 0.5) / max(int(seen.sum()), 1))
    return out


class AwareIPSO(Informed):
    """IPSO: the modified Mahalanobis distance between y_i and x_k B, all of it computable from the release.

    Definition: (y_i - x_k B) S^-1 (y_i - x_k B)' / 2, B and S = S_yy - S_yx S_xx^-1 S_xy of the released file. The
    masked quasi-identifiers themselves are noise around x_k B and are not compared. Of the original only the
    quasi-identifiers are used. Source: 003 (Muralidhar and Domingo-Ferrer), after Torra et al. (2006).

    Parameters: `confidential`: the columns X (default: role confidential). `distance`: `modified`, or the two
    that 003 compares it with on the same columns: `mahalanobis` (S = S_yy + S_yy~) and `euclidean`.
    """

    method = "ipso"

    def __init__(
        self,
        confidential: list[str] | None = None,
        distance: Literal["modified", "mahalanobis", "euclidean"] = "modified",
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.confidential = confidential
        self.distance = distance
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        return self._says("that the quasi-identifiers were drawn anew given the confidential columns (IPSO)")

    def _columns(self, original: Microdata, masked: Microdata) -> list[str]:
        names = super()._columns(original, masked)
        given = set(self.confidential or [])
        return [n for n in continuous(original, names) if n not in given]

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        given = self.confidential
        if given is None:
            given = [n for n in continuous(masked, masked.schema.names(role=Role.confidential)) if n not in columns]
        if not columns:
            raise ColumnError("there is no continuous quasi-identifier left to compare; name some: columns=[...]")
        y, z = original.numbers(columns), masked.numbers(columns)
        if self.distance == "euclidean":
            sx, sz = np.sqrt(np.diag(spread(y))), np.sqrt(np.diag(spread(z)))
            return Evidence((filled(y) - filled(y).mean(0)) / sx, (filled(z) - filled(z).mean(0)) / sz)
        if self.distance == "mahalanobis":
            both = spread(y) + spread(z)
            w = whitener(both, both)
            return Evidence(filled(y) @ w, filled(z) @ w)
        return predicted(y, z, masked.numbers(given))


class AwareShuffling(Informed):
    """Data shuffling: as for IPSO, on normal scores of the ranks (shuffled values say no more than `given` does)."""

    method = "shuffling"

    def __init__(
        self, given: list[str] | None = None, rule: Rule = "assignment", columns: list[str] | None = None
    ) -> None:
        self.given = given
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        return self._says("that the values were shuffled given the columns that stayed")

    def evidence(self, original: Microdata, masked: Microdata, columns: list[str]) -> Evidence:
        given = self.given
        if given is None:
            given = [n for n in continuous(masked, masked.schema.names(role=Role.confidential)) if n not in columns]
        return predicted(
            scores(original.numbers(columns)), scores(masked.numbers(columns)), scores(masked.numbers(given))
        )
