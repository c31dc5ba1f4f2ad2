"""Keys and their tree: 128 bits of the system, every one of which matters.

Where they are kept, and where not.
"""

from __future__ import annotations

import json
import secrets
import stat
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import tacit as tc
from base.seeds.faces import FACES, NAMES, ROLES, csv, frame, original
from tacit import scale as large
from tacit.base import seeds
from tacit.base.errors import ParameterError, TacitWarning
from tacit.cli import app
from tacit.plan import manifest

pytestmark = pytest.mark.system_keys

USES = {
    "generator": lambda key: seeds.generator(key).bytes(16),
    "child": lambda key: seeds.child(key, 3),
    "words": lambda key: seeds.words(key).tobytes(),
    "protector": lambda key: (
        tc.protect.Noise(random_state=key).fit_transform(np.eye(4)).tobytes()
    ),
    "filter": lambda key: (
        tc.stream.MultiplicativeNoise(random_state=key).apply(np.ones((3, 2))).tobytes()
    ),
}
BOUNDS = ["--set", "bounds={a=[0,60000],b=[0,60000],c=[0,60000],d=[0,60000]}"]
LAPLACE = ["--method", "laplace", *BOUNDS]
PRIVATE = ["--filter", "dp_microaggregation", *BOUNDS]


def call(*words: object) -> object:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.parametrize("use", USES)
def test_every_bit_of_a_key_matters(use: str) -> None:
    key = seeds.draw()
    seen = {USES[use](key ^ (1 << bit)) for bit in range(seeds.BITS)} | {USES[use](key)}
    assert len(seen) == seeds.BITS + 1


def test_a_key_is_what_the_system_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(secrets, "randbits", lambda bits: (asked.append(bits), 5)[1])
    assert seeds.draw() == 2**128 + 5
    assert asked == [128]


