"""A file of SPSS or Stata comes back as one, with what was said of its columns."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import numpy as np
import pandas as pd
import pytest
import tomli_w
from typer.testing import CliRunner

from app.conftest import Server
from app.test_guard import client, read_to_the_end, until
from tacit.cli import app

pyreadstat = pytest.importorskip("pyreadstat")
__all__ = ["client"]

LABELS = {"sex": {1.0: "male", 2.0: "female"}, "income": {-9.0: "refused"}}
NAMES = {"sex": "Sex of the person", "income": "Income, a month", "age": "Age"}


def survey(path: Path) -> Path:
    """A file with labels and, where the format has them, codes of missing values."""
    rng = np.random.default_rng(2)
    n = 90
    income = np.round(rng.lognormal(7, 0.6, n))
    income[::9] = -9
    frame = pd.DataFrame(
        {
            "sex": rng.integers(1, 3, n).astype(float),
            "age": rng.integers(18, 90, n).astype(float),
            "income": income,
        }
    )
    words = {"column_labels": NAMES, "variable_value_labels": LABELS}
    if path.suffix == ".sav":
        pyreadstat.write_sav(
            frame,
            path,
            **words,
            missing_ranges={"income": [-9.0]},
            variable_measure={"sex": "nominal", "income": "scale", "age": "scale"},
        )
    else:
        pyreadstat.write_dta(frame, path, **words)
    return path


@pytest.mark.few(1)
@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_the_release_is_that_of_the_command_line(
    client: httpx.Client, server: Server, tmp_path: Path, ending: str
) -> None:
    """Same plan and key: same bytes; the file's own format is offered first."""
    source = survey(tmp_path / f"survey.{ending}")
    answer = client.post(
        server.base + "load", files={"file": (source.name, source.read_bytes())}
    )
    address = str(read_to_the_end(client, answer).url).rpartition("/")[0]
    roles = {"role.0": "quasi", "role.1": "quasi", "role.2": "quasi"}
    kinds = {"kind.0": "nominal", "kind.1": "continuous", "kind.2": "continuous"}
    client.post(f"{address}/roles", data=roles | kinds)
    plan = {
        "s0.method": "noise",
        "s0.p.percent": "20",
        "s0.p.columns": ["age", "income"],
        "s1.method": "pram",
        "s1.p.columns": ["sex"],
        "do": "run",
    }
    client.post(f"{address}/protect", data=plan)
    until(lambda: 'name="run" value="1"' in client.get(f"{address}/compare").text)
    client.post(f"{address}/choose", data={"run": "1"})
    page = client.get(f"{address}/release").text
    assert f'<option value="{ending}" selected>' in page
    masked = client.get(f"{address}/download/masked", params={"format": ending})
    assert masked.status_code == 200
    assert f"survey-release.{ending}" in masked.headers["content-disposition"]

    record = json.loads(client.get(f"{address}/download/manifest").text)
    recipe = tmp_path / "plan.toml"
    # the manifest's plan is the one with its key
    recipe.write_text(tomli_w.dumps(record["plan"]))
    release = tmp_path / f"again.{ending}"
    command = ["protect", str(source), str(release), "--plan", str(recipe)]
    command += ["--quasi", "sex,age,income", "--nominal", "sex"]
    command += ["--continuous", "age,income"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert release.read_bytes() == masked.content

    reader = pyreadstat.read_sav if ending == "sav" else pyreadstat.read_dta
    _, before = reader(source, user_missing=True)
    frame, after = reader(release, user_missing=True)
    assert after.variable_value_labels == before.variable_value_labels
    assert after.column_names_to_labels == before.column_names_to_labels
    assert after.missing_ranges == before.missing_ranges
    if ending == "sav":
        assert (frame["income"] == -9).sum() == 10
    # and anything else by choice
    text = client.get(f"{address}/download/masked", params={"format": "csv"})
    assert text.text.splitlines()[0].replace('"', "") == "sex,age,income"
    client.post(f"{address}/close")
