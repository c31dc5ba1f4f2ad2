"""Exactly once on Redis: output, state and acknowledgement are one transaction."""

from __future__ import annotations

import base64

from tacit.base.errors import InputError
from tacit.stream.base import Filter
from tacit.stream.kinds import Plain
from tacit.stream.released import Release
from tacit.stream.sources.redis import RedisSource, append
from tacit.stream.state import packed, unpacked


class RedisLedger:
    """Sink, state and commit of a pipeline between two streams of one Redis server.

    Releases are held back until the pipeline saves. Then the server takes them, the state of the
    filter and the acknowledgement of what was read in one transaction (MULTI, EXEC), or none of
    them. A consumer that is killed at any moment therefore leaves the streams as they were at its
    last save: what it had read since is delivered again to a filter in that very state, which
    gives each record the index, the group and the noise that it would have had; noise that was
    drawn anew had not left.

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
        self.state_key = f"{key}:tacit:{source.group}:{source.consumer}"
        self._waiting: list[Release] = []
        self._state: bytes | None = None
        self._revision: str | None = None

    @property
    def waiting(self) -> bool:
        """Is there something that the next save would hand over?"""
        return bool(self._waiting or self.source.given)

    def write(self, releases: list[Release]) -> None:
        """Hold the releases back until the commit."""
        self._waiting += releases

    def exists(self) -> bool:
        """Was a state committed?"""
        return bool(self.source.client.exists(self.state_key))

    def read(self) -> tuple[Plain, Plain]:
        """The state and what was saved beside it."""
        kept = self.source.client.hgetall(self.state_key)
        self._revision = kept["revision"]
        content = base64.b64decode(kept["content"])
        return unpacked(content, f"the key {self.state_key}")

    def save(self, filter: Filter, **also: object) -> None:
        """Take the state down; it goes with the commit."""
        self._state = packed(filter, **also)

    def commit(self) -> None:
        """Releases, state and acknowledgement, all or none."""
        if self._state is None:
            raise RuntimeError(
                "a ledger commits the state that was saved last; save first"
            )
        given = self.source.given
        revision = str(int(self._revision or 0) + 1)
        with self.source.client.pipeline(transaction=True) as pipe:
            # from here on a change of the state by somebody else fails the transaction
            pipe.watch(self.state_key)
            if pipe.hget(self.state_key, "revision") != self._revision:
                raise self._taken()
            pipe.multi()
            append(pipe, self.key, self._waiting, self.maxlen)
            content = base64.b64encode(self._state).decode()
            kept = {"revision": revision, "content": content}
            pipe.hset(self.state_key, mapping=kept)
            if given:
                pipe.xack(self.source.key, self.source.group, *given)
            pipe.execute()
        self._revision = revision
        self._waiting = []
        self.source.forget(given)

    def _taken(self) -> InputError:
        return InputError(
            f"the key {self.state_key}: another process runs as consumer "
            f"'{self.source.consumer}' of the group '{self.source.group}'; "
            "give each its own --consumer, and each consumer its own stream"
        )
