"""Swapping is an exchange: the attack that undoes it, and what it must not fool itself with."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.attack.pairing import Pairing, applies, exchanged_columns, owners
from tacit.kernels.compiler import Kernel
from tacit.kernels.pairing import SLACK, best_candidates, clear, follow


def plain_follow(
    first: int,
    second: int,
    owner: np.ndarray,
    holder: np.ndarray,
    limit: int,
    strict: bool,
):
    """The same search with dictionaries."""
    link, back, queue = {first: second}, {second: first}, [(first, -1)]
    agreed = 0
    for i, via in queue:
        for c in range(len(owner)):
            o, h = int(owner[c, link[i]]), int(holder[c, i])
            if c == via or o < 0 or h < 0:
                continue
            if link.get(o) == h:
                agreed += 1
            elif o in link or h in back:
                agreed -= 1
                if strict or agreed < -SLACK:
                    return len(queue), agreed, False
            elif len(queue) >= limit:
                return len(queue), agreed, True
            else:
                link[o], back[h] = h, o
                queue.append((o, c))
    return len(queue), agreed, True


@pytest.fixture(scope="module")
def people() -> np.ndarray:
    rng = np.random.default_rng(5)
    return rng.normal(size=(300, 5)) @ rng.normal(size=(5, 5))


def swapped(x: np.ndarray, p: float = 100, seed: int = 1) -> np.ndarray:
    return np.asarray(tc.protect.RankSwapping(p=p, random_state=seed).fit_transform(x))


def test_the_kernel_follows_links_as_its_plain_twin(people) -> None:
    owner, holder = owners(people, swapped(people))
    owner[0, ::7] = -1  # some values tell nothing
    n = len(people)
    link, back = np.full(n, -1), np.full(n, -1)
    queue, via = np.empty((2, n), dtype=np.int64)
    rng = np.random.default_rng(0)
    pairs = [(i, i) for i in range(20)] + [
        tuple(rng.integers(0, n, 2)) for _ in range(200)
    ]
    for i, j in pairs:
        for limit, strict in ((5, True), (n, True), (n, False)):
            done = follow(i, j, owner, holder, link, back, queue, via, limit, strict)
            assert done == plain_follow(i, j, owner, holder, limit, strict)
            clear(done[0], link, back, queue)
            assert (link == -1).all()
            assert (back == -1).all()


@pytest.mark.parametrize("p", [10, 50, 100])
def test_swapping_is_undone_at_any_distance(people, p) -> None:
    masked = swapped(people, p)
    assert Pairing().link(people, masked).rate > 0.95
    assert tc.attack.Nearest().link(people, masked).rate < (0.9 if p == 10 else 0.2)


@pytest.mark.parametrize("columns", [3, 5])
@pytest.mark.parametrize("n", [201, 299])
def test_an_odd_number_of_records_is_no_protection(n, columns) -> None:
    """Three values of each column go in a circle, and imply false links."""
    x = np.random.default_rng(n).normal(size=(n, columns))
    assert Pairing().link(x, swapped(x)).rate > 0.9


def test_gaps_make_columns_odd_and_are_no_protection(people) -> None:
    holes = people.copy()
    holes[np.random.default_rng(1).random(people.shape) < 0.1] = np.nan
    assert Pairing().link(holes, swapped(holes)).rate > 0.9


def test_row_order_is_not_knowledge(people) -> None:
    masked = swapped(people)
    order = np.random.default_rng(2).permutation(len(people))
    there = Pairing().link(people, masked[order], truth=np.argsort(order))
    assert there.correct == Pairing().link(people, masked).correct


def test_an_intruder_who_knows_a_third_of_the_people_names_them(people) -> None:
    masked = swapped(people)
    known = np.sort(np.random.default_rng(3).choice(len(people), 100, replace=False))
    # some have no partner among the known: nothing follows from their link
    assert Pairing().link(people[known], masked, truth=known).rate > 0.6


def test_ties_are_left_out_and_the_rest_is_undone(people) -> None:
    coarse = people.copy()
    coarse[:, 0] = np.round(
        coarse[:, 0]
    )  # few values, none of them unique in the middle
    coarse[:, 1] = coarse[:, 1] > 0
    masked = swapped(coarse)
    assert Pairing().link(coarse, masked).rate > 0.9


def test_what_was_not_exchanged_is_not_undone(people) -> None:
    rng = np.random.default_rng(4)
    independent = np.column_stack([rng.permutation(column) for column in people.T])
    assert Pairing().link(people, independent).rate < 0.05


def test_it_applies_where_values_were_kept(people) -> None:
    assert applies(people, swapped(people))
    assert not applies(
        people, people + np.random.default_rng(1).normal(size=people.shape)
    )
    assert not applies(
        people, np.asarray(tc.protect.Microaggregation(k=3).fit_transform(people))
    )
    assert exchanged_columns(people, people).all()


def test_interpreted_and_compiled_searches_find_the_same(
    people, monkeypatch: pytest.MonkeyPatch
) -> None:
    masked = swapped(people, p=30)
    # one column is noise, so that some records are tried in vain
    masked[:, 0] += np.random.default_rng(0).normal(size=len(masked))
    found = []
    for patience in (0.0, 1e9):
        monkeypatch.setattr(Kernel, "_patience", patience)
        monkeypatch.setattr(best_candidates, "_compiled", None)
        found.append(Pairing().link(people, masked))
    compiled, interpreted = found
    np.testing.assert_array_equal(compiled.match, interpreted.match)
    np.testing.assert_array_equal(compiled.success, interpreted.success)
