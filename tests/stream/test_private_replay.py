"""A private stream that is stopped, killed or put back: no record leaves with two noises."""

from __future__ import annotations

import copy
import math
import stat
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from stream.private_streams import private, records, run
from tacit.base.errors import InputError
from tacit.protect.private.discrete_laplace import laplace_of
from tacit.stream.filters.draws import NOISE, WindowWords
from tacit.stream.spent import spent_beside
from tacit.stream.state import packed, restored, unpacked


def released(unit, rows) -> list[float]:
    return [one.record["a"] for row in rows for one in unit.push(row)]


# -- noise by address ------------------------------------------------------------------


def test_one_window_from_one_state_is_one_release() -> None:
    saved, rows = private(), records(20)
    released(saved, rows[:15])
    content = packed(saved)
    twenty = {
        tuple(released(restored(private(), unpacked(content, "s")[0]), rows[15:]))
        for _ in range(20)
    }
    assert len(twenty) == 1


def test_other_records_get_other_noise() -> None:
    """The difference of two releases of one state is not that of their records."""
    # bounds so wide that nothing is clamped: released = mean of two + noise
    one = private(k=10, clamp=False)
    other = copy.deepcopy(one)
    a, b = [{"a": 0.25}] * 10, [{"a": 0.75}] * 10
    apart = released(other, b)[0] - released(one, a)[0]
    assert apart != pytest.approx(0.5, abs=1e-9)


def test_a_window_that_is_cut_short_has_noise_of_its_own() -> None:
    one = private(k=5, clamp=False)
    other = copy.deepcopy(one)
    rows = [{"a": 0.5}] * 10
    whole = set(released(one, rows))
    released(other, rows[:5])
    assert whole.isdisjoint(one.record["a"] for one in other.flush())


def test_the_release_does_not_depend_on_how_the_records_came() -> None:
    x = np.random.default_rng(2).random((57, 2))
    first = private(bounds=[(0, 1)] * 2)
    by_push, by_parts, whole = (copy.deepcopy(first) for _ in range(3))
    pushed = [one.record for row in x for one in by_push.push(row)]
    pushed += [one.record for one in by_push.flush()]
    parts = [by_parts.feed(x[at : at + 7]).values for at in range(0, 57, 7)]
    parts.append(by_parts.finish().values)
    at_once = np.vstack([whole.feed(x).values, whole.finish().values])
    assert np.array_equal(np.array(pushed), at_once)
    assert np.array_equal(np.vstack(parts), at_once)


def test_a_filter_that_begins_afresh_has_another_key() -> None:
    unit, x = private(bounds=[(0, 1)], clamp=False), np.full((10, 1), 0.5)
    assert not np.isin(unit.apply(x), unit.apply(x)).any()


def plain_laplace(t: int, s: int, words: list[int], size: int) -> list[int]:
    """The sampler as Canonne, Kamath and Steinke write it, one word after the other."""
    stream = iter(words)

    def below(limit: int) -> int:
        mask = (1 << (limit - 1).bit_length()) - 1
        while True:
            drawn = next(stream) & mask
            if drawn < limit:
                return drawn

    def exp_minus(u: int, t: int) -> bool:
        k = 1
        while below(t) < u and (k == 1 or below(k) == 0):
            k += 1
        return k % 2 == 1

    drawn: list[int] = []
    while len(drawn) < size:
        u = below(t)
        if not exp_minus(u, t):
            continue
        folds = 0
        while exp_minus(1, 1):
            folds += 1
        negative = next(stream) >> 63
        x = (u + t * folds) // s
        if not (negative and x == 0):
            drawn.append(-x if negative else x)
    return drawn


