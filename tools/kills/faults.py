"""Every call of the system between the first byte of a release and its name: it fails, or kills.

``strace`` (a package of its own on every Linux) fails one call of one run, with an error of the
disk, or kills the process there. Which calls there are is seen in a run that nothing happens to.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow.csv as pacsv

from tools.kills.people import people
from tools.kills.tally import OLD, Tally

# the begin of a call: process, name
_CALL = re.compile(r"^(\d+) +(\w+)\(")
_PROTECT = [
    "protect",
    "in.csv",
    "out/out.csv",
    "--method",
    "rounding",
    "--set",
    "base=5",
]
_PROTECT += ["--continuous", "age", "--quasi", "age,income,hours"]
_PROTECT += ["--allow-unprotected", "--force"]
OLD_MANIFEST = b"the manifest of last year\n"


def faults(folder: Path, kills: int, draw: random.Random) -> Iterator[Tally]:
    """`tacit protect` over an old pair, one fault in each of its calls."""
    if shutil.which("strace") is None:
        return
    pacsv.write_csv(people(60), folder / "in.csv")
    out = folder / "out"
    out.mkdir()
    calls = _calls(folder, out)
    for how, what in (
        ("error=EIO", "the disk fails"),
        ("error=ENOSPC", "the disk is full"),
        ("signal=KILL", "killed"),
    ):
        tally = Tally(f"`protect`, {what} at one call")
        chosen = calls if len(calls) <= kills else draw.sample(calls, kills)
        for name, number in chosen:
            _old_pair(out)
            tally.times += 1
            fault = ["-e", f"inject={name}:{how}:when={number}"]
            done = _run(folder, ["-e", f"trace={name}", *fault, "-o", "/dev/null"])
            tally.killed += done.returncode != 0
            _look(tally, out, f"{name} {number}", done)
        yield tally


def _old_pair(out: Path) -> None:
    for file in out.iterdir():
        file.unlink()
    (out / "out.csv").write_bytes(OLD)
    (out / "out.csv.manifest.json").write_bytes(OLD_MANIFEST)


def _run(folder: Path, traced: list[str]) -> subprocess.CompletedProcess[str]:
    command = ["strace", "-f", "-qq", *traced, sys.executable, "-m", "tacit", *_PROTECT]
    environment = os.environ | {"PYTHONHASHSEED": "0", "TACIT_PROGRESS": "off"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )


def _calls(folder: Path, out: Path) -> list[tuple[str, int]]:
    """(name, which of its calls) of all that touch the folder of the release."""
    log = folder / "log"
    for _ in range(2):  # once more when everything is compiled
        _old_pair(out)
        done = _run(folder, ["-y", "-e", "trace=%file,%desc", "-o", str(log)])
        assert done.returncode == 0, done.stderr
    counts: Counter[tuple[str, str]] = Counter()
    found = []
    for line in log.read_text(errors="replace").splitlines():
        begins = _CALL.match(line)
        if begins is None:
            continue
        counts[begins.groups()] += 1
        # the first file beside the release is made: before it nothing is written
        begun = found or ".tacit-" in line
        if begun and (str(out) in line or '"out/' in line):
            found.append((begins[2], counts[begins.groups()]))
    return found


def _look(
    tally: Tally, out: Path, where: str, done: subprocess.CompletedProcess[str]
) -> None:
    """Both are old or both are new; who was killed may leave the old release without the rest."""
    code, said = done.returncode, done.stderr.strip().splitlines()[-1:]
    there = {
        name: (out / name).read_bytes() if (out / name).exists() else None
        for name in ("out.csv", "out.csv.manifest.json")
    }
    release, manifest = there.values()
    is_old = release == OLD
    has_new_manifest = manifest not in (None, OLD_MANIFEST)
    tally.old += is_old
    tally.new += not is_old and release is not None
    tally.nothing += release is None
    if release is None or (not is_old and not has_new_manifest):
        tally.fault(f"{where}: a release without its manifest")
    if not is_old and len(release or b"") < 100:
        tally.fault(f"{where}: half a release")
    if code in (-9, 137):
        return
    if code not in (0, 2):
        tally.fault(f"{where}: exit {code}: {said}")
    if is_old and has_new_manifest:
        tally.fault(f"{where}: another manifest beside the old release: {said}")
    left = [path.name for path in out.iterdir() if path.name not in there]
    # what could not be removed stays
    if left and not where.startswith("unlink"):
        tally.fault(f"{where}: {left} left")
