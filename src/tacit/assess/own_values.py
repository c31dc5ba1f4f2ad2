"""Are released values those of the person in the row? Tested against the truth, never assumed.

Whoever counts keys (k-anonymity, SUDA, the prosecutor, ...) takes it for granted that somebody who
is alone in the release is the person with these values. In a file of other people's records that
is wrong, and the count refuses a release in which nobody is. The assessor knows whose row is whose
and can look: a column is *another's* only where its values have nothing to do with any original
column of the person, column by column and all of them together, and where the evidence is enough
to say that next to nobody kept them. No finding for want of evidence is no such proof: then the
values count as the person's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist

import numpy as np

from tacit.attack.linkage import wilson
from tacit.base.seeds import FIXED
from tacit.base.typing import Bools, Floats, Ints
from tacit.data.microdata import Kind, Microdata, Role
from tacit.data.pair import read_as
from tacit.data.same_values import Values, values_of
from tacit.data.units import households, persons

LUCK = 0.01
"""Tests of single columns find something in one file in a hundred where there is nothing."""
LUCK_TOGETHER = 0.002
"""So do those of all columns at once in one file in five hundred: KEPT guards what they miss."""
KEPT = 0.05
"""Surely no more people than this kept their values in columns that are called another's: as many
as an attack may find."""
SURE = 1 - 0.05 / 4
"""Four upper limits are looked at, and the least of them holds with 95 % confidence."""
MOST = 5_000
"""Units that are compared: they show a share of KEPT many times over."""
PAIRINGS = 40
"""Random pairings of the two files, which say what is seen where rows have nothing in common."""
LEVELS = (0.5, 0.05, 0.005)
"""Shares of random pairs that agree as much; among own rows there would be more."""
BINS, CATEGORIES, CLASSES = 5, 40, 1_000
"""Numbers are cut into so many classes, and so many categories of a column are looked at, as far
as there are no more than CLASSES of a file in all."""
LUCK_OF_COPIES = 1e-6
"""All who ask look at the same two files, so that their answers go together; copies are far beyond
any luck."""
NEAR = 1e-9
"""Less is rounding."""
NEIGHBOURS, AMONG = 500, 20_000
"""So many originals look for the nearest of so many released and of so many other originals."""


@dataclass(frozen=True)
class OwnValues:
    """Which released columns hold the person's own values, as far as the truth can show."""

    others: tuple[str, ...] = ()
    """Released columns that have nothing to do with any value of the person."""
    depends: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The other released columns, and the original ones that they depend on; none: it was not
    shown that they do not."""
    most: float = 1.0
    """Surely no larger share of the people kept their values in ``others``."""
    units: int = 0
    """People who were compared."""
    copied: bool = False
    """Released records are somebody's, whether or not those of the person in the row."""

    @property
    def seen(self) -> bool:
        """Some released column goes with the person's values: rows belong together."""
        return any(self.depends.values())

    @property
    def sentence(self) -> str:
        """Why these columns were not counted as the person's own."""
        names = ", ".join(self.others)
        return (
            f"{names}: not the values of the person in the row (compared with the truth for "
            f"{self.units:,} people; surely fewer than {100 * self.most:.1f} % kept them)"
        )

    def told_by(self, column: str, known: Iterable[str]) -> bool:
        """The released column may depend on one of these original ones."""
        if column in self.others:
            return False
        found = self.depends.get(column, ())
        return not found or bool(set(found) & set(known))


