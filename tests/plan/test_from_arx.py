"""Projects as ARX writes them become plans; what a plan cannot hold is said."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.base.errors import InputError, TacitError
from tacit.cli import app
from tacit.plan.from_arx import from_arx

METADATA = "<metadata>\n\t<version>3.9.1</version>\n\t<vocabulary>2.0</vocabulary>\n</metadata>"
AGES = [str(age) for age in range(20, 60)]
SICK = ["flu", "ulcer", "angina"]


def hierarchy_of_age() -> str:
    lines = []
    for age in AGES:
        low = int(age) // 10 * 10
        half = "under 40" if int(age) < 40 else "40 and more"
        lines.append(f"{age};{low}-{low + 9};{half};*")
    return "\n".join(lines)


TOWNS = "Ulm;south;*\nAalen;south;*\nKiel;north;*"


def attribute(name: str, kind: str, datatype: str = "String", **more: str) -> str:
    inside = "".join(f"\t\t<{tag}>{text}</{tag}>\n" for tag, text in more.items())
    return (
        f"\t<assigment>\n\t\t<name>{name}</name>\n\t\t<type>{kind}_ATTRIBUTE</type>\n"
        f"\t\t<datatype>{datatype}</datatype>\n{inside}\t</assigment>\n"
    )


def default_attributes() -> str:
    levels = {"min": "All", "max": "All"}
    return (
        attribute("name", "IDENTIFYING")
        + attribute(
            "age", "QUASI_IDENTIFYING", "Integer", ref="hierarchies/age.csv", **levels
        )
        + attribute("town", "QUASI_IDENTIFYING", ref="hierarchies/town.csv", **levels)
        + attribute("ill", "SENSITIVE")
        + attribute("ward", "INSENSITIVE")
    )


def project(
    path: Path,
    criteria: list[str],
    *,
    limit: float = 0.05,
    metric: str = "Loss (Geometric mean) (gs-factor: 0.5)",
    attributes: str | None = None,
    weights: dict[str, float] | None = None,
    leave_out: tuple[str, ...] = (),
    config: str | None = None,
) -> Path:
    """The entries that ARX 3 writes, without the Java objects' contents."""
    said = "".join(f"\t\t<criterion>{one}</criterion>\n" for one in criteria)
    heavy = "".join(
        f"\t\t<attributeWeight>\n\t\t\t<attribute>{name}</attribute>\n"
        f"\t\t\t<weight>{weight}</weight>\n\t\t</attributeWeight>\n"
        for name, weight in (weights or {}).items()
    )
    settings = config or (
        "<config>\n\t<suppressTuplesInNonAnonymousOutput>true"
        "</suppressTuplesInNonAnonymousOutput>\n"
        "\t<suppressedAttributeTypes>\n\t\t<type>QUASI_IDENTIFYING_ATTRIBUTE</type>\n"
        "\t</suppressedAttributeTypes>\n\t<practicalMonotonicity>false</practicalMonotonicity>\n"
        f"\t<relativeMaxOutliers>{limit}</relativeMaxOutliers>\n\t<metric>{metric}</metric>\n"
        f"\t<attributeWeights>\n{heavy}\t</attributeWeights>\n"
        f"\t<criteria>\n{said}\t</criteria>\n</config>"
    )
    definition = f"<definition>\n{attributes or default_attributes()}</definition>"
    rows = ["name;age;town;ill;ward"]
    for i in range(120):
        town = ["Ulm", "Aalen", "Kiel"][i % 3]
        rows.append(f"p{i};{AGES[i % 40]};{town};{SICK[i % 3]};w{i % 2}")
    entries = {
        "metadata.xml": METADATA,
        "project.xml": "<project>\n\t<name>study</name>\n</project>",
        "data/input.csv": "\n".join(rows),
        "input/config.dat": "not looked at",
        "input/config.xml": settings,
        "input/definition.xml": definition,
        "input/hierarchies/age.csv": hierarchy_of_age(),
        "input/hierarchies/town.csv": TOWNS,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in entries.items():
            if name not in leave_out:
                archive.writestr(name, text)
    return path


def step_of(path: Path) -> dict[str, Any]:
    (step,) = from_arx(path).plan.steps
    return dict(step.parameters)


def test_a_project_becomes_a_plan_that_protects(tmp_path: Path) -> None:
    file = project(
        tmp_path / "study.deid", ["4-anonymity"], weights={"age": 2.0, "town": 1.0}
    )
    out = tmp_path / "study"
    run = CliRunner().invoke(app, ["arx", str(file), "-o", str(out), "--with-data"])
    assert run.exit_code == 0, run.output
    assert "Not taken over" not in run.output
    secret = out / "input.csv"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    plan = tc.Plan.load(out / "plan.toml")
    (step,) = plan.steps
    assert step.method == "generalisation"
    assert step.parameters["k"] == 4
    assert step.parameters["suppression_limit"] == 0.05
    assert step.parameters["importance"] == {"age": 2.0, "town": 1.0}
    masked = plan.mask(tc.read(secret))
    assert masked.names == ["age", "town", "ill", "ward"]
    keys = list(
        zip(*[masked.table[c].to_pylist() for c in ("age", "town")], strict=True)
    )
    assert all(keys.count(key) >= 4 for key in set(keys))
    labels = {
        text for line in hierarchy_of_age().split("\n") for text in line.split(";")
    }
    assert {str(age) for age, _ in keys} <= labels
    # nothing is overwritten unasked
    again = CliRunner().invoke(app, ["arx", str(file), "-o", str(out)])
    assert isinstance(again.exception, TacitError)
    assert "exists" in str(again.exception)


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("7-anonymity", {"k": 7}),
        (
            "distinct-2-diversity for attribute 'ill'",
            {"l_diversity": {"distinct": 2.0, "columns": ["ill"]}},
        ),
        (
            "shannon-entropy-2.0-diversity for attribute 'ill'",
            {"l_diversity": {"entropy": 2.0, "columns": ["ill"]}},
        ),
        (
            "entropy-1.5-diversity for attribute 'ill'",
            {"l_diversity": {"entropy": 1.5, "columns": ["ill"]}},
        ),
        (
            "recursive-(3.0,2)-diversity for attribute 'ill'",
            {"l_diversity": {"recursive": [3.0, 2.0], "columns": ["ill"]}},
        ),
        (
            "0.2-closeness with equal ground-distance for attribute 'ill'",
            {"t_closeness": {"t": 0.2, "distance": "equal", "columns": ["ill"]}},
        ),
        (
            "0.3-closeness with ordered distance for attribute 'ill'",
            {"t_closeness": {"t": 0.3, "distance": "ordered", "columns": ["ill"]}},
        ),
        ("(0.05)-avg-reidentification-risk", {"average_risk": 0.05}),
        ("(0.01)-sample-uniqueness", {"sample_uniqueness": 0.01}),
    ],
)
def test_models(tmp_path: Path, text: str, taken: dict[str, Any]) -> None:
    file = project(tmp_path / "x.deid", [text.replace("'", "&apos;")])
    step = step_of(file)
    assert {name: step[name] for name in taken} == taken
    assert from_arx(file).left == []
    # what is not in the project is not in the plan
    assert step["k"] == taken.get("k", 1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("5-map", "needs the population"),
        ("(0.0,0.5)-presence", "needs the population"),
        ("(0.01)-population-uniqueness (DANKAR)", "by a model"),
        ("basic-2.0-likeness", "not known here"),
        ("(0.05, 0.2, 0.0)-avg-reidentification-risk", "only the average"),
        ("grassberger-entropy-2.0-diversity for attribute 'ill'", "Shannon"),
    ],
)
def test_what_is_not_taken_over_is_said(tmp_path: Path, text: str, why: str) -> None:
    file = project(tmp_path / "x.deid", ["2-anonymity", text])
    (sentence,) = from_arx(file).left
    assert why in sentence
    assert text in sentence


