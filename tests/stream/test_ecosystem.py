"""river, CapyMOA, sources and sinks, Redis Streams."""

from __future__ import annotations

import copy
import importlib.util
import json
import socket
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from programs import find
from stream.streams import filters, numbers
from tacit.base.errors import MissingExtra, TacitError
from tacit.stream.pipeline import Pipeline
from tacit.stream.sources.redis import RedisSource
from tacit.stream.sources.redis_ledger import RedisLedger
from tacit.stream.sources.redis_sink import RedisSink
from tacit.stream.sources.sinks import CsvSink, JsonSink
from tacit.stream.sources.text import as_stream, csv_records, json_records
from tacit.stream.text_lines import Lines


def test_river_pipeline_learns_from_masked_records() -> None:
    from river import linear_model, preprocessing

    noise = tc.stream.RiverTransformer(
        tc.stream.Noise(percent=10, warmup=5, random_state=1)
    )
    model = noise | preprocessing.StandardScaler() | linear_model.LogisticRegression()
    right = 0
    stream = iter(tc.datasets.RandomRBF(seed=1))
    for i in range(600):
        x, y = next(stream)
        right += i >= 300 and bool(model.predict_one(x)) == bool(y)
        model.learn_one(x, bool(y))
    assert right > 160
    assert (
        noise.filter._arrived == 600
    )  # each record was masked once, though asked for twice


def test_river_transformer_masks_once_and_equals_the_filter() -> None:
    rows = [dict(zip("abc", r, strict=True)) for r in numbers(50).tolist()]
    t = tc.stream.RiverTransformer(
        tc.stream.Noise(percent=50, warmup=5, random_state=3)
    )
    got = []
    for x in rows:
        t.learn_one(x)
        got.append(t.transform_one(x))
        assert t.transform_one(x) == got[-1]
    want = [
        r.record for r in tc.stream.Noise(percent=50, warmup=5, random_state=3)(rows)
    ]
    assert got[:5] == [{}] * 5  # the warm-up: nothing may leave
    assert got[5:] == want[5:]


#: river's own checks that do not apply, and why
EXCUSED = {
    "check_shuffle_features_no_impact": "noise is drawn by column number, "
    "in the order of the first record",
    "check_emerging_features": "a record with other columns is refused: it could not be protected",
    "check_disappearing_features": "the same",
    "check_radically_disappearing_features": "the same",
}


def test_river_accepts_it_as_one_of_its_own() -> None:
    from river import checks

    model = tc.stream.RiverTransformer(
        tc.stream.MultiplicativeNoise(percent=10, random_state=1)
    )
    done = 0
    for check in checks.yield_checks(model):
        name = getattr(check, "__name__", None) or check.func.__name__
        if name not in EXCUSED:
            check(copy.deepcopy(model))
            done += 1
    assert done >= 15


def test_filters_with_a_delay_are_no_river_transformers() -> None:
    with pytest.raises(TacitError, match="holds records back"):
        tc.stream.RiverTransformer(tc.stream.Microaggregation())


def test_capymoa_is_named_when_it_is_missing() -> None:
    if importlib.util.find_spec("capymoa") is not None:
        pytest.skip("capymoa is installed")
    with pytest.raises(MissingExtra, match="capymoa"):
        tc.stream.CapyMOAStream(None, tc.stream.Noise())


