"""What generated input has found, each as a small test; and a slice of the generator itself.

The whole run is ``make fuzz``; ``python -m tools.fuzz --only N`` repeats a case by its number.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from cli.test_bad_input import GOOD, run
from tacit.base.errors import InputError
from tacit.data import io

ROOT = Path(__file__).resolve().parents[2]


def refused(*words: str | Path, says: str) -> None:
    """Exit code 2 and one sentence that says this."""
    done = run(*words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("Error: ") == 1
    assert says in done.stderr


BLOCKS = ["protect", "--method", "microaggregation", "--blocks", "100"]


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (pa.array([[1]] * 30), "holds lists or structures"),
        (pa.array([b"x"] * 30), "holds bytes"),
    ],
    ids=["lists", "bytes"],
)
def test_blocks_refuse_what_they_cannot_compare(
    tmp_path: Path, column: pa.Array, says: str
) -> None:
    table = pa.table({"a": np.arange(30.0), "b": column})
    pq.write_table(table, tmp_path / "in.parquet")
    with pytest.raises(InputError, match=says):
        tc.scale.protect(
            tmp_path / "in.parquet", tmp_path / "out.parquet", columns=["b"]
        )
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_blocks_leave_no_folder_that_nobody_can_use(tmp_path: Path) -> None:
    """A run that would fail again when it goes on."""
    pq.write_table(pa.table({"a": [1.0]}), tmp_path / "in.parquet")
    words = [*BLOCKS, tmp_path / "in.parquet", tmp_path / "out.parquet"]
    refused(*words, "--quasi", "a", says="lower k")
    refused(*words, "--quasi", "a", "--resume", says="lower k")
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_links_of_numbers_of_more_than_fifteen_digits(tmp_path: Path) -> None:
    values = pa.array([2**62 + 512 * i for i in range(30)])
    pq.write_table(pa.table({"a": values}), tmp_path / "in.parquet")
    files = [tmp_path / "in.parquet", tmp_path / "in.parquet"]
    done = run("large", "link", *files, "--quasi", "a")
    assert done.returncode == 0, done.stderr


def test_a_file_damaged_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    rng = np.random.default_rng(1)
    pq.write_table(pa.table({"a": rng.normal(size=4000)}), path, compression="gzip")
    content = bytearray(path.read_bytes())
    content[200:1200] = b"\xff" * 1000
    path.write_bytes(bytes(content))
    words = [*BLOCKS, path, tmp_path / "out.parquet", "--quasi", "a"]
    refused(*words, says="in.parquet: cannot be read")


def test_a_stream_with_an_unreadable_header_leaves_no_output(tmp_path: Path) -> None:
    """The header stands below an empty line, and is no text."""
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(b"\n\x00a,b\n1,2\n3,4\n")
    words = ["stream", "--filter", "noise", "--in", source, "--out", out]
    refused(*words, says="its first line, which names the columns")
    assert not out.exists()


def test_a_stream_that_is_refused_leaves_no_state(tmp_path: Path) -> None:
    """The state was saved before the header was read, and nothing can go on from it."""
    source, state = tmp_path / "in.csv", tmp_path / "state.bin"
    # one line without an end, which is looked at when the stream has ended
    source.write_bytes(b"\x00a,b")
    words = ["stream", "--filter", "noise", "--in", source, "--state", state]
    words += ["--out", tmp_path / "out.csv"]
    refused(*words, says="which names the columns")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_state_to_go_on_from_stays_when_a_stream_is_refused(tmp_path: Path) -> None:
    source, state = tmp_path / "in.csv", tmp_path / "state.bin"
    source.write_text(GOOD)
    words = ["stream", "--filter", "noise", "--in", source, "--state", state]
    words += ["--out", tmp_path / "out.csv"]
    assert run(*words).returncode == 0
    saved = state.read_bytes()
    source.write_text("other\n" + GOOD)
    refused(*words, says="is not the file that the state was saved with")
    assert state.read_bytes() == saved


def test_portable_files_take_no_encoding(tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    path = tmp_path / "in.por"
    tc.write(pa.table({"A": [1.5, 2.5, 3.5]}), path)
    done = run("schema", path, "--encoding", "cp1252")
    assert done.returncode == 0, done.stderr


def test_a_manifest_without_paths(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(GOOD)
    assert run("protect", source, out, "--method", "noise").returncode == 0
    manifest = tmp_path / "out.csv.manifest.json"
    record = json.loads(manifest.read_text())
    for place in ("input", "output"):
        broken = record | {place: record[place] | {"path": None}}
        manifest.write_text(json.dumps(broken))
        refused("verify", manifest, says="is not a manifest that tacit wrote")


NOT_WRITTEN_BY_US: list[tuple[dict[str, Any], str]] = [
    ({"order": "x"}, "is not a manifest that tacit wrote"),
    ({"order": None}, "is not a manifest that tacit wrote"),
    ({"order": {"shuffled": True, "key": -1}}, "not a number from 0"),
    ({"plan": {"steps": [{"method": 5}]}}, "step 1 names no method"),
]


def test_a_manifest_with_other_things_in_it(tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(GOOD)
    assert run("protect", source, out, "--method", "noise").returncode == 0
    manifest = tmp_path / "out.csv.manifest.json"
    record = json.loads(manifest.read_text())
    for change, says in NOT_WRITTEN_BY_US:
        manifest.write_text(json.dumps(record | change))
        refused("verify", manifest, says=says)
    record["input"]["encoding"] = 5
    manifest.write_text(json.dumps(record))
    refused("verify", manifest, says="is not a manifest that tacit wrote")


@pytest.mark.parametrize("limit", ["attack=abc", "pld=nan", "attack=-1", "dld=true"])
def test_a_threshold_that_is_no_number(tmp_path: Path, limit: str) -> None:
    path = tmp_path / "in.csv"
    path.write_text(GOOD)
    words = ["assess", path, path, "--aligned", "--threshold", limit]
    refused(*words, says="a threshold is a number, zero or more")


def test_keys_that_name_nothing(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("town,job\n" + "a,x\nb,x\na,y\n" * 10)
    words = ["protect", source, tmp_path / "out.csv", "--method", "local_suppression"]
    words += ["--set", "keys=[]", "--allow-unprotected", "--quasi", "town,job"]
    refused(*words, says="keys names no combination of columns")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize(
    ("encoding", "says"),
    [
        ("-", "there is no encoding '-'"),
        ("idna", "is not idna"),
        ("hex", "no encoding"),
    ],
)
def test_an_encoding_of_arff_that_there_is_not(
    tmp_path: Path, encoding: str, says: str
) -> None:
    source = tmp_path / "in.arff"
    source.write_bytes(b"@relation r\n@attribute a numeric\n@data\n1\n\xff\n")
    refused("schema", source, "--encoding", encoding, says=says)


def test_numbers_whose_sum_is_infinite(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("a,b\n" + "".join(f"{i},{i}.5e306\n" for i in range(30)))
    words = ["protect", path, tmp_path / "out.csv", "--method", "microaggregation"]
    refused(*words, says="column 'b', row 1: the value is too large to compute with")


def test_a_comparison_that_is_refused_leaves_no_journal(tmp_path: Path) -> None:
    """The key of its runs was written before it was seen that none can run."""
    path, plans = tmp_path / "in.csv", tmp_path / "plans.toml"
    path.write_text("a,b\n" + "".join(f"{i},{i}.5e306\n" for i in range(30)))
    plans.write_text('[[steps]]\nmethod = "noise"\npercent = 10\n')
    words = ["compare", path, "--plans", plans, "--workers", "1", "--seeds", "1"]
    words += ["--attackers", "nearest", "--resume", tmp_path / "runs.jsonl"]
    refused(*words, says="too large to compute with")
    assert not (tmp_path / "runs.jsonl").exists()


# -- what is written is read back ------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "tsv", "txt"])
@pytest.mark.parametrize(
    "cells", [[1.5, None, 2.5, None], ["NA", None, "", 'a"b', "x,y"]], ids=["n", "t"]
)
def test_one_column_with_gaps(tmp_path: Path, ending: str, cells: list[object]) -> None:
    """An empty line is no record to any reader: the gaps were lost."""
    table = pa.table({"a": cells})
    tc.write(table, tmp_path / f"a.{ending}")
    assert io.read_table(tmp_path / f"a.{ending}").to_pydict() == table.to_pydict()


def test_a_name_that_holds_another_delimiter(tmp_path: Path) -> None:
    table = pa.table({"a\tb": ["x", "y"]})
    tc.write(table, tmp_path / "a.csv")
    assert io.read_table(tmp_path / "a.csv").to_pydict() == table.to_pydict()


def test_texts_of_arff(tmp_path: Path) -> None:
    """Line breaks, blanks at the end, quotes and question marks; and long whole numbers."""
    texts = ["a\nb", "end ", "?", "'", "\\n", "%", "{x}", "a,b", "\t", "", "O'N"]
    table = pa.table(
        {
            "odd\\ 'name'": texts,
            "kind": pa.array(texts).dictionary_encode(),
            "whole": [2**62 + i for i in range(len(texts))],
        }
    )
    tc.write(table, tmp_path / "a.arff")
    assert io.read_table(tmp_path / "a.arff").to_pydict() == table.to_pydict()


CANNOT_HOLD: dict[str, tuple[str, dict[str, Any], str]] = {
    "a record of gaps in Excel": (
        "xlsx",
        {"a": [1, None]},
        "row 2 has no value at all",
    ),
    "no name in Excel": ("xlsx", {"a": [1], "": [2]}, "column 2 has no name"),
    "no name in CSV": ("csv", {"": [1]}, "no column has a name"),
    "long text in SPSS": ("sav", {"a": ["x" * 40_000]}, "more than 32,767 bytes"),
    "long text in SAS": ("xpt", {"a": ["x" * 40_000]}, "more than 32,767 bytes"),
    "large numbers in SAS": ("xpt", {"a": [1e300]}, "larger than any number"),
    **{
        f"a zero byte in {ending}": (
            ending,
            {"a": ["x", "y\0z"]},
            "row 2: the text holds a zero",
        )
        for ending in ("csv", "tsv", "dta", "sav", "zsav", "por", "xpt")
    },
    "a zero byte in a category": (
        "csv",
        {"a": pa.array(["x", "y\0"]).dictionary_encode()},
        "column 'a', row 2: the text holds a zero",
    ),
    "a zero byte in a name": ("csv", {"a\0": [1]}, "its name holds a zero"),
    "unsigned numbers": (
        "sav",
        {"a": pa.array([2**63 + 5], pa.uint64())},
        "more digits than",
    ),
}


@pytest.mark.parametrize("case", CANNOT_HOLD)
def test_what_a_format_cannot_hold_is_refused(tmp_path: Path, case: str) -> None:
    """It was lost without a word, or ended in a traceback."""
    ending, columns, says = CANNOT_HOLD[case]
    if ending in ("dta", "sav", "zsav", "por", "xpt"):
        pytest.importorskip("pyreadstat")
    with pytest.raises(InputError, match=says):
        tc.write(pa.table(columns), tmp_path / f"a.{ending}")
    assert not list(tmp_path.iterdir())


def test_text_of_four_bytes_a_letter(tmp_path: Path) -> None:
    """It begins like UTF-16; cut, it was read as Windows text full of zero bytes."""
    path = tmp_path / "in.csv"
    path.write_text(GOOD)
    meant = io.read_table(path).to_pydict()
    content = "\ufeff" + GOOD
    for encoding in ("utf-32-le", "utf-32-be"):
        path.write_bytes(content.encode(encoding))
        assert io.read_table(path).to_pydict() == meant
    path.write_bytes(content.encode("utf-32-le")[:-2])
    refused("schema", path, says="line 1 is neither UTF-8 nor Windows text")


def test_blanks_around_names_are_kept_in_excel(tmp_path: Path) -> None:
    """A column under another name than in the original is not attacked."""
    table = pa.table({" lead": [1, 2], "trail ": [3, 4]})
    tc.write(table, tmp_path / "a.xlsx")
    assert io.read_table(tmp_path / "a.xlsx").column_names == table.column_names


# -- a slice of the generator ----------------------------------------------------------------


@pytest.fixture
def fuzz(monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs of the repository are not part of the package."""
    monkeypatch.syspath_prepend(str(ROOT))
    if "tools" in sys.modules:
        monkeypatch.delitem(sys.modules, "tools")


