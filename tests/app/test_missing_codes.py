"""The page asks about values that look like codes for missing, and the answer is kept."""

from __future__ import annotations

import io as bytes_io
import json
from pathlib import Path

import httpx
import numpy as np
import pandas as pd
import pytest
import tomli_w
from typer.testing import CliRunner

import tacit as tc
from app.conftest import Server
from app.test_guard import client, read_to_the_end, until
from tacit.app.exports import with_columns
from tacit.app.messages import AskedFile
from tacit.app.opened import with_roles
from tacit.cli import app

__all__ = ["client"]


def survey(n: int = 90) -> pd.DataFrame:
    """Incomes of which ten are -8."""
    rng = np.random.default_rng(2)
    income = np.round(rng.lognormal(7, 0.6, n))
    income[:10] = -8
    return pd.DataFrame({"age": rng.integers(18, 90, n), "income": income})


@pytest.mark.parametrize("answer", ["yes", "no", ""])
def test_the_answer_is_that_of_the_file_and_of_the_plan(answer: str) -> None:
    data = tc.Microdata.of(survey())
    said = {"income": answer} if answer else {}
    file: AskedFile = {"path": "", "roles": {}, "kinds": {}, "missing": said}
    seen = with_roles(data, file)
    gaps = int(np.isnan(seen.column("income")).sum())
    assert gaps == (10 if answer == "yes" else 0)
    assert bool(seen.schema["income"].questions) == (answer == "")
    plan = with_columns(tc.Plan((tc.Step("noise", {"percent": 5}, 1),)), seen)
    # who repeats the plan elsewhere has the same codes
    again = plan.with_roles(tc.Microdata.of(survey()))
    assert again.schema["income"].missing == seen.schema["income"].missing
    assert again.schema["income"].questions == seen.schema["income"].questions
    assert tc.Plan.from_toml(plan.to_toml()) == plan


@pytest.mark.few(1)
def test_codes_that_were_said_on_the_page_stay_in_the_release(
    client: httpx.Client, server: Server, tmp_path: Path
) -> None:
    source = tmp_path / "survey.csv"
    survey().to_csv(source, index=False)
    answer = client.post(
        server.base + "load", files={"file": (source.name, source.read_bytes())}
    )
    address = str(read_to_the_end(client, answer).url).rpartition("/")[0]
    page = client.get(f"{address}/roles").text
    assert "is -8 a code for missing?" in page
    assert "Does -8 stand for a missing value in income?" in page
    client.post(f"{address}/roles", data={"missing.1": "yes"})
    page = client.get(f"{address}/roles").text
    assert '<option value="yes" selected>' in page
    assert 'id="to-decide" data-fresh></div>' in page
    plan = {"s0.method": "noise", "s0.p.percent": "20", "do": "run"}
    client.post(f"{address}/protect", data=plan | {"s0.p.columns": ["age", "income"]})
    until(lambda: 'name="run" value="1"' in client.get(f"{address}/compare").text)
    client.post(f"{address}/choose", data={"run": "1"})
    masked = client.get(f"{address}/download/masked", params={"format": "csv"})
    release = pd.read_csv(bytes_io.BytesIO(masked.content))
    assert (release["income"] == -8).sum() == 10
    assert (release["income"] < 0).sum() == 10

    record = json.loads(client.get(f"{address}/download/manifest").text)
    assert record["plan"]["columns"]["income"]["missing"] == [-8]
    recipe = tmp_path / "plan.toml"
    recipe.write_text(tomli_w.dumps(record["plan"]))
    again = tmp_path / "again.csv"
    command = ["protect", str(source), str(again), "--plan", str(recipe)]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert again.read_bytes() == masked.content
    client.post(f"{address}/close")