def test_differential_privacy_is_a_step_of_its_own(tmp_path: Path) -> None:
    file = project(tmp_path / "x.deid", ["(1.5, 1.0E-6)-differential privacy"])
    (step,) = from_arx(file).plan.steps
    assert step.method == "dp_generalisation"
    assert step.parameters["epsilon"] == 1.5
    assert step.parameters["delta"] == 1e-6


@pytest.mark.parametrize(
    ("metric", "utility"),
    [
        ("Non-uniform entropy", "entropy"),
        ("Precision", "precision"),
        ("Discernability", "discernibility"),
        ("Average equivalence class size", "class_size"),
        ("Loss", "loss"),
    ],
)
def test_quality_models(tmp_path: Path, metric: str, utility: str) -> None:
    file = project(tmp_path / "x.deid", ["2-anonymity"], metric=metric)
    assert step_of(file)["utility"] == utility
    assert from_arx(file).left == []


def test_an_unknown_quality_model_is_said(tmp_path: Path) -> None:
    file = project(tmp_path / "x.deid", ["2-anonymity"], metric="Publisher payout")
    assert step_of(file)["utility"] == "loss"
    assert "Publisher payout" in from_arx(file).left[0]


def test_levels_that_may_be_used(tmp_path: Path) -> None:
    age = {"ref": "hierarchies/age.csv"}
    town = {"ref": "hierarchies/town.csv", "min": "1", "max": "1"}
    some = attribute("age", "QUASI_IDENTIFYING", "Integer", **age, min="1", max="2")
    some += attribute("town", "QUASI_IDENTIFYING", **town)
    some += attribute("ward", "QUASI_IDENTIFYING")
    taken = from_arx(project(tmp_path / "x.deid", ["2-anonymity"], attributes=some))
    step = taken.plan.steps[0].parameters
    # given levels, a lower top, and what has no hierarchy stays as it is
    assert step["levels"] == {"town": 1, "ward": 0}
    assert {len(row) for row in taken.hierarchies["age"]} == {3}
    assert "level 1 or above" in taken.left[0]


