"""The suppression kernels beside plain twins, which count afresh what each action would change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels.suppression import cover, gather


@dataclass
class Search:
    """Classes with ``left`` open records and buckets of them.

    As protect/grouping/anonymity.py hands them to the kernels.
    """

    buckets: list[list[int]]
    cost: np.ndarray
    left: np.ndarray
    need: np.ndarray
    k: int

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(start, member, cost) as the kernels take them."""
        start = np.concatenate([[0], np.cumsum([len(b) for b in self.buckets])]).astype(
            np.int64
        )
        return (
            start,
            np.array([u for b in self.buckets for u in b], np.int64),
            self.cost,
        )


@st.composite
def searches(draw: st.DrawFn) -> Search:
    """Random classes and buckets."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    classes, k = draw(st.integers(0, 9)), draw(st.integers(2, 5))
    buckets = [
        np.flatnonzero(rng.random(classes) < 0.5).tolist()
        for _ in range(draw(st.integers(0, 6)))
    ]
    cost = rng.choice([1.0, 1.0, 2.0, 0.5], len(buckets))
    left = rng.integers(0, rng.choice([k + 1, 2 * k]), classes)
    need = k - left - rng.integers(0, 2, classes)
    return Search(buckets, cost, left, need, k)


def price(left: np.ndarray, need: np.ndarray) -> int:
    """What the open records may still cost.

    Each is suppressed itself, or is helped ``need`` times.
    """
    return int(np.minimum(left, np.maximum(need, 0)).sum())


def after(
    left: np.ndarray, need: np.ndarray, u: int, bucket: list[int], sign: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """One record of class u suppressed (or restored).

    It counts for every other class of the bucket.
    """
    left, need = left.copy(), need.copy()
    left[u] -= sign
    for other in bucket:
        need[other] -= sign * (other != u)
    return left, need


def plain_cover(
    s: Search, levels: np.ndarray
) -> tuple[list[tuple[int, int]], np.ndarray, np.ndarray]:
    """Each action by what it changes in the sum of prices."""
    left, need, done = s.left.copy(), s.need.copy(), []
    for level in levels:
        for b, bucket in enumerate(s.buckets):
            total = int(s.left[bucket].sum())
            while True:
                now = price(left, need)
                offers = [
                    (now - price(*after(left, need, u, bucket)), left[u], -place)
                    for place, u in enumerate(bucket)
                    if left[u] > 0 and (need[u] <= 0 or total >= s.k)
                ]
                gain, _, place = max(offers, default=(0, 0, 0))
                if gain < 1 or gain < level * s.cost[b] - 1e-12:
                    break
                left, need = after(left, need, bucket[-place], bucket)
                done.append((bucket[-place], b))
    kept = []
    for u, b in done:
        undone = after(left, need, u, s.buckets[b], -1)
        if any(undone[0][o] > 0 and undone[1][o] > 0 for o in {u, *s.buckets[b]}):
            kept.append((u, b))
        else:
            left, need = undone
    return kept, left, need


@given(searches())
def test_cover_takes_what_gains_most_and_restores_what_is_superfluous(
    s: Search,
) -> None:
    """The same actions as the twin."""
    levels = np.array([4.0, 2.0, 1.0, 0.5])
    start, member, cost = s.arrays
    total = np.array([s.left[b].sum() for b in s.buckets], np.int64)
    left, need = s.left.copy(), s.need.copy()
    who, where = cover(start, member, cost, total, left, need, s.k, levels)
    kept, left_then, need_then = plain_cover(s, levels)
    assert list(zip(who.tolist(), where.tolist(), strict=True)) == kept
    assert np.array_equal(left, left_then)
    assert np.array_equal(need, need_then)


def plain_gather(
    s: Search, held: np.ndarray, levels: np.ndarray
) -> tuple[list[tuple[int, int, int]], np.ndarray, set[int]]:
    """Each bucket by what its classes can give up."""
    left, held, moves = s.left.copy(), held.copy(), []
    small = set(np.flatnonzero(s.need > 0).tolist())
    for level in levels:
        for b, bucket in enumerate(s.buckets):
            helped = sum(int(left[u]) for u in bucket if u in small)
            missing = max(0, s.k - int(held[b]) - helped)
            # what each class can give up, in order of place: the small all, a large one
            # what it has above k
            given_up = {u: int(left[u]) for u in bucket if u in small}
            for u in bucket:
                if u not in small and missing > 0 and left[u] > s.k:
                    given_up[u] = min(missing, int(left[u]) - s.k)
                    missing -= given_up[u]
            # not enough: then one large class goes as a whole, the smallest that will do
            if missing > 0:
                short = max(0, s.k - int(held[b]) - helped)
                whole = [u for u in bucket if u not in small and left[u] >= short]
                if not whole:
                    continue
                chosen = min(whole, key=lambda u: left[u])
                given_up = {
                    u: int(left[u]) for u in bucket if u in small or u == chosen
                }
            if (
                helped == 0
                or s.cost[b] * sum(given_up.values()) > level * helped + 1e-12
            ):
                continue
            for u in bucket:
                if given_up.get(u, 0) > 0:
                    moves.append((u, b, given_up[u]))
                    left[u] -= given_up[u]
                    held[b] += given_up[u]
                    small.discard(u)
    return moves, left, small


@given(searches(), st.integers(0, 3))
def test_gather_makes_classes_of_k_without_breaking_others(
    s: Search, already: int
) -> None:
    """The same moves as the twin."""
    levels = np.array([1.0, 2.0, 4.0, np.inf])
    start, member, cost = s.arrays
    before = np.full(len(s.buckets), already, np.int64)
    left, held, small = s.left.copy(), before.copy(), s.need > 0
    who, where, many = gather(start, member, cost, held, left, small, s.k, levels)
    moves, left_then, small_then = plain_gather(s, before, levels)
    assert list(zip(who.tolist(), where.tolist(), many.tolist(), strict=True)) == moves
    assert np.array_equal(left, left_then)
    assert set(np.flatnonzero(small).tolist()) == small_then
    large = s.need <= 0
    assert (held[held > before] >= s.k).all(), (
        "what is suppressed together is a class of k"
    )
    whole = {u for u, b, moved in moves if large[u]}
    for u in whole:
        assert left[u] == 0 or left[u] >= s.k, (
            "a large class keeps k or goes as a whole"
        )


def test_long_lists_of_actions_grow() -> None:
    """More actions than the first 16 places, and none lost."""
    n = 50
    start, member = np.arange(0, 2 * n + 1, 2), np.arange(2 * n)
    left, need = np.ones(2 * n, np.int64), np.ones(2 * n, np.int64)
    who, _ = cover(
        start, member, np.ones(n), np.full(n, 2), left, need, 2, np.array([1.0])
    )
    assert len(who) == len(set(who.tolist())) >= n
    left, small = np.ones(2 * n, np.int64), np.ones(2 * n, np.bool_)
    who, _, many = gather(
        start,
        member,
        np.ones(n),
        np.zeros(n, np.int64),
        left,
        small,
        2,
        np.array([np.inf]),
    )
    assert sorted(who.tolist()) == list(range(2 * n))
    assert many.sum() == 2 * n
    assert not left.any()
