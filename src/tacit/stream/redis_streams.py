"""Redis Streams as source and sink: consumer groups, acknowledged only when the release is safe.

Scaling out: one stream (partition) and one filter for each consumer; a filter's groups are then formed among the
records of its partition. Delivery is at least once: a message is acknowledged after the releases of its batch were
written and the state was saved; what a crashed consumer had read is delivered again, with the same arrival index.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from tacit.errors import InputError, MissingExtra
from tacit.stream.release import Release
from tacit.stream.sinks import BOOKS


def connect(url: str) -> Any:
    """A client for ``redis://host:port/db``; the server must answer."""
    try:
        import redis
    except ImportError:
        raise MissingExtra("redis", "streams", "Redis Streams") from None
    client = redis.Redis.from_url(url, decode_responses=True)
    try:
        client.ping()
    except redis.exceptions.RedisError as error:
        raise InputError(f"{url}: the Redis server does not answer ({error})") from None
    return client


class RedisSource:
    """Reads a stream as one consumer of a group.

    Iterating gives records; messages are pending until `acknowledge()`, which covers everything given so far.
    What this consumer had been given before and did not acknowledge comes first.
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
    ) -> None:
        self.client = connect(url)
        self.key, self.group, self.consumer = key, group, consumer
        self.count, self.block, self.follow, self.stop, self.idle = count, block, follow, stop, idle
        self._given: list[str] = []
        try:
            self.client.xgroup_create(key, group, id="0", mkstream=True)
        except Exception as error:  # the group exists already: go on with it
            if "BUSYGROUP" not in str(error):
                raise InputError(f"{key}: cannot create the consumer group '{group}' ({error})") from None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        last = "0"  # first what was delivered to this consumer and never acknowledged
        while not self.stop():
            wait = int(self.block * 1000) if last == ">" and self.follow else None
            found = self.client.xreadgroup(self.group, self.consumer, {self.key: last}, count=self.count, block=wait)
            messages = _messages(found)
            if not messages:
                if last == ">" and not self.follow:
                    return
                last = ">"
                self.idle()
                continue
            for number, fields in messages:
                if last != ">":
                    last = number
                self._given.append(number)
                if fields:
                    yield _record(fields)
                if self.stop():
                    return

    def acknowledge(self) -> int:
        """Everything given so far is done with; returns how many messages."""
        given, self._given = self._given, []
        if given:
            self.client.xack(self.key, self.group, *given)
        return len(given)


class RedisSink:
    """Appends releases to a stream, with _index, _delay, _group and _size; `maxlen` keeps the stream bounded."""

    def __init__(self, url: str, key: str, maxlen: int | None = None) -> None:
        self.client = connect(url)
        self.key, self.maxlen = key, maxlen

    def write(self, releases: list[Release]) -> None:
        pipe = self.client.pipeline(transaction=True)
        for r in releases:
            fields = {k: v if isinstance(v, str) else json.dumps(v) for k, v in r.record.items()}
            fields |= {f"_{b}": str(v) for b, v in zip(BOOKS, r[1:], strict=True)}
            pipe.xadd(self.key, fields, maxlen=self.maxlen, approximate=self.maxlen is not None)
        pipe.execute()


def _messages(found: Any) -> list[tuple[str, dict[str, str]]]:
    if not found:
        return []
    stream = next(iter(found.values())) if isinstance(found, dict) else found[0][1]
    if stream and isinstance(stream[0], list) and stream[0] and isinstance(stream[0][0], list | tuple):
        stream = [m for part in stream for m in part]
    return [(number, fields) for number, fields in stream]


def _record(fields: dict[str, str]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, text in fields.items():
        try:
            out[name] = json.loads(text)
        except json.JSONDecodeError:
            out[name] = text
    return out
