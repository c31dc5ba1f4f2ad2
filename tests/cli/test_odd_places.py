"""The command line where nothing is as at home: each place in a process of its own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

import tacit

PACKAGE = Path(tacit.__file__).parent
GOOD = "age,income\n" + "".join(f"{20 + i},{1000 + 37 * i % 991}\n" for i in range(60))
PROTECT = ["protect", "in.csv", "out.csv", "--method", "microaggregation"]


def environment(**changes: str | None) -> dict[str, str]:
    """The variables of this process with some changed, and those that are None taken away."""
    merged = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), **changes}
    return {name: value for name, value in merged.items() if value is not None}


def run(
    folder: Path, *words: str, python: list[str] | None = None, **changes: str | None
) -> subprocess.CompletedProcess[bytes]:
    """The command in a folder, with changed variables."""
    return subprocess.run(
        [sys.executable, *(python or ["-m", "tacit"]), *words],
        cwd=folder,
        capture_output=True,
        check=False,
        env=environment(**changes),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file to protect."""
    (tmp_path / "in.csv").write_text(GOOD)
    return tmp_path


@pytest.mark.slow
def test_no_folder_to_keep_compiled_kernels_in(folder: Path) -> None:
    """Neither beside the package (a file stands in the way, for root too) nor at home."""
    copy = folder / "lib" / "tacit"
    (copy / "kernels").mkdir(parents=True)
    for name in ("__init__.py", "compiler.py", "arrays.py", "rankswap.py"):
        shutil.copy(PACKAGE / "kernels" / name, copy / "kernels" / name)
    (copy / "__init__.py").write_text("")
    (copy / "kernels" / "__pycache__").write_text("no folder")
    code = (
        "import numpy as np\n"
        "from tacit.kernels.rankswap import swap_positions\n"
        "print(sorted(swap_positions(np.full(6, 0.5), 2)))\n"
    )
    done = run(
        folder,
        python=["-c", code],
        PYTHONPATH=str(folder / "lib"),
        HOME="/proc/nobody",
        XDG_CACHE_HOME="/proc/nobody",
        NUMBA_CACHE_DIR=None,
        PYTHONDONTWRITEBYTECODE="1",
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().count("int64") in (0, 6)
    assert not list(folder.rglob("*.nb?"))


@pytest.mark.few(1)
@pytest.mark.parametrize("home", [None, "/proc/nobody", ""])
def test_no_home(folder: Path, home: str | None) -> None:
    done = run(folder, *PROTECT, HOME=home, XDG_CACHE_HOME=None)
    assert done.returncode == 0, done.stderr.decode()
    assert (folder / "out.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("variables", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}])
def test_spaces_and_letters_in_names_under_any_locale(
    folder: Path, variables: dict[str, str]
) -> None:
    """Files and columns with letters that the terminal may lack; JSON stays JSON."""
    odd = folder / "zwei Wörter – 数据"
    odd.mkdir()
    (odd / "Quelle é.csv").write_text(GOOD.replace("income", "Größe"), encoding="utf-8")
    done = run(
        odd,
        *("protect", "Quelle é.csv", "Ausgabe é.csv"),
        *("--method", "microaggregation", "--json"),
        **variables,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert "microaggregation" in json.dumps(json.loads(done.stdout))
    assert "Größe" in (odd / "Ausgabe é.csv").read_text(encoding="utf-8")
    said = run(odd, "verify", "Ausgabe é.csv.manifest.json", **variables)
    assert said.returncode == 0, said.stdout + said.stderr
    shown = run(odd, "schema", "Quelle é.csv", **variables)
    assert shown.returncode == 0, shown.stderr.decode(errors="replace")
    wrong = run(odd, "schema", "fehlt é.csv", **variables)
    assert wrong.returncode == 2
    assert b"Traceback" not in wrong.stderr


def test_a_name_that_is_no_text_is_one_sentence(folder: Path) -> None:
    """Bytes of another encoding, and a Python that was told not to use UTF-8."""
    shutil.copy(folder / "in.csv", os.fsencode(folder) + b"/caf\xe9.csv")
    done = subprocess.run(
        [sys.executable, "-m", "tacit", "schema", b"caf\xe9.csv"],
        cwd=folder,
        capture_output=True,
        check=False,
        env=environment(),
    )
    assert done.returncode == 2, done.stderr
    assert b"Traceback" not in done.stderr
    assert done.stderr.startswith(b"Error: a name holds bytes")


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["methods"],
        ["schema", "in.csv"],
        [*PROTECT, "--json"],
        [
            "assess",
            "in.csv",
            "in.csv",
            "--attackers",
            "nearest",
            "--fail-above",
            "0.05",
        ],
    ],
    ids=lambda words: words[0],
)
def test_the_reader_leaves(folder: Path, words: list[str]) -> None:
    """`tacit ... | head`: quiet, and never a code that speaks of safety (0 or 1)."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "tacit", *words],
        cwd=folder,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
        env=environment(),
    )
    os.close(write)
    assert done.returncode == 141
    assert b"Traceback" not in done.stderr
    assert b"Broken" not in done.stderr


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "words",
    [["--help"], ["methods"], ["schema", "in.csv"], PROTECT],
    ids=lambda w: w[0],
)
def test_sixty_columns(folder: Path, words: list[str]) -> None:
    """On a narrow terminal no table is wider than it; sentences with paths may wrap."""
    ours, theirs = pty.openpty()
    # rows, columns, and two sizes in pixels that nobody reads
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-m", "tacit", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=environment(COLUMNS="60", TERM="xterm", NO_COLOR="1"),
    ) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the other side has hung up
                break
            if not part:
                break
            text += part
        assert process.wait() == 0
    os.close(ours)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text.decode()).splitlines()
    drawn = [line for line in lines if line[:1] in ("│", "┃", "┏", "└", "╭", "╰", "┡")]
    assert lines
    assert max((len(line) for line in drawn), default=0) <= 60
