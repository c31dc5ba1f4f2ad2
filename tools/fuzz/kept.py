"""What tacit wrote for itself, and somebody changed: states, plans, manifests, journals, schemas.

Each case takes files that a run left (made once in a process), changes one of them in its bytes, in
its JSON or TOML, or in the arrays of an archive, and runs the command that reads it.
"""

from __future__ import annotations

import io
import json
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tools.fuzz import formats
from tools.fuzz.cases import Case
from tools.fuzz.tables import Rng

Tree: TypeAlias = Any

ROWS = 60
COLUMNS = ["--columns", "age,income"]
FILTERS: dict[str, list[str]] = {
    "microaggregation": ["--set", "k=3", "--set", "window=20", *COLUMNS],
    "noise": COLUMNS,
    "rank_swapping": ["--set", "p=10", *COLUMNS],
    "pram": ["--set", "categories={town=['a','b','c']}"],
    "rounding": ["--set", "base=5", *COLUMNS],
    "clusters": ["--set", "k=3", "--set", "delay=20", *COLUMNS],
    "dp_microaggregation": [
        "--set", "bounds={age=[0,100],income=[0,9000]}", "--set", "window=20",
    ],
}  # fmt: skip
ODD: list[Any] = [
    None, 0, 1, -1, 2**31, 2**63, -(2**70), 1e308, -0.5, True, "", "x", "../x", "9" * 5000, [], {},
    [1], ["a"], [[1, 2], [3]], {"a": 1}, {"a": {"b": [1]}}, "\x1b[2J", "é", "nan", float("nan"),
    float("inf"), "tacit.cli:app", "os:system", "dict", [None] * 50, "2020-13-45",
]  # fmt: skip


def _table(rng: Rng) -> str:
    lines = ["age,income,town"]
    for _ in range(ROWS):
        town = "abc"[rng.integers(3)]
        lines.append(f"{rng.integers(18, 90)},{rng.normal(3000, 500):.2f},{town}")
    return "\n".join(lines) + "\n"


@cache
def _made() -> Path:
    """A folder with what the commands leave, made once."""
    from tools.fuzz.judge import run

    folder = Path(tempfile.mkdtemp(prefix="fuzz-kept-"))
    rng = np.random.default_rng(0)
    (folder / "in.csv").write_text(_table(rng))
    half = "\n".join((folder / "in.csv").read_text().split("\n")[:31]) + "\n"
    for name, settings in FILTERS.items():
        words = ["stream", "--filter", name, *settings, "--state", f"{name}.state"]
        words += ["--out", f"{name}.csv", "--no-monitors", "--every", "10"]
        ran = run(words, folder, half.encode())
        assert ran.code == 0, ran.err
    protect = ["protect", "in.csv", "out.csv", "--quasi", "age,income"]
    ran = run([*protect, "--method", "noise", "--allow-unprotected"], folder)
    assert ran.code == 0, ran.err
    ran = run(["schema", "in.csv", "-o", "schema.toml"], folder)
    assert ran.code == 0, ran.err
    (folder / "plan.toml").write_text(
        'name = "p"\n[[steps]]\nmethod = "noise"\npercent = 5.0\ncolumns = ["age"]\n'
        'seed = 3\n\n[[steps]]\nmethod = "microaggregation"\nk = 3\ncolumns = ["income"]\n'
    )
    (folder / "plans.toml").write_text(
        '[[plans]]\nmethod = "noise"\npercent = { values = [5, 40] }\n'
    )
    (folder / "hierarchy.csv").write_text("a;first;*\nb;first;*\nc;last;*\n")
    return folder


