"""Plans and manifests: saved, applied again, verified byte by byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tacit as tc
from tacit.base import seeds
from tacit.plan import manifest
from tacit.plan.plan import json_schema


def _file(path: Path, n: int = 50) -> Path:
    rng = np.random.default_rng(0)
    pd.DataFrame(
        {"age": rng.integers(18, 90, n), "income": rng.lognormal(10, 1, n).round(2)}
    ).to_csv(path, index=False)
    return path


def test_a_saved_plan_gives_the_same_release(tmp_path: Path) -> None:
    data = tc.read(_file(tmp_path / "in.csv"))
    plan = tc.Plan.of(
        [tc.protect.Noise(percent=5, random_state=3), tc.protect.Microaggregation(k=4)]
    )
    plan.save(tmp_path / "plan.toml")
    again = tc.Plan.load(tmp_path / "plan.toml")
    assert again == plan
    assert again.apply(data).table.equals(plan.apply(data).table)


def test_seeds_are_recorded() -> None:
    plan = tc.Plan((tc.Step("noise"), tc.Step("microaggregation"), tc.Step("noise")))
    fixed = plan.seeded(10)
    assert [step.seed for step in fixed.steps] == [
        seeds.child(10, 0),
        None,
        seeds.child(10, 2),
    ]
    drawn = plan.seeded()
    assert drawn.steps[0].seed is not None
    assert drawn.seeded() == drawn
    assert all(step.seed is None or step.seed >= 2**128 for step in drawn.steps)


def test_manifest_verifies_and_notices_a_change(tmp_path: Path) -> None:
    source, release = _file(tmp_path / "in.csv"), tmp_path / "out.csv"
    data = tc.read(source)
    plan = tc.Plan.of(tc.protect.Noise(percent=5)).seeded()
    masked = plan.apply(data)
    tc.write(masked, release)
    beside = manifest.write(
        manifest.describe(plan, source, data, release, masked, 0.1), release
    )
    assert manifest.verify(beside)["verified"]
    release.write_text(release.read_text().replace("1", "2", 1))
    found = manifest.verify(beside)
    assert found["repeated_same_bytes"]
    assert not found["output_unchanged"]
    assert not found["verified"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("steps = 3", "at least one"),
        ('[[steps]]\nmethod = "nothing"', "there is no protect method 'nothing'"),
        (
            '[[steps]]\nmethod = "noise"\npercent = "much"',
            "step 1: Noise: parameter percent='much'",
        ),
        ("[[steps]]\nk = 3", "step 1 names no method"),
        ("[[steps]\n", "not a TOML file"),
        ('colour = "red"\n[[steps]]\nmethod = "noise"', "not 'colour'"),
    ],
)
def test_bad_plans(text: str, sentence: str) -> None:
    with pytest.raises(tc.TacitError, match=sentence):
        tc.Plan.from_toml(text)


def test_json_schema_tells_methods_apart() -> None:
    schema = json_schema()
    step = schema["properties"]["steps"]["items"]
    assert step["discriminator"]["propertyName"] == "method"
    assert set(step["discriminator"]["mapping"]) == set(tc.protect.registry)