@pytest.mark.parametrize("face", ["protect", "large", "stream", "page"])
def test_every_face_draws_128_bits(
    face: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = []
    real = seeds.draw
    monkeypatch.setattr(seeds, "draw", lambda: keys.append(real()) or keys[-1])
    FACES[face][0](tmp_path)
    assert keys
    assert all(key >= 2**128 for key in keys)


@pytest.mark.parametrize("face", ["protect", "large", "stream"])
def test_a_seed_given_by_hand_is_warned_of(face: str, tmp_path: Path) -> None:
    with pytest.warns(TacitWarning, match="can try small seeds and take the noise off"):
        FACES[face][0](tmp_path, "--seed", "1")


def test_a_seed_in_a_plan_file_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text('[[steps]]\nmethod = "noise"\nseed = 3\n')
    with pytest.warns(TacitWarning, match="can try small seeds"):
        assert (
            call(
                "protect",
                csv(tmp_path),
                tmp_path / "o.csv",
                "--plan",
                tmp_path / "plan.toml",
            ).exit_code
            == 0
        )


def test_private_methods_take_no_seed_unless_it_is_a_test(tmp_path: Path) -> None:
    bounds = dict.fromkeys(["x0", "x1"], (0.0, 1.0))
    table = np.full((30, 2), 0.5)
    for method in (tc.protect.Laplace, tc.protect.DPMicroaggregation):
        for seed in (1, seeds.draw(), np.random.default_rng(1)):
            with pytest.raises(ParameterError, match="takes no seed"):
                method(bounds=bounds, random_state=seed).fit_transform(table)
        made = [
            method(bounds=bounds, random_state=1, test_seed=True).fit_transform(table)
            for _ in range(2)
        ]
        assert (made[0] == made[1]).all()
    with pytest.raises(ParameterError, match="takes no seed"):
        tc.stream.DPMicroaggregation(bounds=[(0, 1)], random_state=1)
    with pytest.raises(ParameterError, match="takes no seed"):
        tc.Step("laplace", {"bounds": bounds}, seed=1)
    told = {"method": "laplace", "columns": NAMES, "leaf": 5000}
    wide = dict.fromkeys(NAMES, (0.0, 60000.0))
    with pytest.raises(
        ParameterError, match="whole file"
    ):  # refused in blocks, with and without a seed
        large.protect(frame(original()), seed=1, parameters={"bounds": wide}, **told)
    text = frame(original()).slice(0, 50)
    tc.write(text, tmp_path / "in.csv")
    for words in (
        ["protect", tmp_path / "in.csv", tmp_path / "o.csv", *LAPLACE, *ROLES],
        [
            "protect",
            tmp_path / "in.csv",
            tmp_path / "o.csv",
            *LAPLACE,
            *ROLES,
            "--until",
            "risk<=0.9",
        ],
        [
            "stream",
            "--in",
            tmp_path / "in.csv",
            "--out",
            tmp_path / "o.csv",
            "--no-monitors",
            *PRIVATE,
        ],
    ):
        done = call(*words, "--seed", "1")
        assert done.exit_code != 0
        assert not (tmp_path / "o.csv").exists()
        assert call(*words, "--seed", "1", "--test-seed", "--force").exit_code == 0
        (tmp_path / "o.csv").unlink()


@pytest.mark.slow
def test_until_writes_no_seed_of_private_noise(tmp_path: Path) -> None:
    done = call(
        "protect",
        csv(tmp_path),
        tmp_path / "o.csv",
        *LAPLACE,
        *ROLES,
        "--until",
        "risk<=0.9",
    )
    assert done.exit_code == 0, done.output
    assert '"seed"' not in (tmp_path / "o.csv.manifest.json").read_text()


def test_an_honest_private_release_verifies_and_a_changed_one_does_not(
    tmp_path: Path,
) -> None:
    beside = tmp_path / "o.csv.manifest.json"
    assert (
        call("protect", csv(tmp_path), tmp_path / "o.csv", *LAPLACE, *ROLES).exit_code
        == 0
    )
    done = call("verify", beside)
    assert done.exit_code == 0, done.output
    assert "cannot be repeated, by design" in done.output
    assert "NO" not in done.output
    found = manifest.verify(beside)
    assert found["repeated_same_bytes"] is None
    (tmp_path / "in.csv").write_text(
        (tmp_path / "in.csv").read_text().replace("1", "2", 1)
    )
    assert not manifest.verify(beside)["input_unchanged"]
    assert call("verify", beside).exit_code == 1
    csv(tmp_path)
    (tmp_path / "o.csv").write_text(
        (tmp_path / "o.csv").read_text().replace("1", "2", 1)
    )
    assert call("verify", beside).exit_code == 1


def test_seeds_are_in_the_manifest_and_nowhere_else(tmp_path: Path) -> None:
    source, release = csv(tmp_path), tmp_path / "o.csv"
    words = [
        "protect",
        source,
        release,
        "--method",
        "noise",
        *ROLES,
        "--save-plan",
        tmp_path / "p.toml",
        "--json",
    ]
    done = call(*words)
    beside = tmp_path / "o.csv.manifest.json"
    assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    seed = json.loads(beside.read_text())["plan"]["steps"][0]["seed"]
    assert seed >= 2**128
    files = {
        "json": tmp_path / "r.json",
        "html": tmp_path / "r.html",
        "external": tmp_path / "e.html",
    }
    told = ["assess", source, release, "--plan", beside, "--attackers", "nearest"]
    shown = call(*told, "--json", files["json"], "--html", files["html"]).output
    shown += call(
        *told, "--html", files["external"], "--external", "--json", "-"
    ).output
    shown += call("verify", beside, "--json").output
    for text in (
        done.output,
        shown,
        (tmp_path / "p.toml").read_text(),
        *(f.read_text() for f in files.values()),
    ):
        assert str(seed) not in text
    assert "seed" not in (tmp_path / "p.toml").read_text()


@pytest.mark.slow
def test_the_page_shows_no_seed(tmp_path: Path) -> None:
    """But the manifest and the plan that makes the release again, which both are private."""
    FACES["page"][0](tmp_path)
    (manifest,) = tmp_path.glob("*.manifest.json")
    seed = json.loads(manifest.read_text())["plan"]["steps"][0]["seed"]
    assert seed >= 2**128
    every = list(tmp_path.iterdir())
    telling = [file for file in every if str(seed) in file.read_text()]
    assert len(telling) == 2
    assert sorted(file.suffix for file in telling) == [".json", ".toml"]
    for private in telling:
        assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert len(every) >= 7


def test_a_stopped_large_run_keeps_its_key_to_itself(tmp_path: Path) -> None:
    from tacit.scale.checkpoint import Checkpoint

    begun = Checkpoint.open(tmp_path / "work", {"a": 1}, resume=False)
    assert stat.S_IMODE((tmp_path / "work" / "state.json").stat().st_mode) == 0o600
    assert (
        Checkpoint.open(tmp_path / "work", {"a": 1}, resume=True).key
        == begun.key
        >= 2**128
    )
    assert Checkpoint.open(tmp_path / "work", {"a": 1}, resume=False).key != begun.key


def test_the_state_of_a_stream_is_its_owners(tmp_path: Path) -> None:
    from tacit.stream import state

    unit = tc.stream.Noise()
    state.save(unit, tmp_path / "s")
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600


def test_no_small_default_is_left_in_the_source() -> None:
    import re

    root = Path(tc.__file__).parent
    bad = [
        f"{path.relative_to(root)}: {text.strip()}"
        for path in root.rglob("*.py")
        if path.relative_to(root).parts[0] not in ("data", "reproduce")
        for text in path.read_text().splitlines()
        if re.search(r"seed: int = [0-9]|randbelow|random_state: Seed = [0-9]", text)
        and ">>>" not in text
    ]
    assert not bad


def test_the_seed_of_a_step_has_128_bits() -> None:
    """A key that nobody can try is of no use if the seeds that it gives can be tried."""
    key = seeds.draw()
    given = {seeds.child(key, place) - seeds.DRAWN for place in range(8)}
    assert len(given) == 8
    assert max(given) > 2**120