def own_values(original: Microdata, masked: Microdata, rows: Ints) -> OwnValues:
    """Compare what was released for each person with what the original says of the person.

    Parameters
    ----------
    original, masked : Microdata
        Both files.
    rows : array of int
        The masked row of each original; -1: not released.

    Notes
    -----
    Each released column is tested against each original one: ranks by their correlation; classes
    of numbers, categories and gaps by how often they meet; equal values by how many there are
    (both by the bound of Hoeffding, which holds for every size), all at 1 % over the whole file.
    Of the columns that pass, all agreements of a row are put together: S = - sum of ln u, u the
    share of released values that are at least as near to the person's as the released one. S of
    the true rows is compared with random pairings in the mean and in the share above several
    levels. With S of rows that are wholly the person's own, each comparison bounds the share of
    people who kept their values: (seen - random) / (own - random) at the upper limit of what was
    seen.

    In a file with persons or households one row of each is compared: rows of one are alike.
    """
    release = read_as(original, masked)
    names = [name for name in original.names if _speaks(original, name)]
    columns = [name for name in release.names if _speaks(release, name)]
    at = _one_of_each(original, rows)
    if len(at) < 2 or not columns or not names:
        return OwnValues(units=len(at))
    x = {name: values_of(original, name)[at] for name in names}
    z = {name: values_of(release, name)[rows[at]] for name in columns}
    x |= _sizes(original, at)
    z |= _sizes(release, rows[at])
    x, z = _in_order_of_values(x, z)
    pairs = _dependent(x, z)
    told: dict[str, tuple[str, ...]] = {
        name: tuple(c for c, d in pairs if d == name) for name in z
    }
    free = [name for name in z if not told[name]]
    varied = [name for name in free if len(np.unique(z[name])) > 1]
    nominal = {
        name
        for name in original.names
        if original.schema[name].scale is Kind.nominal or x_is_text(x.get(name))
    }
    common = [name for name in varied if name in x]
    together = _together({c: x[c] for c in common}, {c: z[c] for c in common}, nominal)
    compared = [name for name in common if name in columns]
    copied = _copied(original, release, compared, nominal, at)
    if copied or not together.free or together.most > KEPT:
        # a constant tells nothing, whatever could not be shown of the others
        free = [name for name in free if name not in varied]
    depends = {name: found for name, found in told.items() if name not in free}
    most = together.most if free and common else 0.0
    return OwnValues(tuple(free), depends, most, len(at), copied)


def _speaks(data: Microdata, name: str) -> bool:
    """The column says something of a person; numbers of units and identifiers are looked at
    elsewhere."""
    return data.schema[name].role not in (Role.identifier, Role.person, Role.household)


def _one_of_each(original: Microdata, rows: Ints) -> Ints:
    """One released row of each unit, MOST of them at most."""
    rng = np.random.default_rng(FIXED)
    released = np.flatnonzero(rows >= 0)
    who = households(original) or persons(original)
    mixed = released[rng.permutation(len(released))]
    if not who.single:
        mixed = mixed[np.unique(who.labels[mixed], return_index=True)[1]]
        mixed = mixed[rng.permutation(len(mixed))]
    return np.sort(mixed[:MOST])


def _sizes(data: Microdata, at: Ints) -> dict[str, Values]:
    """How many rows the person or household of each row has."""
    found: dict[str, Values] = {}
    for word, who in (("household", households(data)), ("person", persons(data))):
        if who is not None and not who.single:
            size = np.bincount(who.labels)[who.labels]
            found[size_of(word)] = size[at].astype(np.float64)
    return found


def size_of(word: str) -> str:
    """The column that says how many rows a unit has; no file has a column of that name."""
    return f"rows of a {word}"


def x_is_text(values: Values | None) -> bool:
    """Words have no distance."""
    return values is not None and values.dtype.kind != "f"


def _in_order_of_values(
    x: dict[str, Values], z: dict[str, Values]
) -> tuple[dict[str, Values], dict[str, Values]]:
    """Rows in an order that depends on values only: no result may depend on that of the file."""
    keys = [np.unique(v, return_inverse=True)[1] for v in (*x.values(), *z.values())]
    order = np.lexsort(np.asarray(keys))
    return (
        {name: values[order] for name, values in x.items()},
        {name: values[order] for name, values in z.items()},
    )


# -- column by column ------------------------------------------------------------------


