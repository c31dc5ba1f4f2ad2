"""Files larger than memory: skewed keys, wide files, and a memory that does not grow."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.base.errors import TacitWarning
from tacit.base.estimator import clone
from tacit.data import io
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces
from tacit.plan.plan import Plan
from tacit.plan.release import release
from tacit.protect.base import Protector
from tacit.protect.grouping import few_combinations

N = 9000


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 1024)


def skewed() -> pa.Table:
    """Half of the records are one group."""
    rng = np.random.default_rng(6)
    half = rng.random(N) < 0.5
    return pa.table(
        {
            "age": np.where(half, 40, rng.integers(16, 96, N)),
            "income": np.where(half, 1000.0, rng.lognormal(9, 1, N).round(-3)),
            "region": np.where(half, "north", rng.choice([*"abcdefgh"], N)),
        }
    )


def both(method: Protector, table: pa.Table, folder: Path, **roles: Any) -> Any:
    """A method's release in memory and from the disk, each with the method."""
    path = folder / "in.parquet"
    pq.write_table(table, path, row_group_size=2000)
    twin: Protector = clone(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        memory = method.fit_transform(io.read(path, **roles))
        disk = twin.fit_transform(OnDisk.open(path, folder, **roles))
    assert isinstance(disk, OnDisk)
    assert disk.schema == memory.schema
    for name in memory.names:
        left = disk.disk.column(name).combine_chunks()
        assert left.equals(memory.table.column(name).combine_chunks()), name
    return method, twin


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "method",
    [
        tc.protect.RankSwapping(p=5, random_state=1),
        tc.protect.RankSwapping(p=5, exchange="cycles", random_state=1),
        tc.protect.Resampling(random_state=1, columns=["age", "income"]),
        tc.protect.Recoding(rare=600),
        tc.protect.Recoding(bins=4, show="label"),
        tc.protect.TopBottomCoding(columns=["age", "income"]),
        tc.protect.TopBottomCoding(columns=["age", "income"], by="mean"),
        tc.protect.Shuffling(columns=["income"], given=["age"], random_state=1),
    ],
    ids=lambda method: method.in_short(),
)
def test_a_group_with_half_of_the_records(method: Protector, tmp_path: Path) -> None:
    both(method, skewed(), tmp_path, quasi=["age", "income", "region"])


@pytest.mark.few(2)
@pytest.mark.parametrize("missing", ["any", "value"])
@pytest.mark.parametrize("keys", [None, [["age", "region"], ["income", "region"]]])
def test_suppression_says_the_same_of_its_work(
    missing: Any, keys: Any, tmp_path: Path
) -> None:
    method = tc.protect.LocalSuppression(
        k=4, missing=missing, keys=keys, random_state=1
    )
    roles = {"quasi": ["age", "income", "region"]}
    memory, disk = both(method, skewed(), tmp_path, **roles)
    assert disk.outcome() == memory.outcome()
    assert disk.violations_ == memory.violations_
    assert disk.violations_[missing] == 0
    assert disk.suppressions_ > 0


def test_too_many_combinations_are_refused_with_their_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(few_combinations, "MOST_CLASSES", 100)
    method = tc.protect.LocalSuppression(k=4, random_state=1)
    with pytest.raises(tc.TacitError, match="different combinations of age, income"):
        both(method, skewed(), tmp_path, quasi=["age", "income", "region"])