def _leaves(tree: Tree, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a tree."""
    found = [path] if path else []
    children = tree.items() if isinstance(tree, dict) else []
    if isinstance(tree, list):
        children = list(enumerate(tree[:20]))
    for key, value in children:
        found += _leaves(value, (*path, key))
    return found


def changed(rng: Rng, tree: Tree) -> Tree:
    """The tree with one or two places replaced, removed, or doubled."""
    for _ in range(int(rng.integers(1, 3))):
        places = _leaves(tree)
        if not places:
            return ODD[rng.integers(len(ODD))]
        *above, last = places[rng.integers(len(places))]
        here = tree
        for key in above:
            here = here[key]
        kind = rng.random()
        if kind < 0.15:
            del here[last]
        elif kind < 0.25 and isinstance(here, dict):
            here[str(ODD[rng.integers(len(ODD))])[:30]] = here[last]
        else:
            here[last] = ODD[rng.integers(len(ODD))]
    return tree


def _archive(rng: Rng, path: Path) -> None:
    """An archive of arrays: other types, shapes and values, sealed anew as by somebody who can."""
    from tacit.stream import state

    with np.load(path, allow_pickle=False) as saved:
        arrays = {name: saved[name] for name in saved.files}
    if "text" in arrays and rng.random() < 0.7:
        text = json.loads(arrays["text"].tobytes())
        content = json.dumps(changed(rng, text)).encode()
        arrays["text"] = np.frombuffer(content, np.uint8)
    else:
        names = [name for name in arrays if name not in ("text", state.SEAL)]
        name = names[rng.integers(len(names))]
        array = arrays[name]
        kinds: list[Callable[[], Any]] = [
            lambda: array[: len(array) // 2],
            lambda: np.concatenate([array, array]),
            lambda: array.astype(np.float32),
            lambda: array.astype(str),
            lambda: np.full_like(array, 2**40 if array.dtype.kind in "iu" else np.nan),
            lambda: np.full(array.shape, -1).astype(array.dtype),
            lambda: array.reshape(1, -1),
            lambda: np.array(5),
            lambda: np.zeros(0),
        ]
        arrays[name] = kinds[rng.integers(len(kinds))]()
    if rng.random() < 0.9:
        arrays.pop(state.SEAL, None)
        arrays[state.SEAL] = state._seal(arrays)
    room = io.BytesIO()
    np.savez(room, allow_pickle=False, **arrays)
    path.write_bytes(room.getvalue())


def _toml(rng: Rng, path: Path) -> None:
    import tomllib

    import tomli_w

    def plain(tree: Tree) -> Tree:
        """Without what TOML cannot say."""
        if isinstance(tree, dict):
            return {str(k): plain(v) for k, v in tree.items() if v is not None}
        if isinstance(tree, list):
            return [plain(one) for one in tree if one is not None]
        return tree

    tree = plain(changed(rng, tomllib.loads(path.read_text())))
    path.write_text(tomli_w.dumps(tree if isinstance(tree, dict) else {"x": tree}))


def tamper(rng: Rng, path: Path) -> None:
    """The file, changed in its bytes or in what it says."""
    if rng.random() < 0.3:
        formats.damage(path, rng)
        return
    try:
        if path.suffix == ".json":
            tree = changed(rng, json.loads(path.read_text()))
            path.write_text(json.dumps(tree))
        elif path.suffix == ".toml":
            _toml(rng, path)
        elif path.suffix in (".state", ".done"):
            _archive(rng, path)
        else:
            words = path.read_text().split(" ")
            place = int(rng.integers(len(words)))
            words[place] = str(ODD[rng.integers(len(ODD))])[:99]
            path.write_text(" ".join(words))
    except (
        OverflowError,
        TypeError,
        ValueError,
        LookupError,
        AttributeError,
        RecursionError,
    ):
        # what cannot be said in this form is said in no form
        formats.damage(path, rng)


def _taken(folder: Path, *names: str) -> None:
    for name in names:
        shutil.copy(_made() / name, folder / name)


def stream_state(rng: Rng, folder: Path) -> Case:
    """A stream that goes on from a state."""
    name = str(rng.choice(list(FILTERS)))
    _taken(folder, "in.csv", f"{name}.state", f"{name}.csv")
    victims = [f"{name}.state"]
    spent = f"{name}.csv.spent"
    if (_made() / spent).exists():
        _taken(folder, spent)
        victims.append(spent)
    tamper(rng, folder / victims[rng.integers(len(victims))])
    words = ["--filter", name, *FILTERS[name], "--state", f"{name}.state"]
    words += ["--out", f"{name}.csv", "--no-monitors", "--in", "in.csv"]
    if rng.random() < 0.1:
        words.append("--force")
    own = [f"{name}.state", f"{name}.csv", spent]
    return Case(0, "stream", "state", words, inputs=["in.csv"], own=own)


def plan_file(rng: Rng, folder: Path) -> Case:
    """A plan."""
    _taken(folder, "in.csv", "plan.toml")
    tamper(rng, folder / "plan.toml")
    words = ["in.csv", "out.csv", "--plan", "plan.toml", "--allow-unprotected"]
    return Case(0, "protect", "plan", words, inputs=["in.csv", "plan.toml"])


def plans_file(rng: Rng, folder: Path) -> Case:
    """Plans to be compared."""
    _taken(folder, "in.csv", "plans.toml")
    tamper(rng, folder / "plans.toml")
    words = ["in.csv", "--plans", "plans.toml", "--workers", "1", "--seeds", "1"]
    words += ["--attackers", "nearest"]
    return Case(0, "compare", "plans", words, inputs=["in.csv", "plans.toml"])


def schema_file(rng: Rng, folder: Path) -> Case:
    """A schema."""
    _taken(folder, "in.csv", "schema.toml")
    tamper(rng, folder / "schema.toml")
    words = ["in.csv", "--schema", "schema.toml"]
    return Case(0, "risk", "schema", words, inputs=["in.csv", "schema.toml"])


def manifest(rng: Rng, folder: Path) -> Case:
    """A manifest that is verified, or from which an intruder learns the plan."""
    name = "out.csv.manifest.json"
    _taken(folder, "in.csv", "out.csv", name)
    tamper(rng, folder / name)
    if rng.random() < 0.8:
        return Case(
            0, "verify", "manifest", [name], inputs=["in.csv", name], may_say_no=True
        )
    words = ["in.csv", "out.csv", "--plan", name, "--attackers", "nearest"]
    return Case(
        0, "assess", "manifest", words, inputs=["in.csv", name], may_say_no=True
    )


def levels(rng: Rng, folder: Path) -> Case:
    """A file of levels."""
    _taken(folder, "in.csv", "hierarchy.csv")
    tamper(rng, folder / "hierarchy.csv")
    words = ["in.csv", "out.csv", "--method", "generalisation", "--set", "k=3"]
    words += ["--set", 'hierarchies={town={file="hierarchy.csv"}}', "--quasi", "town"]
    words += ["--allow-unprotected"]
    return Case(0, "protect", "hierarchy", words, inputs=["in.csv", "hierarchy.csv"])


MAKERS: dict[Callable[[Rng, Path], Case], float] = {
    stream_state: 0.4, plan_file: 0.2, manifest: 0.17, schema_file: 0.15, levels: 0.05,
    plans_file: 0.03,
}  # fmt: skip


def case(seed: int, number: int, folder: Path) -> Case:
    """Case ``number`` of the series ``seed``: always the same one."""
    rng = np.random.default_rng([seed, 3, number])
    makers = list(MAKERS)
    make = makers[rng.choice(len(makers), p=list(MAKERS.values()))]
    made = make(rng, folder)
    made.number = number
    made.words = [*made.command.split(), *made.words]
    return made
