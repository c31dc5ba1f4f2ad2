"""From every format into every other: gaps stay gaps, and missing codes those codes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.cli import app
from tacit.data import io
from tacit.data.missing import Missing

pytestmark = pytest.mark.filterwarnings("ignore::tacit.base.errors.TacitWarning")
IN = ["sav", "dta", "xpt", "parquet", "csv", "xlsx"]
OUT = ["sav", "por", "dta", "xpt", "parquet", "csv", "xlsx"]
# SPSS portable and SAS write names so
KINDS = {"continuous": ["INCOME", "AGE"], "nominal": ["TOWN"]}


def table(n: int = 120) -> tc.Microdata:
    """Incomes of which some are refused (-8), unknown (-9) or empty."""
    rng = np.random.default_rng(6)
    income = np.round(rng.lognormal(9, 0.5, n))
    income[:12], income[12:20], income[20:30] = -8, -9, np.nan
    town = rng.choice(["north", "south", "east"], n).astype(object)
    town[5:15] = None
    frame = pd.DataFrame(
        {"INCOME": income, "AGE": rng.integers(18, 90, n) * 1.0, "TOWN": town}
    )
    schema = tc.Microdata.of(frame, **KINDS).schema
    codes = replace(schema["INCOME"], missing=Missing((-8, -9)))
    return tc.Microdata.of(frame, schema.put(codes))


def reasons(data: tc.Microdata) -> list[list[str | None]]:
    return [data.reasons(name) for name in ("INCOME", "AGE", "TOWN")]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("formats")
    written = {}
    for ending in IN:
        path = folder / f"in.{ending}"
        try:
            io.write(table(), path)
        except tc.errors.MissingExtra:
            continue
        written[ending] = path
    return written


def test_a_format_that_declares_no_codes_says_so(
    files: dict[str, Path], tmp_path: Path
) -> None:
    """From SPSS to Stata the declaration was lost without a word."""
    if "sav" not in files:
        pytest.skip("needs an extra")
    command = ["protect", str(files["sav"]), "OUT", "--method", "noise", "--seed", "1"]
    for ending, declares in (("dta", False), ("csv", False), ("parquet", True)):
        command[2] = str(tmp_path / f"out.{ending}")
        said = " ".join(CliRunner().invoke(app, command).output.split())
        assert ("--missing 'INCOME=-8,-9'" in said) != declares, said
        again = io.read(command[2], missing={} if declares else {"INCOME": [-8, -9]})
        gaps = Counter(again.reasons("INCOME"))
        assert (gaps["-8"], gaps["-9"]) == (12, 8), ending


@pytest.mark.parametrize("ending", IN)
def test_gaps_and_codes_come_through_protection_into_every_format(
    ending: str, files: dict[str, Path], tmp_path: Path
) -> None:
    if ending not in files:
        pytest.skip("needs an extra")
    schema = table().schema
    data = io.read(files[ending], schema)
    expected = reasons(table())
    assert reasons(data) == expected
    masked = tc.protect.Microaggregation(k=5, columns=["INCOME", "AGE"]).fit_transform(
        data
    )
    for other in OUT:
        if other not in files and other != "por":
            continue
        path = tmp_path / f"out.{other}"
        io.write(masked, path)
        back = io.read(path, schema)
        assert reasons(back) == expected, other
        assert np.nanmin(back.column("INCOME")) > 0
