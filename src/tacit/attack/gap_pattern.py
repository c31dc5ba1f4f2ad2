"""Linkage by the pattern of missing values, together with the values that are there."""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import Ge

from tacit.attack.base import Matching, Release
from tacit.attack.informed.base import Informed
from tacit.attack.informed.evidence import Evidence, Rule, link_by
from tacit.attack.informed.evidence_assignment import DENSE
from tacit.attack.informed.fitted import Fitted
from tacit.attack.informed.gaps import evidence_of, fates_of, gaps_of
from tacit.base.errors import InputError
from tacit.data.microdata import Microdata
from tacit.data.pair import read_as

STRANGERS = 0.5
"""Links that are further apart than this, as a share of how far strangers are, tell nothing of the
noise: most are wrong (Census with noise of 200 %: .57, and 1 % fewer were found)."""


class GapPattern(Informed):
    """Records whose missing values do not fit cannot be the same; among the others distances
    decide.

    Most methods leave a missing value missing, so that the gaps of a record are an unmasked
    description of it: two or three of them are often unique, however large the noise is.

    Parameters
    ----------
    rule : str
        All links at once, or each record by itself.
    rounds : int
        How often noise and changes are estimated from the links (up to 6,000 records).
    columns : list of str, optional
        Columns to compare; the quasi-identifiers of both files unless given.

    Notes
    -----
    **Definition.** The cost of a pair is -sum_k log P_k(gap in z_k | gap in x_k) plus that of the
    values which both records show (see ``informed.gaps``). The two files tell P_k without any link.
    Equal counts in each column and equal patterns of whole records: gaps were kept in place, and a
    mismatch is impossible. More gaps in the release: a gap stays one, and a value became one with
    the share that is seen. Fewer: gaps were filled. Otherwise gaps of the column say nothing.
    Values cost their standardised distance first; then noise and changes are as the links imply.
    Source: patterns of missing values are described in Little and Rubin (2019); as a key they are
    a likelihood here.
    **Guarantee.** as that of the rule that links. Row order plays no part.
    **Cost.** that of an assignment, and of one more for each round.

    References
    ----------
    Little, R. J. A. and Rubin, D. B. (2019). Statistical Analysis with Missing Data, third edition.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0, np.nan], [2.0, 3.0], [np.nan, 4.0]])
    >>> GapPattern().link(x, x * 0 + 1.0).correct
    3.0
    """

    title = "Pattern of gaps"

    @classmethod
    def invited(cls, release: Release) -> bool:
        """Gaps of the release tell its records apart."""
        return applies(release.original, release.masked, release.columns)

    method = "gap_pattern"

    @property
    def compares_classes(self) -> bool:
        """Yes: nobody said which label a number gets."""
        return True

    def __init__(
        self,
        rule: Rule = "assignment",
        rounds: Annotated[int, Ge(0)] = 3,
        columns: list[str] | None = None,
    ) -> None:
        self.rule = rule
        self.rounds = rounds
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is and what they know, in one phrase."""
        return self._says("and which of their values are missing")

    def evidence(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Evidence:
        """Gaps, and standardised distances of what is there."""
        return Fitted(original, read_as(original, masked), columns).start()

    def _match(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        fitted = Fitted(original, read_as(original, masked), columns)
        matching = link_by(fitted.start(), self.rule)
        # gaps already link many: their differences tell how large noise is in each column
        small = max(original.n, masked.n) <= DENSE
        told = small and fitted.apart(matching.match) < STRANGERS
        for _ in range(self.rounds if told else 0):
            matching = link_by(fitted.fit(matching.match), self.rule)
        ours, theirs = gaps_of(original, columns), gaps_of(masked, columns)
        seen = [
            name
            for k, name in enumerate(columns)
            if ours[:, k].any() or theirs[:, k].any()
        ]
        matching.log = [{"gaps": {name: fitted.fates[name] for name in seen}}]
        return matching


def applies(
    original: Any,
    masked: Any,
    columns: list[str] | None = None,
) -> bool:
    """Gaps tell some records apart: what became of them is known in some compared column."""
    ours = Microdata.of(original)
    theirs = read_as(ours, masked)
    names = columns or [name for name in ours.quasi if name in theirs.schema]
    try:
        told = evidence_of(ours, theirs, fates_of(ours, theirs, names))
    except InputError:
        return False  # a column that cannot be read: every attacker says so
    return bool(told.parts)
