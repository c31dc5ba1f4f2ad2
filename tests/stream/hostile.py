"""Hostile streams, generated: what comes out of each, counted. Run as a program, it prints the
table of the docs.

python tests/stream/hostile.py 5200
"""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tacit as tc
from tacit.base.errors import TacitError
from tacit.stream.gate import Gate
from tacit.stream.intake import Intake, same
from tacit.stream.pipeline import Pipeline
from tacit.stream.refused import DeadLetters
from tacit.stream.text_lines import Lines

TOWNS = ["Oslo", "Łódź", "São Paulo", "Bonn"]
Rng = np.random.Generator


@dataclass
class Case:
    """A stream: its records as lines (header first for CSV), how they are written, and what must
    not leave.
    """

    lines: list[str]
    form: str = "csv"
    newline: str = "\n"
    encoding: str = "utf-8"
    data: bytes | None = None
    secrets: set[str] = field(default_factory=set)

    def bytes(self) -> bytes:
        if self.data is not None:
            return self.data
        return (self.newline.join(self.lines) + self.newline).encode(
            self.encoding, "replace"
        )

    def read(self) -> int:
        """Lines that are records: not blank, not the header."""
        text = self.newline.join(self.lines)
        pieces = [
            p for p in re.split(r"\r\n|\r|\n", text) if p.lstrip("\ufeff").strip()
        ]
        return len(pieces) - (self.form == "csv" and bool(pieces))


class Table(list[dict[str, Any]]):
    """Plain records: a salary to protect, a town that is kept, a number of which nobody spoke."""

    def __init__(self, rng: Rng, n: int) -> None:
        pay = np.round(rng.uniform(20_000, 90_000, n), 3)
        mark = int(rng.integers(10**9))
        towns = rng.integers(len(TOWNS), size=n)
        super().__init__(
            {"salary": repr(p), "town": TOWNS[t], "ssn": f"SECRET-{mark}-{i}"}
            for i, (p, t) in enumerate(zip(pay.tolist(), towns, strict=True))
        )
        self.secrets = {r["salary"] for r in self} | {r["ssn"] for r in self}

    def csv(
        self, delimiter: str = ",", order: tuple[str, ...] = ("salary", "town", "ssn")
    ) -> list[str]:
        return [
            delimiter.join(order),
            *(delimiter.join(r[c] for c in order) for r in self),
        ]

    def jsonl(self) -> list[str]:
        return [json.dumps(r) for r in self]


def _some(rng: Rng, lines: list[str], first: int = 1) -> list[int]:
    return sorted(
        rng.choice(
            np.arange(first, len(lines)), size=int(rng.integers(1, 6)), replace=False
        ).tolist()
    )


# -- kinds of hostility ----------------------------------------------------------------


def delimiters(rng: Rng) -> Case:
    t = Table(rng, 40)
    return Case(
        t.csv(str(rng.choice(list(",;\t|:^ ~")))),
        newline=str(rng.choice(["\n", "\r\n", "\r"])),
        secrets=t.secrets,
    )


def encodings(rng: Rng) -> Case:
    t = Table(rng, 40)
    lines = t.csv(str(rng.choice([",", ";"])))
    name = str(
        rng.choice(
            [
                "utf-8",
                "utf-8-sig",
                "utf-16",
                "utf-16-le",
                "utf-16-be",
                "utf-32",
                "cp1250",
                "broken",
            ]
        )
    )
    if name != "broken":
        return Case(lines, encoding=name, secrets=t.secrets)
    whole = [line.encode() for line in lines]
    for i in _some(rng, lines):
        at = int(rng.integers(len(whole[i]) + 1))
        whole[i] = (
            whole[i][:at] + bytes(rng.integers(128, 256, 3).tolist()) + whole[i][at:]
        )
    return Case(lines, data=b"\n".join(whole) + b"\n", secrets=t.secrets)


def ragged(rng: Rng) -> Case:
    t = Table(rng, 40)
    lines = t.csv()
    for i in _some(rng, lines):
        cells = lines[i].split(",")
        kind = rng.integers(6)
        if kind == 0:
            cells = cells[: int(rng.integers(1, 3))]
        elif kind == 1:
            cells.insert(int(rng.integers(4)), "more")
        elif kind == 2:
            cells[1] = '"' + cells[1]
        elif kind == 3:
            cells[1] = f'"{cells[1]}\n{lines[max(i - 1, 1)]}"'
        elif kind == 4:
            cells[1] = f'"{cells[1]}"x'
        else:
            cells = ["", *cells, ""]
        lines[i] = ",".join(cells)
    return Case(lines, secrets=t.secrets)


