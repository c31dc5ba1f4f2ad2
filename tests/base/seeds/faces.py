"""Every face that releases noise: as a user runs it, and as the intruder repeats it.

With or without a seed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from typer.testing import CliRunner

import tacit as tc
from base.seeds.attack import Floats, Protect
from tacit import scale as large
from tacit.base import seeds
from tacit.cli import app
from tacit.plan import manifest

N, NAMES = 1500, ["a", "b", "c", "d"]
WIDE = dict.fromkeys(NAMES, (0.0, 60000.0))
ROLES = ["--quasi", ",".join(NAMES), "--continuous", ",".join(NAMES)]


def original() -> Floats:
    """Incomes, drawn from no seed that the intruder tries.

    Noise of 15 % has a standard deviation of 1,200 units.
    """
    return np.clip(
        np.random.default_rng([5, 9]).normal(30_000, 8_000, (N, len(NAMES))), 0, 60_000
    )


def frame(values: Floats) -> pa.Table:
    return pa.table(dict(zip(NAMES, values.T, strict=True)))


def numbers(table: pa.Table) -> Floats:
    return np.column_stack([table.column(name).to_numpy() for name in NAMES])


def micro(values: Floats) -> tc.Microdata:
    return tc.Microdata.of(frame(values), quasi=NAMES, continuous=NAMES)


def run(*words: Any) -> None:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output


def csv(folder: Path) -> Path:
    pa.csv.write_csv(frame(original()), folder / "in.csv")
    return folder / "in.csv"


def in_place(release: Path, beside: Path) -> Floats:
    """The release in the order of the original: a seed that is found gives the order away, too."""
    truth = manifest.truth_of(manifest.load(beside), N, beside)
    assert truth is not None
    return numbers(pa.csv.read_csv(release))[truth]


def protect_release(folder: Path, *seed: str) -> Floats:
    run(
        "protect",
        csv(folder),
        folder / "out.csv",
        "--method",
        "noise",
        "--set",
        "percent=15",
        *ROLES,
        *seed,
    )
    return in_place(folder / "out.csv", folder / "out.csv.manifest.json")


def protect_again(values: Floats, seed: int) -> Floats:
    return numbers(
        tc.Plan((tc.Step("noise", {"percent": 15.0}),))
        .seeded(seed)
        .apply(micro(values))
        .table
    )


def private_release(folder: Path, *seed: str) -> Floats:
    bounds = "{" + ", ".join(f"{name} = [0, 60000]" for name in NAMES) + "}"
    method = ["--method", "laplace", "--set", "epsilon=4", "--set", f"bounds={bounds}"]
    run("protect", csv(folder), folder / "out.csv", *method, *ROLES, *seed)
    return in_place(folder / "out.csv", folder / "out.csv.manifest.json")


def private_again(values: Floats, seed: int) -> Floats:
    plan = tc.Plan((tc.Step("laplace", {"epsilon": 4.0, "bounds": WIDE}),)).seeded(
        seed, test_seed=True
    )
    return numbers(plan.apply(micro(values)).table)


# the one method with random numbers that means the same in blocks
ROUNDING: dict[str, Any] = {
    "method": "rounding",
    "parameters": {"base": 4000.0, "kind": "random"},
    "columns": NAMES,
    "leaf": 5000,
    "engine": 1,
}


def large_release(folder: Path, *seed: str) -> Floats:
    pq.write_table(frame(original()), folder / "in.parquet")
    by_hand = int(seed[1]) if seed else None
    seeds.warn(by_hand)
    told = {**ROUNDING, "seed": by_hand, "drop": []}
    large.protect(folder / "in.parquet", folder / "out.parquet", **told)
    return numbers(pq.read_table(folder / "out.parquet"))


def large_again(values: Floats, seed: int) -> Floats:
    return numbers(large.protect(frame(values), seed=seed, **ROUNDING).release)


def stream_release(folder: Path, *seed: str) -> Floats:
    told = [
        "--filter",
        "noise",
        "--set",
        "percent=15",
        "--no-monitors",
        "--no-dashboard",
    ]
    run("stream", *told, "--in", csv(folder), "--out", folder / "out.csv", *seed)
    return numbers(pa.csv.read_csv(folder / "out.csv"))


def stream_again(values: Floats, seed: int) -> Floats:
    return np.asarray(tc.stream.Noise(percent=15, random_state=seed).apply(values))


def page_release(folder: Path, *seed: str) -> Floats:
    """The form as the page sends it, and the worker's run of the whole file.

    The field is empty unless a seed is typed.
    """
    from tacit.app import work
    from tacit.app.pages.protect import read_steps
    from tacit.app.project import Setup

    typed = {
        "s0.method": ["noise"],
        "s0.p.percent": ["15"],
        "s0.seed": list(seed[1:2]) or [""],
    }
    noise = work.catalogue(_nothing)["protect"]["noise"]
    steps = read_steps(typed, {"protect": {"noise": noise}}, Setup())
    ticks: list[Any] = []
    roles, kinds = dict.fromkeys(NAMES, "quasi"), dict.fromkeys(NAMES, "continuous")
    plans = [{"run": "1", "label": "noise", "steps": list(steps)}]
    work.run(
        lambda kind, value: ticks.append(value) if kind == "tick" else None,
        {"path": str(csv(folder)), "roles": roles, "kinds": kinds, "missing": {}},
        {
            "name": "in.csv",
            "bound": 0.05,
            "limits": {},
            "folder": str(folder),
            "depth": "quick",
        },
        plans,
    )
    assert not ticks[0]["error"], ticks[0]["error"]
    files = ticks[0]["files"]
    return in_place(Path(files["masked"]), Path(files["manifest"]))


def page_again(values: Floats, seed: int) -> Floats:
    return numbers(
        tc.Plan((tc.Step("noise", {"percent": 15.0}, seed),)).apply(micro(values)).table
    )


def _nothing(kind: str, value: Any) -> None: ...


FACES: dict[str, tuple[Any, Protect]] = {
    "protect": (protect_release, protect_again),
    "private": (private_release, private_again),
    "large": (large_release, large_again),
    "stream": (stream_release, stream_again),
    "page": (page_release, page_again),
}
