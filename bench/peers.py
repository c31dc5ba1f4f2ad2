"""Side by side with tools that live in environments of their own (``bench.venvs``).

The peers answer neighbouring questions, not always the same one; the note of a row says how they
differ and what each
side found, because a fast wrong answer is no help.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from bench.row import Row, beside, measure, side_by_side
from bench.venvs import Peer

COMPARED = 7
"""Columns that are compared in levels: the patterns of all 13 would not fit."""
LEVELS, AGREE = (0.1, 0.3, 0.6), 0.3
"""Levels of agreement, in sd of the original: splink takes several, recordlinkage's EM one."""


def _files(folder: Path, n: int) -> tuple[pa.Table, pa.Table, dict[str, Any]]:
    """A census-like file and its noise-added version (25 %), in memory and as CSV."""
    from tacit.data.datasets import make_census
    from tacit.protect import Noise

    drawn = make_census(n, seed=0)
    original = pa.table(
        {name: drawn[name].cast("float64") for name in drawn.column_names}
    )
    masked = Noise(percent=25, random_state=0).fit_transform(original)
    paths = {
        "original": str(folder / "original.csv"),
        "masked": str(folder / "masked.csv"),
    }
    csv.write_csv(original, paths["original"])
    csv.write_csv(masked, paths["masked"])
    return original, masked, paths


def linkage(folder: Path, full: bool) -> list[Row]:
    """recordlinkage and splink on the same two files and, for the probabilistic ones, on the same
    comparisons.
    """
    from tacit.attack import Assignment, FellegiSunter, Nearest

    n = 1080 if full else 400
    original, masked, paths = _files(folder, n)
    columns = original.column_names[:COMPARED]
    asked = paths | {"columns": columns, "tolerances": LEVELS, "tolerance": AGREE}

    def links(attacker: Any) -> float:
        return float(attacker.link(original, masked).correct)

    def say(what: str) -> Callable[[float, float], str]:
        return lambda mine, theirs: (
            f"right links of {n}: ours {mine:.0f}, peer {theirs:.0f}; {what}"
        )

    recordlinkage, splink = Peer("recordlinkage", asked), Peer("splink", asked)
    distances = (
        "all columns; ours: distance, peer: Gaussian similarity summed over all pairs"
    )
    levels = "the same {} of agreement in 7 columns for both, all pairs, EM; links: each record's best pair"
    rows = []
    for name, attacker, peer, theirs, what in (
        (
            "nearest record",
            Nearest(),
            "recordlinkage",
            recordlinkage("similarity"),
            distances,
        ),
        (
            "optimal assignment",
            Assignment(),
            "recordlinkage",
            recordlinkage("similarity"),
            distances,
        ),
        (
            "Fellegi-Sunter, agree or not",
            FellegiSunter(tolerances=(AGREE,), rule="nearest", columns=columns),
            "recordlinkage ECM",
            recordlinkage("em"),
            levels.format("two levels"),
        ),
        (
            "Fellegi-Sunter, four levels",
            FellegiSunter(tolerances=LEVELS, rule="nearest", columns=columns),
            "splink",
            splink("em"),
            levels.format("four levels"),
        ),
        (
            "Fellegi-Sunter, four levels, one-to-one",
            FellegiSunter(tolerances=LEVELS, columns=columns),
            "splink",
            splink("em"),
            "as above, but ours links by assignment",
        ),
    ):
        links(attacker)
        rows.append(
            beside(
                name, measure(partial(links, attacker)), peer, theirs, say(what), size=n
            )
        )
    return rows


def anonymeter(folder: Path, full: bool) -> list[Row]:
    """Linkability and singling-out beside the linkage of every record."""
    from tacit.attack import Nearest

    n = 1080 if full else 300
    original, masked, paths = _files(folder, n)
    mine = measure(lambda: float(Nearest().link(original, masked).rate))
    peer = Peer("anonymeter", paths)
    halves = "(the nearest record by each half of the columns must be the same one)"
    return [
        beside(
            f"nearest record of all {n}",
            mine,
            f"anonymeter {what.replace('_', '-')}",
            peer(what),
            lambda ours, theirs, how=how: (
                f"risk: ours {ours:.3f} (all columns known), peer {theirs:.3f} {how}"
            ),
            size=n,
        )
        for what, how in (
            ("linkability", halves),
            ("singling_out", "(200 guessed predicates: another question)"),
        )
    ]


_KEYS = ["urbrur", "roof", "walls", "water", "sex"]


def _household(folder: Path) -> Path:
    """A file with categorical keys: the reference file when it is there, else drawn."""
    from tacit.data.datasets.casc import missing, reference

    path = folder / "keys.csv"
    if missing("testdata") is None:
        table = reference("testdata").select([*_KEYS, "hhcivil"])
    else:
        rng = np.random.default_rng(0)
        sizes = {"urbrur": 2, "roof": 5, "walls": 4, "water": 6, "sex": 2, "hhcivil": 5}
        table = pa.table(
            {c: rng.geometric(0.4, 4580).clip(1, s) for c, s in sizes.items()}
        )
    csv.write_csv(table, path)
    return path


def pycanon(folder: Path, full: bool) -> list[Row]:
    """k, l and t of one file with five keys."""
    import tacit as tc

    path = _household(folder)
    peer = Peer("pycanon", {"file": str(path), "keys": _KEYS, "sensitive": "hhcivil"})
    data = tc.Microdata.of(
        csv.read_csv(path),
        quasi=_KEYS,
        confidential=["hhcivil"],
        nominal=[*_KEYS, "hhcivil"],
    )
    means = {
        "k_anonymity": "(share of records below the threshold), peer {:.4g} (the least k)",
        "l_diversity": "(share of records below the threshold), peer {:.4g} (the least l)",
        "t_closeness": "(largest distance, categories unordered), peer {:.4g} (orders integer codes)",
    }
    return [
        beside(
            name.replace("_", "-"),
            measure(lambda name=name: float(tc.risk.registry[name](data, data).value)),
            "pycanon",
            peer(name[0]),
            lambda ours, theirs, words=words: (
                f"ours {ours:.4g} " + words.format(theirs)
            ),
            size=data.n,
        )
        for name, words in means.items()
    ]


def laplace(folder: Path, full: bool) -> list[Row]:
    """Discrete Laplace noise, scale 10. opendp is an extra of ours and runs here."""
    from tacit.protect.private.discrete_laplace import discrete_laplace

    n = 1_000_000 if full else 100_000

    def opendp() -> None:
        import opendp.prelude as dp

        dp.enable_features("contrib")
        domain, metric = (
            dp.vector_domain(dp.atom_domain(T="i64")),
            dp.l1_distance(T="i64"),
        )
        dp.m.make_laplace(domain, metric, scale=10.0)([0] * n)

    def ours() -> None:
        discrete_laplace(10.0, n)

    ours()
    exact = "both exact on integers, with the system's random bits"
    name = "discrete Laplace noise"
    rows = side_by_side(
        name, ours, {"opendp": opendp}, lambda mine, theirs: exact, size=n
    )
    floating = "peer: two-sided geometric by floating-point logarithm; needs scikit-learn below 1.6"
    peer = Peer("diffprivlib", {"n": n})
    return [
        *rows,
        beside(
            name,
            measure(ours),
            "diffprivlib",
            peer("geometric"),
            lambda mine, _: floating,
            size=n,
        ),
    ]


def run(full: bool) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        for part in (linkage, anonymeter, pycanon, laplace):
            yield from part(Path(folder), full)