def test_letters_of_html_and_names_like_paths(tmp_path: Path) -> None:
    some = attribute("gr&ouml;&szlig;e", "QUASI_IDENTIFYING")
    some += attribute("../a/b", "QUASI_IDENTIFYING", ref="hierarchies/town.csv")
    file = project(tmp_path / "x.deid", ["2-anonymity"], attributes=some)
    taken = from_arx(file)
    assert set(taken.plan.columns) == {"größe", "../a/b"}
    taken.save(tmp_path / "out")
    (written,) = (tmp_path / "out" / "hierarchies").iterdir()
    assert written.name == "_a_b.csv"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "x.deid"]


def test_bad_projects_are_one_sentence(tmp_path: Path) -> None:
    def refused(match: str, file: Path) -> None:
        with pytest.raises(InputError, match=match) as error:
            from_arx(file)
        assert "\n" not in str(error.value)

    text = tmp_path / "text.deid"
    text.write_text("no zip")
    refused("not a project of ARX", text)
    refused("not a project of ARX", tmp_path / "nobody.deid")
    here = tmp_path / "x.deid"
    refused("no input/config.xml", project(here, [], leave_out=("input/config.xml",)))
    refused("no privacy model", project(here, []))
    gone = project(here, ["2-anonymity"], leave_out=("input/hierarchies/age.csv",))
    refused("hierarchy of 'age'", gone)
    refused("cannot be read", project(here, [], config="<config>"))
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><config>&a;</config>'
    refused("document type", project(here, [], config=bomb))
    odd = "<config><relativeMaxOutliers>much</relativeMaxOutliers></config>"
    refused("'much' is no number", project(here, [], config=odd))
    run = CliRunner().invoke(app, ["arx", str(text), "-o", str(tmp_path / "o")])
    assert isinstance(run.exception, InputError)
    assert not (tmp_path / "o").exists()


def test_as_json(tmp_path: Path) -> None:
    file = project(tmp_path / "x.deid", ["2-anonymity", "5-map"])
    out = tmp_path / "out"
    run = CliRunner().invoke(app, ["arx", str(file), "-o", str(out), "--json"])
    said = json.loads(run.stdout)
    assert said["hierarchies"] == ["age", "town"]
    assert len(said["left"]) == 1


def test_unknown_types_stay_inside_and_the_strictest_model_counts(
    tmp_path: Path,
) -> None:
    some = attribute("town", "QUASI_IDENTIFYING", ref="hierarchies/town.csv")
    some += attribute("odd", "NEW_SORT_OF") + attribute("ill", "SENSITIVE")
    some += attribute("other", "SENSITIVE")
    close = [
        f"{t}-closeness with equal distance for attribute '{name}'"
        for t, name in ((0.2, "ill"), (0.4, "other"))
    ]
    taken = from_arx(project(tmp_path / "x.deid", close, attributes=some))
    assert taken.plan.columns["odd"]["role"] == "identifier"
    model = taken.plan.steps[0].parameters["t_closeness"]
    assert model == {"t": 0.2, "distance": "equal", "columns": ["ill", "other"]}