def headers(rng: Rng) -> Case:
    t, u = Table(rng, 30), Table(rng, 20)
    lines = t.csv()
    kind = rng.integers(5)
    if kind == 0:
        lines += u.csv()
    elif kind == 1:
        order = [
            ("salary", "ssn", "town"),
            ("ssn", "town", "salary"),
            ("town", "ssn", "salary"),
        ][rng.integers(3)]
        lines += u.csv(order=order)
    elif kind == 2:
        lines += [
            "pay,social security,city",
            *u.csv(order=("salary", "ssn", "town"))[1:],
        ]
    elif kind == 3:
        lines += ["salary,ssn", *(f"{r['salary']},{r['ssn']}" for r in u)]
    else:
        lines += [
            "\ufeff" + u.csv()[0],
            *u.csv()[1:],
            *u.csv(order=("salary", "ssn", "town")),
        ]
    return Case(lines, secrets=t.secrets | u.secrets)


def nested(rng: Rng) -> Case:
    t = Table(rng, 40)
    lines = t.jsonl()
    for i in _some(rng, lines, 0):
        r: dict[str, Any] = dict(t[i])
        kind = rng.integers(9)
        if kind < 3:
            r[["salary", "town", "ssn"][kind]] = {
                "inner": [r["ssn"], {"deep": r["salary"]}]
            }
        lines[i] = [
            json.dumps(r),
            json.dumps(r),
            json.dumps(r),
            json.dumps([r]),
            json.dumps(r)[:-3],
            json.dumps(r)[:-1] + f', "town": "{r["ssn"]}"}}',
            '{"salary": ' + "[" * 100_000,
            json.dumps(r) + " " + json.dumps(r),
            json.dumps(r["ssn"]),
        ][kind]
    return Case(lines, form="jsonl", secrets=t.secrets)


def columns(rng: Rng) -> Case:
    t = Table(rng, 40)
    lines = t.jsonl()
    for i in _some(rng, lines, 0):
        r: dict[str, Any] = dict(t[i])
        kind = rng.integers(5)
        if kind == 0:
            r["name"] = r["ssn"]
        elif kind == 1:
            del r[str(rng.choice(["salary", "town"]))]
        elif kind == 2:
            r = {"Salary": r["salary"], "town": r["ssn"], "ssn": ""}
        elif kind == 3:
            r = {"nobody": r["ssn"]}
        else:
            r = {}
        lines[i] = json.dumps(r)
    return Case(lines, form="jsonl", secrets=t.secrets)


ODD = [
    "old",
    "0041244272509",
    "007",
    "true",
    "1_000",
    "12:30",
    "2020-01-01",
    "1,5",
    "0x1F",
    "٣",
    "1e",
    "--5",
    "5 EUR",
    "=",
]


def types(rng: Rng) -> Case:
    t = Table(rng, 40)
    form = str(rng.choice(["csv", "jsonl"]))
    odd: list[Any] = [*ODD, True, False] if form == "jsonl" else ODD
    for i in rng.choice(40, size=int(rng.integers(1, 8)), replace=False):
        t[i]["salary"] = odd[rng.integers(len(odd))]
    if form == "jsonl":
        rows = [
            dict(r, salary=float(r["salary"]))
            if rng.random() < 0.5 and _plain(r["salary"])
            else r
            for r in t
        ]
        return Case([json.dumps(r) for r in rows], form=form, secrets=t.secrets)
    return Case(
        [*t.csv("|")[:1], *("|".join(map(str, r.values())) for r in t)],
        secrets=t.secrets,
    )


