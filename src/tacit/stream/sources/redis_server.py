"""A Redis server that may be away for a while: wait for it, and go on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from tacit.base.errors import InputError, MissingExtra

Client: TypeAlias = Any
"""A client of the package redis, which is optional and has no types here."""

# seconds between two attempts, doubled each time, and after how many we give up
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 5.0
PATIENCE = 300.0


# the end of such a sentence
ENDED = "occurred while watching one or more keys"


class LostConnection(InputError):
    """The server did not answer: whether it did what was asked is not known."""

    def __init__(self, reason: object) -> None:
        super().__init__(f"the Redis server does not answer ({reason})")


def connect(url: str) -> Client:
    """A client for ``redis://host:port/db``; the server must answer."""
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError:
        raise MissingExtra("redis", "streams", "Redis Streams") from None
    # bytes that are no text must not stop the stream: they come as half characters, which no record
    # may hold. Nothing is asked twice by the client itself: a transaction could be done twice.
    client = redis.Redis.from_url(
        url,
        decode_responses=True,
        encoding_errors="surrogateescape",
        retry=Retry(NoBackoff(), 0),
    )
    # a connection is made with the first command only
    try:
        client.ping()
    except redis.exceptions.RedisError as error:
        raise InputError(f"{url}: the Redis server does not answer ({error})") from None
    return client


@contextmanager
def asking(key: str) -> Iterator[None]:
    """What a server says no to is said in a sentence; `LostConnection` if it says nothing."""
    from redis import exceptions

    try:
        yield
    except exceptions.AuthenticationError as error:
        raise InputError(f"{key}: the Redis server lets nobody in ({error})") from None
    except (exceptions.ConnectionError, exceptions.TimeoutError) as error:
        raise LostConnection(error) from None
    except exceptions.RedisError as error:
        # the client's words for a connection that ended, or a server that still reads its file
        # from the disk after a start, in the midst of a transaction
        if isinstance(error, exceptions.WatchError) and ENDED in str(error):
            raise LostConnection(error) from None
        raise InputError(f"{key}: the Redis server refuses ({error})") from None


def wait_for(
    client: Client,
    lost: LostConnection,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Until the server answers again, asked less and less often."""
    print(f"Note: {lost}; waiting", file=sys.stderr)
    began, pause = time.monotonic(), FIRST_PAUSE
    while True:
        if stop() or time.monotonic() - began > PATIENCE:
            raise InputError(
                f"{lost} any more; start again when it does: "
                "what was read and not acknowledged comes again"
            )
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
        try:
            with asking("redis"):
                client.ping()
            return
        except LostConnection:
            continue
