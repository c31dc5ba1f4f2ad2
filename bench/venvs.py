"""Virtual environments for peers that pin old versions: made once, each of its own, never ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

#: what pip installs for each peer
PEERS = {
    "anonymeter": ["anonymeter"],
    "pycanon": ["pycanon"],
    "recordlinkage": ["recordlinkage"],
    "splink": ["splink>=5", "pandas"],
    "capymoa": ["capymoa"],
    "diffprivlib": ["diffprivlib", "scikit-learn<1.6"],
}
FOLDER = Path(os.environ.get("TACIT_BENCH_VENVS", Path(__file__).resolve().parent / ".venvs"))
SCRIPTS = Path(__file__).resolve().parent / "peer"


def python(peer: str) -> Path:
    """The interpreter of the peer's environment; makes the environment on first use."""
    folder = FOLDER / peer
    interpreter = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists():
        print(f"bench: making a virtual environment for {peer} ...", file=sys.stderr, flush=True)
        if not interpreter.exists():
            venv.create(folder, with_pip=True)
        pip = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PEERS[peer]], check=True, capture_output=True, text=True)
        ready.touch()
    return interpreter


def run(peer: str, task: dict[str, Any], seconds: float = 600.0) -> dict[str, Any]:
    """Run ``bench/peer/PEER.py`` on a task in the peer's environment; its last line of output is the
    JSON answer.
    """
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(
        [str(python(peer)), str(SCRIPTS / f"{peer}.py"), json.dumps(task)],
        capture_output=True,
        text=True,
        timeout=seconds,
        env=environment,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(
            f"{peer}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.returncode}"
        )
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))
