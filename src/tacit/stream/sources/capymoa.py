"""A CapyMOA stream whose instances have gone through a filter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from tacit.base.errors import MissingExtra
from tacit.base.typing import Floats
from tacit.stream.base import Filter

try:
    try:
        from capymoa.core import LabeledInstance, RegressionInstance
    except ImportError:  # before 0.15
        from capymoa.instance import LabeledInstance, RegressionInstance
    from capymoa.stream import Stream
except ImportError:
    # the module can be imported without capymoa; its class cannot be used
    Stream = None

Instance: TypeAlias = Any
"""An instance, a stream or a schema of capymoa, which is optional and has no types here."""


class CapyMOAStream(Stream or object):  # type: ignore[misc]
    """Wraps a CapyMOA stream: numeric attributes are masked, class or target is carried along.

    With a filter that holds records back, the first instance appears when the window is full.

    Parameters
    ----------
    stream : capymoa.stream.Stream
        The stream that is wrapped.
    filter : Filter
        The filter that masks its instances.
    """

    def __init__(
        self,
        stream: Instance,
        filter: Filter,
    ) -> None:
        if Stream is None:
            raise MissingExtra("capymoa", "capymoa", "CapyMOAStream")
        self.stream = stream
        self.filter = filter
        self.schema = stream.get_schema()
        self._masked = self._run()
        # read ahead: whether there is more is known only when the filter has given it
        self._next: Instance = None

    def _run(self) -> Iterator[Instance]:
        labelled = self.schema.is_classification()
        kind = LabeledInstance if labelled else RegressionInstance
        for release in self.filter(self._pairs(labelled)):
            x, y = release.record
            yield kind.from_array(self.schema, x, y)

    def _pairs(self, labelled: bool) -> Iterator[tuple[Floats, float]]:
        """Attributes with their class or target."""
        while self.stream.has_more_instances():
            instance = self.stream.next_instance()
            target = int(instance.y_index) if labelled else float(instance.y_value)
            yield instance.x.copy(), target

    def has_more_instances(self) -> bool:
        """Whether another masked instance will come."""
        if self._next is None:
            self._next = next(self._masked, None)
        return self._next is not None

    def next_instance(self) -> Instance:
        """The next masked instance."""
        if not self.has_more_instances():
            raise StopIteration("the stream has ended")
        instance, self._next = self._next, None
        return instance

    def get_schema(self) -> Instance:
        """That of the wrapped stream: masking does not change it."""
        return self.schema

    def get_moa_stream(self) -> None:
        """There is no Java object behind the masked stream."""

    def restart(self) -> None:
        """Begin again, with the filter afresh."""
        self.stream.restart()
        self.filter.reset()
        self._masked, self._next = self._run(), None