@pytest.mark.slow
@pytest.mark.usefixtures("fuzz")
def test_a_slice_of_the_commands(tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    from tools.fuzz.__main__ import one

    codes = set()
    for number in range(100_000, 100_120):
        folder = tmp_path / str(number)
        folder.mkdir()
        result = one(2, number, folder, "commands")
        assert not result["wrong"], result
        codes.add(result["code"])
    # a slice in which everything is refused would show nothing
    assert codes >= {0, 2}


@pytest.mark.usefixtures("fuzz")
def test_a_slice_of_the_files(tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    from tools.fuzz.files import one

    for number in range(260):
        result = one(2, number, tmp_path)
        assert not result["wrong"], result


@pytest.mark.usefixtures("fuzz")
def test_the_judge_sees_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A generator whose judge sees nothing is worse than none."""
    from tools.fuzz.cases import Case
    from tools.fuzz.judge import judge

    (tmp_path / "in.csv").write_text(GOOD)
    words = ["protect", "in.csv", "out.csv", "--method", "noise"]
    case = Case(0, "protect", "csv", words, inputs=["in.csv"])
    usual = io.csv.write

    def loses(table: pa.Table, path: Path) -> None:
        usual(table.slice(1), path)

    with monkeypatch.context() as patch:
        patch.setattr(io.csv, "write", loses)
        assert "29 records for 30" in judge(case, tmp_path)["wrong"][0]

    def breaks(table: pa.Table, path: Path) -> None:
        (tmp_path / "left.csv").write_text("")
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(io.csv, "write", breaks)
        case.words = [*words, "--force"]
        assert judge(case, tmp_path)["wrong"] == ["exit code 3"]


@pytest.mark.usefixtures("fuzz")
def test_the_judge_knows_a_column_that_was_left_alone(tmp_path: Path) -> None:
    """NaN is not equal to itself: such a column was taken for one with groups of one."""
    from tools.fuzz.cases import Case
    from tools.fuzz.judge import _grouped

    values = [*np.arange(28.0), np.nan, np.nan]
    table = pa.table({"a": values})
    pq.write_table(table, tmp_path / "in.parquet")
    case = Case(0, "protect", "parquet", ["protect", "in.parquet"], k=3)
    assert _grouped(table, tmp_path, case)
    changed = pa.table({"a": [0.5, *values[1:]]})
    assert not _grouped(changed, tmp_path, case)
