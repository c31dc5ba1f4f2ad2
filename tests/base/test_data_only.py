"""Values that are kept in files are data: what comes back is what went in, and nothing is run."""

from __future__ import annotations

import io
import json
import math
import pickle
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.forbidden import forbidden, places

from tacit.base.data_only import NotData, from_bytes, to_bytes
from tacit.base.measure import Measure
from tacit.data.schema import Column, Kind, Role, Schema

PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.dates()
    | st.datetimes()
    | st.timedeltas()
    | st.sampled_from(list(Kind))
)
TREES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(PLAIN, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(TREES)
def test_what_comes_back_is_what_went_in(value: Any) -> None:
    back = from_bytes(to_bytes(value))
    assert back == value
    assert repr(back) == repr(value)


def test_arrays_tables_and_our_own_classes_come_back() -> None:
    schema = Schema((Column("age", Kind.count, Role.quasi),))
    measure = Measure("a", math.nan, (0, math.inf), "", "", {"k": {1, 2}}, np.ones(3))
    cells = np.array([(1, 2.5)], dtype=[("key", "i8"), ("weight", "f8")])
    table = pa.table({"a": ["x", None], "b": pa.array([2**63, 1], pa.uint64())})
    moment = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"), fold=1)
    given = (schema, measure, cells, table, np.float32(0.1), moment, Path("a/b"))
    back = from_bytes(to_bytes(given))
    assert back[0] == schema
    assert back[1].details == {"k": {1, 2}}
    assert math.isnan(back[1].value)
    assert back[1].per_record.tolist() == [1, 1, 1]
    assert back[2].tolist() == cells.tolist()
    assert back[2].dtype == cells.dtype
    assert back[3].equals(table)
    assert back[4] == np.float32(0.1)
    assert type(back[4]) is np.float32
    assert str(back[5]) == str(moment)
    assert back[5].tzinfo is moment.tzinfo
    assert back[6] == Path("a/b")
    assert from_bytes(to_bytes([date.max, time(1, 2), timedelta(1), Decimal("0.10")]))
    assert from_bytes(to_bytes(datetime.now(UTC))).utcoffset() == timedelta()


@pytest.mark.parametrize(
    "value",
    [object(), print, np.array([None]), {"a": [lambda: 0]}, Path, type("A", (), {})()],
    ids=["object", "function", "array of objects", "nested", "type", "own class"],
)
def test_what_is_no_data_is_not_kept(value: object) -> None:
    with pytest.raises(NotData):
        to_bytes(value)


class Runs:
    """Runs when it is unpickled."""

    def __reduce__(self) -> Any:
        return Path("run").touch, ()


def packed(tree: Any, **arrays: Any) -> bytes:
    """As ``to_bytes`` writes it, whatever it says."""
    room = io.BytesIO()
    text = json.dumps(tree).encode() if not isinstance(tree, bytes) else tree
    np.savez(room, tree=np.frombuffer(text, np.uint8), **arrays)
    return room.getvalue()


def of_class(name: str, /, **fields: Any) -> bytes:
    return packed({"class": name, "fields": fields})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04",
        to_bytes([1, 2, 3])[:-30],
        pickle.dumps(Runs()),
        packed({"array": "a0"}, a0=np.array([Runs()])),
        of_class("os:system"),
        of_class("subprocess:Popen", args=["touch", "run"]),
        of_class("tacit.__main__:main"),
        of_class("tacit.cli:main"),
        of_class("tacit.data.microdata:Microdata"),
        of_class("tacit.base.data_only:Path"),
        of_class("tacit.base.measure:Measure", name="a"),
        of_class("tacit.data.schema:Schema", columns=[], __class__=1),
        packed({"enum": ["tacit.data.schema:Schema", "x"]}),
        packed({"enum": ["tacit.data.column:Kind", "mro"]}),
        packed({"path": 3}),
        packed({"eval": "1"}),
        packed({"array": "a7"}),
        packed({"dict": [[[], 1]]}),
        packed({"table": "a0"}, a0=np.zeros(9, np.uint8)),
        packed({"datetime": ["2026-01-01", "../../etc/passwd", 0]}),
        packed(b"[" * 100_000 + b"]" * 100_000),
    ],
    ids=range(22),
)
def test_what_is_not_ours_is_refused_and_nothing_runs(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotData):
        from_bytes(content)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from shelve import open as o",
        "from joblib.externals import cloudpickle",
        "import marshal as m",
        "eval('1')",
        "f = exec",
        "np.load(x, allow_pickle=True)",
        "np.load(x, allow_pickle=how)",
        "pandas.read_pickle(x)",
    ],
)
def test_what_runs_a_file_may_not_stand_in_the_package(text: str) -> None:
    assert list(forbidden(text))


def test_and_does_not_but_for_what_is_listed_with_its_reason() -> None:
    assert not list(forbidden("np.load(x, allow_pickle=False)\nre.compile('a')"))
    package = Path(__file__).parents[2] / "src" / "tacit"
    assert places(package) == []
