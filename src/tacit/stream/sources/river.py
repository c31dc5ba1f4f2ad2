"""Filters as transformers of river."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from tacit.base.errors import MissingExtra, ParameterError
from tacit.stream.base import Filter
from tacit.stream.filters.multiplicative_noise import MultiplicativeNoise
from tacit.stream.state import packed

try:
    from river.base import Transformer
except ImportError:
    # the module can be imported without river; its class cannot be used
    Transformer = None

Features: TypeAlias = dict[str, object]
"""A record of river."""


class RiverTransformer(Transformer or object):  # type: ignore[misc]
    """A zero-delay filter as a river transformer: ``RiverTransformer(Noise(percent=50)) | model``.

    The first of ``learn_one(x)`` and ``transform_one(x)`` passes the record through the filter,
    which learns from it; the other takes what was made of it. While the filter warms up, nothing
    may leave: the result is an empty dict, which river's models take as a record without features.
    Filters with a delay cannot answer at once and are refused: iterate over them instead.

    Parameters
    ----------
    filter : Filter
        The filter that masks the records.

    Examples
    --------
    >>> from tacit.stream import MultiplicativeNoise
    >>> masking = RiverTransformer(MultiplicativeNoise(percent=10, random_state=1))
    >>> masking.learn_one({"a": 1.0})
    >>> sorted(masking.transform_one({"a": 1.0}))
    ['a']
    """

    def __init__(self, filter: Filter) -> None:
        if Transformer is None:
            raise MissingExtra("river", "streams", "RiverTransformer")
        # river asks for the masked record with the record
        if not filter.zero_delay:
            raise ParameterError(
                f"{type(filter).__name__} holds records back; river needs an answer at once"
            )
        self.filter = filter
        # the record that was masked last, and what was made of it
        self._last: Features | None = None
        self._masked: Features = {}
        self._learned = False

    def _pass(self, x: Features) -> None:
        released = self.filter.push(x)
        self._last = dict(x)
        # nothing leaves during a warm-up and several records do at its end; river takes one answer
        self._masked = dict(released[0].record) if len(released) == 1 else {}

    def learn_one(self, x: Features) -> None:
        """Pass x through the filter, unless `transform_one` has just done so."""
        if self._learned or self._last != x:
            self._pass(x)
        self._learned = True

    def transform_one(self, x: Features) -> Features:
        """The masked x; masked once, so that asking twice does not average the noise away."""
        if self._last != x:
            self._pass(x)
            self._learned = False
        return dict(self._masked)

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes of what it holds.

        River would walk into the compiled kernel, which is not of this object alone and where
        references die while it walks.
        """
        return len(packed(self.filter)) + len(repr((self._last, self._masked)))

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Filter]]:
        yield {"filter": MultiplicativeNoise(percent=10, random_state=1)}