def test_capymoa_stream_on_a_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """CapyMOA pins old versions of what we use; here its classes are played by stand-ins of the
    same shape.
    """

    class Instance:
        def __init__(self, schema: object, x: np.ndarray, y: int) -> None:
            self.x, self.y_index = x, y

        @classmethod
        def from_array(cls, schema: object, x: np.ndarray, y: int) -> Instance:
            return cls(schema, x, y)

    class Stream:
        pass

    package, instance, stream = (
        types.ModuleType(f"capymoa{s}") for s in ("", ".core", ".stream")
    )
    instance.LabeledInstance = instance.RegressionInstance = Instance  # type: ignore[attr-defined]
    stream.Stream = Stream  # type: ignore[attr-defined]
    for module in (package, instance, stream):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    sys.modules.pop("tacit.stream.sources.capymoa", None)

    class Source(Stream):
        def __init__(self) -> None:
            self.at, self.x = 0, numbers(40)

        def has_more_instances(self) -> bool:
            return self.at < 40

        def next_instance(self) -> Instance:
            self.at += 1
            return Instance(None, self.x[self.at - 1], self.at % 2)

        def restart(self) -> None:
            self.at = 0

        def get_schema(self) -> types.SimpleNamespace:
            return types.SimpleNamespace(is_classification=lambda: True)

    masked = tc.stream.CapyMOAStream(
        Source(), tc.stream.Microaggregation(k=3, window=8)
    )
    got = []
    while masked.has_more_instances():
        got.append(masked.next_instance())
    want = tc.stream.Microaggregation(k=3, window=8).apply(numbers(40))
    assert (np.array([i.x for i in got]) == want).all()
    assert [i.y_index for i in got] == [(i + 1) % 2 for i in range(40)]
    masked.restart()
    assert masked.has_more_instances()
    sys.modules.pop("tacit.stream.sources.capymoa")  # the next to ask gets the real one


@pytest.mark.slow
@pytest.mark.needs("java")
def test_capymoa_itself() -> None:
    """Runs where capymoa is installed (it pins old versions, so usually in an environment of its
    own).
    """
    pytest.importorskip("capymoa")
    from capymoa.classifier import NaiveBayes
    from capymoa.stream.generator import RandomRBFGenerator

    masked = tc.stream.CapyMOAStream(
        RandomRBFGenerator(), tc.stream.Microaggregation(k=3, window=20)
    )
    got = [masked.next_instance() for _ in range(200)]
    source = RandomRBFGenerator()
    raw = [source.next_instance() for _ in range(300)]
    f = tc.stream.Microaggregation(k=3, window=20)
    want = [r.record for i in raw for r in f.push(i.x)][:200]
    assert (np.array([i.x for i in got]) == np.array(want)).all()
    assert [i.y_index for i in got] == [i.y_index for i in raw[:200]]
    learner, right = NaiveBayes(schema=masked.get_schema()), 0
    for _ in range(1000):
        instance = masked.next_instance()
        right += learner.predict(instance) == instance.y_index
        learner.train(instance)
    assert right > 550
    masked.restart()
    assert (masked.next_instance().x == got[0].x).all()


def test_csv_and_json_lines() -> None:
    text = "a,b,c\r\n1,x,\n2.5,,3\n"
    assert list(csv_records(Lines(as_stream(text)))) == [
        {"a": 1.0, "b": "x", "c": None},
        {"a": 2.5, "b": None, "c": 3.0},
    ]
    assert list(json_records(['{"a": 1}', "", '{"a": null}'])) == [
        {"a": 1},
        {"a": None},
    ]
    [short] = csv_records(Lines(as_stream("a,b\n1\n")))
    assert (short.kind, short.line, short.raw) == ("another number of fields", 2, "1")
    [word] = json_records(["nothing"])
    assert (word.kind, word.line, word.raw) == ("cannot be parsed", 1, "nothing")
    with pytest.raises(TacitError, match="twice"):
        list(csv_records(["a,a", "1,2"]))
    assert list(csv_records([])) == []


def test_sinks_write_what_was_released(tmp_path: Path) -> None:
    rows = [{"a": float(i), "t": "x,y"} for i in range(12)]
    releases = list(tc.stream.Microaggregation(k=3, window=6, columns=["a"])(rows))
    with (tmp_path / "o.csv").open("w", newline="") as out:
        CsvSink(out, books=True).write(releases)
    back = list(csv_records((tmp_path / "o.csv").read_text().splitlines()))
    assert [b["a"] for b in back] == [r.record["a"] for r in releases]
    assert [b["_index"] for b in back] == list(range(12))
    assert back[0]["t"] == "x,y"
    with (tmp_path / "o.jsonl").open("w") as out:
        JsonSink(out).write(releases)
    assert [json.loads(s) for s in (tmp_path / "o.jsonl").read_text().splitlines()] == [
        r.record for r in releases
    ]