@pytest.mark.slow
def test_a_file_of_500_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    columns = {f"c{j}": rng.integers(0, 1000, N) / 10 for j in range(500)}
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table(columns), path)
    plan = Plan.of(tc.protect.Noise(percent=10, random_state=2))
    quasi = ["c1", "c250", "c499"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        for name, read in (("a", io.read), ("b", _from_disk(tmp_path))):
            out = tmp_path / f"{name}.parquet"
            release(plan, path, out, read=read, allow_unprotected=True, quasi=quasi)
    one, other = (tmp_path / f"{name}.parquet" for name in "ab")
    assert one.read_bytes() == other.read_bytes()


def _from_disk(folder: Path) -> Any:
    def read(
        path: Any, schema: Any = None, *, encoding: Any = None, **roles: Any
    ) -> Any:
        return OnDisk.open(path, folder, schema, **roles)

    return read


RUN = """
import resource, sys, warnings
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
import tacit as tc
from tacit.scale import any_size
warnings.simplefilter("ignore")
n, method = int(sys.argv[1]), sys.argv[2]
writer = None
for block in range(n // 500_000):
    rng = np.random.default_rng(block)
    # persons of four rows that are not side by side, five to a household
    person = rng.permutation(np.arange(block * 500_000, (block + 1) * 500_000) // 4)
    home = person // 5
    table = pa.table({
        "person": person,
        "home": home,
        "rent": np.sin(home).round(4),
        "birth": 1930 + person * 7919 % 80,
        "age": rng.integers(16, 96, 500_000),
        "income": rng.lognormal(9, 1, 500_000).round(2),
        "region": rng.integers(0, 20, 500_000).astype(str),
        "born": pa.array(rng.integers(0, 18_000, 500_000).astype("M8[D]")),
    })
    writer = writer or pq.ParquetWriter("in.parquet", table.schema)
    writer.write_table(table)
writer.close()
any_size.COPIES = 10**6
made = {
    "noise": tc.protect.Noise(random_state=1),
    "rank_swapping": tc.protect.RankSwapping(p=1, random_state=1),
    "recoding": tc.protect.Recoding(),
    "local_suppression": tc.protect.LocalSuppression(columns=["age", "region"]),
    "age_at": tc.protect.AgeAt(at="2024-12-31", columns=["born"]),
    "top_bottom_coding": tc.protect.TopBottomCoding(by="mean", columns=["income"]),
    "shuffling": tc.protect.Shuffling(columns=["income"], given=["age"], random_state=1),
    "ipso": tc.protect.IPSO(quasi=["income"], confidential=["age"], random_state=1),
}[method]
roles = {"quasi": ["age", "income", "region"], "other": ["person", "home", "rent", "birth"]}
if sys.argv[3:] == ["units"]:
    made = {
        "noise": tc.protect.Noise(columns=["rent", "birth", "income"], random_state=1),
        "rank_swapping": tc.protect.RankSwapping(p=1, columns=["rent", "income"], random_state=1),
        "local_suppression": tc.protect.LocalSuppression(columns=["birth", "age"], random_state=1),
    }[method]
    roles = {"person": "person", "household": "home", "quasi": ["rent", "birth", "age", "income"]}
tc.scale.release(made, "in.parquet", "out.parquet", memory="1GB", allow_unprotected=True,
                 force=True, **roles)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "method",
    [
        *("noise", "rank_swapping", "recoding", "local_suppression"),
        *("age_at", "top_bottom_coding", "shuffling", "ipso"),
        *("noise units", "rank_swapping units", "local_suppression units"),
    ],
)
def test_four_times_the_records_take_no_more_memory(
    method: str, tmp_path: Path
) -> None:
    """In kilobytes; a column of the three million more records would be 24,000 for one copy."""
    peaks = []
    for n in (1_500_000, 4_500_000):
        command = [sys.executable, "-c", RUN, str(n), *method.split()]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] < 1.12 * peaks[0]


MEASURE = """
import resource, sys, warnings
from pathlib import Path
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
from tacit import risk
from tacit.data.io.on_disk import OnDisk
from tacit.risk.look import look
warnings.simplefilter("ignore")
n, measure = int(sys.argv[1]), sys.argv[2]
writer = None
for block in range(n // 500_000):
    rng = np.random.default_rng(block)
    row = np.arange(500_000) + 500_000 * block
    home = row // 12
    table = pa.table({
        "person": row // 4,
        "home": home,
        "age": rng.integers(0, 17, 500_000).astype(str),
        "sex": rng.choice(["f", "m"], 500_000),
        "region": pa.array((home * 7919 % 20).astype(str), mask=rng.random(500_000) < 0.05),
        "ill": rng.choice([*"abcdefgh"], 500_000),
    })
    writer = writer or pq.ParquetWriter("in.parquet", table.schema)
    writer.write_table(table)
writer.close()
Path(f"x{n}").mkdir(), Path(f"z{n}").mkdir()
roles = dict(person="person", household="home", quasi=["age", "sex", "region"], confidential="ill")
original, masked = (OnDisk.open("in.parquet", f"{one}{n}", **roles) for one in "xz")
found = look(original) if measure == "look" else risk.registry[measure](original, masked)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "measure", ["k_anonymity", "household", "household_keys", "l_diversity", "look"]
)
def test_persons_and_households_take_no_more_memory(
    measure: str, tmp_path: Path
) -> None:
    """With gaps that relatives fill; 160 bytes a record would be 480,000 kilobytes more."""
    peaks = []
    for n in (1_500_000, 4_500_000):
        command = [sys.executable, "-c", MEASURE, str(n), measure]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] < 1.12 * peaks[0]