@dataclass(frozen=True)
class _Traits:
    """What is tested of the columns of a file: ranks, and belonging to classes."""

    columns: tuple[str, ...]
    ranks: Floats
    """(rows, 2 columns): the centred rank, and how far it is from the middle; both of length 1."""
    members: Floats
    """(rows, classes): 1 where the row belongs to it."""
    of_class: Ints
    """The column of each class."""

    @classmethod
    def of(cls, table: dict[str, Values]) -> _Traits:
        ranks, members, of_class = [], [], []
        most = min(CATEGORIES, max(BINS, CLASSES // len(table)))
        for j, values in enumerate(table.values()):
            gap = _gap(values)
            code = np.unique(values, return_inverse=True)[1]
            rank = np.where(gap, np.nan, _mean_ranks(code))
            middle = 0.0 if gap.all() else float(np.nanmean(rank))
            ranks += [_unit(rank), _unit(np.abs(rank - middle))]
            classes = _classes(values, code, gap, most)
            members.append(classes)
            of_class += [j] * classes.shape[1]
        return cls(
            tuple(table),
            np.column_stack(ranks),
            np.column_stack(members),
            np.asarray(of_class, np.int64),
        )

    @cached_property
    def sizes(self) -> Ints:
        """Rows of each class."""
        return np.asarray(self.members.sum(axis=0), np.int64)


def _mean_ranks(code: Ints) -> Floats:
    """Places from 1 on; equal values share the middle of theirs."""
    count = np.bincount(code)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[code], np.float64)


def _gap(values: Values) -> Bools:
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    return np.asarray(values == "\0")


def _unit(values: Floats) -> Floats:
    """Centred, of length 1; a gap is the mean, a constant 0."""
    if np.isnan(values).all():
        return np.zeros(len(values))
    centred = np.nan_to_num(values - np.nanmean(values))
    size = float(np.sqrt((centred**2).sum()))
    return np.asarray(centred / size) if size > 0 else np.zeros(len(values))


def _classes(values: Values, code: Ints, gap: Bools, most: int) -> Floats:
    """Membership in the commonest categories, in classes of numbers, and in the gaps."""
    count = np.bincount(code)
    common = np.flatnonzero(count > 1)
    common = common[np.argsort(-count[common], kind="stable")][:most]
    made = [code[:, None] == common]
    if values.dtype.kind == "f" and len(count) > BINS and (~gap).any():
        ends = np.nanquantile(values, np.linspace(0, 1, BINS + 1)[1:-1])
        cut = np.searchsorted(ends, values)
        made.append((cut[:, None] == np.arange(BINS)) & ~gap[:, None])
    return np.hstack([*made, gap[:, None]]).astype(np.float64)


def _dependent(x: dict[str, Values], z: dict[str, Values]) -> list[tuple[str, str]]:
    """Pairs of an original and a released column that have something to do with each other."""
    ours, theirs = _Traits.of(x), _Traits.of(z)
    n = len(ours.ranks)
    meet = ours.members.T @ theirs.members
    tests = 4 * len(x) * len(z) + meet.size + len(x)
    luck = LUCK / tests

    found = np.zeros((len(x), len(z)), dtype=bool)
    # correlations of permuted values have the variance 1 / (n - 1)
    apart = np.abs(ours.ranks.T @ theirs.ranks) * np.sqrt(n - 1)
    strong = (apart > _quantile(luck / 2)).reshape(len(x), 2, len(z), 2)
    found |= strong.any(axis=(1, 3))

    for a, b in _odd_meetings(meet, ours.sizes, theirs.sizes, n, luck):
        found[ours.of_class[a], theirs.of_class[b]] = True

    for i, name in enumerate(x):
        if name in z and _equal_too_often(x[name], z[name], luck):
            found[i, list(z).index(name)] = True
    return [
        (a, b)
        for i, a in enumerate(x)
        for j, b in enumerate(z)
        if found[i, j]
    ]  # fmt: skip


def _odd_meetings(meet: Floats, ours: Ints, theirs: Ints, n: int, luck: float) -> Ints:
    """Pairs of classes that meet more, or less, often than their sizes explain."""
    small = np.minimum(ours[:, None], theirs[None, :])
    large = np.maximum(ours[:, None], theirs[None, :])
    # whom nobody, or everybody, belongs to meets as it must; the nearly expected is no finding
    spread = np.sqrt(small * large / n * (1 - large / n))
    at = np.argwhere((np.abs(meet - small * large / n) > 3 * spread) & (spread > 0))
    a, b = at[:, 0], at[:, 1]
    unlikely = _luck(meet[a, b], small[a, b], large[a, b] / n) < luck / 2
    return np.asarray(at[unlikely], np.int64)


def _luck(hits: Floats, of: Floats, share: Floats) -> Floats:
    """No less than the probability of so many hits or so few, where a share of all hit.

    exp(-m KL(hits / m, share)) for m drawn with or without putting back (Hoeffding, 1963).
    """
    of = np.maximum(of, 1)
    seen = hits / of
    with np.errstate(divide="ignore", invalid="ignore"):
        yes = np.where(seen > 0, seen * np.log(seen / share), 0.0)
        no = np.where(seen < 1, (1 - seen) * np.log((1 - seen) / (1 - share)), 0.0)
    bound = np.exp(-np.maximum(of * np.nan_to_num(yes + no, nan=0.0), 0.0))
    return np.asarray(bound, np.float64)


def _quantile(luck: float) -> float:
    """What a normal variable is above with this probability."""
    return -NormalDist().inv_cdf(luck)


def _equal_too_often(ours: Values, own: Values, luck: float) -> bool:
    """More rows have the same value than the two columns explain, the commonest left out."""
    if ours.dtype.kind != own.dtype.kind:
        return False
    values, code = np.unique(np.concatenate([ours, own]), return_inverse=True)
    a, b = np.split(code, 2)
    count = np.bincount(a, minlength=len(values))
    other = np.bincount(b, minlength=len(values))
    rare = a != count.argmax()
    hits = int((rare & (a == b)).sum())
    expected = float(other[a[rare]].sum()) / len(a)
    number = int(rare.sum())
    if hits <= expected:
        return False
    share = np.array(expected / number)
    return bool(_luck(np.array(hits), np.array(number), share) < luck)


# -- all of them together --------------------------------------------------------------


@dataclass(frozen=True)
class _Together:
    """What all columns of a row show at once."""

    free: bool
    """True rows agree no more than random ones."""
    most: float
    """Surely no larger share of the rows is the person's own."""


def _together(
    x: dict[str, Values], z: dict[str, Values], nominal: Iterable[str]
) -> _Together:
    """Agreement over all columns, of true rows, of random ones, and of rows that are own."""
    if not x:
        return _Together(True, 0.0)
    words = set(nominal)
    measured = [_Nearness.of(x[name], z[name], ordered=name not in words) for name in x]
    n = len(next(iter(x.values())))
    rng = np.random.default_rng(FIXED)
    seen = _total(measured, np.arange(n))
    random = np.array([_total(measured, rng.permutation(n)) for _ in range(PAIRINGS)])
    own = np.sum([one.if_own() for one in measured], axis=0)

    luck = LUCK_TOGETHER / (1 + len(LEVELS))
    middle, spread = float(random.mean()), float(random.std()) / np.sqrt(n)
    free = bool(seen.mean() < middle + _quantile(luck) * spread)
    upper = float(seen.mean()) + _quantile(1 - SURE) * spread
    limits = [_share(upper, middle, float(own.mean()))]
    for share in LEVELS:
        level = float(np.quantile(random, 1 - share))
        by_chance = float((random > level).mean())
        hits = int((seen > level).sum())
        expected = max(by_chance, 1 / random.size)
        unlikely = _luck(np.array(hits), np.array(n), np.array(expected)) < luck
        free &= hits <= expected * n or not unlikely
        limits.append(_share(_upper(hits, n), by_chance, float((own > level).mean())))
    return _Together(free, min(limits))


def _share(seen: float, random: float, own: float) -> float:
    """The share of own rows that mixes random and own to what was seen."""
    if own <= random:
        return 1.0
    return float(np.clip((seen - random) / (own - random), 0.0, 1.0))


def _upper(hits: int, n: int) -> float:
    """The upper limit of a share (Wilson)."""
    return wilson(hits, n, _quantile(1 - SURE))[1]


@dataclass(frozen=True)
class _Nearness:
    """- ln of the share of released values that are at least as near to a value."""

    ours: Floats
    theirs: Floats
    ordered: bool
    rising: Floats

    @classmethod
    def of(cls, ours: Values, theirs: Values, *, ordered: bool) -> _Nearness:
        """Words, and gaps, by their places in one list of all values."""
        if ours.dtype.kind == theirs.dtype.kind == "f" and ordered:
            a, b = np.array(ours, np.float64), np.array(theirs, np.float64)
            # a gap is far from every value and near to every gap
            for side in (a, b):
                side[np.isnan(side)] = np.inf
            return cls(a, b, True, np.sort(b))
        if ours.dtype.kind != theirs.dtype.kind:
            ours, theirs = ours.astype(np.str_), theirs.astype(np.str_)
        code = np.unique(np.concatenate([ours, theirs]), return_inverse=True)[1]
        a, b = (side.astype(np.float64) for side in np.split(code, 2))
        return cls(a, b, False, np.sort(b))

    def of_pairs(self, order: Ints) -> Floats:
        """Of each original value and the released one of the row that it is paired with."""
        return self._of(self.theirs[order])

    def if_own(self) -> Floats:
        """The same if each had been released as it is."""
        return self._of(self.ours)

    def _of(self, theirs: Floats) -> Floats:
        n = len(self.rising)
        with np.errstate(invalid="ignore"):
            apart = np.abs(self.ours - theirs)
        # two gaps are the same; a gap and a number are as far apart as can be
        apart[np.isnan(apart)] = 0.0
        if not self.ordered:
            apart[apart > 0] = np.inf
        with np.errstate(invalid="ignore"):
            low, high = self.ours - apart, self.ours + apart
        gaps = np.isinf(self.ours)
        low[gaps & (apart == 0)] = np.inf
        low[np.isnan(low)] = -np.inf
        high[np.isnan(high)] = np.inf
        high[(apart == 0) & gaps] = np.inf
        first = np.searchsorted(self.rising, low, side="left")
        last = np.searchsorted(self.rising, high, side="right")
        # half a value: what nobody else has is near, and not infinitely near
        return np.asarray(-np.log(np.maximum(last - first, 0.5) / n))


def _total(measured: Sequence[_Nearness], order: Ints) -> Floats:
    """S of each pair of rows."""
    return np.asarray(np.sum([one.of_pairs(order) for one in measured], axis=0))


# -- in another order ------------------------------------------------------------------


def _copied(
    original: Microdata,
    release: Microdata,
    names: Sequence[str],
    nominal: Iterable[str],
    at: Ints,
) -> bool:
    """Released records are somebody's: each is near to one original, and to no other.

    Whoever says wrongly whose row is whose would be believed, and a copy of everybody's records in
    another order would be called other people's. With d1 and d2 the distances of the nearest and
    the second nearest (the mean difference of ranks, 1 for words), d1 / d2 of an original to the
    release is as often less as more than to the other originals, if the release is of other
    people, or of nobody.
    """
    if not names:
        return False
    words = set(nominal)
    rng = np.random.default_rng(FIXED)
    asked = at[rng.permutation(len(at))[:NEIGHBOURS]]
    ours = rng.permutation(original.n)[:AMONG]
    theirs = rng.permutation(release.n)[:AMONG]
    size = min(len(ours), len(theirs))
    ours, theirs = ours[:size], theirs[:size]
    to_ours = np.zeros((len(asked), size))
    to_theirs = np.zeros((len(asked), size))
    for name in names:
        a, b = values_of(original, name), values_of(release, name)
        if a.dtype.kind != b.dtype.kind:
            a, b = a.astype(np.str_), b.astype(np.str_)
        code = np.unique(np.concatenate([a, b]), return_inverse=True)[1]
        place = _mean_ranks(code) / len(code)
        x, z = place[: len(a)], place[len(a) :]
        for sums, other in ((to_ours, x[ours]), (to_theirs, z[theirs])):
            apart = np.abs(x[asked][:, None] - other)
            sums += (apart > 0) if name in words else apart
    # nobody is near to others of the same household, or to oneself
    labels = (households(original) or persons(original)).labels
    to_ours[labels[asked][:, None] == labels[ours]] = np.inf
    # whoever has a twin in the file is nobody's nearest; a release of nobody has fewer of them
    alone = to_ours.min(axis=1) > NEAR
    other, own = _nearness(to_ours)[alone], _nearness(to_theirs)[alone]
    won, lost = int((own < other - NEAR).sum()), int((own > other + NEAR).sum())
    if won <= lost:
        return False
    tried = np.array(won + lost)
    return bool(_luck(np.array(won), tried, np.array(0.5)) < LUCK_OF_COPIES)


def _nearness(apart: Floats) -> Floats:
    """d1 / d2 of each row; 1 where two are the same."""
    nearest, second = np.partition(apart, 1, axis=1)[:, :2].T
    return np.where(second > NEAR, nearest / np.maximum(second, NEAR), 1.0)
