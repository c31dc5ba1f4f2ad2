"""A process that has the libraries loaded, and runs tests in children of its own.

Most of a mutation's time went into importing numpy, pandas, scikit-learn and numba, which no
mutation changes. This process imports them once; each run of pytest is a fork of it, which loads
the package and its tests anew. Requests and answers are lines of JSON on its standard streams; it
is run as a program, in the copy of the repository.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import time
from contextlib import suppress
from importlib import import_module
from typing import Any

# what the package and its tests use; never the package itself
LIBRARIES = (
    "numpy", "pyarrow", "pyarrow.csv", "pyarrow.parquet", "pyarrow.feather", "pandas", "numba",
    "scipy.stats", "scipy.sparse.csgraph", "scipy.spatial", "scipy.optimize", "pydantic",
    "sklearn.utils.validation", "sklearn.utils.estimator_checks", "narwhals.stable.v2", "httpx",
    "typer.testing", "rich.console", "rich.table", "rich.progress", "jinja2", "fastapi", "uvicorn",
    "starlette.testclient", "pyreadstat", "openpyxl", "xlsxwriter", "polars", "hypothesis", "redis",
    "hypothesis.strategies", "hypothesis.extra.numpy", "pytest", "_pytest.assertion.rewrite",
)  # fmt: skip


def main() -> None:
    """Answer requests until there are no more; with the word 'none' without the libraries."""
    # as `python -m pytest` has it: the folder we are in, not the one of this file
    sys.path[0] = os.getcwd()
    for name in () if "none" in sys.argv[1:] else LIBRARIES:
        with suppress(ImportError):
            import_module(name)
    for line in sys.stdin:
        answer = run(json.loads(line))
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Run pytest with these words in a child, within the limits of time where there are any."""
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        before = spent()
        child = os.fork()
        if not child:
            _be_pytest(request["words"], request["cpu"], said.fileno())
        code = _end_of(child, request["patience"])
        seconds = spent() - before
        said.seek(0)
        return {"code": code, "output": said.read(), "seconds": seconds}


def _be_pytest(words: list[str], cpu: int | None, out: int) -> None:
    """In the child, which never returns."""
    code = 99
    try:
        # a group of its own: tests start servers and commands, which go with it
        os.setsid()
        if cpu:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        import pytest

        code = int(pytest.main(words))
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _end_of(child: int, patience: float | None) -> int | None:
    """The child's exit code, a signal as a negative one; None: it did not end in time."""
    until = None if patience is None else time.monotonic() + patience
    while True:
        done, status = os.waitpid(child, os.WNOHANG if until else 0)
        if done:
            break
        if until and time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.02)
    # what a test left running goes with it
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(status)


def spent() -> float:
    """CPU seconds of the children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