def test_a_file_that_grows_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("a\n1\n2")  # the last line is not finished
    got: list[dict] = []
    done = threading.Event()

    def read() -> None:
        with path.open("rb") as source:
            got.extend(
                csv_records(Lines(source, follow=True, stop=done.is_set, wait=0.01))
            )

    reader = threading.Thread(target=read)
    reader.start()
    time.sleep(0.2)
    with path.open("a") as out:
        out.write("5\n7\n")
    time.sleep(0.3)
    done.set()
    reader.join(timeout=10)
    assert [r["a"] for r in got] == [1.0, 25.0, 7.0]


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("redis")
    server = subprocess.Popen(
        [
            find("redis"),
            "--port",
            str(port),
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            str(folder),
        ],
        stdout=subprocess.DEVNULL,
    )
    url = f"redis://127.0.0.1:{port}"
    for _ in range(100):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=0.1):
                break
        except OSError:
            time.sleep(0.05)
    yield url
    server.terminate()
    server.wait(timeout=10)


def put(url: str, key: str, rows: list[dict]) -> None:
    client = RedisSink(url, key).client
    for row in rows:
        client.xadd(key, {k: json.dumps(v) for k, v in row.items()})


def on_redis(unit: tc.stream.Filter, source: RedisSource, key: str) -> Pipeline:
    """The pipeline as the command puts it together."""
    ledger = RedisLedger(source, key)
    run = Pipeline(unit, ledger, state=ledger, every=20)
    run.commit = ledger.commit
    run.resume()
    return run


@pytest.mark.needs("redis")
def test_redis_in_and_out(redis_url: str) -> None:
    rows = [{"a": float(i), "name": f"n{i}"} for i in range(30)]
    put(redis_url, "in", rows)
    source = RedisSource(redis_url, "in", follow=False)
    unit = tc.stream.Microaggregation(k=3, window=8, columns=["a"])
    assert on_redis(unit, source, "out")(source, skip=False) == 30
    back = [fields for _, fields in source.client.xrange("out")]
    want = [
        r.record for r in tc.stream.Microaggregation(k=3, window=8, columns=["a"])(rows)
    ]
    assert [json.loads(b["a"]) for b in back] == [w["a"] for w in want]
    assert [b["name"] for b in back] == [w["name"] for w in want]
    assert [int(b["_index"]) for b in back] == list(range(30))
    assert source.client.xpending("in", "tacit")["pending"] == 0


@pytest.mark.needs("redis")
@pytest.mark.parametrize("place", range(0, 60, 7))
@pytest.mark.parametrize("moment", ["while reading", "before the commit", "after it"])
def test_redis_after_a_death_nothing_is_lost_or_leaves_twice(
    redis_url: str, place: int, moment: str
) -> None:
    """The releases are those of a consumer that never died, each once, wherever it died."""
    rows = [{"a": float((i * 37) % 101), "b": float(i % 7)} for i in range(60)]
    visits, masked = f"visits {place} {moment}", f"masked {place} {moment}"
    put(redis_url, visits, rows)

    def fresh() -> tc.stream.Filter:
        return tc.stream.Microaggregation(k=3, window=8)

    class Died(Exception):
        pass

    def dying(source: RedisSource):
        for i, record in enumerate(source):
            if moment == "while reading" and i == place:
                raise Died
            yield record

    first = RedisSource(redis_url, visits, follow=False, count=10)
    run = on_redis(fresh(), first, masked)
    commit, commits = run.commit, 0

    def dying_commit() -> None:
        nonlocal commits
        commits += 1
        dies = moment != "while reading" and commits > place % 4
        if dies and moment == "before the commit":
            raise Died
        commit()
        if dies:
            raise Died

    run.commit = dying_commit
    with pytest.raises(Died):
        run(dying(first), skip=False)
    second = RedisSource(redis_url, visits, follow=False)
    on_redis(fresh(), second, masked)(second, skip=False)
    out = [fields for _, fields in second.client.xrange(masked)]
    assert [int(fields["_index"]) for fields in out] == list(range(60))
    want = fresh().apply(np.array([[r["a"], r["b"]] for r in rows]))
    got = [[json.loads(fields["a"]), json.loads(fields["b"])] for fields in out]
    assert got == want.tolist()
    assert second.client.xpending(visits, "tacit")["pending"] == 0


