"""Groups that leave whole or not at all, for a sink that keeps no state."""

from __future__ import annotations

from dataclasses import dataclass, field

from tacit.stream.pipeline import Sink
from tacit.stream.released import Release

# groups that are remembered as gone: later records may join the last ones
REMEMBERED = 100_000


@dataclass
class _Group:
    waiting: list[Release] = field(default_factory=list)
    size: int = 0


class WholeGroups:
    """Hands the members of a group on together, in one write, when the last of them has come.

    Members may leave a filter one by one. If the process dies in between, those that have left
    are a group of fewer than k. A record that joins a group which is gone follows at once. The end
    of the stream completes every group.

    Parameters
    ----------
    sink : Sink
        Takes what is written in one call, or nothing of it.
    """

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self._groups: dict[int, _Group] = {}
        # in order of going
        self._gone: dict[int, None] = {}

    def write(self, releases: list[Release]) -> None:
        """Take members; hand on the groups that they complete."""
        ready = [one for release in releases for one in self._ready(release)]
        if ready:
            self.sink.write(ready)

    def _ready(self, release: Release) -> list[Release]:
        # without groups every record stands alone
        if release.group < 0 or release.group in self._gone:
            return [release]
        group = self._groups.setdefault(release.group, _Group())
        group.waiting.append(release)
        # it may have grown since its first member left
        group.size = max(group.size, release.size)
        if len(group.waiting) < group.size:
            return []
        del self._groups[release.group]
        self._gone[release.group] = None
        if len(self._gone) > REMEMBERED:
            del self._gone[next(iter(self._gone))]
        return group.waiting
