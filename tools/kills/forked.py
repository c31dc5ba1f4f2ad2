"""A command in a child of this process, which has all loaded: a kill hits work, not imports."""

from __future__ import annotations

import io
import os
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

# what the commands import when they run
for _name in (
    "tacit.plan.release", "tacit.compare.comparison", "tacit.scale.protect", "tacit.report",
    "tacit.cli.stream_command", "tacit.assess.assessment", "numba", "pandas", "pyreadstat",
    "xlsxwriter", "redis",
):  # fmt: skip
    import_module(_name)


# what the children say on standard error
_talk = os.pipe()
os.set_blocking(_talk[0], False)


def said() -> str:
    """What the children said since the last call, the end of it."""
    text = b""
    try:
        while block := os.read(_talk[0], 65536):
            text += block
    except BlockingIOError:
        pass
    return text.decode(errors="replace")[-500:]


def start(
    words: list[str],
    folder: Path,
    prepare: Callable[[], None] = lambda: None,
    stdout: int | None = None,
    stdin: int | None = None,
) -> int:
    """Begin the command in a child; its process id."""
    said()
    child = os.fork()
    if child:
        return child
    # a child that returned would go on as a second copy of this program
    code = 99
    try:
        os.setsid()
        os.chdir(folder)
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere if stdin is None else stdin, 0)
        os.dup2(nowhere if stdout is None else stdout, 1)
        # without a limit of size: what is said is read by the parent
        os.dup2(_talk[1], 2)
        sys.stderr = os.fdopen(_talk[1], "w")
        prepare()
        code = _run(words, shown=stdout is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _run(words: list[str], shown: bool) -> int:
    from tacit.cli import main

    sys.argv = ["tacit", *words]
    # what the parent has not printed yet is not the child's
    sys.stdout = os.fdopen(1, "w", closefd=False) if shown else io.StringIO()
    sys.stdin = os.fdopen(0, closefd=False)
    warnings.simplefilter("ignore")
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def finish(
    words: list[str], folder: Path, prepare: Callable[[], None] = lambda: None
) -> int:
    """The command to its end; its exit code."""
    _, status = os.waitpid(start(words, folder, prepare), 0)
    return os.waitstatus_to_exitcode(status)


def kill_within(child: int, seconds: float, draw: random.Random) -> bool:
    """Kill -9 at a random moment; False: it had ended before."""
    time.sleep(draw.random() * seconds)
    done, _ = os.waitpid(child, os.WNOHANG)
    if done:
        return False
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        # it has no group of its own yet
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def lasting(words: list[str], folder: Path) -> float:
    """Seconds that the command takes here and now, of three runs the longest."""
    longest = 0.0
    for _ in range(3):
        began = time.monotonic()
        code = finish(words, folder)
        longest = max(longest, time.monotonic() - began)
        assert code == 0, (words, code, said())
    return longest


def short_of_room(size: int) -> Callable[[], None]:
    """Files of the child end at so many bytes, as on a full disk."""

    def prepare() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return prepare
