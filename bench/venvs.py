"""Virtual environments for peers that pin old versions: made once, each of its own, never ours."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from bench.row import Measured

#: what is installed for each peer
PEERS = {
    "anonymeter": ["anonymeter"],
    "pycanon": ["pycanon"],
    "anjana": ["anjana", "python-dateutil"],
    "recordlinkage": ["recordlinkage"],
    "splink": ["splink>=5", "pandas"],
    "capymoa": ["capymoa"],
    "diffprivlib": ["diffprivlib", "scikit-learn<1.6"],
}
HERE = Path(__file__).resolve().parent
FOLDER = Path(os.environ.get("TACIT_BENCH_VENVS", HERE / ".venvs"))


def python(peer: str) -> Path:
    """The interpreter of the peer's environment; makes the environment on first use and when its
    list changed.
    """
    folder = FOLDER / peer
    interpreter = folder / "bin" / "python"
    ready, wanted = folder / "ready", "\n".join(PEERS[peer])
    if not ready.exists() or ready.read_text() != wanted:
        print(
            f"bench: making a virtual environment for {peer} ...",
            file=sys.stderr,
            flush=True,
        )
        shutil.rmtree(folder, ignore_errors=True)
        uv = shutil.which("uv") or shutil.which(
            "uv", path=str(Path(sys.executable).parent)
        )
        venv.create(folder, with_pip=uv is None)
        if uv:
            install = [uv, "pip", "install", "--quiet", "--python", str(interpreter)]
        else:
            install = [
                str(interpreter),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ]
        done = subprocess.run(
            [*install, *PEERS[peer]], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{peer} cannot be installed: {_last(done.stderr)}")
        ready.write_text(wanted)
    return interpreter


class Peer:
    """One run of ``bench/peer/NAME.py`` on a task in the peer's environment; what it measured, by
    name.
    """

    def __init__(self, name: str, task: dict[str, Any], limit: float = 150.0) -> None:
        self.name, self.task, self.limit = name, task, limit

    def __call__(self, what: str) -> Callable[[], Measured]:
        return lambda: self._answer(what)

    def _answer(self, what: str) -> Measured:
        if isinstance(self._answers, Exception):
            raise self._answers
        found = self._answers[what]
        if isinstance(found, str):
            raise RuntimeError(found)
        return Measured(**found)

    @cached_property
    def _answers(self) -> dict[str, Any] | Exception:
        try:
            return self._run()
        except subprocess.TimeoutExpired:
            return TimeoutError(f"stopped after {self.limit:g} s")
        except Exception as error:
            return error

    def _run(self) -> dict[str, Any]:
        environment = {
            k: v
            for k, v in os.environ.items()
            if k not in {"PYTHONPATH", "VIRTUAL_ENV"}
        }
        done = subprocess.run(
            [
                str(python(self.name)),
                "-m",
                f"bench.peer.{self.name}",
                json.dumps(self.task),
            ],
            cwd=HERE.parent,
            capture_output=True,
            text=True,
            timeout=self.limit,
            env=environment,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(_last(done.stderr) or f"exit code {done.returncode}")
        return dict(json.loads(_last(done.stdout)))


def _last(text: str) -> str:
    return text.strip().splitlines()[-1] if text.strip() else ""
