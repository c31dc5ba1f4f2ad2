"""Run one module in a process of its own, within a time budget. Rows measured before a failure or a
stop are kept.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent


def child(module: str, full: bool, out: Path) -> int:
    """Inside that process: one line of JSON a row, as it is measured; a line of text if the module
    fails.
    """
    with out.open("w") as lines:
        try:
            for row in importlib.import_module(f"bench.{module}").run(full):
                lines.write(json.dumps(row.to_dict()) + "\n")
                lines.flush()
                against = (
                    f", {row.peer} {row.peer_seconds:.3g} s" if row.peer_seconds else ""
                )
                print(
                    f"  {row.name}, n={row.size}: {row.ours_seconds or 0:.3g} s{against}",
                    file=sys.stderr,
                    flush=True,
                )
        except Exception as error:
            lines.write(json.dumps(f"{type(error).__name__}: {error}") + "\n")
            raise
    return 0


def collect(module: str, full: bool, budget: float) -> dict[str, Any]:
    """Libraries that cannot live together do not meet."""
    source = ROOT / f"{module}.py"
    part: dict[str, Any] = {"module": module, "status": "ok", "error": "", "rows": []}
    if not source.exists():
        return part | {"status": "not available", "error": f"no bench/{module}.py"}
    part["about"] = ast.get_docstring(ast.parse(source.read_text())) or ""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.jsonl"
        out.touch()
        command = [
            sys.executable,
            "-m",
            "bench",
            "--child",
            module,
            "--out",
            str(out),
            *(["--full"] if full else []),
        ]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)
        }
        process = subprocess.Popen(
            command, env=environment, cwd=ROOT.parent, start_new_session=True
        )
        try:
            code = process.wait(budget)
        except subprocess.TimeoutExpired:
            part |= {
                "status": "stopped",
                "error": f"stopped after {budget:g} s; the rows measured until then stand",
            }
            code = 0
        finally:
            _end(process)  # and the processes it measures in
        found = [json.loads(line) for line in out.read_text().splitlines()]
    part["rows"] = [row for row in found if isinstance(row, dict)]
    if code:
        said = [line for line in found if isinstance(line, str)]
        part |= {"status": "failed", "error": said[0] if said else f"exit code {code}"}
    return part | {
        "seconds": time.perf_counter() - start,
        "when": time.strftime("%Y-%m-%d %H:%M"),
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
