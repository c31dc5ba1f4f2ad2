"""Verify says no for each reason alone; plans with seeds are their owner's."""

import stat
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import tacit as tc
from tacit.base.errors import ParameterError
from tacit.cli import app
from tacit.plan import manifest


@pytest.fixture
def released(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A file, its release, and the manifest."""
    source, release = tmp_path / "in.csv", tmp_path / "out.csv"
    rng = np.random.default_rng(5)
    table = {"age": rng.integers(20, 80, 40), "income": rng.normal(30, 5, 40).round(2)}
    tc.write(tc.Microdata.of(table), source)
    data = tc.read(source, quasi=["age", "income"], continuous=["age", "income"])
    plan = tc.Plan.of(tc.protect.Noise(percent=5)).seeded()
    masked = plan.mask(data)
    tc.write(masked, release)
    record = manifest.describe(plan, source, data, release, masked, 0.1)
    return source, release, manifest.write(record, release)


def failing(checks: dict[str, bool | None]) -> set[str]:
    return {name for name, holds in checks.items() if holds is False}


def exit_code(beside: Path) -> int:
    return CliRunner().invoke(app, ["verify", str(beside)]).exit_code


def test_an_honest_release_verifies(released) -> None:
    beside = released[2]
    assert failing(manifest.verify(beside)) == set()
    assert exit_code(beside) == 0


def test_another_input_is_noticed_though_it_gives_the_same_release(released) -> None:
    source, _, beside = released
    # one more line end changes the file and not its records
    source.write_bytes(source.read_bytes() + b"\n")
    assert failing(manifest.verify(beside)) == {"input_unchanged", "verified"}
    assert exit_code(beside) == 1


def test_a_release_that_the_plan_does_not_give_is_noticed(released) -> None:
    """Whoever exchanges release and hash together is found out by repeating the run."""
    _, release, beside = released
    text = release.read_text()
    changed = text.replace("1", "2", 1)
    release.write_text(changed)
    honest = manifest.load(beside)
    forged = honest | {
        "output": honest["output"] | {"sha256": manifest.sha256(release)}
    }
    manifest.write(forged, release, force=True)
    assert failing(manifest.verify(beside)) == {"repeated_same_bytes", "verified"}
    assert exit_code(beside) == 1


def test_a_private_release_with_fewer_records_is_noticed(tmp_path: Path) -> None:
    """Noise without a seed cannot be repeated, but its records and columns can be counted."""
    source, release = tmp_path / "in.csv", tmp_path / "out.csv"
    tc.write(tc.Microdata.of({"age": [20.0, 30.0, 40.0, 50.0]}), source)
    data = tc.read(source, quasi=["age"], continuous=["age"])
    private = tc.protect.Laplace(epsilon=1.0, bounds={"age": (0, 100)})
    plan = tc.Plan.of(private).seeded()
    masked = plan.mask(data)
    tc.write(masked, release)
    record = manifest.describe(plan, source, data, release, masked, 0.1)
    lines = release.read_text().splitlines(keepends=True)
    release.write_text("".join(lines[:-1]))
    forged = record | {
        "output": record["output"] | {"sha256": manifest.sha256(release)}
    }
    beside = manifest.write(forged, release)
    assert manifest.verify(beside)["repeated_same_bytes"] is None
    assert failing(manifest.verify(beside)) == {
        "plan_gives_same_columns_and_records",
        "verified",
    }


def test_manifests_and_plans_with_seeds_are_their_owners(
    released, tmp_path: Path
) -> None:
    beside = released[2]
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    plan = tc.Plan.of(tc.protect.Noise(percent=5)).seeded()
    plan.save(tmp_path / "with.toml")
    assert stat.S_IMODE((tmp_path / "with.toml").stat().st_mode) == 0o600
    bare = plan.without_seeds()
    assert bare.key is None
    assert [step.seed for step in bare.steps] == [None]
    assert "seed" not in bare.to_toml()
    assert "key" not in bare.to_toml()


def test_every_step_has_a_seed_of_its_own() -> None:
    steps = [tc.protect.Noise(percent=5), tc.protect.Noise(percent=5)]
    plan = tc.Plan.of(steps).seeded()
    given = {step.seed for step in plan.steps} | {plan.key}
    assert len(given) == 3


def test_a_release_never_takes_the_place_of_its_input(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    tc.write(tc.Microdata.of({"age": [20.0, 30.0, 40.0, 50.0]}), source)
    before = source.read_bytes()
    (tmp_path / "folder").mkdir()
    same = tmp_path / "folder" / ".." / "in.csv"
    with pytest.raises(ParameterError, match="the input itself"):
        tc.release(tc.protect.Noise(percent=5), source, same, force=True)
    assert source.read_bytes() == before
