"""Refit the cost model of ``tacit.scale.cost``: ``python -m bench.cost``.

Runs ``tacit protect`` on generated files in processes of their own, in memory and from the disk, and
fits microseconds per record and column to their CPU time. Prints the constants and, for each run, what
the fitted model says beside what was measured.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.optimize import nnls

N = 2_000_000
SHAPES = ((3, 0, 3), (3, 3, 2), (10, 2, 8))
"""Columns of numbers, columns of text, numbers that are masked."""
METHODS = {
    "records": ("noise", "percent=5"),
    "values": ("recoding", "bins=10"),
    "ranks": ("rank_swapping", "p=5"),
    "sorts": ("shuffling", "given=[]"),
    "keys": ("local_suppression", "k=5"),
}
CLASSES = 20
"""Values of the two columns that are keys; files are recoded before cells are suppressed."""
PROGRAM = """
import sys
from tacit.scale import any_size
if sys.argv.pop(1) == "disk":
    any_size.COPIES = 10**6
from tacit.cli import main
main()
"""


def write(path: Path, numbers: int, texts: int, n: int = N) -> None:
    """A file of numbers with two decimals and of text with few values."""
    rng = np.random.default_rng(1)
    columns = {
        f"x{j}": np.round(rng.normal(100, 20, n), 1 if j == 0 else 2)
        for j in range(numbers)
    }
    columns |= {f"c{j}": rng.integers(0, CLASSES, n) for j in range(2)}
    words = np.array([f"word {j}" for j in range(30)])
    columns |= {f"t{j}": words[rng.integers(0, 30, n)] for j in range(texts)}
    pq.write_table(pa.table(columns), path)


def run(
    folder: Path, where: str, method: str, setting: str, masked: list[str], quasi: str
) -> float:
    """CPU seconds of one run."""
    words = ["protect", "in.parquet", "out.parquet", "--force", "--method", method]
    words += ["--set", setting, "--set", f"columns={json.dumps(masked)}", "--seed", "1"]
    words += ["--quasi", quasi, "--allow-unprotected"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", PROGRAM, where, *words],
        cwd=folder,
        check=True,
        capture_output=True,
        env=os.environ | {"TACIT_PROGRESS": "off"},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure, fit, print."""
    terms = ["start", "look", "text", "write", *METHODS]
    with TemporaryDirectory() as name:
        folder = Path(name)
        for where in sys.argv[1:] or ("memory", "disk"):
            rows, taken = [], []
            write(folder / "in.parquet", 3, 1, 1000)
            every = "x0,x1,x2,c0,c1"
            # compiled kernels and the page cache are warm before the first figure
            for method, setting in METHODS.values():
                run(folder, where, method, setting, ["x0", "x1"], every)
            small = run(folder, where, "noise", "percent=5", ["x0"], every)
            rows.append([1.0, *np.zeros(len(terms) - 1)])
            taken.append(small)
            for numbers, texts, masked in SHAPES:
                write(folder / "in.parquet", numbers, texts)
                names = [f"x{j}" for j in range(masked)]
                every = ",".join(["c0", "c1", *(f"x{j}" for j in range(numbers))])
                for way, (method, setting) in METHODS.items():
                    chosen = ["c0", "c1"] if way == "keys" else names
                    count = len(chosen)
                    seconds = run(folder, where, method, setting, chosen, every)
                    steps = [N / 1e6 * count if way == one else 0.0 for one in METHODS]
                    wide = numbers + texts + 2
                    rows.append(
                        [1.0, N / 1e6 * wide, N / 1e6 * texts, N / 1e6 * wide, *steps]
                    )
                    taken.append(seconds)
            measured = np.array(taken)
            design = np.array(rows)
            # look and write go with the same columns: one constant, half each
            joined = np.delete(design, 3, axis=1)
            found, _ = nnls(joined / measured[:, None], np.ones(len(measured)))
            constants = dict(
                zip([terms[0], *terms[1:3], *terms[4:]], found, strict=True)
            )
            constants["look"] = constants["write"] = constants["look"] / 2
            print(
                where, {key: round(float(value), 3) for key, value in constants.items()}
            )
            for row, seconds, said in zip(design, taken, joined @ found, strict=True):
                print(
                    f"  {row.round(2).tolist()}: measured {seconds:.2f}, model {said:.2f}"
                )


if __name__ == "__main__":
    main()
