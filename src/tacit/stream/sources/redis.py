"""Redis Streams as source and sink, read as one consumer of a group.

Scaling out: one stream (partition) and one filter for each consumer; a filter's groups are then
formed among the records of its partition. `RedisLedger` makes the delivery exact.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from tacit.stream.sources.redis_server import (
    LostConnection,
    asking,
    connect,
    wait_for,
)
from tacit.stream.sources.text import Record

Message: TypeAlias = tuple[str, dict[str, str]]
"""Its number, and its fields."""

# seconds that a message may wait for a consumer that never acknowledges it
CLAIM = 600.0


class RedisSource:
    """Reads a stream as one consumer of a group.

    Iterating gives records; messages are pending until somebody acknowledges what `given` lists
    (`RedisLedger` does). What this consumer had been given before and nobody acknowledged comes
    first; and so it does after the server was away, for which the source waits. With a ledger,
    what another consumer has held for long without an acknowledgement is taken over at the end of
    the stream: it must be dead.

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
    claim : float
        Seconds after which a message that another consumer was given is taken over.
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
        claim: float = CLAIM,
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
        self.claim = claim
        # what a ledger wants to know: the server is back; a consumer loses its messages
        self.back: Callable[[], None] = lambda: None
        self.fence: Callable[[str], None] | None = None
        # numbers of the messages that were given out and are not acknowledged
        self._given: list[str] = []
        # the last message that was given out as new
        self._seen = "0"
        with asking(key):
            self._create_group()

    def _create_group(self) -> None:
        try:
            self.client.xgroup_create(self.key, self.group, id="0", mkstream=True)
        except Exception as error:
            # the group exists already, and we go on with it
            if "BUSYGROUP" not in str(error):
                raise

    def __iter__(self) -> Iterator[Record]:
        # first what was delivered to this consumer and never acknowledged; then ">", what is new
        last = "0"
        while not self.stop():
            try:
                with asking(self.key):
                    messages = self._fetch(last)
            except LostConnection as lost:
                wait_for(self.client, lost, self.stop)
                self.back()
                # an answer may have been lost: what is behind the last that came was given to us
                last = ">" if self.at_most_once else self._seen
                continue
            taken_over = False
            if not messages and last == ">":
                messages = self._abandoned()
                taken_over = bool(messages)
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
                # a server that lost its memory gives out what it has given before
                if self.at_most_once and _place(number) <= _place(self._seen):
                    continue
                if not taken_over:
                    self._seen = max(self._seen, number, key=_place)
                self._given.append(number)
                if fields:
                    yield _record(fields)
                if self.stop():
                    return

    def _fetch(self, last: str) -> list[Message]:
        """The next messages behind ``last``, or the next that nobody was given."""
        wait = int(self.block * 1000) if last == ">" and self.follow else None
        answer = self.client.xreadgroup(
            self.group,
            self.consumer,
            {self.key: last},
            count=self.count,
            block=wait,
            noack=self.at_most_once,
        )
        return _messages(answer)

    def _abandoned(self) -> list[Message]:
        """What other consumers were given long ago and never acknowledged, now ours.

        Nothing of it has left, since a ledger acknowledges what leaves; and nothing of it can leave
        there any more, once the other consumer's ledger is fenced off.
        """
        if self.fence is None:
            return []
        idle = int(self.claim * 1000)
        try:
            with asking(self.key):
                waiting = self.client.xpending_range(
                    self.key, self.group, "-", "+", self.count, idle=idle
                )
                # our own are among them if the answer that brought them was lost
                owned: dict[str, list[str]] = {}
                for one in waiting:
                    if one["message_id"] not in self._given:
                        owned.setdefault(one["consumer"], []).append(one["message_id"])
                messages: list[Message] = []
                for owner, numbers in owned.items():
                    if owner != self.consumer:
                        self.fence(owner)
                    messages += self.client.xclaim(
                        self.key, self.group, self.consumer, idle, numbers
                    )
        # they are found again when the server is
        except LostConnection:
            return []
        return sorted(messages, key=lambda message: _place(message[0]))

    def beginning(self, count: int = 100) -> list[Record]:
        """The oldest records of the stream, whoever reads them: what its columns are."""
        with asking(self.key):
            oldest = self.client.xrange(self.key, count=count)
        return [_record(fields) for _, fields in oldest]

    @property
    def given(self) -> list[str]:
        """Numbers of the messages that were given out and not yet acknowledged."""
        return list(self._given)

    def forget(self, numbers: list[str]) -> None:
        """These, the first that were given, are acknowledged."""
        del self._given[: len(numbers)]


def _place(number: str) -> tuple[int, ...]:
    """Numbers of messages, in the order of the stream."""
    return tuple(map(int, number.split("-")))


def _messages(answer: Any) -> list[Message]:
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
