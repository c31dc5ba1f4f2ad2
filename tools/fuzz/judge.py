"""Run a case in this process and judge it: exit code, words, files, and what was written."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import os
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

import tacit.data.io as tacit_io
from tacit.base.errors import TacitError
from tacit.cli import main
from tacit.data.io.legal_names import legal
from tacit.data.microdata import Microdata
from tools.fuzz.cases import Case
from tools.fuzz.same import difference


@dataclass
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str
    #: path -> what was to be written there
    written: dict[Path, pa.Table]


def run(words: list[str], folder: Path, stdin: bytes | None = None) -> Ran:
    """The command in this process, in the folder."""
    out, err = io.StringIO(), io.StringIO()
    meant: dict[Path, pa.Table] = {}
    usual = tacit_io.writing

    def writing(data: Any, path: str | Path, **more: Any) -> Any:
        meant[Path(path).resolve()] = Microdata.of(data).written()
        return usual(data, path, **more)

    before = os.getcwd(), sys.argv, sys.stdin, warnings.formatwarning
    os.chdir(folder)
    sys.argv = ["tacit", *words]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin or b""))
    tacit_io.writing = writing
    code: int | str | None = 0
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("always")
            main()
    except SystemExit as end:
        code = end.code
    finally:
        tacit_io.writing = usual
        directory, sys.argv, sys.stdin, warnings.formatwarning = before
        os.chdir(directory)
    return Ran(int(code or 0), out.getvalue(), err.getvalue(), meant)


def _look(folder: Path) -> dict[str, str]:
    """Every file below the folder, with its hash."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def judge(case: Case, folder: Path) -> dict[str, Any]:
    """The case run, and every defect that it shows."""
    before = _look(folder)
    began = time.process_time()
    try:
        ran = run(case.words, folder, case.stdin)
    except BaseException as error:  # nothing may come through main
        ran = Ran(99, "", f"{type(error).__name__}: {error}", {})
    seconds = time.process_time() - began
    after = _look(folder)
    wrong = _words_wrong(case, ran) + _files_wrong(case, ran, before, after)
    if ran.code in (0, 1) and not wrong:
        wrong += _content_wrong(case, ran, folder)
    noise = [
        line
        for line in ran.err.splitlines()
        if "Warning: " in line and not line.startswith("Warning: ")
    ]
    return {
        "number": case.number,
        "command": case.command,
        "form": case.form,
        "code": ran.code,
        "wrong": wrong,
        "noise": noise[:2],
        "err": ran.err[-1500:] if wrong else ran.err[-200:],
        "words": case.words,
        "seconds": round(seconds, 2),
    }


def _no_plan(case: Case, ran: Ran) -> bool:
    return case.command == "compare" and "Error" not in ran.err


def _words_wrong(case: Case, ran: Ran) -> list[str]:
    found = []
    allowed = (0, 1, 2) if case.may_say_no else (0, 2)
    if ran.code not in allowed:
        found.append(f"exit code {ran.code}")
    if "Traceback" in ran.err or "Traceback" in ran.out:
        found.append("traceback")
    # no plan keeps the bound: documented, said on standard output, with all files written
    if ran.code == 2 and not _no_plan(case, ran):
        if not ran.err.strip():
            found.append("no sentence")
        sentences = [
            line for line in ran.err.splitlines() if line.startswith("Error: ")
        ]
        # those of the command line library stand in a box
        if len(sentences) != 1 and "─ Error" not in ran.err and "Usage:" not in ran.err:
            found.append(f"{len(sentences)} sentences")
    return found


def _files_wrong(
    case: Case, ran: Ran, before: dict[str, str], after: dict[str, str]
) -> list[str]:
    found = [
        f"input {name} changed"
        for name in case.inputs
        if before.get(name) != after.get(name)
    ]
    gone = before.keys() - after.keys()
    found += [f"{name} is gone" for name in gone]
    changed = {name for name in before if name in after and before[name] != after[name]}
    if ran.code == 0:
        changed -= set(case.own)
    new = after.keys() - before.keys()
    if ran.code == 2 and not _no_plan(case, ran):
        # what a stream could not read goes to the dead-letter file, before it fails, too
        new = {name for name in new if not name.endswith("withheld.jsonl")}
        found += [f"{name} left" for name in new] + [
            f"{name} overwritten" for name in changed
        ]
    elif "--force" not in case.words and "state.bin" not in case.words:
        found += [
            f"{name} overwritten"
            for name in changed
            if name != "tacit-stream.withheld.jsonl"
        ]
    found += [
        f"{name} left" for name in new if ".tacit-" in name or name.endswith(".part")
    ]
    return found


