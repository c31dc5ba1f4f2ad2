"""Where runs are kept, so that an interrupted ``reproduce all`` goes on where it stopped.

One JSON line per run, appended as soon as the run ends. The key holds the experiment, its cell
and its seed; the digest of the code that computed it is kept beside it, so that a summary can say
which runs an older tacit made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tacit.reproduce.model import Outcome


@cache
def code() -> str:
    """Digest of every source file of tacit."""
    folder = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        digest.update(name.encode() + path.read_bytes())
    # 64 bits tell versions apart; nobody forges them
    return digest.hexdigest()[:16]


class Store:
    """Outcomes by key in an append-only file; a line cut short by a kill is ignored."""

    def __init__(self, path: Path, fresh: bool = False) -> None:
        self.path = path
        self._known: dict[str, Outcome] = {}
        self._code: dict[str, str] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._read(line)

    def _read(self, line: str) -> None:
        # a line that was cut short is not JSON; its run is computed again
        try:
            entry = json.loads(line)
            outcome = Outcome(entry["values"], entry["stand_in"])
        except (json.JSONDecodeError, KeyError):
            return
        self._known[entry["key"]] = outcome
        self._code[entry["key"]] = entry.get("code", "")

    def get(self, key: str) -> Outcome | None:
        """The outcome of a run, or None when it has not ended yet."""
        return self._known.get(key)

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep the outcome of a run, in memory and in the file."""
        self._known[key], self._code[key] = outcome, code()
        entry = {
            "key": key,
            "values": outcome.values,
            "stand_in": outcome.stand_in,
            "code": code(),
        }
        # a newline first: after a kill in mid-line the next entry must not be glued to the
        # torn one
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(entry))
            file.flush()

    def older(self, keys: Iterable[str]) -> int:
        """How many of these runs other code than today's has made."""
        return sum(self._code.get(key, code()) != code() for key in keys)

    def __len__(self) -> int:
        return len(self._known)
