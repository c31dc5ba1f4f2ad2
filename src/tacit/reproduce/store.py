"""Where runs are kept, so that an interrupted ``reproduce all`` goes on where it stopped.

One JSON line a run, appended as soon as the run ends; the key holds all that the result depends on.
"""

from __future__ import annotations

import json
from pathlib import Path

from tacit.reproduce.model import Outcome


class Store:
    """Outcomes by key in an append-only file; a line cut short by a kill is ignored."""

    def __init__(self, path: Path, fresh: bool = False) -> None:
        self.path = path
        self._known: dict[str, Outcome] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                    self._known[entry["key"]] = Outcome(entry["values"], entry["stand_in"])
                except (json.JSONDecodeError, KeyError):
                    continue

    def get(self, key: str) -> Outcome | None:
        return self._known.get(key)

    def put(self, key: str, outcome: Outcome) -> None:
        self._known[key] = outcome
        entry = {"key": key, "values": outcome.values, "stand_in": outcome.stand_in}
        # A newline first: after a kill in mid-line the next entry must not be glued to the torn one.
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(entry))
            file.flush()

    def __len__(self) -> int:
        return len(self._known)
