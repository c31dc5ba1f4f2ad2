"""Filters as transformers of river."""

from __future__ import annotations

import pickle
from typing import Any

from tacit.errors import MissingExtra, ParameterError
from tacit.stream.base import Filter

try:
    from river.base import Transformer
except ImportError:  # the module can be imported without river; its class cannot be used
    Transformer = None


class RiverTransformer(Transformer or object):  # type: ignore[misc]
    """A zero-delay filter as a river transformer: ``RiverTransformer(Noise(amount=0.5)) | model``.

    The first of ``learn_one(x)`` and ``transform_one(x)`` passes the record through the filter, which learns from it;
    the other takes what was made of it. While the filter warms up, nothing may leave: the
    result is an empty dict, which river's models take as a record without features. Filters with a delay cannot
    answer at once and are refused: iterate over them instead.

    >>> from tacit.stream import MultiplicativeNoise
    >>> t = RiverTransformer(MultiplicativeNoise(amount=0.1, random_state=1))
    >>> t.learn_one({"a": 1.0}); sorted(t.transform_one({"a": 1.0}))
    ['a']
    """

    def __init__(self, filter: Filter) -> None:
        if Transformer is None:
            raise MissingExtra("river", "streams", "RiverTransformer")
        if not filter.zero_delay:
            raise ParameterError(f"{type(filter).__name__} holds records back; river needs an answer at once")
        self.filter = filter
        self._last: Any = None  # the record that was masked last
        self._masked: dict[str, Any] = {}
        self._learned = False

    def _pass(self, x: dict[str, Any]) -> None:
        released = self.filter.push(x)
        self._last, self._masked = dict(x), dict(released[0].record) if len(released) == 1 else {}

    def learn_one(self, x: dict[str, Any]) -> None:
        """Pass x through the filter, unless `transform_one` has just done so."""
        if self._learned or self._last != x:
            self._pass(x)
        self._learned = True

    def transform_one(self, x: dict[str, Any]) -> dict[str, Any]:
        """The masked x; a record is masked once, so asking twice does not average the noise away."""
        if self._last != x:
            self._pass(x)
            self._learned = False
        return dict(self._masked)

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes of what it holds. River would walk into the compiled kernel, which is not of this object alone and
        where references die while it walks.
        """
        return len(pickle.dumps(self))

    @classmethod
    def _unit_test_params(cls) -> Any:
        from tacit.stream.multiplicative import MultiplicativeNoise

        yield {"filter": MultiplicativeNoise(amount=0.1, random_state=1)}
