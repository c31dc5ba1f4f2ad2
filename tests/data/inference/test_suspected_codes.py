"""Missing codes are suspected and asked about; numbers with 'N' among them are numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.base.errors import ParameterError
from tacit.cli import app
from tacit.data import io
from tacit.data.declared_codes import parsed
from tacit.data.inference import infer
from tacit.data.io.on_disk import OnDisk

RNG = np.random.default_rng(8)
N = 400
INCOME = np.round(RNG.lognormal(9, 0.6, N))
AGE = RNG.integers(18, 91, N).astype(float)


def with_codes(values: Any, *codes: object, times: int = 12) -> list[Any]:
    """Each code in place of some values."""
    out = list(values)
    for place, code in enumerate(codes):
        out[place * times : (place + 1) * times] = [code] * times
    return out


def suspects(values: Any, name: str = "v17") -> tuple[object, ...]:
    return infer(name, pa.chunked_array([pa.array(values)])).suspects


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (with_codes(INCOME, -8.0), (-8,)),
        (with_codes(INCOME, -1.0, -8.0, -9.0), (-9, -8, -1)),
        (with_codes(INCOME, 999999.0), (999999,)),
        (with_codes(AGE, 999.0, 998.0), (998, 999)),
        (with_codes(AGE // 1.3, 99.0), (99,)),
        (with_codes(RNG.integers(1, 6, N), 9, 8), (8, 9)),
        (with_codes(RNG.integers(0, 17, N), 97, 98, 99), (97, 98, 99)),
        (with_codes(np.round(RNG.normal(36.6, 0.5, N), 1), 99.9), (99.9,)),
        (with_codes(AGE.astype(int).astype(str), "N"), ("N",)),
        (with_codes(INCOME.astype(str), ".", "NA"), (".", "NA")),
        (with_codes(["a", "b"] * 200, "?"), ("?",)),
    ],
)
def test_codes_are_suspected(values: list[Any], codes: tuple[object, ...]) -> None:
    assert suspects(values) == codes


@pytest.mark.parametrize(
    "values",
    [
        INCOME,
        AGE,
        np.round(RNG.normal(0, 5, N)),  # balances: values on both sides of 0
        RNG.integers(-1, 2, N),  # against, neutral, for
        RNG.integers(0, 10, N),  # the digits, 9 among them
        RNG.integers(1, 100, N),  # percentages
        with_codes(AGE, 99.0, times=1),  # one person of 99
        RNG.choice([0, 3, 6, 9], N),
        RNG.choice([0, 1, 6, 9], N),
        ["north", "south"] * 200,
        ["yes", "no", "unknown", "don't know"] * 100,
    ],
)
def test_values_are_not(values: Any) -> None:
    assert suspects(list(values)) == ()


def test_numbers_with_a_word_among_them_are_numbers_and_the_word_is_asked_about() -> (
    None
):
    frame = pd.DataFrame({"JWMNP": with_codes(AGE.astype(int).astype(str), "N")})
    data = tc.Microdata.of(frame)
    column = data.schema["JWMNP"]
    assert (column.scale, column.suspects) == ("continuous", ("N",))
    assert column.questions == ["is 'N' a code for missing?"]
    assert np.isnan(data.column("JWMNP")).sum() == 12
    assert list(data.to_native()["JWMNP"]) == list(frame["JWMNP"])
    # whoever says that it is none has text
    plain = tc.Microdata.of(frame, missing={"JWMNP": []}).schema["JWMNP"]
    assert (plain.scale, plain.questions) == ("nominal", [])


def test_days_of_the_year_9999_are_asked_about() -> None:
    days = [f"20{y:02d}-0{m}-1{d}" for y in range(20) for m in (1, 5) for d in range(9)]
    data = tc.Microdata.of({"left": with_codes(days, "9999-12-31")})
    column = data.schema["left"]
    assert (column.kind, column.suspects) == ("date", ("9999-12-31",))
    assert np.isnan(data.days("left")).sum() == 12


def test_labels_that_say_so_are_asked_about() -> None:
    """Of 7, 8 and 9, labelled 'verweigert', 'ne sait pas' and 'very good', two are codes."""
    schema = tc.Schema.from_toml(
        '[columns.v]\n[columns.v.labels]\n1 = "bad"\n9 = "very good"\n'
        '7 = "verweigert"\n8 = "ne sait pas"\n'
    )
    data = tc.Microdata.of({"v": [1, 9, 7, 8] * 30}, schema)
    assert data.schema["v"].suspects == (7, 8)


def test_what_is_declared_is_no_question_and_the_averages_leave_it_out() -> None:
    """The incomes of the issue: with -8 as a value the mean fell by 9.5 %."""
    frame = pd.DataFrame({"income": with_codes(INCOME, -8.0), "age": AGE})
    asked = tc.Microdata.of(frame)
    assert asked.schema["income"].questions
    assert asked.column("income").min() == -8
    for missing in ({"income": [-8]}, {"income": -8}, {"*": [-8]}):
        data = tc.Microdata.of(frame, missing=missing)
        assert data.schema["income"].questions == []
        assert not data.schema["age"].missing
        masked = tc.protect.Microaggregation(k=5).fit_transform(data)
        written = masked.to_native()["income"]
        assert (written[:12] == -8).all()
        assert written[12:].mean() == pytest.approx(INCOME[12:].mean(), rel=1e-4)
    again = tc.Microdata.of(asked, missing={"*": [-8]})
    assert np.isnan(again.column("income")).sum() == 12
    with pytest.raises(tc.errors.ColumnError, match="no column 'nobody'"):
        tc.Microdata.of(frame, missing={"nobody": [9]})
    with pytest.raises(ParameterError, match="must name codes by column"):
        tc.Microdata.of(frame, missing=[-8])


def test_schema_files_keep_the_question_until_it_is_answered() -> None:
    frame = {"income": with_codes(INCOME, -8.0), "n": with_codes(AGE.astype(str), "N")}
    schema = tc.Microdata.of(frame).schema
    read = tc.Schema.from_toml(schema.to_toml())
    assert read == schema
    assert tc.Microdata.of(frame, read).schema["income"].suspects == (-8,)
    said = schema.to_toml().replace("suspects = [\n    -8,\n]", "missing = []")
    assert tc.Schema.from_toml(said)["income"].questions == []


def test_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    pd.DataFrame({"income": with_codes(INCOME, -8.0), "age": AGE}).to_csv(
        file, index=False
    )
    run = CliRunner()
    said = run.invoke(app, ["schema", str(file)]).output
    assert "does -8 stand for a missing value? If so, say --missing 'income=-8'" in said
    assert "does -8 stand" in run.invoke(app, ["risk", str(file)]).output
    for text in ("income=-8", "*=-8", "income=-9..-1"):
        said = run.invoke(app, ["schema", str(file), "--missing", text]).output
        assert "stand for a missing" not in said
    wrong = run.invoke(app, ["schema", str(file), "--missing", "-8"])
    assert wrong.exit_code != 0
    assert parsed(["a=b=nan"]) == {"a=b": ["nan"]}


def test_a_column_on_the_disk_is_suspected_as_in_memory(tmp_path: Path) -> None:
    file = tmp_path / "in.parquet"
    table = pa.table(
        {
            "income": with_codes(INCOME, -8.0, 999999.0),
            "age": with_codes(AGE, 999.0),
            "n": with_codes(AGE.astype(int).astype(str), "N"),
            "c": with_codes(["a", "b"] * 200, "?"),
        }
    )
    pq.write_table(table, file)
    memory = io.read(file).schema
    disk = OnDisk.open(file, tmp_path).schema
    assert disk == memory
    assert [column.suspects for column in memory] == [
        (-8, 999999),
        (999,),
        ("N",),
        ("?",),
    ]
    missing = {"*": [-8]}
    data = OnDisk.open(file, tmp_path, missing=missing)
    assert np.isnan(data.column("income")).sum() == 12


@pytest.mark.parametrize("end", [np.inf, -np.inf, 1e308, -1e308, 5e-324])
def test_the_ends_of_doubles_are_no_codes(end: float) -> None:
    """Nor do they end the guess: ten times the largest double is none."""
    for values in ([end] * 20, [1.0, 2.0, 3.0, 4.0] * 5 + [end] * 3):
        assert end not in tc.Microdata.of({"x": values}).schema["x"].suspects
