"""A Redis server that goes away and comes back, consumers that die for good, whole groups."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import tacit as tc
from programs import find
from stream.private_streams import private
from stream.test_ecosystem import on_redis, put, redis_url
from tacit.base.errors import InputError
from tacit.stream.pipeline import Pipeline
from tacit.stream.released import Release
from tacit.stream.sources import redis_server
from tacit.stream.sources.redis import RedisSource
from tacit.stream.sources.redis_ledger import RedisLedger
from tacit.stream.sources.redis_sink import RedisSink
from tacit.stream.sources.whole_groups import WholeGroups

__all__ = ["redis_url"]
pytestmark = pytest.mark.needs("redis")


class Server:
    """A server that can be stopped and started, with or without a memory."""

    def __init__(self, folder: Path, forgets: bool = False) -> None:
        self.place = folder / "redis.sock"
        self.url = f"unix://{self.place}"
        keep = ["no"] if forgets else ["yes", "--appendfsync", "always"]
        self._command = [find("redis"), "--port", "0", "--unixsocket", str(self.place)]
        self._command += ["--save", "", "--dir", str(folder), "--appendonly", *keep]
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)  # type: ignore[arg-type]
        for _ in range(200):
            try:
                redis_server.connect(self.url)
                return
            except InputError:
                time.sleep(0.02)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self.place.unlink(missing_ok=True)

    def restart(self) -> None:
        self.stop()
        self.start()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_server, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(redis_server, "LONGEST_PAUSE", 0.02)


ROWS = [{"a": float((i * 37) % 101)} for i in range(60)]


def indices(url: str, key: str) -> list[int]:
    entries = redis_server.connect(url).xrange(key)
    return [int(fields["_index"]) for _, fields in entries]


@pytest.mark.parametrize("moment", ["while reading", "before the commit", "in it"])
def test_a_server_that_is_started_again_is_gone_on_with(
    server: Server, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every record once, with the values of a run in which nothing happened."""
    put(server.url, "in", ROWS)
    source = RedisSource(server.url, "in", follow=False, count=10)
    run = on_redis(tc.stream.Microaggregation(k=3, window=8), source, "out")
    commit, fetch, transact = run.commit, source._fetch, run.sink._transact  # type: ignore[union-attr]
    calls: Counter[str] = Counter()

    def third(what: str) -> bool:
        calls[what] += 1
        return calls[what] == 3

    def committing() -> None:
        if moment == "before the commit" and third("commit"):
            server.restart()
        commit()

    def fetching(last: str) -> object:
        if moment == "while reading" and third("fetch"):
            server.restart()
        return fetch(last)

    def transacting(kept: dict[str, str], given: list[str]) -> None:
        transact(kept, given)
        # it is done, and the answer is lost
        if moment == "in it" and third("transaction"):
            server.restart()
            raise redis_server.LostConnection("the answer")

    run.commit = committing
    monkeypatch.setattr(source, "_fetch", fetching)
    monkeypatch.setattr(run.sink, "_transact", transacting)
    run(source, skip=False)
    assert max(calls.values()) >= 3
    out = redis_server.connect(server.url).xrange("out")
    want = tc.stream.Microaggregation(k=3, window=8)(ROWS)
    got = {int(f["_index"]): json.loads(f["a"]) for _, f in out}
    assert len(out) == 60
    assert got == {one.index: one.record["a"] for one in want}


