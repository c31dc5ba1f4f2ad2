"""Probabilistic record linkage: Fellegi and Sunter's weights fitted by EM, linked by assignment as Jaro did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt, Le

from tacit.attack.aware.base import Informed
from tacit.attack.base import Matching
from tacit.attack.evidence import DENSE, Evidence, Part, Rule, link_by
from tacit.attack.probabilistic_compare import Compared, compare
from tacit.attack.probabilistic_em import Model, Thresholds, fit, thresholds
from tacit.errors import InputError
from tacit.microdata import FloatArray, Microdata


@dataclass(frozen=True)
class Fitted:
    """What EM found: the model, the thresholds, and the patterns with their weights and numbers of pairs."""

    model: Model
    thresholds: Thresholds
    levels: np.ndarray
    counts: FloatArray
    weights: FloatArray


class FellegiSunter(Informed):
    """Compare column by column into levels of agreement, fit the model of matches and non-matches, link by weight.

    Definition: the weight of a pair is the sum over columns of log(m / u) at its level of agreement (see
    `probabilistic_em`); links are the assignment of largest total weight (Jaro 1989), or each record's best. Pairs
    whose weight is below the upper threshold are no links when `keep` is "links" (they go to a clerk, or are none).
    Source: Fellegi and Sunter (1969); 000, section 3.2.2. Guarantee: EM reaches a stationary point of the
    likelihood of the pattern counts; columns are taken to be independent given the match. Cost: all pairs are
    compared, none is stored.

    Parameters: `tolerances`: limits for continuous columns, in sd of the original (0 = equal). `similarities`: limits
    of the Jaro-Winkler similarity for text. `false_positive`, `false_negative`: tolerated rates.

    >>> import numpy as np
    >>> x = np.random.default_rng(1).integers(0, 5, size=(60, 4)).astype(float)
    >>> FellegiSunter(tolerances=(0.0,)).link(x, x).rate > 0.8
    True
    """

    method = "probabilistic"

    def __init__(
        self,
        tolerances: tuple[Annotated[float, Ge(0)], ...] = (0.0, 0.1, 0.5),
        similarities: tuple[Annotated[float, Gt(0), Le(1)], ...] = (),
        false_positive: Annotated[float, Gt(0), Le(1)] = 0.01,
        false_negative: Annotated[float, Gt(0), Le(1)] = 0.01,
        keep: Literal["all", "links"] = "all",
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.tolerances = tolerances
        self.similarities = similarities
        self.false_positive = false_positive
        self.false_negative = false_negative
        self.keep = keep
        self.rule = rule
        self.columns = columns

    @property
    def knows(self) -> str:
        return self._says("compared in levels of agreement whose weights they estimate (Fellegi-Sunter)")

    def fitted(self, original: Any, masked: Any) -> Fitted:
        """The model by itself."""
        a, b = Microdata.of(original), Microdata.of(masked)
        columns = self._columns(a, b)
        return self._fit(compare(a, b, columns, tuple(self.tolerances), tuple(self.similarities)))

    def _fit(self, compared: Compared) -> Fitted:
        levels, counts = compared.counts()
        model = fit(levels, counts, compared.sizes, prior=1.0 / max(len(compared.x), len(compared.z)), hold_prior=True)
        limits = thresholds(model, levels, self.false_positive, self.false_negative)
        return Fitted(model, limits, levels, counts, model.weights(levels))

    def _match(self, original: Microdata, masked: Microdata, columns: list[str]) -> Matching:
        if self.rule == "assignment" and max(original.n, masked.n) > DENSE:
            raise InputError(
                f"probabilistic linkage by assignment compares all pairs and takes up to {DENSE} records; "
                "link a sample, or use rule='nearest'"
            )
        compared = compare(original, masked, columns, tuple(self.tolerances), tuple(self.similarities))
        found = self._fit(compared)
        lookup = np.full(compared.patterns, np.inf)
        codes = ((found.levels + 1) * compared.base).sum(1)
        lookup[codes] = np.where(
            (found.weights >= found.thresholds.upper) | (self.keep == "all"), -found.weights, np.inf
        )

        def cost(p: FloatArray, q: FloatArray) -> FloatArray:
            return np.asarray(lookup[compared.codes(np.ascontiguousarray(p), np.ascontiguousarray(q))])

        nothing = np.empty((original.n, 0)), np.empty((masked.n, 0))
        matching = link_by(Evidence(*nothing, [Part(compared.x, compared.z, cost)]), self.rule)
        matching.log = [
            {
                "columns": columns,
                "m": [m.tolist() for m in found.model.m],
                "u": [u.tolist() for u in found.model.u],
                "upper": found.thresholds.upper,
                "lower": found.thresholds.lower,
                "rounds": found.model.rounds,
                "settled": found.model.settled,
            }
        ]
        return matching
