"""The engine interface: the same results everywhere, resuming, progress and cancelling."""

import re
import threading
from pathlib import Path

import numpy as np
import pytest

from tacit import scale
from tacit.base.errors import ParameterError
from tacit.scale.engine import Cancelled, Processes, Threads, engine_of, seed_of
from tacit.scale.partition import OrthTree, microaggregate


def draw(block):
    """Work that depends on its item alone."""
    return np.random.default_rng(seed_of(7, block)).integers(0, 10**9, size=3).tolist()


ENGINES = [Threads(1), Threads(3), Processes(2)]


@pytest.mark.few(1)
@pytest.mark.parametrize("engine", ENGINES, ids=repr)
def test_same_results_whatever_the_engine(engine):
    found = dict(engine.map(draw, range(9)))
    assert found == {block: draw(block) for block in range(9)}
    assert found[0] != found[1]


def test_finished_items_are_not_run_again_and_progress_counts_them():
    ran, seen = [], []
    found = dict(
        Threads(2).map(
            lambda i: ran.append(i),
            range(6),
            progress=lambda *a: seen.append(a),
            done={1, 4},
        )
    )
    assert sorted(found) == sorted(ran) == [0, 2, 3, 5]
    assert seen[-1] == (6, 6)


def test_cancel_stops_and_says_how_far_it_came():
    cancel = threading.Event()
    done = []

    def until_three():
        for place, _ in Threads(1).map(lambda i: i, range(100), cancel=cancel):
            done.append(place)
            if len(done) == 3:
                cancel.set()

    with pytest.raises(Cancelled, match="of 100 blocks"):
        until_three()
    assert 3 <= len(done) < 100


@pytest.mark.slow
def test_blocks_of_an_array_run_on_every_engine():
    x = np.random.default_rng(0).normal(size=(400, 2))
    tree = OrthTree(leaf=100)
    done = [microaggregate(x, 3, tree, engine=engine) for engine in ENGINES]
    assert len(done[0].blocks) > 1
    assert all(np.array_equal(one.masked, done[0].masked) for one in done)


def test_no_path_asks_for_an_engine_by_name_or_type():
    """What an engine needs of others stands on it (``reach``); nobody asks who it is."""
    room = Path(scale.__file__).parent
    for file in room.rglob("*.py"):
        text = file.read_text()
        if file.parent.name != "engine":
            assert not re.search(r"(engine|where)\.name (==|!=|in) ", text)
            assert not re.search(r"isinstance\((engine|where)\b", text)


def test_an_error_in_a_block_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        list(Threads(2).map(lambda i: 1 // i, range(3)))


def test_engine_of_what_a_person_writes():
    assert engine_of(None).name == "threads"
    assert engine_of(2).number == 2
    assert engine_of("processes").name == "processes"
    assert engine_of("spark://somewhere:7077").name == "spark"
    with pytest.raises(ParameterError, match="no engine"):
        engine_of("hadoop")
    with pytest.raises(ParameterError):
        Threads(0)
