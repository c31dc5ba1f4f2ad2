"""The codebook: what is in the release, in words that may be published."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.cli import app
from tacit.plan.plan import Plan, Step
from tacit.report.codebook import AS_COLLECTED, Codebook, codebook
from tacit.report.codebook_files import write_codebook

SEED = 2**100 + 12345
SCHEMA = """
[columns.id]
role = "identifier"
kind = "code"
[columns.sex]
kind = "nominal"
role = "quasi"
missing = [9]
label = "Sex of the person"
level = "nominal"
labels = {1 = "male", 2 = "female", 9 = "refused"}
[columns.income]
kind = "continuous"
role = "confidential"
missing = [[97, 99]]
suppressed = 96
labels = {98 = "does not know"}
[columns.age]
kind = "continuous"
role = "quasi"
"""


def _book(file: str = "release.csv") -> Codebook:
    data = tc.Microdata.of(
        pa.table(
            {
                "id": [f"secret{i}" for i in range(6)],
                "sex": [1, 2, 9, 1, 2, 1],
                "income": [10.0, 20.0, 98.0, 40.0, None, 60.0],
                "age": [31.0, 45.0, 52.0, 60.0, 61.0, 77.0],
            }
        ),
        tc.Schema.from_toml(SCHEMA),
    )
    plan = Plan((Step("noise", {"percent": 17.25, "columns": ["age"]}, seed=SEED),))
    masked = plan.mask(data)
    return codebook(masked, plan, original=data, file=file, title="Survey <b>1</b>")


def test_it_says_what_each_column_is() -> None:
    book = _book()
    assert [variable.name for variable in book.variables] == ["sex", "income", "age"]
    sex, income, age = book.variables
    assert (sex.label, sex.kind, sex.values, sex.gaps) == (
        "Sex of the person",
        "categories",
        5,
        1,
    )
    assert [(v.value, v.label, v.count) for v in sex.categories] == [
        ("1", "male", 3),
        ("2", "female", 2),
    ]
    assert [(v.value, v.label, v.count) for v in sex.missing] == [("9", "refused", 1)]
    # of a range, the codes that occur or have a label
    assert [(v.value, v.count) for v in income.missing] == [("96", 0), ("98", 1)]
    assert income.done == (AS_COLLECTED,)
    assert age.done[0].startswith("Noise")


@pytest.mark.parametrize("ending", ["html", "json", "xml"])
def test_nothing_that_helps_an_intruder(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"codebook.{ending}"
    text = write_codebook(_book(), path).read_text()
    for secret in (str(SEED), "17.25", "percent", "secret", '"id"', "quasi"):
        assert secret not in text, secret
    # a title is text, never markup
    assert "<b>" not in text or ending == "json"
    assert "Sex of the person" in text
    # the same release has the same codebook
    assert text == write_codebook(_book(), path, force=True).read_text()


def test_forms(tmp_path: Path) -> None:
    book = _book("release.dta")
    data = json.loads(write_codebook(book, tmp_path / "a.json").read_text())
    assert data["variables"][0]["missing"][0] == {
        "value": "9",
        "label": "refused",
        "count": 1,
    }
    tree = ElementTree.parse(write_codebook(book, tmp_path / "a.xml"))
    space = {"d": "ddi:codebook:2_5"}
    names = [var.get("name") for var in tree.iterfind(".//d:var", space)]
    assert names == ["sex", "income", "age"]
    missing = tree.findall(".//d:var[@name='sex']/d:catgry[@missing='Y']", space)
    assert [value.findtext("d:catValu", namespaces=space) for value in missing] == ["9"]
    with pytest.raises(tc.TacitError, match=r"\.html, \.json, \.xml"):
        write_codebook(book, tmp_path / "a.pdf")
    assert not (tmp_path / "a.pdf").exists()


def test_names_are_those_of_the_file() -> None:
    data = tc.Microdata.of({"net income": [1.0, 2.0]})
    book = codebook(data, file="a.dta")
    assert book.variables[0].name == "net_income"
    assert book.variables[0].original_name == "net income"


def test_protect_writes_it(tmp_path: Path) -> None:
    source, release = tmp_path / "in.csv", tmp_path / "out.csv"
    lines = (f"{20 + i * 13 % 37},{i * 1009 % 731}.5\n" for i in range(40))
    source.write_text("age,income\n" + "".join(lines))
    command = ["protect", str(source), str(release), "--method", "noise"]
    page, data = tmp_path / "book.html", tmp_path / "book.json"
    done = CliRunner().invoke(
        app, [*command, "--codebook", str(page), "--codebook", str(data)]
    )
    assert done.exit_code == 0, done.output
    names = [variable["name"] for variable in json.loads(data.read_text())["variables"]]
    assert names == ["age", "income"]
    assert "Noise" in page.read_text()
    # an ending that is none is refused before any work
    other = [*command[:2], str(tmp_path / "b.csv"), *command[3:]]
    done = CliRunner().invoke(app, [*other, "--codebook", str(tmp_path / "book.pdf")])
    assert done.exit_code != 0
    assert not (tmp_path / "b.csv").exists()