def test_an_answer_that_was_lost_on_its_way_is_read_again(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has given the messages to us, and would not give them a second time."""
    put(server.url, "in", ROWS)
    source = RedisSource(server.url, "in", follow=False, count=10)
    run = on_redis(tc.stream.Rounding(base=5), source, "out")
    fetch, calls = source._fetch, 0

    def losing(last: str) -> object:
        nonlocal calls
        calls += 1
        messages = fetch(last)
        if calls in (3, 5):
            raise redis_server.LostConnection("the answer")
        return messages

    monkeypatch.setattr(source, "_fetch", losing)
    run(source, skip=False)
    assert indices(server.url, "out") == list(range(60))
    assert source.client.xpending("in", "tacit")["pending"] == 0
    values = [json.loads(f["a"]) for _, f in source.client.xrange("out")]
    assert values == [one.record["a"] for one in tc.stream.Rounding(base=5)(ROWS)]


def test_a_server_that_lost_its_memory_is_not_gone_on_with(tmp_path: Path) -> None:
    server = Server(tmp_path, forgets=True)
    try:
        put(server.url, "in", ROWS)
        source = RedisSource(server.url, "in", follow=False, count=10)
        run = on_redis(tc.stream.Rounding(base=5), source, "out")

        def records() -> Iterator[dict[str, float]]:
            for i, record in enumerate(source):
                if i == 30:
                    server.restart()
                yield record

        with pytest.raises(InputError, match="come back with an older state"):
            run(records(), skip=False)
    finally:
        server.stop()


def test_a_server_that_stays_away_ends_in_a_sentence(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_server, "PATIENCE", 0.05)
    source = RedisSource(server.url, "in", follow=True)
    server.stop()
    with pytest.raises(InputError, match="any more; start again"):
        next(iter(source))


def test_a_transaction_that_the_connection_ended_is_asked_again() -> None:
    """The client calls it a change by somebody else; a server that still loads its file, too."""
    exceptions = pytest.importorskip("redis.exceptions")
    for kind in ("BusyLoadingError", "ConnectionError"):
        words = f"A {kind} occurred while watching one or more keys"
        with pytest.raises(redis_server.LostConnection), redis_server.asking("k"):
            raise exceptions.WatchError(words)
    with pytest.raises(InputError, match="refuses"), redis_server.asking("k"):
        raise exceptions.WatchError("Watched variable changed.")


def test_at_most_once_writes_once_through_a_restart(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written, and the answer lost; then not written, and the connection lost."""
    sink = RedisSink(server.url, "out")
    release = Release({"a": 1.0}, 0, 0, -1, 1)
    pipeline, calls = sink.client.pipeline, 0

    def transaction(transaction: bool) -> object:
        nonlocal calls
        calls += 1
        pipe = pipeline(transaction=transaction)
        execute = pipe.execute

        def executing() -> None:
            if calls == 1:
                execute()
            server.restart()
            execute()

        if calls in (1, 2):
            pipe.execute = executing
        return pipe

    monkeypatch.setattr(sink.client, "pipeline", transaction)
    sink.write([release])
    sink.write([release._replace(index=1)])
    assert indices(server.url, "out") == [0, 1]


# -- a consumer that never comes back --------------------------------------------------


def test_what_a_dead_consumer_was_given_is_taken_over(redis_url: str) -> None:
    """Each record leaves once, of two filters; the dead one's own are in its state."""
    put(redis_url, "left behind", ROWS)
    first = RedisSource(redis_url, "left behind", count=10, follow=False)
    run = on_redis(tc.stream.Microaggregation(k=3, window=8), first, "taken")

    class Died(Exception):
        pass

    def dying() -> Iterator[dict[str, float]]:
        for i, record in enumerate(first):
            if i == 35:
                raise Died
            yield record

    with pytest.raises(Died):
        run(dying(), skip=False)
    assert first.client.xpending("left behind", "tacit")["pending"] > 0
    other = RedisSource(redis_url, "left behind", consumer="2", follow=False, claim=0.0)
    on_redis(tc.stream.Microaggregation(k=3, window=8), other, "taken")(
        other, skip=False
    )
    assert first.client.xpending("left behind", "tacit")["pending"] == 0
    # it was not dead after all: it cannot hand over what was taken from it
    with pytest.raises(InputError, match="another process"):
        run.save()
    # and when it is started again it lets go of those that were inside
    again = RedisSource(redis_url, "left behind", follow=False)
    on_redis(tc.stream.Microaggregation(k=3, window=8), again, "taken")(
        again, skip=False
    )
    out = [fields for _, fields in again.client.xrange("taken")]
    assert len(out) == 60
    values = Counter(fields["a"] for fields in out)
    assert min(values.values()) >= 3


def test_a_consumer_that_works_keeps_its_messages(redis_url: str) -> None:
    put(redis_url, "at work", ROWS)
    first = RedisSource(redis_url, "at work", count=10, follow=False)
    on_redis(tc.stream.Rounding(base=5), first, "worked")
    next(iter(first))
    other = RedisSource(redis_url, "at work", consumer="2", follow=False)
    on_redis(tc.stream.Rounding(base=5), other, "worked")(other, skip=False)
    assert first.client.xpending("at work", "tacit")["pending"] == 10


# -- groups at most once ---------------------------------------------------------------


class Kept:
    """A sink that remembers what was written in one call."""

    def __init__(self) -> None:
        self.calls: list[list[Release]] = []

    def write(self, releases: list[Release]) -> None:
        self.calls.append(list(releases))


@pytest.mark.parametrize(
    "unit",
    [
        tc.stream.Microaggregation(k=3, window=8),
        tc.stream.Microaggregation(k=4, window=9, reuse=1),
        tc.stream.DelayBoundClusters(k=3, delay=6),
        tc.stream.Noise(percent=10, random_state=1),
    ],
    ids=["microaggregation", "tight", "clusters", "noise"],
)
def test_whatever_left_of_a_group_is_at_least_k(unit: tc.stream.Filter) -> None:
    """Wherever the process dies: after each call, every group that is out has k members."""
    rows = [{"a": float((i * 37) % 101)} for i in range(203)]
    sink = Kept()
    Pipeline(unit, WholeGroups(sink))(rows)
    members: Counter[int] = Counter()
    for call in sink.calls:
        members.update(one.group for one in call if one.group >= 0)
        assert all(count >= unit.k for count in members.values())  # type: ignore[attr-defined]
    indices = [one.index for call in sink.calls for one in call]
    assert sorted(indices) == list(range(203))


def test_the_command_lets_groups_leave_whole(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tacit.cli.stream_redis import open_redis
    from tacit.stream.gate import Gate

    monkeypatch.chdir(tmp_path)
    unit = tc.stream.Microaggregation(k=3, window=8)
    run = Pipeline(unit, None)
    given = {"redis": redis_url, "from_key": "x", "to_key": "y", "state": None}
    given |= {"group": "g", "consumer": "1", "follow": False, "at_most_once": True}
    job = type("Job", (), given)()
    open_redis(job, run, Gate(unit))
    assert isinstance(run.sink, WholeGroups)


# -- private ---------------------------------------------------------------------------


def test_a_private_state_that_was_put_back_is_refused(redis_url: str) -> None:
    put(redis_url, "private in", ROWS)
    source = RedisSource(redis_url, "private in", follow=False, count=20)
    unit = private(bounds={"a": (0, 100)})
    run = on_redis(unit, source, "private out")
    ledger = run.sink
    assert isinstance(ledger, RedisLedger)
    older = {}

    def records() -> Iterator[dict[str, float]]:
        for i, record in enumerate(source):
            if i == 25:
                older.update(source.client.hgetall(ledger.state_key))
            yield record

    run(records(), skip=False)
    out = source.client.xlen("private out")
    assert out == 60
    for state in (older, {}):
        source.client.delete(ledger.state_key)
        if state:
            source.client.hset(ledger.state_key, mapping=state)
        put(redis_url, "private in", ROWS)
        again = RedisSource(redis_url, "private in", follow=False)
        with pytest.raises(InputError, match="is not the last state of this private"):
            on_redis(private(bounds={"a": (0, 100)}), again, "private out")(
                again, skip=False
            )
        assert source.client.xlen("private out") == out


def test_a_private_consumer_that_dies_gives_no_second_noise(redis_url: str) -> None:
    """Killed before each commit: what leaves is what a run that was never killed lets out."""
    put(redis_url, "dying in", ROWS)

    class Died(Exception):
        pass

    seen: dict[int, set[str]] = {}
    for dies in [*range(1, 4), None]:
        source = RedisSource(redis_url, "dying in", follow=False, count=10)
        run = on_redis(private(bounds={"a": (0, 100)}), source, "dying out")
        ledger, commit, commits = run.sink, run.commit, 0
        assert isinstance(ledger, RedisLedger)

        def dying(
            ledger: RedisLedger = ledger,
            commit: object = commit,
            dies: int | None = dies,
        ) -> None:
            nonlocal commits
            commits += 1
            for one in ledger._waiting:
                seen.setdefault(one.index, set()).add(json.dumps(one.record["a"]))
            if commits == dies:
                raise Died
            commit()  # type: ignore[operator]

        run.commit = dying
        try:
            run(source, skip=False)
        except Died:
            pass
    out = source.client.xrange("dying out")
    assert [int(fields["_index"]) for _, fields in out] == list(range(60))
    assert all(len(values) == 1 for values in seen.values())
