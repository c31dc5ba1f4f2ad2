"""Small side-by-side comparisons with tools that live in environments of their own (see ``bench.venvs``).

The peers answer neighbouring questions, not always the same one; the note of a row says how they differ
and what each side found, because a fast wrong answer is no help.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from bench import venvs
from bench.row import Row, best


def _files(folder: Path, n: int) -> tuple[pa.Table, pa.Table, dict[str, Any]]:
    """A census-like file and its noise-added version (25 %), in memory and as CSV."""
    from tacit.datasets import make_census
    from tacit.protect import Noise

    drawn = make_census(n, seed=0)
    original = pa.table({name: drawn[name].cast("float64") for name in drawn.column_names})
    masked = Noise(percent=25, random_state=0).fit_transform(original)
    paths = {"original": str(folder / "original.csv"), "masked": str(folder / "masked.csv")}
    csv.write_csv(original, paths["original"])
    csv.write_csv(masked, paths["masked"])
    return original, masked, paths


def _linkage(folder: Path, full: bool) -> list[Row]:
    """recordlinkage and splink on the same two files; ours: nearest record and optimal assignment."""
    from tacit.attack import Assignment, Nearest

    n = 1080 if full else 300
    original, masked, paths = _files(folder, n)
    nearest = best(lambda: Nearest(scale="std").link(original, masked))
    assigned = best(lambda: Assignment(scale="std").link(original, masked))
    found = Nearest(scale="std").link(original, masked).correct
    found_assigned = Assignment(scale="std").link(original, masked).correct
    rows = []
    for peer, what in (
        ("recordlinkage", "all pairs, Gaussian similarity summed"),
        ("splink", "unsupervised Fellegi-Sunter on levels of difference"),
    ):
        answer = venvs.run(peer, paths)
        for name, seconds, ours in (("nearest", nearest, found), ("assignment", assigned, found_assigned)):
            note = f"correct links: ours {ours:.0f}, {peer} {answer['correct']} of {n}; {peer}: {what}"
            rows.append(Row(f"linkage, {name}", seconds, peer, answer["seconds"], size=n, note=note))
    return rows


def _anonymeter(folder: Path, full: bool) -> list[Row]:
    from tacit.attack import Nearest

    n = 1080 if full else 300
    original, masked, paths = _files(folder, n)
    answer = venvs.run("anonymeter", paths)
    link = Nearest(scale="std").link(original, masked)
    seconds = best(lambda: Nearest(scale="std").link(original, masked))
    return [
        Row(
            f"linkage of all {n} records",
            seconds,
            "anonymeter linkability",
            answer["linkability_seconds"],
            size=n,
            note=f"risk: ours {link.rate:.3f} (all columns known); anonymeter {answer['linkability']:.3f} "
            "(two halves of the columns must name one record)",
        ),
        Row(
            f"linkage of all {n} records",
            seconds,
            "anonymeter singling-out",
            answer["singling_out_seconds"],
            size=n,
            note=f"anonymeter {answer['singling_out']:.3f} over 200 guessed predicates: another question",
        ),
    ]


_KEYS = ["urbrur", "roof", "walls", "water", "sex"]


def _household(folder: Path) -> Path:
    """A file with categorical keys: the reference file when it is there, else drawn."""
    from tacit.datasets.casc import missing, reference

    path = folder / "keys.csv"
    if missing("testdata") is None:
        table = reference("testdata").select([*_KEYS, "hhcivil"])
    else:
        rng = np.random.default_rng(0)
        sizes = {"urbrur": 2, "roof": 5, "walls": 4, "water": 6, "sex": 2, "hhcivil": 5}
        table = pa.table({c: rng.geometric(0.4, 4580).clip(1, s) for c, s in sizes.items()})
    csv.write_csv(table, path)
    return path


def _pycanon(folder: Path, full: bool) -> list[Row]:
    import tacit as tc

    path = _household(folder)
    answer = venvs.run("pycanon", {"file": str(path), "keys": _KEYS, "sensitive": "hhcivil"})
    data = tc.Microdata.of(csv.read_csv(path), quasi=_KEYS, confidential=["hhcivil"], nominal=[*_KEYS, "hhcivil"])
    ours: dict[str, Callable[[], Any]] = {
        "k": lambda: tc.risk.registry["k_anonymity"](data, data),
        "l": lambda: tc.risk.registry["l_diversity"](data, data),
        "t": lambda: tc.risk.registry["t_closeness"](data, data),
    }
    names = {"k": "k-anonymity", "l": "l-diversity", "t": "t-closeness"}
    means = {
        "k": "share of records below the threshold; pycanon: the least k",
        "l": "share of records below the threshold; pycanon: the least l",
        "t": "largest distance, categories unordered; pycanon orders integer codes",
    }
    return [
        Row(
            names[m],
            best(run),
            "pycanon",
            answer[f"{m}_seconds"],
            size=data.n,
            note=f"ours {run().value:.4g} ({means[m]}), pycanon {answer[m]:.4g}",
        )
        for m, run in ours.items()
    ]


def _capymoa(folder: Path, full: bool) -> list[Row]:
    from tacit.datasets import RandomRBF

    n = 100_000 if full else 20_000
    answer = venvs.run("capymoa", {"n": n})
    rows = [
        Row(
            "RandomRBF, records drawn",
            best(lambda: RandomRBF(seed=1).take(n)),
            "capymoa",
            answer["generator_seconds"],
            size=n,
            note="capymoa hands over one record at a time from Java; ours fills an array",
        )
    ]
    if "noise_seconds" in answer:
        from tacit.stream import Noise

        values = RandomRBF(seed=1).take(n)[0]
        rows.append(
            Row(
                "noise filter",
                best(lambda: Noise(amount=0.25, random_state=0).apply(values)),
                "capymoa",
                answer["noise_seconds"],
                size=n,
                note="MOA AddNoiseFilter, one record at a time",
            )
        )
    return rows


def _laplace(folder: Path, full: bool) -> list[Row]:
    """Discrete Laplace noise, scale 10: opendp is an extra of ours and runs here; diffprivlib has its
    own place.
    """
    import opendp.prelude as dp

    from tacit.dp.laplace import discrete_laplace

    n = 1_000_000 if full else 200_000
    dp.enable_features("contrib")
    domain, metric = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    mechanism = dp.m.make_laplace(domain, metric, scale=10.0)
    zeros = [0] * n
    ours = best(lambda: discrete_laplace(10.0, n))
    theirs = best(lambda: mechanism(zeros), repeat=1, warm=False)
    other = venvs.run("diffprivlib", {"n": n})["seconds"]
    exact = "both exact on integers with the system's random bits"
    float_note = "diffprivlib: two-sided geometric by floating-point logarithm; needs scikit-learn below 1.6"
    return [
        Row("discrete Laplace noise", ours, "opendp", theirs, size=n, note=exact),
        Row("discrete Laplace noise", ours, "diffprivlib", other, size=n, note=float_note),
    ]


def run(full: bool) -> list[Row]:
    """Every peer; one that cannot be installed or fails is a row that says so."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, compare in (
            ("recordlinkage, splink", _linkage),
            ("anonymeter", _anonymeter),
            ("pycanon", _pycanon),
            ("capymoa", _capymoa),
            ("opendp, diffprivlib", _laplace),
        ):
            try:
                rows += compare(Path(folder), full)
            except Exception as error:
                rows.append(Row(f"not measured: {name}", None, name, note=f"{type(error).__name__}: {error}"[:300]))
    return rows
