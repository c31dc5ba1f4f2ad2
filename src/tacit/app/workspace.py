"""The private place for uploads and results: a directory that only this user can read, removed at exit."""

from __future__ import annotations

import atexit
import secrets
import shutil
import tempfile
from pathlib import Path


class Workspace:
    """A temporary directory of mode 0700. Names inside it are made up here, never taken from the user."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="tacit-app-"))
        self.path.chmod(0o700)
        atexit.register(self.close)

    def new(self, suffix: str = "") -> Path:
        """A path that no one can guess. Only a plain suffix such as `.csv` is kept of what the user gave."""
        clean = "." + "".join(c for c in suffix.lower() if c.isalnum())[:12] if suffix else ""
        return self.path / (secrets.token_hex(12) + clean)

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        atexit.unregister(self.close)