def _content_wrong(case: Case, ran: Ran, folder: Path) -> list[str]:
    """What was written, read back: is it what was meant?"""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, table in ran.written.items():
            # what verify repeats is compared there and gone
            if case.command == "verify":
                continue
            try:
                back = tacit_io.read_table(path)
            except TacitError as error:
                found.append(f"cannot be read back: {error}")
                continue
            ending = path.suffix.lower()
            names = list(legal(table.column_names, ending).values())
            if back.column_names != names:
                found.append(f"columns {back.column_names} for {names}")
                continue
            problem = difference(table, back, ending)
            if problem:
                found.append(problem)
            elif case.k is not None and not _grouped(table, folder, case):
                found.append(f"groups of fewer than {case.k}")
    if case.command == "stream" and "--out" in case.words and not case.own:
        found += _stream_wrong(case, ran, folder)
    for word in case.words:
        if (
            word.endswith(".json")
            and (folder / word).is_file()
            and word.startswith("new")
        ):
            try:
                json.loads((folder / word).read_text())
            except ValueError:
                found.append(f"{word} is no JSON")
    if (
        "--json" in case.words
        and "-" not in case.words
        and case.command not in ("assess", "compare")
    ):
        try:
            json.loads(ran.out)
        except ValueError:
            found.append("stdout is no JSON")
    return found


def _grouped(table: pa.Table, folder: Path, case: Case) -> bool:
    """Every value of a column that was averaged stands in at least k records."""
    try:
        original = tacit_io.read_table(folder / case.words[1])
    except TacitError:
        return True
    for name in table.column_names:
        values = table.column(name)
        raw = original.column(name) if name in original.column_names else None
        if raw is None or raw.null_count or not pa.types.is_floating(values.type):
            continue
        counts = _counted(values)
        if counts == _counted(raw):
            continue
        if min(counts.values()) < (case.k or 0):
            return False
    return True


def _counted(values: pa.ChunkedArray) -> Counter[float | None]:
    """How often each value stands there; NaN, which is not equal to itself, counts as a gap."""
    listed = values.to_pylist()
    return Counter(None if value != value else value for value in listed)


def _stream_wrong(case: Case, ran: Ran, folder: Path) -> list[str]:
    """The output of a stream has as many records as it says, all of the same columns."""
    path = folder / case.words[case.words.index("--out") + 1]
    said = [line for line in ran.err.splitlines() if " record(s) read: " in line]
    if not path.is_file() or not said:
        return [] if said else ["no summary"]
    released = int(said[-1].split("read: ")[1].split(" released")[0])
    text = path.read_bytes().decode()
    is_json = "jsonl" in case.words
    if is_json:
        records = [json.loads(line) for line in text.split("\n") if line]
        return (
            []
            if len(records) == released
            else [f"{len(records)} of {released} records"]
        )
    sniffed = max(",;\t|", key=text.split("\n")[0].count)
    rows = list(csv.reader(io.StringIO(text), delimiter=sniffed))
    rows = [row for row in rows if row]
    found = []
    if max(len(rows) - 1, 0) != released and released:
        found.append(f"{len(rows) - 1} of {released} records")
    if len({len(row) for row in rows}) > 1 and len(rows[0]) > 1:
        found.append("rows of other lengths")
    if (
        case.k is not None
        and "--books" in case.words
        and len(rows) > 1
        and "_size" in rows[0]
    ):
        sizes = [int(row[rows[0].index("_size")]) for row in rows[1:]]
        if min(sizes) < case.k:
            found.append(f"groups of {min(sizes)}")
    return found
