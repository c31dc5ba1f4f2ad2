"""Generated bad and odd input to every command, judged case by case.

    python -m tools.fuzz 20000                # cases 0 to 19,999 of series 1, then the table
    python -m tools.fuzz 500 --seed 7         # another series
    python -m tools.fuzz 10000 --files        # tables through every format, no commands
    python -m tools.fuzz 20000 --api          # odd frames and parameters in Python
    python -m tools.fuzz 20000 --kept         # states, plans, manifests and journals, tampered with
    python -m tools.fuzz --only 1234          # one case again, with all that it said
    python -m tools.fuzz --only 1234 --keep DIR   # the same, and its files stay in DIR

A case is its series and its number: the same files and the same words at any time. Cases run in
processes of their own, several hundred in each, so that one which ends the interpreter or does
not end itself is a line in the table and no end of the run. A case may take 60 CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

#: CPU seconds of one case, a hundred times what most take
CPU = 60
#: seconds of one case that waits for something that never comes
WAIT = 300
#: cases of one process: its start is a small part of them
BATCH = 500
#: what is tried but commands
MODES = {
    "files": "write and read files only",
    "api": "calls of the Python interface",
    "kept": "commands on states, plans, manifests and journals that were tampered with",
}


def one(seed: int, number: int, folder: Path, mode: str) -> dict[str, Any]:
    """Run one case in this process."""
    if mode == "files":
        from tools.fuzz.files import one as write_and_read

        return write_and_read(seed, number, folder)
    if mode == "api":
        from tools.fuzz.api import one as call

        return call(seed, number)
    if mode == "kept":
        from tools.fuzz.kept import case
    else:
        from tools.fuzz.cases import case
    from tools.fuzz.judge import judge

    try:
        made = case(seed, number, folder)
    except Exception:
        # of the generator, not of what it tests
        return _dead(number, "was not generated") | {"err": traceback.format_exc()}
    return judge(made, folder)


def work(seed: int, first: int, last: int, mode: str) -> None:
    """Cases one after the other; each result is a line on standard output."""
    out = os.fdopen(os.dup(1), "w")
    for number in range(first, last):
        out.write(json.dumps({"begins": number}) + "\n")
        out.flush()
        with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
            inner = Path(name, "outer", "case")
            inner.mkdir(parents=True)
            result = one(seed, number, inner, mode)
        out.write(json.dumps(result) + "\n")
        out.flush()


def batch(seed: int, first: int, last: int, mode: str) -> list[dict[str, Any]]:
    """Cases in a process of their own, begun again after each that ends it."""
    results: list[dict[str, Any]] = []
    while first < last:
        lines, reason = _process(seed, first, last, mode)
        begun = [line["begins"] for line in lines if "begins" in line]
        results += [line for line in lines if "begins" not in line]
        if reason is None:
            break
        number = begun[-1] if begun else first
        results.append(_dead(number, reason))
        first = number + 1
    return results


def _dead(number: int, reason: str) -> dict[str, Any]:
    return {
        "number": number, "command": "?", "form": "?", "code": -1, "wrong": [reason],
        "noise": [], "err": "", "words": [], "seconds": 0,
    }  # fmt: skip


def _process(
    seed: int, first: int, last: int, mode: str
) -> tuple[list[dict[str, Any]], str | None]:
    words = [sys.executable, "-m", "tools.fuzz", "--seed", str(seed)]
    words += ["--work", str(first), str(last)]
    if mode != "commands":
        words.append(f"--{mode}")
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.DEVNULL)
        size, since, used = 0, time.monotonic(), 0.0
        reason = None
        while process.poll() is None:
            time.sleep(0.5)
            now = os.fstat(out.fileno()).st_size
            if now != size:
                size, since, used = now, time.monotonic(), _cpu(process.pid)
            elif _cpu(process.pid) - used > CPU or time.monotonic() - since > WAIT:
                process.kill()
                reason = "did not end"
        out.seek(0)
        lines = [
            json.loads(line) for line in out.read().splitlines() if line.endswith("}")
        ]
    if process.returncode and reason is None:
        reason = f"ended the interpreter ({process.returncode})"
    return lines, reason


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    # user and system time, in ticks
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def show(results: list[dict[str, Any]]) -> str:
    """Command, format, cases, how they ended: a table in Markdown."""
    rows = [
        "| command | format | cases | done (0) | not safe (1) | refused (2) | defects |"
    ]
    rows.append("|---|---|---|---|---|---|---|")
    keys = sorted({(r["command"], r["form"]) for r in results})

    def row(command: str, form: str, some: list[dict[str, Any]]) -> str:
        codes = Counter(r["code"] for r in some)
        bad = sum(bool(r["wrong"]) for r in some)
        counts = [len(some), codes[0], codes[1], codes[2], bad]
        return f"| {command} | {form} | " + " | ".join(f"{c:,}" for c in counts) + " |"

    for command, form in keys:
        some = [r for r in results if (r["command"], r["form"]) == (command, form)]
        rows.append(row(command, form, some))
    rows.append(row("all", "all", results))
    return "\n".join(rows)


def main() -> int:
    """Run what the words say; 1 if any case shows a defect."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("cases", nargs="?", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="begin with this number")
    parser.add_argument("--seed", type=int, default=1, help="the series")
    parser.add_argument("--only", type=int, help="one case again")
    parser.add_argument("--keep", type=Path, help="with --only: where its files stay")
    parser.set_defaults(mode="commands")
    for mode, what in MODES.items():
        parser.add_argument(
            f"--{mode}", dest="mode", action="store_const", const=mode, help=what
        )
    parser.add_argument("--log", type=Path, help="every result as a line of JSON")
    parser.add_argument("--work", nargs=2, type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.seed, *given.work, given.mode)
        return 0
    if given.only is not None:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
            folder = given.keep or Path(name)
            folder.mkdir(parents=True, exist_ok=True)
            result = one(given.seed, given.only, folder, given.mode)
        print(json.dumps(result, indent=1, ensure_ascii=False))
        return bool(result["wrong"])
    results: list[dict[str, Any]] = []
    for first in range(given.first, given.first + given.cases, BATCH):
        last = min(first + BATCH, given.first + given.cases)
        done = batch(given.seed, first, last, given.mode)
        results += done
        for result in done:
            if result["wrong"]:
                said = " ".join(result["words"])[:200] or result["err"][:200]
                print(result["number"], result["form"], result["wrong"], said)
            if given.log:
                with given.log.open("a") as log:
                    log.write(json.dumps(result) + "\n")
        sys.stdout.flush()
    print(show(results))
    return any(result["wrong"] for result in results)


if __name__ == "__main__":
    sys.exit(main())
