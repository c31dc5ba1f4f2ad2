"""Probabilistic record linkage: Fellegi and Sunter's weights fitted by EM, linked as Jaro did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Gt, Le

from tacit.attack.base import Matching
from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Part, Rule, link_by
from tacit.attack.informed.evidence_assignment import DENSE
from tacit.attack.probabilistic.comparisons import Compared, compare
from tacit.attack.probabilistic.em import Model, Thresholds, fit, thresholds
from tacit.base.errors import InputError
from tacit.base.typing import Floats, Ints
from tacit.data.microdata import Microdata


@dataclass(frozen=True)
class Fitted:
    """What EM found.

    Attributes
    ----------
    model, thresholds
        Of ``em``.
    levels, counts, weights
        The patterns that occur, the number of pairs of each, and its weight.
    """

    model: Model
    thresholds: Thresholds
    levels: Ints
    counts: Floats
    weights: Floats


class FellegiSunter(Informed):
    """Compare column by column into levels of agreement, fit the model of matches, link by weight.

    Parameters
    ----------
    tolerances : tuple of float
        Limits of agreement for continuous columns, in sd of the original (0 = equal).
    similarities : tuple of float
        Limits of the Jaro-Winkler similarity for text.
    false_positive : float
        Tolerated share of non-matching pairs above the upper threshold.
    false_negative : float
        Tolerated share of matching pairs below the lower threshold.
    keep : {"all", "links"}
        Link every record, or only pairs above the upper threshold (the others go to a
        clerk, or are none).
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** The weight of a pair is the sum over columns of log(m / u) at its level
    of agreement (see ``probabilistic.em``); links are the assignment of largest total
    weight, or each record's best.

    **Guarantee.** EM reaches a stationary point of the likelihood of the pattern counts;
    columns are taken to be independent given the match.

    **Cost.** All pairs are compared, none is stored.

    References
    ----------
    Fellegi and Sunter (1969); Jaro (1989); Rodriguez Fernandez (2013), section 3.2.2.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).integers(0, 5, size=(60, 4)).astype(float)
    >>> FellegiSunter(tolerances=(0.0,)).link(x, x).rate > 0.8
    True
    """

    title = "Fellegi-Sunter"
    fills_in = True

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
        """Who the intruder is and what they know, in one phrase."""
        return self._says(
            "compared in levels of agreement whose weights they estimate (Fellegi-Sunter)"
        )

    def fitted(
        self,
        original: object,
        masked: object,
    ) -> Fitted:
        """The model by itself; of files on the disk from counts, and no record is held.

        Parameters
        ----------
        original, masked : frame, array, dict of columns or Microdata
            Both files.
        """
        ours = Microdata.of(original)
        theirs = Microdata.of(masked)
        columns = self._columns(ours, theirs)
        return self._fit(self._compare(ours, theirs, columns, held=False))

    def _compare(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
        *,
        held: bool = True,
    ) -> Compared:
        tolerances = tuple(self.tolerances)
        similarities = tuple(self.similarities)
        return compare(
            original,
            masked,
            columns,
            tolerances,
            similarities,
            held=held,
        )

    def _fit(self, compared: Compared) -> Fitted:
        levels, counts = compared.counts()
        # one match for each record of the longer file at most: the share is known
        prior = 1.0 / max(compared.records)
        model = fit(
            levels,
            counts,
            compared.sizes,
            prior=prior,
            hold_prior=True,
        )
        limits = thresholds(
            model,
            levels,
            self.false_positive,
            self.false_negative,
        )
        return Fitted(
            model,
            limits,
            levels,
            counts,
            model.weights(levels),
        )

    def _match(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        if self.rule == "assignment" and max(original.n, masked.n) > DENSE:
            raise InputError(
                "probabilistic linkage by assignment compares all pairs and takes up to "
                f"{DENSE} records; link a sample, or use rule='nearest'"
            )
        compared = self._compare(original, masked, columns)
        fitted = self._fit(compared)
        lookup = self._costs(compared, fitted)

        def cost(p: Floats, q: Floats) -> Floats:
            return np.asarray(lookup[compared.codes(p, q)])

        evidence = Evidence.of_part(Part(compared.x, compared.z, cost))
        matching = link_by(evidence, self.rule)
        matching.log = [
            {
                "columns": columns,
                "m": [m.tolist() for m in fitted.model.m],
                "u": [u.tolist() for u in fitted.model.u],
                "upper": fitted.thresholds.upper,
                "lower": fitted.thresholds.lower,
                "rounds": fitted.model.rounds,
                "settled": fitted.model.settled,
            }
        ]
        return matching

    def _costs(
        self,
        compared: Compared,
        fitted: Fitted,
    ) -> Floats:
        """Minus the weight of each pattern code; inf where the pattern is no link."""
        lookup = np.full(compared.patterns, np.inf)
        # patterns that never occurred stay impossible
        codes = ((fitted.levels + 1) * compared.base).sum(1)
        is_link = fitted.weights >= fitted.thresholds.upper
        if self.keep == "all":
            is_link[:] = True
        lookup[codes] = np.where(is_link, -fitted.weights, np.inf)
        return lookup
