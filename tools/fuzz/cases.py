"""One case by its number: files in a folder, and the words of a command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import typer.main

from tacit.cli import app
from tacit.data.io.legal_names import legal
from tacit.protect import registry as protectors
from tacit.stream import registry as filters
from tools.fuzz import formats, tables
from tools.fuzz.tables import Rng

NONSENSE = [
    "abc", "nan", "-1", "0", "1e400", "", "é", "a,b", "=", "inf", "-inf", "99999999999999999999999",
    "1", "0.5", "2", "true", "[1,2]", "{", "None", "age", "../x", "no/such/x", ".", "in.csv", "-",
    "x" * 5000, "\x00", "'", "10%", "k=3", "age=5", "a=b=c", "noise", "utf-16", "idna", "utf8",
    "\ud800",
]  # fmt: skip
# files that an option may name; all lie in the folder of the case
PLACES = [
    "new.html",
    "new.json",
    "no/such/new.csv",
    ".",
    "in.csv",
    "old.txt",
    "new.csv",
    "new",
]
# would wait, start a server or a cluster, run for minutes, or say nothing about input
NEVER = {
    "follow", "redis", "cluster", "help", "host", "port", "browser", "budget", "workers", "until",
    "jobs", "from_key", "to_key",
}  # fmt: skip
# values of parameters of methods, many of them wrong
VALUES = [
    "1", "2", "3", "5", "10", "0", "-1", "abc", "1e9", "nan", "inf", "2.5", "0.5", "0.01", "[1,2]",
    "[]", "{}", "{age=5}", "{age=[0,100]}", "age", "age,income", "town", "nobody", "true", "",
    "month", "year", "1e400", "99999999999999999999", "'x'", "[[1,0],[0,1]]", "2020-01-01", "mean",
]  # fmt: skip
# names and values that belong to other methods
SETTINGS = [
    "k=2", "k=3", "k=5", "k=0", "k=-1", "k=abc", "k=1e9", "k=nan", "k=2.5", "k=[1,2]", "percent=10",
    "percent=-1", "percent=nan", "percent=inf", "p=5", "p=200", "base=5", "base=0", "base=nan",
    "epsilon=1", "epsilon=0", "epsilon=-1", "columns=age", "columns=age,income", "columns=[]",
    "columns=nobody", "columns=5", "by=sex", "by=nobody", "nothing=1", "fraction=0.5", "fraction=2",
    "window=10", "window=1", "window=abc", "bounds={age=[0,100]}", "bounds={}", "bounds=5",
    "unit=month", "unit=century", "distance=x", "variant=C", "random_state=1", "to=5", "top=80",
    "top={age=60}", "bottom=abc", "classes=3", "cuts={age=[20,40]}", "delay=5", "k", "=3", "k==3",
    "fixed=true", "rows=kept", "exchange=cycles", "days=30", "retain=0.7", "retain=2", "key=secret",
]  # fmt: skip


@dataclass
class Case:
    """A command in a folder."""

    number: int
    command: str
    form: str
    words: list[str]
    stdin: bytes | None = None
    #: files that may not change
    inputs: list[str] = field(default_factory=list)
    #: exit code 1 has a meaning here
    may_say_no: bool = False
    #: files that a run goes on with: they change when it is done
    own: list[str] = field(default_factory=list)
    #: method and k of a release whose groups are counted
    k: int | None = None


@cache
def options(command: str) -> list[Any]:
    """The options of a command, as its help has them."""
    here: Any = typer.main.get_command(app)
    for word in command.split():
        here = here.commands[word]
    found = [option for option in here.params if option.param_type_name == "option"]
    return [option for option in found if option.name not in NEVER]


def any_option(rng: Rng, command: str) -> list[str]:
    """One option of the command with a value that may be nonsense."""
    known = options(command)
    option = known[rng.integers(len(known))]
    flag = str(rng.choice([*option.opts, *option.secondary_opts]))
    if option.is_flag:
        return [flag]
    is_path = "path" in str(option.bare_type).lower()
    pool = PLACES if is_path and rng.random() < 0.7 else NONSENSE
    return [flag, pool[rng.integers(len(pool))]]


def setting(rng: Rng, method: Any) -> list[str]:
    """A parameter of the method with some value, or one that it does not have."""
    if rng.random() < 0.1:
        return ["--set", SETTINGS[rng.integers(len(SETTINGS))]]
    known = [name for name in signature(method).parameters if name != "random_state"]
    name = known[rng.integers(len(known))]
    return ["--set", f"{name}={VALUES[rng.integers(len(VALUES))]}"]


def toml(value: Any) -> str:
    """A value as ``--set`` takes it."""
    if isinstance(value, dict):
        inside = ", ".join(
            f"{json.dumps(name)} = {toml(inner)}" for name, inner in value.items()
        )
        return f"{{{inside}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value)


def _some(rng: Rng, names: list[str], most: int = 3) -> str:
    count = int(rng.integers(1, most + 1))
    return ",".join(rng.choice(names, min(count, len(names)), replace=False).tolist())


def roles(rng: Rng, names: list[str]) -> list[str]:
    """Options that say what the columns are, right or wrong."""
    words: list[str] = []
    kinds = [
        "quasi",
        "confidential",
        "identifier",
        "other",
        "continuous",
        "nominal",
        "ordinal",
    ]
    rare = ["person", "household", "weight", "date", "code", "boolean", "text", "count"]
    if rng.random() < 0.6:
        words += ["--quasi", _some(rng, names)]
    while rng.random() < 0.25:
        pool = kinds if rng.random() < 0.6 else rare
        words += [f"--{rng.choice(pool)}", _some(rng, names, 1)]
    return words


def names_in(table: pa.Table, form: str) -> list[str]:
    """The names of the columns as a file of this format has them."""
    return list(dict.fromkeys(legal(table.column_names, f".{form}").values()))


def source(
    rng: Rng, folder: Path, ending: str, stem: str = "in"
) -> tuple[str, pa.Table, str]:
    """A file of this format in the folder: its name, what is in it, and how bad it is."""
    bad = rng.random()
    oddity = 0.0 if bad < 0.3 else 0.35
    wide = rng.random() < 0.03
    path = folder / f"{stem}.{ending}"
    while True:
        table = tables.table(rng, oddity=oddity, wide=wide)
        if formats.write(table, path, rng, plainly=bad < 0.6):
            break
        # what the format cannot hold is drawn again, more plainly; some hold few columns only
        oddity /= 2
        wide = wide and oddity > 0.05
    if bad > 0.85:
        formats.damage(path, rng)
    elif bad > 0.83:
        other = path.with_suffix("." + str(rng.choice(formats.ENDINGS)))
        path = path.rename(other)
    return path.name, table, path.suffix.lstrip(".")


def _method(rng: Rng) -> str:
    names = list(protectors)
    # the plain ones more often, so that more cases come to their end
    usual = [
        "noise",
        "microaggregation",
        "rounding",
        "rank_swapping",
        "local_suppression",
        "pram",
    ]
    return str(rng.choice(usual if rng.random() < 0.5 else names))


def _steps(rng: Rng) -> str:
    """A plan file, right or wrong."""
    parts = [
        '[[steps]]\nmethod = "noise"\npercent = 10\n', '[[steps]]\nmethod = "nobody"\n',
        '[[steps]]\nmethod = "microaggregation"\nk = 3\n', "steps = 5\n", "[[", "",
        '[[steps]]\nmethod = "rounding"\nbase = [1, 5]\n', '[[steps]]\npercent = 1\n',
        '[[steps]]\nmethod = "noise"\nseed = "x"\n', 'release_as_is = ["age"]\n', "\x00",
        '[[steps]]\nmethod = "noise"\ncolumns = ["age"]\n',
        '[[plans]]\n[[plans.steps]]\nmethod="noise"\n',
    ]  # fmt: skip
    chosen = [parts[0] if rng.random() < 0.5 else parts[rng.integers(len(parts))]]
    if rng.random() < 0.3:
        chosen.append(parts[rng.integers(len(parts))])
    return "".join(chosen)


def protect(rng: Rng, folder: Path, ending: str) -> Case:
    name, table, form = source(rng, folder, ending)
    target = (
        form
        if rng.random() < 0.6
        else str(rng.choice([*formats.ENDINGS, "sas7bdat", "xyz"]))
    )
    if target == "dat" and form != "dat" and rng.random() < 0.7:
        target = "csv"
    words = [name, f"out.{target}"]
    inputs = [name]
    method = _method(rng)
    k = None
    if rng.random() < 0.1:
        (folder / "plan.toml").write_text(_steps(rng))
        words += ["--plan", "plan.toml"]
        inputs.append("plan.toml")
    else:
        words += ["--method", method]
        known = protectors[method].example if rng.random() < 0.5 else {}
        for parameter, value in dict(known or {}).items():
            words += ["--set", f"{parameter}={toml(value)}"]
        if method == "microaggregation" and rng.random() < 0.6:
            k = int(rng.integers(2, 6))
            words += ["--set", f"k={k}"]
        elif rng.random() < 0.3:
            words += setting(rng, protectors[method])
    words += roles(rng, names_in(table, form))
    if rng.random() < 0.85:
        words.append("--allow-unprotected")
    if rng.random() < 0.2:
        words += ["--release-as-is", _some(rng, names_in(table, form))]
    if rng.random() < 0.1:
        words += [
            "--codebook",
            str(rng.choice(["book.html", "book.json", "book.xml", "book.x"])),
        ]
    while rng.random() < 0.25:
        words += any_option(rng, "protect")
    _old(rng, folder, words, f"out.{target}")
    return Case(0, "protect", form, words, inputs=inputs, k=k)


def _old(rng: Rng, folder: Path, words: list[str], name: str) -> None:
    """Something may lie under the name of the output, and --force may be said."""
    forced = rng.random() < 0.25
    if rng.random() < (0.4 if forced else 0.06):
        (folder / name).write_text("precious")
    if forced:
        words.append("--force")


def assess(rng: Rng, folder: Path, ending: str) -> Case:
    name, table, form = source(rng, folder, ending)
    other = name
    if rng.random() < 0.7:
        masked = _shaken(rng, table)
        other = "masked." + (ending if rng.random() < 0.6 else "parquet")
        if not formats.write(masked, folder / other, rng, plainly=True):
            other = name
    words = [name, other]
    if rng.random() < 0.7:
        words += [
            "--attackers",
            str(
                rng.choice(
                    ["nearest", "nearest,assignment", "nobody"], p=[0.6, 0.3, 0.1]
                )
            ),
        ]
    if rng.random() < 0.6:
        words.append("--aligned")
    if rng.random() < 0.3:
        words += [
            "--fail-above",
            str(rng.choice(["0.5", "nan", "-1", "abc", "0", "1", "1e-9"])),
        ]
    if rng.random() < 0.1:
        words += [
            "--threshold",
            str(rng.choice(["attack=abc", "nearest=nan", "x", "pld=0.5"])),
        ]
    if rng.random() < 0.1:
        words += [
            "--model",
            str(rng.choice(["income ~ age", "y~", "~", "income ~ nobody", "x"])),
        ]
    words += roles(rng, names_in(table, form))
    while rng.random() < 0.3:
        words += any_option(rng, "assess")
    return Case(0, "assess", form, words, inputs=[name, other], may_say_no=True)


def _shaken(rng: Rng, table: pa.Table) -> pa.Table:
    """Some release of the table: numbers with noise, or fewer rows or columns."""
    for place, name in enumerate(table.column_names):
        column = table.column(place)
        if pa.types.is_float64(column.type):
            values = column.to_numpy()
            noise = rng.normal(0, 1, len(values))
            shaken = pa.array(values + noise, from_pandas=True)
            table = table.set_column(place, name, shaken)
    if rng.random() < 0.1 and table.num_rows > 1:
        table = table.slice(1)
    if rng.random() < 0.1 and table.num_columns > 1:
        table = table.remove_column(0)
    return table


PLANS = (
    '[[plans]]\nmethod = "noise"\npercent = { values = [5, 40] }\n',
    '[[plans]]\nmethod = "microaggregation"\nk = { values = [3, 1000] }\n',
    '[[plans]]\nmethod = "pram"\n\n[[plans]]\nmethod = "local_suppression"\nk = 2\n',
    '[[plans]]\nmethod = "sampling"\nfraction = 0.5\n',
)
"""What a comparison can run on most files."""


def compare(rng: Rng, folder: Path, ending: str) -> Case:
    name, table, form = source(rng, folder, ending)
    # of nonsense plans alone nearly none comes to its end
    text = str(rng.choice(PLANS)) if rng.random() < 0.6 else _steps(rng)
    (folder / "plans.toml").write_text(text)
    words = [name, "--plans", "plans.toml", "--workers", "1", "--seeds", "1"]
    words += ["--attackers", "nearest"]
    words += roles(rng, names_in(table, form))
    while rng.random() < 0.4:
        words += any_option(rng, "compare")
    return Case(0, "compare", form, words, inputs=[name, "plans.toml"])


def risk(rng: Rng, folder: Path, ending: str) -> Case:
    name, table, form = source(rng, folder, ending)
    words = [name, *roles(rng, names_in(table, form))]
    while rng.random() < 0.3:
        words += any_option(rng, "risk")
    return Case(0, "risk", form, words, inputs=[name])


def schema(rng: Rng, folder: Path, ending: str) -> Case:
    name, table, form = source(rng, folder, ending)
    words = [name, *roles(rng, names_in(table, form))]
    if rng.random() < 0.5:
        words += ["-o", "schema.toml"]
        _old(rng, folder, words, "schema.toml")
    while rng.random() < 0.3:
        words += any_option(rng, "schema")
    return Case(0, "schema", form, words, inputs=[name])


def verify(rng: Rng, folder: Path, ending: str) -> Case:
    """A manifest of a release that was made here, and then changed a little."""
    from tools.fuzz.judge import run

    name, _, form = source(rng, folder, ending)
    out = f"out.{form if form != 'dat' else 'csv'}"
    method = str(rng.choice(["noise", "microaggregation", "rank_swapping"]))
    run(["protect", name, out, "--method", method, "--allow-unprotected"], folder)
    manifest = folder / f"{out}.manifest.json"
    if not manifest.exists():
        manifest.write_text(
            str(rng.choice(["{}", "", "[]", '{"plan": 1}', "\x00", "5"]))
        )
    elif rng.random() < 0.5:
        _change(rng, manifest)
    elif rng.random() < 0.2:
        formats.damage(folder / str(rng.choice([name, out])), rng)
    words = [manifest.name]
    while rng.random() < 0.3:
        words += any_option(rng, "verify")
    return Case(0, "verify", form, words, inputs=[name, manifest.name], may_say_no=True)


def _change(rng: Rng, manifest: Path) -> None:
    record = json.loads(manifest.read_text())
    for _ in range(int(rng.integers(1, 3))):
        here: Any = record
        while isinstance(here, dict) and here:
            key = list(here)[rng.integers(len(here))]
            inner = here[key]
            if isinstance(inner, dict) and rng.random() < 0.8:
                here = inner
                continue
            values: list[Any] = [None, 5, "x", [], {}, -1, True, "9" * 30, [1, "a"]]
            here[key] = values[rng.integers(len(values))]
            if rng.random() < 0.2:
                del here[key]
            break
    manifest.write_text(json.dumps(record))


def stream(rng: Rng, folder: Path, ending: str) -> Case:
    form = str(rng.choice(["csv", "jsonl", "tsv", ending], p=[0.4, 0.3, 0.1, 0.2]))
    name, table, form = source(rng, folder, form)
    chosen = str(rng.choice(list(filters)))
    words = ["--filter", chosen]
    k = None
    if chosen == "microaggregation" and rng.random() < 0.7:
        k = int(rng.integers(2, 5))
        words += ["--set", f"k={k}", "--books"]
    if chosen in ("dp_microaggregation", "laplace") and rng.random() < 0.7:
        bounds = ",".join(
            f"{name}=[0,100]" for name in table.column_names if name.isalnum()
        )
        words += ["--set", f"bounds={{{bounds}}}"]
    elif rng.random() < 0.3:
        words += setting(rng, filters[chosen])
    if chosen == "top_bottom_coding":
        words += ["--set", "high=50"]
    if form == "jsonl" or rng.random() < 0.1:
        words += [
            "--format",
            str(rng.choice(["jsonl", "jsonl", "jsonl", "csv", "xml"])),
        ]
    if rng.random() < 0.3:
        words += ["--columns", _some(rng, names_in(table, form))]
    if rng.random() < 0.3:
        words += ["--keep", _some(rng, names_in(table, form))]
    if rng.random() < 0.2:
        words += ["--nominal", _some(rng, names_in(table, form))]
    stdin = None
    if rng.random() < 0.4:
        stdin = (folder / name).read_bytes()
    else:
        words += ["--in", name]
    if rng.random() < 0.8:
        words += ["--out", "out.csv"]
        _old(rng, folder, words, "out.csv")
    if rng.random() < 0.15:
        words += ["--state", "state.bin", "--every", "3"]
    if rng.random() < 0.5:
        words.append("--no-monitors")
    while rng.random() < 0.25:
        words += any_option(rng, "stream")
    return Case(0, "stream", form, words, stdin=stdin, inputs=[name], k=k)


def large(rng: Rng, folder: Path, ending: str) -> Case:
    which = str(rng.choice(["protect", "link", "picture"], p=[0.6, 0.25, 0.15]))
    form = "parquet" if rng.random() < 0.85 else ending
    name, table, form = source(rng, folder, form)
    if which == "picture":
        words = [name, "out.svg", "--columns", _some(rng, names_in(table, form), 2)]
        _old(rng, folder, words, "out.svg")
    elif which == "link":
        formats.write(_shaken(rng, table), folder / "masked.parquet", rng, plainly=True)
        words = [name, "masked.parquet" if rng.random() < 0.9 else name]
    else:
        words = [name, "out.parquet"]
        _old(rng, folder, words, "out.parquet")
        method = "microaggregation"
        if rng.random() < 0.5:
            method = str(
                rng.choice(["rounding", "noise", "top_bottom_coding", _method(rng)])
            )
            words += ["--method", method]
        if rng.random() < 0.3:
            words += setting(rng, protectors[method])
    if which != "picture":
        if rng.random() < 0.6:
            words += ["--quasi", _some(rng, names_in(table, form))]
        if rng.random() < 0.6:
            words += [
                "--leaf",
                str(rng.choice(["10", "auto", "5", "0", "-1", "abc", "1000"])),
            ]
    while rng.random() < 0.25:
        words += any_option(rng, f"large {which}")
    return Case(0, f"large {which}", form, words, inputs=[name])


def talk(rng: Rng, folder: Path, ending: str) -> Case:
    """Commands that read no file, and words that are no command."""
    which = str(
        rng.choice(
            ["methods", "reproduce", "demo", "app", ""], p=[0.6, 0.2, 0.05, 0.1, 0.05]
        )
    )
    words: list[str] = []
    if which == "methods":
        names = [*protectors, *filters, "nearest", "IL", "dld", *NONSENSE]
        words = [names[rng.integers(len(names))]] if rng.random() < 0.9 else []
    elif which == "reproduce":
        # a target that exists would take minutes
        words = ["list"] if rng.random() < 0.3 else ["no-such-" + str(rng.integers(99))]
    elif which == "demo":
        words = ["--seed", str(rng.choice(["abc", "nan", "1.5", ""]))]
    elif which == "app":
        words = ["--port", str(rng.choice(["abc", "nan", "-x", ""])) + "x"]
    else:
        words = [NONSENSE[rng.integers(len(NONSENSE))]]
    if which == "methods" and rng.random() < 0.2:
        words.append("--json")
    return Case(0, which or "nothing", "-", words)


MAKERS: dict[Callable[[Rng, Path, str], Case], float] = {
    protect: 0.42,
    schema: 0.10,
    risk: 0.07,
    stream: 0.17,
    large: 0.10,
    verify: 0.04,
    assess: 0.04,
    compare: 0.03,
    talk: 0.03,
}


def case(seed: int, number: int, folder: Path) -> Case:
    """Case ``number`` of the series ``seed``: always the same one."""
    rng = np.random.default_rng([seed, number])
    makers = list(MAKERS)
    make = makers[rng.choice(len(makers), p=list(MAKERS.values()))]
    ending = str(rng.choice(formats.ENDINGS))
    (folder / "old.txt").write_text("precious")
    made = make(rng, folder, ending)
    made.number = number
    made.words = (
        [*made.command.split(), *made.words]
        if made.command != "nothing"
        else made.words
    )
    return made
