"""Does the wheel work on this Python, with the newest and with the oldest dependencies?

    python tools/smoke.py dist/tacit-*.whl --python python3.11 --python python3.12
    python tools/smoke.py dist/tacit-*.whl --page docs/reference/pythons.md

For each interpreter and each resolution (the newest versions, and the oldest that pyproject
allows) a clean environment is made, the wheel is installed with its extra ``app``, and the commands
of a first minute are run outside the repository: demo, protect, assess, app. Installing, and
choosing the oldest versions, is uv's work (``uv pip install --resolution lowest-direct``).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

RESOLUTIONS = {"newest": "highest", "oldest": "lowest-direct"}
SHOWN = ("numpy", "scipy", "numba", "pyarrow", "scikit-learn", "pydantic", "typer")
"""Packages whose versions the table shows: those that most often break."""
LONGEST = 300
"""Seconds for one command; the slowest compiles every kernel on a busy machine."""
ROWS = 300
"""Records of the file that is protected: enough for groups, few for a slow machine."""


@dataclass
class Row:
    """One environment and how each step went there."""

    python: str
    resolution: str
    versions: dict[str, str] = field(default_factory=dict)
    steps: dict[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Every step went well."""
        return bool(self.steps) and not any("failed" in s for s in self.steps.values())


def cpu_of(run: Callable[[], object]) -> float:
    """CPU seconds of the processes that ``run`` starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def records(path: Path) -> None:
    """A file of numbers and words, made without any package."""
    lines = ["age,income,town"]
    for i in range(ROWS):
        lines.append(f"{18 + i * 7 % 70},{900 + i * i % 9973},{'abc'[i % 3]}")
    path.write_text("\n".join(lines) + "\n")


def fetched(address: str) -> str:
    """The page at an address that may not be served yet."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    for attempt in range(60):
        try:
            # the page hands its token over as a cookie
            with opener.open(address, timeout=60) as page:
                return str(page.read().decode())
        except urllib.error.URLError:
            # the address is printed before the server listens
            if attempt == 59:
                raise
            time.sleep(1)
    raise AssertionError("unreachable")


