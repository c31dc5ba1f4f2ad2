"""Redis Streams as a sink."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable

from tacit.stream.released import Release
from tacit.stream.sources.redis_server import (
    Client,
    LostConnection,
    asking,
    connect,
    wait_for,
)
from tacit.stream.sources.sinks import books_of

# seconds for which the server remembers what a sink sent last
REMEMBERED = 3600


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
    stop : callable
        Asked while the server does not answer; true ends the waiting.
    """

    def __init__(
        self,
        url: str,
        key: str,
        maxlen: int | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.client = connect(url)
        self.key = key
        self.maxlen = maxlen
        self.stop = stop
        # the server remembers how many times this sink has written
        self._mark = f"{key}:tacit:sent:{secrets.token_hex(8)}"
        self._sent = 0

    def write(self, releases: list[Release]) -> None:
        """Append the records, all or none, and once: also if the server goes away meanwhile."""
        self._sent += 1
        while True:
            try:
                with asking(self.key):
                    pipe = self.client.pipeline(transaction=True)
                    append(pipe, self.key, releases, self.maxlen)
                    pipe.set(self._mark, self._sent, ex=REMEMBERED)
                    pipe.execute()
                return
            except LostConnection as lost:
                wait_for(self.client, lost, self.stop)
            # was it done, and only the answer lost?
            if self._is_sent():
                return

    def _is_sent(self) -> bool:
        while True:
            try:
                with asking(self.key):
                    return bool(self.client.get(self._mark) == str(self._sent))
            except LostConnection as lost:
                wait_for(self.client, lost, self.stop)


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
