"""Told nothing: guess from the release how it was masked, and run the attack that fits."""

from __future__ import annotations

import numpy as np

from tacit.attack.base import Matching
from tacit.attack.informed.base import Informed, spill_of
from tacit.attack.informed.evidence import Evidence, Rule, link_by
from tacit.attack.informed.guessed_plan import Guess
from tacit.attack.informed.guesses import guess
from tacit.attack.informed.learned_labels import AwareLabels
from tacit.attack.informed.pram import unchanged
from tacit.attack.pairing import Pairing, applies, owners
from tacit.data.microdata import Microdata
from tacit.data.pair import Pair

# Share of links that agree with each other above which values were exchanged in pairs
MOSTLY = 0.5


class Reverse(Informed):
    """The intruder knows the originals and nothing of the method; the release itself tells.

    Parameters
    ----------
    rule : {"assignment", "nearest", "likeliest"}
        Who is named: the best bijection, each original's cheapest record, or its likeliest.
    columns : list of str, optional
        The columns that the intruder compares; the quasi-identifiers unless given.

    Notes
    -----
    **Definition.** One rule per method, in this order, and then the attacker of that method.
    Value multisets kept: swapping or shuffling, and where one exchange implies others the
    links that follow. Averages repeated in groups: microaggregation. Few values on a regular
    grid: rounding. New values whose covariances are those of draws given released columns,
    and which are likelier so than as disturbed originals: IPSO. Otherwise noise, added or
    multiplied, whichever makes the release likelier with its links unknown; second moments
    tell whether added noise is correlated. Categories, labels and gaps: P(label | value),
    learned from the links of the other columns. With few records the estimated covariance
    is used. No guess looks at the order of rows.

    **Guarantee.** None; the guess and what speaks for it are in the log of the linkage.

    **Cost.** A few sorts and moments per column, and the attack.

    References
    ----------
    Muralidhar and Domingo-Ferrer, whose conclusion asks for it.

    Examples
    --------
    >>> import numpy as np
    >>> import tacit as tc
    >>> x = np.random.default_rng(1).normal(size=(90, 3))
    >>> link = Reverse().link(x, tc.protect.Microaggregation(k=3).fit_transform(x))
    >>> "microaggregation" in str(link.log)
    True
    """

    title = "Guesses how it was masked"
    usual = True
    told_nothing = True

    method = "reverse"

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
        return self._says("and guesses from the release how it was masked")

    def guesses(
        self,
        original: object,
        masked: object,
    ) -> list[Guess]:
        """The guesses by themselves.

        Parameters
        ----------
        original, masked : frame, array, dict of columns or Microdata
            Both files.
        """
        ours = Microdata.of(original)
        theirs = Microdata.of(masked)
        return guess(ours, theirs, self._columns(ours, theirs))

    def _match(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        guesses = guess(original, masked, columns)
        matching = _exchanged(original, masked, guesses)
        if matching is None:
            total = self._total(original, masked, guesses)
            matching = link_by(total, self.rule, spill_of(original))
        matching.log = [each.to_dict() for each in guesses]
        return matching

    def _total(
        self,
        original: Microdata,
        masked: Microdata,
        guesses: list[Guess],
    ) -> Evidence:
        """The evidence of all guesses; labels come last, as they learn from the others."""
        total = Evidence.none(original.n, masked.n)
        labels: list[str] = []
        for each in guesses:
            if isinstance(each.attacker, AwareLabels):
                labels += each.columns
            elif each.attacker is None:
                total = total + unchanged(original, masked, each.columns)
            else:
                total = total + each.attacker.evidence(original, masked, each.columns)
        if labels:
            total = total + AwareLabels().beside(total, original, masked, labels)
        return total


def _exchanged(
    original: Microdata,
    masked: Microdata,
    guesses: list[Guess],
) -> Matching | None:
    """The links that exchanges imply, where most of them agree with each other; otherwise None."""
    swapped = [
        name
        for each in guesses
        if each.method in ("rank_swapping", "shuffling")
        for name in each.columns
    ]
    if len(swapped) < 2 or not applies(original, masked, columns=swapped):
        return None
    matching = Pairing(columns=swapped)._link(original, masked, swapped)
    if _agreement(original, masked, swapped, matching) <= MOSTLY:
        return None
    return matching


def _agreement(
    original: Microdata,
    masked: Microdata,
    names: list[str],
    matching: Matching,
) -> float:
    """Share of links that agree with those that they imply.

    If i became j by an exchange, then the original that had j's value became the masked
    record that has i's. Links found by luck agree once in n times.
    """
    pair = Pair.of(original, masked, names)
    owner, holder = owners(*pair.numbers())
    linked = np.flatnonzero(matching.match >= 0)
    match = matching.match
    agree = told = 0
    for had, has in zip(owner, holder, strict=True):
        before = had[match[linked]]
        after = has[linked]
        known = (before >= 0) & (after >= 0)
        told += int(known.sum())
        agree += int((match[before[known]] == after[known]).sum())
    return agree / max(told, 1)
