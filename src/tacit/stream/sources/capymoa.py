"""A CapyMOA stream whose instances have gone through a filter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tacit.errors import MissingExtra
from tacit.stream.base import Filter

try:
    try:
        from capymoa.core import LabeledInstance, RegressionInstance
    except ImportError:  # before 0.15
        from capymoa.instance import LabeledInstance, RegressionInstance
    from capymoa.stream import Stream
except ImportError:  # the module can be imported without capymoa; its class cannot be used
    Stream = None


class CapyMOAStream(Stream or object):  # type: ignore[misc]
    """Wraps a CapyMOA stream: the numeric attributes are masked, the class or target is carried along.

    With a filter that holds records back, the first instance appears when the window is full.
    """

    def __init__(self, stream: Any, filter: Filter) -> None:
        if Stream is None:
            raise MissingExtra("capymoa", "capymoa", "CapyMOAStream")
        self.stream, self.filter = stream, filter
        self.schema = stream.get_schema()
        self._masked = self._run()
        self._next: Any = None

    def _run(self) -> Iterator[Any]:
        labelled = self.schema.is_classification()

        def pairs() -> Iterator[Any]:
            while self.stream.has_more_instances():
                instance = self.stream.next_instance()
                yield instance.x.copy(), int(instance.y_index) if labelled else float(instance.y_value)

        for release in self.filter(pairs()):
            x, y = release.record
            if labelled:
                yield LabeledInstance.from_array(self.schema, x, y)
            else:
                yield RegressionInstance.from_array(self.schema, x, y)

    def has_more_instances(self) -> bool:
        """Whether another masked instance will come."""
        if self._next is None:
            self._next = next(self._masked, None)
        return self._next is not None

    def next_instance(self) -> Any:
        """The next masked instance."""
        if not self.has_more_instances():
            raise StopIteration("the stream has ended")
        instance, self._next = self._next, None
        return instance

    def get_schema(self) -> Any:
        """That of the wrapped stream: masking does not change it."""
        return self.schema

    def get_moa_stream(self) -> None:
        """There is no Java object behind the masked stream."""

    def restart(self) -> None:
        """Begin again, with the filter afresh."""
        self.stream.restart()
        self.filter.reset()
        self._masked, self._next = self._run(), None
