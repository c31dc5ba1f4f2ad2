"""Exactly once on Redis: output, state and acknowledgement are one transaction."""

from __future__ import annotations

import base64

from tacit.base.errors import InputError
from tacit.stream.base import Filter
from tacit.stream.kinds import Plain
from tacit.stream.released import Release
from tacit.stream.sources.redis import RedisSource
from tacit.stream.sources.redis_server import ENDED, LostConnection, asking, wait_for
from tacit.stream.sources.redis_sink import append
from tacit.stream.state import packed, unpacked


class RedisLedger:
    """Sink, state and commit of a pipeline between two streams of one Redis server.

    Releases are held back until the pipeline saves. Then the server takes them, the state of the
    filter and the acknowledgement of what was read in one transaction (MULTI, EXEC), or none of
    them. A consumer that is killed at any moment therefore leaves the streams as they were at its
    last save: what it had read since is delivered again to a filter in that very state, which
    gives each record the index, the group and the noise that it would have had. A server that goes
    away is waited for; when it is back, it says itself whether the last transaction was done.

    Of a differentially private filter the server also counts the transactions under a key of its
    own: a state that was put back, or removed, is refused.

    The state holds originals and the key of the noise, as the input stream holds originals: who
    may read that may read this. All keys must be on one server (on a Redis cluster: in one hash
    slot, by a tag such as ``{visits}`` in every name).

    Parameters
    ----------
    source : RedisSource
        What is read.
    key : str
        The stream to write.
    maxlen : int, optional
        About how many messages the output may hold: older ones are removed.

    Examples
    --------
    >>> def run(url, filter):  # doctest: +SKIP
    ...     source = RedisSource(url, "visits")
    ...     ledger = RedisLedger(source, "masked")
    ...     pipeline = Pipeline(filter, ledger, state=ledger, every=500)
    ...     pipeline.commit = ledger.commit
    ...     pipeline.resume()
    ...     return pipeline(source, skip=False)
    """

    def __init__(
        self,
        source: RedisSource,
        key: str,
        maxlen: int | None = None,
    ) -> None:
        self.source = source
        self.key = key
        self.maxlen = maxlen
        # one state for each consumer: a partition has a filter of its own
        self.state_key = self._key_of(source.consumer)
        self.count_key = f"{self.state_key}:count"
        self._counts = False
        self._waiting: list[Release] = []
        self._state: bytes | None = None
        self._revision: str | None = None
        source.back = self._is_back
        source.fence = self._fence

    @property
    def waiting(self) -> bool:
        """Is there something that the next save would hand over?"""
        return bool(self._waiting or self.source.given)

    def write(self, releases: list[Release]) -> None:
        """Hold the releases back until the commit."""
        self._waiting += releases

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"the key {self.state_key}"

    def exists(self) -> bool:
        """Was a state committed?"""
        with asking(self.state_key):
            kept = self.source.client.hmget(self.state_key, "revision", "content")
        # of one that was fenced off before its first commit there is a number and no state
        if kept[1] is None:
            self._revision = kept[0]
        return kept[1] is not None

    def read(self) -> tuple[Plain, Plain]:
        """The state and what was saved beside it."""
        with asking(self.state_key):
            kept = self.source.client.hgetall(self.state_key)
        try:
            self._revision = str(int(kept["revision"]))
            content = base64.b64decode(kept["content"], validate=True)
        except (KeyError, ValueError):
            raise InputError(f"{self.name}: is not a saved state") from None
        return unpacked(content, self.name)

    def save(self, filter: Filter, **also: object) -> None:
        """Take the state down; it goes with the commit."""
        self._state = packed(filter, **also)
        self._counts = filter.spent is not None

    def commit(self) -> None:
        """Releases, state and acknowledgement, all or none."""
        if self._state is None:
            raise RuntimeError(
                "a ledger commits the state that was saved last; save first"
            )
        given = self.source.given
        revision = str(int(self._revision or 0) + 1)
        content = base64.b64encode(self._state).decode()
        kept = {"revision": revision, "content": content}
        done = False
        while not done:
            try:
                with asking(self.state_key):
                    self._transact(kept, given)
                done = True
            except LostConnection as lost:
                wait_for(self.source.client, lost, self.source.stop)
                done = self._is_done(kept)
        self._revision = revision
        self._waiting = []
        self.source.forget(given)

    def _transact(self, kept: dict[str, str], given: list[str]) -> None:
        from redis.exceptions import WatchError

        with self.source.client.pipeline(transaction=True) as pipe:
            # from here on a change of the state by somebody else fails the transaction
            pipe.watch(self.state_key, self.count_key)
            self._check(pipe.hget(self.state_key, "revision"))
            if self._counts and pipe.get(self.count_key) != self._revision:
                raise self._put_back()
            pipe.multi()
            append(pipe, self.key, self._waiting, self.maxlen)
            pipe.hset(self.state_key, mapping=kept)
            if self._counts:
                pipe.set(self.count_key, kept["revision"])
            if given:
                pipe.xack(self.source.key, self.source.group, *given)
            try:
                pipe.execute()
            except WatchError as error:
                if ENDED in str(error):
                    raise LostConnection(error) from None
                raise self._taken() from None

    def _is_done(self, kept: dict[str, str]) -> bool:
        """The answer to a transaction was lost: was it done?"""
        while True:
            try:
                with asking(self.state_key):
                    there = self.source.client.hgetall(self.state_key)
            except LostConnection as lost:
                wait_for(self.source.client, lost, self.source.stop)
                continue
            if there == kept:
                return True
            self._check(there.get("revision"))
            return False

    def _is_back(self) -> None:
        """The server was away: it must be where it was."""
        with asking(self.state_key):
            revision = self.source.client.hget(self.state_key, "revision")
        self._check(revision)

    def _check(self, revision: str | None) -> None:
        """A server that was killed may have lost what it did last, and we know more than it."""
        if int(revision or 0) < int(self._revision or 0):
            raise InputError(
                f"{self.name}: the Redis server has come back with an older state than the last "
                "that it took; start again: what it still knows goes on from there"
            )
        if revision != self._revision:
            raise self._taken()

    def _fence(self, consumer: str) -> None:
        """Another consumer of the group loses its messages to this one: it commits no more."""
        state_key = self._key_of(consumer)
        with self.source.client.pipeline(transaction=True) as pipe:
            pipe.hincrby(state_key, "revision", 1)
            # one that counts goes on counting when it is started again
            if self.source.client.exists(f"{state_key}:count"):
                pipe.incr(f"{state_key}:count")
            pipe.execute()

    def _key_of(self, consumer: str) -> str:
        return f"{self.key}:tacit:{self.source.group}:{consumer}"

    def _put_back(self) -> InputError:
        return InputError(
            f"{self.name}: is not the last state of this private stream (the key {self.count_key} "
            "counts them): what left since would leave again; put the last one back, or remove "
            "both keys to begin a new stream"
        )

    def _taken(self) -> InputError:
        return InputError(
            f"the key {self.state_key}: another process runs as consumer "
            f"'{self.source.consumer}' of the group '{self.source.group}'; "
            "give each its own --consumer, and each consumer its own stream"
        )