def app_starts(tacit: Path, folder: Path) -> None:
    """The page is served on this machine under its address."""
    command = [str(tacit), "app", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            said = ""
            for line in process.stdout:
                said += line
                address = re.search(r"https?://\S+", line)
                if address:
                    assert "tacit" in fetched(address.group()).lower()
                    return
            raise RuntimeError(f"no address: {said[-300:]}")
        finally:
            process.terminate()


def check(tacit: Path, folder: Path) -> dict[str, str]:
    """The steps of a first minute, each with its CPU seconds or what went wrong."""
    records(folder / "file.csv")
    protect = ["protect", "file.csv", "release.csv", "--method", "microaggregation"]
    protect += ["--quasi", "age,income", "--other", "town"]
    assess = ["assess", "file.csv", "release.csv", "--plan"]
    assess += ["release.csv.manifest.json", "--json", "a.json", "--html", "a.html"]
    words = {
        "demo": ["demo"],
        "protect": protect,
        "assess": assess,
    }
    steps: dict[str, str] = {}

    def attempt(name: str, run: Callable[[], object]) -> None:
        try:
            steps[name] = f"{cpu_of(run):.1f} s"
        except subprocess.CalledProcessError as error:
            last = (error.stderr or error.stdout or "").strip().splitlines()[-1:]
            steps[name] = f"failed: {' '.join(last)[:90]}"
        except Exception as error:  # whatever it is belongs in the table
            steps[name] = f"failed: {type(error).__name__}: {str(error)[:90]}"

    for name, arguments in words.items():
        attempt(
            name,
            lambda arguments=arguments: subprocess.run(
                [str(tacit), *arguments],
                cwd=folder,
                check=True,
                capture_output=True,
                text=True,
                timeout=LONGEST,
                env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
            ),
        )
    if not steps["assess"].startswith("failed"):
        verdict = json.loads((folder / "a.json").read_text())
        if not verdict["attacks"] or not (folder / "a.html").stat().st_size:
            steps["assess"] = "failed: nothing was attacked"
    attempt("app", lambda: app_starts(tacit, folder))
    return steps


def requirements(wheel: Path) -> list[str]:
    """What the wheel needs, with its extra ``app``, as its metadata say."""
    with zipfile.ZipFile(wheel) as parts:
        name = next(n for n in parts.namelist() if n.endswith(".dist-info/METADATA"))
        lines = parts.read(name).decode().splitlines()
    found = []
    for line in lines:
        if not line.startswith("Requires-Dist: "):
            continue
        need, _, marker = line.removeprefix("Requires-Dist: ").partition(";")
        if not marker.strip() or marker.strip() == "extra == 'app'":
            found.append(need.strip())
    return found


def environment(uv: str, wheel: Path, python: str, resolution: str) -> Row:
    """Make a clean environment, install the wheel, run the steps."""
    with tempfile.TemporaryDirectory(prefix="smoke ") as place:
        home = Path(place, "venv")
        inside = home / "bin" / "python"
        quiet = {"check": True, "capture_output": True, "text": True}
        row = Row(python, resolution)
        try:
            subprocess.run([uv, "venv", "-q", "-p", python, str(home)], **quiet)  # type: ignore[call-overload]
            said = subprocess.run(
                [str(inside), "-c", "import platform as p; print(p.python_version())"],
                **quiet,  # type: ignore[call-overload]
            )
            row.python = said.stdout.strip()
            install = [uv, "pip", "install", "-q", "-p", str(inside)]
            # the oldest versions of what the wheel asks for, not of what those ask for;
            # a source distribution would test the compiler of this machine
            oldest = ["--resolution", RESOLUTIONS[resolution], "--only-binary", ":all:"]
            needs = requirements(wheel)
            subprocess.run([*install, *oldest, *needs], **quiet)  # type: ignore[call-overload]
            subprocess.run([*install, "--no-deps", str(wheel.resolve())], **quiet)  # type: ignore[call-overload]
        except subprocess.CalledProcessError as error:
            lines = [line.strip() for line in error.stderr.splitlines() if line.strip()]
            row.steps["install"] = f"failed: {' '.join(lines[-2:])[:160]}"
            return row
        freeze = [uv, "pip", "list", "-q", "-p", str(inside), "--format", "json"]
        listed = subprocess.run(freeze, **quiet)  # type: ignore[call-overload]
        found = {entry["name"]: entry["version"] for entry in json.loads(listed.stdout)}
        row.versions = {name: found[name] for name in SHOWN if name in found}
        work = Path(place, "work")
        work.mkdir()
        row.steps = check(home / "bin" / "tacit", work)
        return row


def table(rows: list[Row]) -> str:
    """The rows in Markdown."""
    steps = ("install", "demo", "protect", "assess", "app")
    heads = ("Python", "dependencies", *SHOWN, *steps[1:])
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in rows:
        cells = [row.python, row.resolution]
        cells += [row.versions.get(name, "") for name in SHOWN]
        wrong = row.steps.get("install")
        cells += [wrong or row.steps.get(step, "") for step in steps[1:]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    """Print the table; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", action="append", help="an interpreter; repeatable")
    parser.add_argument("--resolution", choices=RESOLUTIONS, action="append")
    parser.add_argument("--page", type=Path, help="replace the table of this page")
    given = parser.parse_args()
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if uv is None:
        print("smoke: uv is not there (pip install uv)", file=sys.stderr)
        return 2
    rows = []
    for python in given.python or [sys.executable]:
        for resolution in given.resolution or RESOLUTIONS:
            began = time.perf_counter()
            row = environment(uv, given.wheel, python, resolution)
            rows.append(row)
            took = time.perf_counter() - began
            print(f"{row.python} {resolution}: {row.steps} ({took:.0f} s)", flush=True)
    shown = table(rows)
    print(shown)
    if given.page is not None:
        text = given.page.read_text()
        begin, end = "<!-- table -->\n", "<!-- end -->"
        head, _, rest = text.partition(begin)
        given.page.write_text(f"{head}{begin}{shown}\n{end}{rest.partition(end)[2]}")
    return 0 if all(row.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