@pytest.mark.needs("redis")
def test_a_second_process_as_the_same_consumer_is_refused(redis_url: str) -> None:
    put(redis_url, "shared", [{"a": float(i)} for i in range(40)])
    sources = [RedisSource(redis_url, "shared", follow=False) for _ in range(2)]
    one, two = (
        on_redis(tc.stream.Microaggregation(k=3, window=8), source, "shared out")
        for source in sources
    )
    assert one(sources[0], skip=False) == 40
    with pytest.raises(TacitError, match="another process runs as consumer '1'"):
        two(sources[1], skip=False)


@pytest.mark.needs("redis")
def test_at_most_once_keeps_nothing_and_repeats_nothing(redis_url: str) -> None:
    put(redis_url, "brief", [{"a": float(i)} for i in range(40)])
    source = RedisSource(redis_url, "brief", follow=False, at_most_once=True)
    taken = [record for _, record in zip(range(15), source, strict=False)]
    assert len(taken) == 15
    assert source.client.xpending("brief", "tacit")["pending"] == 0
    again = RedisSource(redis_url, "brief", follow=False, at_most_once=True)
    assert list(again) == []


@pytest.mark.needs("redis")
def test_one_bad_record_does_not_stop_a_redis_stream(
    redis_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is written down and acknowledged, and the others pass: whoever restarts does not meet it
    again.
    """
    import signal

    from tacit.cli import main

    monkeypatch.chdir(tmp_path)
    put(redis_url, "poison", [{"a": float(i), "ssn": f"SECRET-{i}"} for i in range(10)])
    client = RedisSink(redis_url, "x").client
    for bad in (
        {"a": '"old"', "ssn": "1"},
        {"b": "1"},
        {"a": "Infinity", "ssn": "1"},
        {"a": b"\xff\xfe", "ssn": "1"},
    ):
        client.xadd("poison", bad)
    put(
        redis_url,
        "poison",
        [{"a": float(i), "ssn": f"SECRET-{i}"} for i in range(10, 20)],
    )
    options = [
        "--filter",
        "microaggregation",
        "--set",
        "k=3",
        "--set",
        "window=8",
        "--no-monitors",
    ]
    keys = [
        "--redis",
        redis_url,
        "--from",
        "poison",
        "--to",
        "cured",
        "--dead-letter",
        "held.jsonl",
    ]
    handlers = {
        number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)
    }
    monkeypatch.setattr(sys, "argv", ["tacit", "stream", *options, *keys])
    try:
        main()
    except SystemExit as stopped:
        assert stopped.code in (0, None)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    released = [fields for _, fields in client.xrange("cured")]
    assert len(released) == 20
    assert "SECRET" not in repr(released)
    letters = [json.loads(s) for s in Path("held.jsonl").read_text().splitlines()]
    assert [entry["kind"] for entry in letters] == [
        "wrong type",
        "unknown column",
        "infinite",
        "cannot be parsed",
    ]
    assert client.xpending("poison", "tacit")["pending"] == 0
    assert "24 record(s) read: 20 released, 4 withheld" in capsys.readouterr().err


@pytest.mark.needs("redis")
def test_partitions_scale_out(redis_url: str) -> None:
    for part in range(2):
        put(redis_url, f"p{part}", [{"a": float(i * (part + 1))} for i in range(20)])
    for part in range(2):
        source = RedisSource(redis_url, f"p{part}", consumer=str(part), follow=False)
        Pipeline(
            tc.stream.Microaggregation(k=4, window=8), RedisSink(redis_url, f"q{part}")
        )(source, skip=False)
    for part in range(2):
        values = [
            f["a"] for _, f in RedisSink(redis_url, "x").client.xrange(f"q{part}")
        ]
        assert len(values) == 20
        assert min(values.count(v) for v in values) >= 4


def test_a_server_that_does_not_answer() -> None:
    with pytest.raises(TacitError, match="does not answer"):
        RedisSink("redis://127.0.0.1:1", "k")


def test_every_filter_wraps_an_iterator_lazily() -> None:
    def endless():
        i = 0
        while True:
            yield np.array([float(i % 17), float(i % 5), float(i % 3)])
            i += 1

    for f in filters().values():
        releases = f(endless())
        assert len([next(releases) for _ in range(30)]) == 30