@pytest.mark.parametrize("scale", [0.3, 3.0, 12345.678, 2.0**50])
def test_the_sampler_equals_its_plain_twin(scale: float) -> None:
    words = WindowWords(b"k" * 16, b"c" * 32)
    # few words are asked for at first: more are the same ones and others after them
    drawn = laplace_of(scale, 200, lambda size: words.draw(NOISE, size // 8))
    exact = Fraction(scale)
    plain = words.draw(NOISE, 20_000).tolist()
    assert drawn.tolist() == plain_laplace(
        exact.numerator, exact.denominator, plain, 200
    )


def test_the_sampler_has_the_distribution_that_it_says() -> None:
    """P(x) = (1 - q) / (1 + q) q^|x|; four standard deviations of each count."""
    words, n, scale = WindowWords(b"k" * 16, b"d" * 32), 60_000, 1.5
    x = laplace_of(scale, n, lambda size: words.draw(NOISE, size))
    q = math.exp(-1 / scale)
    for value in range(-4, 5):
        p = (1 - q) / (1 + q) * q ** abs(value)
        assert (x == value).mean() == pytest.approx(p, abs=4 * math.sqrt(p / n))


def test_what_is_drawn_for_another_purpose_or_window_is_other() -> None:
    one, other = (WindowWords(b"k" * 16, c * 32) for c in (b"c", b"d"))
    drawn = [one.draw(0, 50), one.draw(1, 50), other.draw(0, 50)]
    drawn.append(WindowWords(b"l" * 16, b"c" * 32).draw(0, 50))
    assert len({word for words in drawn for word in words.tolist()}) == 200


# -- killed ----------------------------------------------------------------------------


@pytest.mark.parametrize("every", [3, 25, 1000])
def test_killed_at_every_window_what_leaves_again_is_the_same(
    tmp_path: Path, every: int
) -> None:
    """The records come again, and what left cannot be called back: a pipe."""
    rows, left = records(64), {}
    for dies_at in [*range(0, 60, 10), None]:
        sink, unit = run(tmp_path / "s", rows, dies_at, every=every)
        for index, value in sink.values().items():
            assert left.setdefault(index, value) == value
        assert unit.budget["spent"] == 1.0
    assert sorted(left) == list(range(64))
    assert len(set(left.values())) > 10


def test_the_end_of_a_stream_is_the_end_again(tmp_path: Path) -> None:
    """Killed while the last window left: the source has grown, and the window is the same."""
    rows = records(40)
    before, _ = run(tmp_path / "s", rows[:14], dies_at=10)
    after, _ = run(tmp_path / "s", rows)
    both = before.values() | after.values()
    assert sorted(both) == list(range(40))
    for index in before.values().keys() & after.values().keys():
        assert before.values()[index] == after.values()[index]
    # the four of the tail left together, and are not in another window
    assert [one.size for one in after.releases if one.index in range(10, 14)] == [4] * 4


def test_a_pipe_that_brings_new_records_passes_over_what_left(tmp_path: Path) -> None:
    """Records that were inside when the state was saved left with others: not twice."""
    rows = records(60)
    before, _ = run(tmp_path / "s", rows, dies_at=30, every=25, again=False)
    # 25 records were saved, 40 left: 20 to 24 are inside the state and gone
    after, unit = run(tmp_path / "s", rows[40:], every=25, again=False)
    assert max(before.values()) == 39
    assert sorted(after.values()) == list(range(40, 60))
    assert unit.budget["windows"] == 6


def test_what_was_spent_is_never_less_than_what_left(tmp_path: Path) -> None:
    """Nothing has left according to the state, three windows according to those who got them."""
    rows = records(40)
    run(tmp_path / "s", rows, dies_at=20, every=1000)
    _, unit = run(tmp_path / "s", rows[:0])
    assert unit.budget["spent"] == 1.0
    assert unit.budget["windows"] == 3


# -- put back --------------------------------------------------------------------------


def test_an_older_state_is_refused(tmp_path: Path) -> None:
    state, rows = tmp_path / "s", records(60)
    run(state, rows, dies_at=20)
    older = state.read_bytes()
    run(state, rows, dies_at=30)
    state.write_bytes(older)
    with pytest.raises(InputError, match="the state was put back: it is older than"):
        run(state, rows)


def test_an_older_count_is_refused(tmp_path: Path) -> None:
    state, rows = tmp_path / "s", records(90)
    spent = spent_beside(state)
    run(state, rows, dies_at=20)
    older = spent.read_bytes()
    run(state, rows)
    spent.write_bytes(older)
    with pytest.raises(InputError, match="this file was put back"):
        run(state, rows)


@pytest.mark.parametrize(
    ("gone", "words"),
    [("s.spent", "nobody knows what left"), ("s", "would spend the budget again")],
)
def test_half_of_the_memory_is_refused(tmp_path: Path, gone: str, words: str) -> None:
    rows = records(60)
    run(tmp_path / "s", rows, dies_at=20)
    (tmp_path / gone).unlink()
    with pytest.raises(InputError, match=words):
        run(tmp_path / "s", rows)


def test_other_records_in_place_of_those_that_left_are_refused(tmp_path: Path) -> None:
    rows = records(60)
    run(tmp_path / "s", rows, dies_at=20, every=1000)
    rows[13] = {"a": 0.123}
    with pytest.raises(InputError, match="other records were released as window 2"):
        run(tmp_path / "s", rows, every=1000)
    # refused before it left: the first window alone is the same again
    sink, _ = run(tmp_path / "s", rows, dies_at=0, every=1000)
    assert sorted(sink.values()) == list(range(10))


def test_two_processes_from_one_state_are_noticed(tmp_path: Path) -> None:
    state, rows = tmp_path / "s", records(60)
    run(state, rows[:10], every=5)

    def meanwhile():
        yield from rows[:25]
        run(state, rows, dies_at=20, every=1000)
        yield from rows[25:]

    with pytest.raises(InputError, match="another process"):
        run(state, meanwhile(), every=1000)  # type: ignore[arg-type]


def test_half_a_line_is_a_window_that_did_not_leave(tmp_path: Path) -> None:
    rows = records(60)
    run(tmp_path / "s", rows, dies_at=20, every=1000)
    with spent_beside(tmp_path / "s").open("a") as torn:
        torn.write("0123 4 5")
    sink, _ = run(tmp_path / "s", rows)
    assert sorted(sink.values()) == list(range(60))
    lines = spent_beside(tmp_path / "s").read_text().splitlines()
    assert all(len(line.split()) in (4, 6) for line in lines)


def test_what_left_is_known_to_its_owner_and_without_the_key(tmp_path: Path) -> None:
    _, unit = run(tmp_path / "s", records(60), dies_at=20)
    spent = spent_beside(tmp_path / "s")
    assert stat.S_IMODE(spent.stat().st_mode) == 0o600
    key = unit._keys.astype("<u8").tobytes()
    assert key.hex() not in spent.read_text()
    assert key.hex() not in repr(unit) + repr(unit.budget) + repr(unit.spent)
