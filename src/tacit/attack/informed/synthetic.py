"""Synthetic values drawn given released columns: compare with what those columns predict."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tacit.attack.informed.base import Informed, continuous
from tacit.attack.informed.evidence import Evidence, Rule
from tacit.attack.whiten import filled, spread, whitener
from tacit.base.errors import ColumnError
from tacit.base.scipy_parts import ndtri
from tacit.base.typing import Floats
from tacit.data.microdata import Microdata, Role


def predicted(
    y: Floats,
    masked: Floats,
    given: Floats,
) -> Evidence:
    """y_i against x_k B with the residual covariance (Muralidhar and Domingo-Ferrer).

    B and the covariance come from the release alone.

    Parameters
    ----------
    y, masked : arrays
        The synthetic columns, in the original and as released.
    given : array
        The columns from which they were drawn, as released.
    """
    masked = filled(masked)
    given = filled(given)
    mean = masked.mean(0)
    x = given - given.mean(0)
    # one unit for all columns, so that the rank below does not depend on their units
    size = np.sqrt((x**2).mean(0))
    x = x / np.where(size > 0, size, 1.0)
    # columns that depend on each other share the weight
    beta = np.linalg.lstsq(x, masked - mean, rcond=1e-10)[0]
    expected = x @ beta
    residual = masked - mean - expected
    w = whitener(spread(residual), spread(masked))
    return Evidence((filled(y, mean) - mean) @ w, expected @ w)


def scores(values: Floats) -> Floats:
    """Normal scores of the ranks of each column, equal values sharing a rank.

    A missing value scores 0.

    Parameters
    ----------
    values : array
        Records x columns.
    """
    # here, because scipy.stats takes half a second to import and few releases need it
    from scipy.stats import rankdata

    normal = np.zeros(values.shape)
    for k in range(values.shape[1]):
        seen = ~np.isnan(values[:, k])
        # ranks from 0.5 to n - 0.5: the scores of 0 and n are infinite
        ranks = rankdata(values[seen, k]) - 0.5
        normal[seen, k] = ndtri(ranks / max(int(seen.sum()), 1))
    return normal


def confidential_columns(masked: Microdata, others: list[str]) -> list[str]:
    """Continuous columns that were released as confidential, the others left out.

    Parameters
    ----------
    masked : Microdata
        The release.
    others : list of str
        Columns that were drawn anew.
    """
    names = continuous(masked, masked.schema.names(role=Role.confidential))
    return [name for name in names if name not in others]


class AwareIPSO(Informed):
    """IPSO: the modified Mahalanobis distance, all of it computable from the release.

    Parameters
    ----------
    confidential : list of str, optional
        The columns X from which the others were drawn; those of role confidential unless
        given.
    distance : {"modified", "mahalanobis", "euclidean"}
        The modified distance, or the two that the source compares it with.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** (y_i - x_k B) S^-1 (y_i - x_k B)' / 2, with B and
    S = S_yy - S_yx S_xx^-1 S_xy of the released file. The masked quasi-identifiers
    themselves are noise around x_k B and are not compared. Of the original only the
    quasi-identifiers are used. ``mahalanobis`` takes S = S_yy + S_yy~ on the same columns.

    **Guarantee.** The likelihood of the model that IPSO draws from; links are exact under
    it.

    **Cost.** A regression, and a nearest or assignment run on vectors.

    References
    ----------
    Muralidhar and Domingo-Ferrer, after Torra, Abowd and Domingo-Ferrer (2006).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(40, 1))
    >>> file = {"y": (2 * x).ravel(), "x": x.ravel()}
    >>> AwareIPSO(confidential=["x"], columns=["y"]).link(file, file).rate > 0.9
    True
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

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwareIPSO:
        """Which columns the others were drawn from is known."""
        return cls(confidential=protector.confidential)

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says(
            "that the quasi-identifiers were drawn anew given the confidential columns (IPSO)"
        )

    def _columns(
        self,
        original: Microdata,
        masked: Microdata,
    ) -> list[str]:
        names = super()._columns(original, masked)
        given = set(self.confidential or [])
        return [name for name in continuous(original, names) if name not in given]

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """The distance between the original and what the confidential columns predict."""
        if not columns:
            raise ColumnError(
                "there is no continuous quasi-identifier left to compare; name some: "
                "columns=[...]"
            )
        y = original.numbers(columns)
        z = masked.numbers(columns)
        if self.distance == "euclidean":
            return Evidence(_standardised(y), _standardised(z))
        if self.distance == "mahalanobis":
            both = spread(y) + spread(z)
            w = whitener(both, both)
            return Evidence(filled(y) @ w, filled(z) @ w)
        given = self.confidential
        if given is None:
            given = confidential_columns(masked, columns)
        return predicted(y, z, masked.numbers(given))


def _standardised(values: Floats) -> Floats:
    """Columns by their own mean and sd."""
    complete = filled(values)
    sd = np.sqrt(np.diag(spread(values)))
    return np.asarray((complete - complete.mean(0)) / sd)


class AwareShuffling(Informed):
    """Data shuffling: as for IPSO, on normal scores of the ranks.

    Parameters
    ----------
    given : list of str, optional
        The columns that gave the order; those of role confidential unless given.
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** As ``AwareIPSO`` with normal scores in place of values: shuffled values
    say no more than ``given`` does.

    **Guarantee.** The likelihood of the normal copula that shuffling draws from; links are
    exact under it.

    **Cost.** A regression, and a nearest or assignment run on vectors.

    References
    ----------
    Muralidhar and Sarathy (2006) for the method; Muralidhar and Domingo-Ferrer.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=40)
    >>> file = {"y": 2 * x, "x": x}
    >>> AwareShuffling(given=["x"], columns=["y"]).link(file, file).rate > 0.9
    True
    """

    method = "shuffling"

    def __init__(
        self,
        given: list[str] | None = None,
        rule: Rule = "assignment",
        columns: list[str] | None = None,
    ) -> None:
        self.given = given
        self.rule = rule
        self.columns = columns

    @classmethod
    def knowing(
        cls,
        protector: Any,
        original: Microdata,
    ) -> AwareShuffling:
        """Which columns gave the order is known."""
        return cls(given=protector.given)

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says("that the values were shuffled given the columns that stayed")

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """The distance between the original's scores and what the given columns predict."""
        given = self.given
        if given is None:
            given = confidential_columns(masked, columns)
        return predicted(
            scores(original.numbers(columns)),
            scores(masked.numbers(columns)),
            scores(masked.numbers(given)),
        )
