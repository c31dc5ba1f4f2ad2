"""Exit codes, and options that decide what is written or who may see it."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from cli.test_bad_input import run
from tacit.app.settings import Settings
from tacit.assess.verdict import Verdict, row_of
from tacit.base import seeds
from tacit.base.errors import InputError
from tacit.cli import app
from tacit.cli import options as shared

RNG = np.random.default_rng(3)
ROWS = "age,income\n" + "".join(
    f"{age},{income:.2f}\n"
    for age, income in zip(
        RNG.integers(20, 80, 60), RNG.normal(3000, 500, 60), strict=True
    )
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text(ROWS)
    return path


def protect(file: Path, *words: str) -> Result:
    out = file.with_name("out.csv")
    roles = ["--quasi", "age,income", "--continuous", "age,income"]
    command = ["protect", file, out, "--method", "noise", *roles, *words]
    return CliRunner().invoke(app, [str(word) for word in command])


@pytest.mark.parametrize(
    ("state", "code"),
    [("safe", 0), ("not safe", 1), ("borderline", 1), ("not assessed", 1)],
)
def test_only_a_safe_release_exits_with_0(
    file: Path, monkeypatch: pytest.MonkeyPatch, state: str, code: int
) -> None:
    rates = {
        "safe": row_of("a", 0.0, 0.05, ""),
        "not safe": row_of("a", 0.5, 0.05, ""),
        "borderline": row_of("a", 0.01, 0.05, "", (0.0, 0.1)),
        "not assessed": row_of("a", float("nan"), 0.05, ""),
    }
    assert Verdict((rates[state],)).state == state
    asked: list[float] = []

    class Assessed:
        def attacked_verdict(self, limit: float) -> Verdict:
            asked.append(limit)
            return Verdict((rates[state],))

        def to_dict(self) -> dict[str, object]:
            return {}

    module = import_module("tacit.assess.assessment")
    monkeypatch.setattr(module, "assess", lambda *_, **__: Assessed())
    words = ["assess", str(file), str(file), "--json", "-", "--fail-above", "0.05"]
    assert CliRunner().invoke(app, words).exit_code == code
    assert asked == [0.05]


def test_rows_belong_together_only_if_somebody_says_so(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []

    def assess(*_: object, truth: object = None, **__: object) -> None:
        told.append(truth)
        raise InputError("enough")

    monkeypatch.setattr(import_module("tacit.assess.assessment"), "assess", assess)
    for words in ([], ["--aligned"]):
        CliRunner().invoke(app, ["assess", str(file), str(file), *words])
    assert told == [None, "rows"]


def test_an_external_report_is_asked_for_as_such(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bool] = []

    class Assessed:
        def to_html(self, path: Path, *, external: bool, **_: object) -> None:
            written.append(external)

        def to_dict(self) -> dict[str, object]:
            return {}

    module = import_module("tacit.assess.assessment")
    monkeypatch.setattr(module, "assess", lambda *_, **__: Assessed())
    module = import_module("tacit.report.external")
    monkeypatch.setattr(module, "published", lambda _: {})
    words = ["assess", str(file), str(file), "--json", "-"]
    words += ["--html", str(file.with_name("r.html"))]
    for more in (["--external"], []):
        assert CliRunner().invoke(app, [*words, *more]).exit_code == 0
    assert written == [True, False]


def test_a_file_with_line_breaks_in_its_name_is_one_line(tmp_path: Path) -> None:
    done = run("schema", tmp_path / "two\nlines.csv")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_an_answer_of_the_system_is_one_line(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "two\nlines.csv")

    monkeypatch.setattr(import_module("tacit.assess.assessment"), "assess", full)
    done = run("assess", file, file)
    assert done.returncode == 2
    assert "two lines.csv: No space left on device" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("option", ["--save-plan", "--codebook"])
def test_what_is_there_is_kept_unless_forced(file: Path, option: str) -> None:
    there = file.with_name("there.json")
    there.write_text("mine")
    done = protect(file, option, str(there))
    assert done.exit_code != 0
    assert there.read_text() == "mine"
    assert not file.with_name("out.csv").exists()


def test_a_saved_plan_holds_no_seeds(file: Path) -> None:
    plan = file.with_name("plan.toml")
    assert protect(file, "--save-plan", str(plan)).exit_code == 0
    text = plan.read_text()
    assert "noise" in text
    assert not re.search(r"^(seed|key) *=", text, flags=re.MULTILINE)


def test_a_schema_file_is_used(file: Path) -> None:
    schema = file.with_name("schema.toml")
    schema.write_text('[columns.age]\nrole = "identifier"\n')
    data = shared.read(file, schema, None, {})
    assert data.schema["age"].role == "identifier"


def test_a_private_method_takes_a_seed_only_as_a_test() -> None:
    given = {"epsilon": 1.0}
    assert shared.for_test("laplace", given, 7, False) == given
    assert shared.for_test("laplace", given, None, True) == given
    assert shared.for_test("laplace", given, 7, True) == given | {"test_seed": True}
    assert shared.for_test("noise", {}, 7, True) == {}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """The settings with which the page would be served."""
    found: list[Settings] = []
    page = import_module("tacit.app")
    monkeypatch.setattr(page, "serve", lambda settings, **_: found.append(settings))
    return found


def test_the_page_has_a_token_that_nobody_can_try(served: list[Settings]) -> None:
    assert CliRunner().invoke(app, ["app", "--port", "0"]).exit_code == 0
    assert CliRunner().invoke(app, ["app", "--port", "0"]).exit_code == 0
    one, other = (settings.token for settings in served)
    # urlsafe base 64: six bits a letter
    assert len(one) * 6 >= seeds.BITS
    assert one != other


def test_a_page_without_a_token_is_for_this_machine(served: list[Settings]) -> None:
    done = CliRunner().invoke(app, ["app", "--no-token", "--host", "0.0.0.0"])
    assert done.exit_code != 0
    assert not served