def _plain(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\d+\.\d+", value) is not None


def not_numbers(rng: Rng) -> Case:
    return _extremes(
        rng, ["nan", "NaN", "NA", "", "null", "None", "-nan", "n/a", "NAN", "."]
    )


def infinities(rng: Rng) -> Case:
    return _extremes(
        rng,
        [
            "inf",
            "-inf",
            "Infinity",
            "-Infinity",
            "1e999",
            "-1e999",
            "INF",
            "9" * 400,
            "1" + "0" * 5000,
        ],
    )


def _extremes(rng: Rng, words: list[str]) -> Case:
    t = Table(rng, 40)
    for i in rng.choice(40, size=int(rng.integers(1, 12)), replace=False):
        t[i][str(rng.choice(["salary", "salary", "town"]))] = words[
            rng.integers(len(words))
        ]
    if rng.random() < 0.5:
        return Case(t.csv(), secrets=t.secrets)
    bare = {
        "nan",
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "-1e999",
        "9" * 400,
        "1" + "0" * 5000,
        "null",
    }
    lines = []
    for r in t:
        text = json.dumps(r)
        if r["salary"] in bare and rng.random() < 0.7:
            text = text.replace(json.dumps(r["salary"]), r["salary"], 1)
        lines.append(text)
    return Case(lines, form="jsonl", secrets=t.secrets)


def huge(rng: Rng) -> Case:
    t = Table(rng, 30)
    size = int(rng.choice([1_000, 140_000, 1_100_000]))
    who = int(rng.integers(30))
    kind = rng.integers(4)
    if kind == 0:
        t[who]["salary"] = "1" * size
    elif kind == 1:
        t[who]["town"] = (
            (t[who]["ssn"] + " ") * (1 + 200_000 // 20) if size > 1000 else "long" * 200
        )
    elif kind == 2:
        t[who]["ssn"] = "x" * size
    lines = t.csv() if rng.random() < 0.5 else t.jsonl()
    if kind == 3:
        lines[who + 1 if len(lines) > 30 else who] = "," * size
    return Case(lines, form="csv" if len(lines) > 30 else "jsonl", secrets=t.secrets)


CONTROL = [
    "\x00",
    "\x1a",
    "\x0b",
    "\x0c",
    "\x1b[2J",
    "\u2028",
    "\u0085",
    "\ufeff",
    "\x7f",
    "\u202e",
    "\r",
    "\t",
    '"',
    "'",
]


def control(rng: Rng) -> Case:
    t = Table(rng, 40)
    form = str(rng.choice(["csv", "jsonl"]))
    lines = t.csv() if form == "csv" else t.jsonl()
    for i in _some(rng, lines, 1):
        at = int(rng.integers(len(lines[i]) + 1))
        lines[i] = lines[i][:at] + CONTROL[rng.integers(len(CONTROL))] + lines[i][at:]
        if form == "jsonl" and rng.random() < 0.3:
            lines[i] = lines[i].replace('"town": "', '"town": "\\ud83d')
    return Case(lines, form=form, secrets=t.secrets)


MARKS = ["'", "=", "+", "-", "@", "'=", "''=", "'+", "'@", "'\t", "'-"]
"""What a spreadsheet runs, and what the reader takes off: see data.io.formulas."""


def formulas(rng: Rng) -> Case:
    t = Table(rng, 40)
    for i in rng.choice(40, size=int(rng.integers(1, 12)), replace=False):
        name = str(rng.choice(["salary", "town", "ssn"]))
        t[i][name] = MARKS[rng.integers(len(MARKS))] + t[i][name]
    if rng.random() < 0.5:
        return Case(t.jsonl(), form="jsonl", secrets=t.secrets)
    lines = t.csv(str(rng.choice([",", ";"])))
    if rng.random() < 0.3:
        # the names too, as a file of ours has them
        lines[0] = lines[0].replace("town", str(rng.choice(["'=town", "=town"])))
    return Case(lines, secrets=t.secrets)


def garbage(rng: Rng) -> Case:
    raw = rng.integers(0, 256, int(rng.integers(1, 3000))).astype(np.uint8).tobytes()
    return Case([], form=str(rng.choice(["csv", "jsonl"])), data=raw)


KINDS: dict[str, Callable[[Rng], Case]] = {
    "delimiters, line ends": delimiters,
    "encodings, broken bytes": encodings,
    "other numbers of fields, quotes": ragged,
    "headers in mid-stream": headers,
    "nested, doubled, cut JSON": nested,
    "new and missing columns": columns,
    "other types, codes": types,
    "NaN and words for missing": not_numbers,
    "infinities": infinities,
    "huge fields": huge,
    "control characters": control,
    "random bytes": garbage,
    "formulas and apostrophes": formulas,
}


# -- through the stream ----------------------------------------------------------------


class Kept:
    """A sink that keeps what it is given."""

    def __init__(self) -> None:
        self.releases: list[Any] = []

    def write(self, releases: list[Any]) -> None:
        self.releases += releases


@dataclass
class Outcome:
    refused: bool
    read: int
    released: int
    withheld: int
    raw: int
    lost: int
    twice: int


def make(rng: Rng) -> tuple[Callable[[], Any], list[str]]:
    """A filter, and the columns that are kept beside it."""
    s, keep, which = tc.stream, ["town"] if rng.random() < 0.7 else [], rng.integers(5)
    named: Any = ["salary"] if rng.random() < 0.5 else None
    if which == 0:
        return lambda: s.Noise(percent=50, columns=named, random_state=1), keep
    if which == 1:
        return lambda: s.MultiplicativeNoise(
            percent=50, columns=named, random_state=1
        ), keep
    if which == 2:
        return lambda: s.Microaggregation(k=3, window=10, columns=named), keep
    if which == 3:
        return lambda: s.DelayBoundClusters(
            k=3, delay=10, person="ssn", columns=named
        ), keep
    bounds: Any = {"salary": (0.0, 100_000.0)}
    return lambda: s.DPMicroaggregation(
        epsilon=1.0, k=3, window=10, bounds=bounds, random_state=1
    ), []


def attempt(
    case: Case,
    build: Callable[[], Any],
    keep: list[str],
    folder: Path,
    stop_at: int | None = None,
) -> Outcome:
    """One stream from its first byte to its end; with ``stop_at`` it dies there and is started
    again from its state.
    """
    source = folder / "in"
    source.write_bytes(case.bytes())
    for old in ("dead", "state"):
        (folder / old).unlink(missing_ok=True)
    sink, dead, withheld, pending, read = Kept(), folder / "dead", 0, 0, 0
    try:
        for end in [stop_at, None] if stop_at is not None else [None]:
            with source.open("rb") as opened:
                f = build()
                gate = Gate(f, keep)
                run = Pipeline(
                    f,
                    sink,
                    state=folder / "state" if stop_at is not None else None,
                    every=7,
                )
                run.dead, run.hidden = DeadLetters(dead), lambda gate=gate: gate.hidden
                also = run.resume(lambda saved, gate=gate: gate.load(saved["gate"]))
                intake = Intake(Lines(opened), case.form, gate)
                intake.open(also.get("intake"))
                at = also.get("released", 0)
                del sink.releases[at:]  # what a file is cut back to
                run.sync = lambda gate=gate, intake=intake: {
                    "gate": gate.to_dict(),
                    "intake": intake.to_dict(),
                    "released": len(sink.releases),
                }
                skip = bool(also) and same(opened, also["intake"]["head"])
                try:
                    run(_dying(intake, end), skip=skip)
                except Died:
                    run.dead.close()
                    continue
                run.dead.close()
                withheld, pending, read = len(f.withheld), f.pending, run.consumed
    except TacitError:
        return Outcome(
            True, 0, len(sink.releases), 0, _raw(sink.releases, case.secrets), 0, 0
        )
    letters = (
        [json.loads(s) for s in dead.read_text().splitlines()] if dead.exists() else []
    )
    index, where = (
        [r.index for r in sink.releases],
        [entry["line"] for entry in letters],
    )
    wanted = read if case.data is not None and not case.lines else case.read()
    lost = abs(wanted - len(sink.releases) - len(letters) - withheld - pending)
    twice = len(index) - len(set(index)) + len(where) - len(set(where))
    return Outcome(
        False,
        wanted,
        len(sink.releases),
        len(letters) + withheld,
        _raw(sink.releases, case.secrets),
        lost,
        twice,
    )


class Died(Exception):
    """kill -9, as far as this process can show it."""


def _dying(records: Any, end: int | None) -> Any:
    for i, record in enumerate(records):
        if end is not None and i == end:
            raise Died
        yield record


def _raw(releases: list[Any], secrets: set[str]) -> int:
    """Released records that hold an original value of a column that is not kept, or an infinite
    one.
    """
    numbers = {float(s) for s in secrets if _plain(s)}
    found = 0
    for r in releases:
        values = list(r.record.values())
        text = [v for v in values if isinstance(v, str)]
        floats = [float(v) for v in values if isinstance(v, int | float)]
        held = any("SECRET" in v or v in secrets for v in text)
        found += held or any(v in numbers or np.isinf(v) for v in floats)
    return found


def table(
    cases: int, seed: int = 1
) -> list[tuple[str, int, int, int, int, int, int, int]]:
    """Kind, cases, refused whole, records read, withheld, released raw, lost, twice."""
    out = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for k, (kind, generate) in enumerate(KINDS.items()):
            done = []
            for i in range(-(-cases // len(KINDS))):
                rng = np.random.default_rng([seed, k, i])
                case, (build, keep) = generate(rng), make(rng)
                stop_at = int(rng.integers(1, 40)) if rng.random() < 0.25 else None
                done.append(attempt(case, build, keep, folder, stop_at))
            total = [
                sum(getattr(o, f) for o in done)
                for f in ("refused", "read", "withheld", "raw", "lost", "twice")
            ]
            out.append((kind, len(done), *total))
    return out


def show(rows: list[Any], out: io.TextIOBase | Any = sys.stdout) -> None:
    """The table in Markdown."""
    out.write(
        "| hostility | streams | refused whole | records read "
        "| withheld | released raw | lost | twice |\n"
    )
    out.write("|---|---|---|---|---|---|---|---|\n")
    total = ["all", *(sum(r[j] for r in rows) for j in range(1, 8))]
    for row in [*rows, total]:
        out.write(
            "| "
            + " | ".join(f"{c:,}" if isinstance(c, int) else str(c) for c in row)
            + " |\n"
        )


if __name__ == "__main__":
    show(table(int(sys.argv[1]) if len(sys.argv) > 1 else 600))
