"""Values that were exchanged in pairs: one link implies others, and false ones contradict."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from tacit.attack.base import Attacker, Matching, Release, distinct
from tacit.attack.nearest import Nearest
from tacit.attack.solver.csr import owners as owners_of
from tacit.attack.solver.csr import pointers, take_rows
from tacit.base.typing import Bools, Floats, Ints
from tacit.data.microdata import Microdata
from tacit.data.pair import Pair
from tacit.kernels.pairing import best_candidates, follow

SHARE = 0.5
"""A column takes part if at least this share of its masked values are values of the original."""
SURE = 5.0
"""Links from a false start survive s agreeing links with probability about exp(-s^2 / n): at
s = 5 sqrt(n) that is e^-25, which no file has enough candidates to reach by luck."""
MOST_LINKS = 1_000_000_000
"""Links followed at the most, about a minute of one core; the rest is linked by ranks."""
STRICT = (True, False, False)
"""May links contradict each other at all, round by round? Two columns with a few values of a third
have many linkages that hardly do: first one is sought that never does, then circles of three are
allowed for."""
LINES = 4
"""Lines of a kernel that an exchange takes: they say when it is compiled, never what it finds."""
VOTES = 10
"""Rounds of voting at the most; two or three are enough where most links are right."""
VENTURED = 8
"""Links and confirmations less contradictions below which a chain is left alone: of a few thousand
candidates some have as many by luck."""
FEW = 3
"""Links that must speak for a candidate, and for no other, where the search was not sure."""
PATIENCE = 40
"""So many records in a row without one that is sure (fewer on large files, where each costs
more): these values were not exchanged in pairs."""


class Pairing(Attacker):
    """Undo swapping by what a swap is: an exchange.

    It needs neither the method's parameter nor that values stayed near their ranks, so it breaks
    rank swapping at any p, and every other method that exchanges values between pairs of records.

    Parameters
    ----------
    columns : list of str
        The columns that the intruder knows; all compared ones unless given.

    Notes
    -----
    **Definition.** Let o_c(j) be the original record with the value of masked record j in column c,
    and h_c(i) the masked record with the value of original i; both only where the value is unique.
    If i became j by exchanges, then o_c(j) became h_c(i) in every column c. From a candidate link
    all links that follow are collected; a candidate whose links contradict each other (two masked
    records for one original, or the reverse) more often than they confirm each other is false. A
    candidate from which 5 sqrt(n) links follow so is taken, with all of them; otherwise the one
    with most agreeing links. Three values that went in a circle, as in every column with an odd
    number of them, imply false links; so in the end each record has the link that most links of
    others imply. Records that nothing follows from are linked to the nearest masked record.

    **Guarantee.** None that a link is right; the chance that a false candidate survives is given in
    the source beside its constant. Values that were not exchanged in pairs contradict at once.

    **Cost.** About n sqrt(n) steps for the first record; those that follow from it cost nothing.

    References
    ----------
    This package; the exchange is the definition of rank swapping by Moore (1996). See
    docs/explanation/literature.md.

    Examples
    --------
    >>> import numpy as np
    >>> import tacit as tc
    >>> x = np.random.default_rng(1).normal(size=(300, 5))
    >>> swapped = tc.protect.RankSwapping(p=100, random_state=1).fit_transform(x)
    >>> bool(Pairing().link(x, swapped).rate > 0.95)
    True
    """

    title = "Undoes exchanges"

    @classmethod
    def invited(cls, release: Release) -> bool:
        """Columns hold values of the original in another order."""
        return applies(release.original, release.masked, columns=release.columns)

    def __init__(self, columns: list[str] | None = None) -> None:
        self.columns = columns

    @property
    def knows(self) -> str:
        """Who the intruder is."""
        return (
            "every compared column of each original, and that values were exchanged in pairs; "
            "neither how far nor with which seed"
        )

    def _link(
        self,
        original: Microdata,
        masked: Microdata,
        columns: list[str],
    ) -> Matching:
        plain = Nearest(columns=columns)._link(original, masked, columns)
        pair = Pair.of(original, masked, columns)
        x, z = pair.numbers()
        if min(x.shape) < 2 or not len(z):
            return plain
        # in the order of values, so that permuting rows changes nothing
        order = np.argsort(distinct(x).inverse, kind="stable")
        back = np.argsort(distinct(z).inverse, kind="stable")
        x, z = x[order], z[back]
        exchanged = exchanged_columns(x, z)
        if exchanged.sum() < 2:
            return plain
        owner, holder = owners(x[:, exchanged], z[:, exchanged])
        link = _search(owner, holder, _ranks(x), _ranks(z)).named()
        sure = np.full(len(link), -1, dtype=np.int64)
        sure[order] = np.where(link >= 0, back[np.maximum(link, 0)], -1)
        return _instead(plain, sure)


@dataclass
class Found:
    """Sure links, and for the others the best candidate with what speaks for it."""

    link: Ints
    support: Ints
    ties: Ints
    best: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.best = np.full(len(self.link), -1, dtype=np.int64)

    def named(self) -> Ints:
        """The masked record of each original; -1: nothing speaks for one.

        Where no link is sure the values were not exchanged, and agreement means nothing.
        """
        if not (self.link >= 0).any():
            return self.link
        alone = (self.ties == 1) & (self.support >= FEW)
        return np.where(self.link >= 0, self.link, np.where(alone, self.best, -1))

    def take(
        self,
        records: Ints,
        best: Ints,
        support: Ints,
        ties: Ints,
    ) -> None:
        """Keep what is better than before."""
        better = support > self.support[records]
        changed = records[better]
        self.best[changed] = best[better]
        self.support[changed] = support[better]
        self.ties[changed] = ties[better]


def applies(
    original: object,
    masked: object,
    *,
    columns: list[str] | None = None,
) -> bool:
    """At least two compared columns hold values of the original in another order."""
    pair = Pair.of(original, masked, columns)
    if len(pair.columns) < 2 or pair.original.n < 4:
        return False
    return bool(exchanged_columns(*pair.numbers()).sum() >= 2)


def exchanged_columns(x: Floats, z: Floats) -> Bools:
    """Columns whose masked values are mostly unique values of the original column.

    Noise, averages and rounding do not keep values; a column of few categories has no unique ones.
    """
    kept = np.zeros(x.shape[1], dtype=bool)
    for c in range(x.shape[1]):
        values, count = np.unique(x[~np.isnan(x[:, c]), c], return_counts=True)
        unique = values[count == 1]
        # most of what the original has but once must be found again
        kept[c] = len(unique) >= 4 and np.isin(unique, z[:, c]).mean() >= SHARE * min(
            1.0, len(z) / len(x)
        )
    return kept


def owners(x: Floats, z: Floats) -> tuple[Ints, Ints]:
    """Original with the value of each masked record, and the reverse; -1: not unique."""
    n, d = x.shape
    owner = np.full((d, len(z)), -1, dtype=np.int64)
    holder = np.full((d, n), -1, dtype=np.int64)
    for c in range(d):
        ours, first_x, count_x = np.unique(
            x[:, c], return_index=True, return_counts=True
        )
        theirs, first_z, count_z = np.unique(
            z[:, c], return_index=True, return_counts=True
        )
        _, a, b = np.intersect1d(
            ours[count_x == 1],
            theirs[count_z == 1],
            assume_unique=True,
            return_indices=True,
        )
        i, j = first_x[count_x == 1][a], first_z[count_z == 1][b]
        owner[c, j] = i
        holder[c, i] = j
    return owner, holder


def _ranks(values: Floats) -> Floats:
    """Ranks in [0, 1] by column, ties at their first place; a missing value is in the middle."""
    out = np.empty_like(values)
    for c in range(values.shape[1]):
        ordered = np.sort(values[:, c])
        place = np.searchsorted(ordered, values[:, c])
        out[:, c] = np.where(
            np.isnan(values[:, c]), 0.5, place / max(len(values) - 1, 1)
        )
    return out


def _search(
    owner: Ints,
    holder: Ints,
    ours: Floats,
    theirs: Floats,
) -> Found:
    """Records with most unique values first, each with its candidates by nearness of ranks.

    Later rounds try the records that are left again: now they must agree with all links that
    were found, and few candidates do.
    """
    n, m = holder.shape[1], owner.shape[1]
    enough = min(n, max(8, math.ceil(SURE * math.sqrt(n))))
    known = (holder >= 0).sum(axis=0)
    link = np.full(n, -1, dtype=np.int64)
    back = np.full(m, -1, dtype=np.int64)
    found = Found(link, np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64))
    spent = 0
    for strict in STRICT:
        left = np.argsort(-known, kind="stable")
        left = left[(known[left] > 0) & (link[left] < 0)]
        in_vain = 0
        # a few records at a time: once one of them is sure, most others follow from it
        patience = max(5, min(PATIENCE, 200_000 // m))
        batch = min(patience, max(1, 2_000_000 // m))
        while len(left) and spent < MOST_LINKS and in_vain < patience:
            some, left = left[:batch], left[batch:]
            before = int((link >= 0).sum())
            candidate = _by_nearness(ours[some], theirs)
            best, support, ties, followed = _tried(
                some,
                candidate,
                owner,
                holder,
                link,
                back,
                enough,
                MOST_LINKS - spent,
                strict,
            )
            found.take(some, best, support, ties)
            left = left[link[left] < 0]
            spent += followed
            sure = int((link >= 0).sum()) > max(before, enough - 1)
            in_vain = 0 if sure else in_vain + len(some)
        if not (link >= 0).any() and not strict:
            _venture(found, owner, holder, back)
        _vote(owner, holder, link, back)
    return found


def _tried(
    records: Ints,
    candidate: Ints,
    owner: Ints,
    holder: Ints,
    link: Ints,
    back: Ints,
    enough: int,
    most_links: int,
    strict: bool,
) -> tuple[Ints, Ints, Ints, int]:
    """What the kernel of the same arguments gives, record by record while it is interpreted.

    Mostly the first record is found at once and the others follow from it, which takes less time
    than importing the compiler; where it is not, the kernel is compiled for those that are left.
    """
    best = np.full(len(records), -1, dtype=np.int64)
    support = np.zeros(len(records), dtype=np.int64)
    ties = np.zeros(len(records), dtype=np.int64)
    followed = 0
    at = 0
    while at < len(records) and followed <= most_links:
        run = best_candidates.taking(LINES * owner.size)
        some = slice(at, len(records) if run is best_candidates else at + 1)
        best[some], support[some], ties[some], links = run(
            records[some],
            candidate[some],
            owner,
            holder,
            link,
            back,
            enough,
            most_links - followed,
            strict,
        )
        followed += int(links)
        at = some.stop
    return best, support, ties, followed


def _venture(
    found: Found,
    owner: Ints,
    holder: Ints,
    back: Ints,
) -> None:
    """Nothing is sure: believe the candidate that most speaks for, if it is one alone.

    Where columns are few, or much was changed besides, chains are too short to be sure; nobody
    loses by trying, as the nearest record is tried anyway.
    """
    alone = np.where(found.ties == 1, found.support, 0)
    i = int(alone.argmax())
    if alone[i] < VENTURED:
        return
    queue, via = np.empty((2, len(found.link)), dtype=np.int64)
    run = follow.taking(LINES * owner.size)
    run(
        i,
        int(found.best[i]),
        owner,
        holder,
        found.link,
        back,
        queue,
        via,
        len(queue),
        False,
    )


def _vote(
    owner: Ints,
    holder: Ints,
    link: Ints,
    back: Ints,
) -> None:
    """Replace the links by those that most links imply, in place; links that no other implies
    stay where nothing speaks against them."""
    n, m = len(link), len(back)
    for _ in range(VOTES):
        i = np.flatnonzero(link >= 0)
        implied_by = owner[:, link[i]].ravel()
        implied = holder[:, i].ravel()
        told = (implied_by >= 0) & (implied >= 0)
        pair, votes = np.unique(
            implied_by[told] * m + implied[told], return_counts=True
        )
        new, new_back = _most_votes(*np.divmod(pair, m), votes, n, m)
        free = i[(new[i] < 0) & (new_back[link[i]] < 0)]
        new[free], new_back[link[free]] = link[free], free
        if np.array_equal(new, link):
            return
        link[:], back[:] = new, new_back


def _most_votes(
    i: Ints,
    j: Ints,
    votes: Ints,
    n: int,
    m: int,
) -> tuple[Ints, Ints]:
    """Pairs that have more votes than any other of their original and of their masked record."""
    ours, theirs = (np.zeros((size, 2), np.int64) for size in (n, m))
    for side, at in ((ours, i), (theirs, j)):
        np.maximum.at(side[:, 0], at, votes)
        # how many pairs share the most votes
        np.add.at(side[:, 1], at, votes == side[at, 0])
    won = (votes == ours[i, 0]) & (votes == theirs[j, 0])
    won &= (ours[i, 1] == 1) & (theirs[j, 1] == 1)
    link, back = np.full(n, -1, np.int64), np.full(m, -1, np.int64)
    link[i[won]], back[j[won]] = j[won], i[won]
    return link, back


def _by_nearness(ours: Floats, theirs: Floats) -> Ints:
    """Masked records for each original, nearest ranks first."""
    distance = np.abs(ours[:, None, :] - theirs[None, :, :]).sum(axis=2)
    return np.argsort(distance, axis=1, kind="stable").astype(np.int64)


def _instead(plain: Matching, sure: Ints) -> Matching:
    """The plain links, but for the records whose link is sure."""
    known = sure >= 0
    masked_class, indptr, named, chance = plain.named
    degree = np.where(known, 1, np.diff(indptr))
    start = pointers(degree)
    owner = owners_of(start)
    # where each plain entry stands: that of a sure record is overwritten
    _, entries = take_rows(indptr, np.flatnonzero(~known))
    classes = np.empty(start[-1], dtype=np.int64)
    probability = np.ones(start[-1])
    classes[~known[owner]] = named[entries]
    probability[~known[owner]] = chance[entries]
    classes[known[owner]] = masked_class[sure[known]]
    return replace(
        plain,
        match=np.where(known, sure, plain.match),
        score=np.where(known, 0.0, plain.score),
        indptr=start,
        classes=classes,
        probability=probability,
        margin=None,
        lists=None,
    )
