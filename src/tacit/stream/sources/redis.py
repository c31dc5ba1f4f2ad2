"""Redis Streams as source and sink, read as one consumer of a group.

Scaling out: one stream (partition) and one filter for each consumer; a filter's groups are then
formed among the records of its partition. `RedisLedger` makes the delivery exact.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from tacit.base.errors import InputError, MissingExtra
from tacit.stream.released import Release
from tacit.stream.sources.sinks import books_of
from tacit.stream.sources.text import Record

Client: TypeAlias = Any
"""A client of the package redis, which is optional and has no types here."""


def connect(url: str) -> Client:
    """A client for ``redis://host:port/db``; the server must answer."""
    try:
        import redis
    except ImportError:
        raise MissingExtra("redis", "streams", "Redis Streams") from None
    # bytes that are no text must not stop the stream: they come as half characters, which no record
    # may hold
    client = redis.Redis.from_url(
        url, decode_responses=True, encoding_errors="surrogateescape"
    )
    # a connection is made with the first command only
    try:
        client.ping()
    except redis.exceptions.RedisError as error:
        raise InputError(f"{url}: the Redis server does not answer ({error})") from None
    return client


class RedisSource:
    """Reads a stream as one consumer of a group.

    Iterating gives records; messages are pending until somebody acknowledges what `given` lists
    (`RedisLedger` does). What this consumer had been given before and nobody acknowledged comes
    first.

    Parameters
    ----------
    url : str
        The server, ``redis://host:port/db``.
    key : str
        The stream to read.
    group, consumer : str
        The consumer group, and the name of this consumer, one for each partition.
    count : int
        Messages that are fetched at once.
    block : float
        Seconds to wait for new messages.
    follow : bool
        At the end of the stream wait for more.
    stop : callable
        Asked all the time; true ends the records.
    idle : callable
        Called whenever nothing has come.
    at_most_once : bool
        The server forgets a message when it is given out: after a crash what was inside the filter
        is lost, and nothing leaves twice.
    """

    def __init__(
        self,
        url: str,
        key: str,
        group: str = "tacit",
        consumer: str = "1",
        count: int = 500,
        block: float = 1.0,
        follow: bool = True,
        stop: Callable[[], bool] = lambda: False,
        idle: Callable[[], None] = lambda: None,
        at_most_once: bool = False,
    ) -> None:
        self.client = connect(url)
        self.key = key
        self.group = group
        self.consumer = consumer
        self.count = count
        self.block = block
        self.follow = follow
        self.stop = stop
        self.idle = idle
        self.at_most_once = at_most_once
        # numbers of the messages that were given out and are not acknowledged
        self._given: list[str] = []
        try:
            self.client.xgroup_create(key, group, id="0", mkstream=True)
        except Exception as error:
            # "BUSYGROUP": the group exists already, and we go on with it
            if "BUSYGROUP" not in str(error):
                raise InputError(
                    f"{key}: cannot create the consumer group '{group}' ({error})"
                ) from None

    def __iter__(self) -> Iterator[Record]:
        # first what was delivered to this consumer and never acknowledged; then ">", what is new
        last = "0"
        while not self.stop():
            wait = int(self.block * 1000) if last == ">" and self.follow else None
            answer = self.client.xreadgroup(
                self.group,
                self.consumer,
                {self.key: last},
                count=self.count,
                block=wait,
                noack=self.at_most_once,
            )
            messages = _messages(answer)
            if not messages:
                if last == ">" and not self.follow:
                    return
                last = ">"
                self.idle()
                continue
            for number, fields in messages:
                # what was never acknowledged is read on from the last one seen
                if last != ">":
                    last = number
                self._given.append(number)
                if fields:
                    yield _record(fields)
                if self.stop():
                    return

    def beginning(self, count: int = 100) -> list[Record]:
        """The oldest records of the stream, whoever reads them: what its columns are."""
        oldest = self.client.xrange(self.key, count=count)
        return [_record(fields) for _, fields in oldest]

    @property
    def given(self) -> list[str]:
        """Numbers of the messages that were given out and not yet acknowledged."""
        return list(self._given)

    def forget(self, numbers: list[str]) -> None:
        """These, the first that were given, are acknowledged."""
        del self._given[: len(numbers)]


class RedisSink:
    """Appends releases to a stream, with _index, _delay, _group and _size.

    Parameters
    ----------
    url : str
        The server, ``redis://host:port/db``.
    key : str
        The stream to write.
    maxlen : int, optional
        About how many messages the stream may hold: older ones are removed.
    """

    def __init__(
        self,
        url: str,
        key: str,
        maxlen: int | None = None,
    ) -> None:
        self.client = connect(url)
        self.key = key
        self.maxlen = maxlen

    def write(self, releases: list[Release]) -> None:
        """Append the records, all or none."""
        pipe = self.client.pipeline(transaction=True)
        append(pipe, self.key, releases, self.maxlen)
        pipe.execute()


def append(
    pipe: Client, key: str, releases: list[Release], maxlen: int | None = None
) -> None:
    """Queue the releases as messages of a stream, to be sent with the transaction."""
    for release in releases:
        fields = {name: _field(value) for name, value in release.record.items()}
        fields |= {name: str(value) for name, value in books_of(release).items()}
        pipe.xadd(key, fields, maxlen=maxlen, approximate=maxlen is not None)


def _field(value: object) -> str:
    """A value as a field of a message: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _messages(answer: Any) -> list[tuple[str, dict[str, str]]]:
    """Number and fields of each message; versions of the protocol nest them differently."""
    if not answer:
        return []
    if isinstance(answer, dict):
        stream = next(iter(answer.values()))
    else:
        stream = answer[0][1]
    first = stream[0] if stream else None
    if isinstance(first, list) and first and isinstance(first[0], list | tuple):
        stream = [message for part in stream for message in part]
    return [(number, fields) for number, fields in stream]


def _record(fields: dict[str, str]) -> Record:
    record: Record = {}
    for name, text in fields.items():
        try:
            record[name] = json.loads(text)
        # no JSON, or a number of more digits than Python takes
        except (ValueError, RecursionError):
            record[name] = text
    return record
