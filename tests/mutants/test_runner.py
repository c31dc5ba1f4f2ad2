"""The runner itself, on a package of two functions: what is caught, what is not, what is stale."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.mutants import page, trial  # noqa: E402
from tools.mutants.__main__ import try_all  # noqa: E402
from tools.mutants.changed import room_of  # noqa: E402
from tools.mutants.mutation import Mutation, StaleError, load  # noqa: E402
from tools.mutants.results import as_json, table  # noqa: E402
from tools.mutants.workshop import Workshop, compiled_forms, reached  # noqa: E402

SOURCE = "def limit():\n    return 5\n\n\ndef unused():\n    return 1\n"
TEST = "from tacit.risk.limits import limit\n\n\ndef test_limit():\n    assert limit() == 5\n"


def mutation(**changes: object) -> Mutation:
    usual = {
        "room": "risk",
        "file": "risk/limits.py",
        "old": "return 5",
        "new": "return 6",
        "meaning": "the limit is 6",
        "tests": ("tests/test_limits.py",),
    }
    return Mutation(**(usual | changes))


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    root = tmp_path / "root"
    for folder in ("src/tacit/risk", "src/tacit/kernels", "tests"):
        (root / folder).mkdir(parents=True)
    for package in ("tacit", "tacit/risk", "tacit/kernels"):
        (root / "src" / package / "__init__.py").touch()
    (root / "src/tacit/risk/limits.py").write_text(SOURCE)
    (root / "tests/test_limits.py").write_text(TEST)
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    return Workshop(root, tmp_path / "copy", libraries=False)


@pytest.mark.slow
def test_outcomes_of_every_sort(workshop: Workshop) -> None:
    unseen = {"old": "return 1", "new": "return 2"}
    tried = try_all(
        workshop,
        [
            mutation(),
            mutation(meaning="nobody looks", **unseen),
            mutation(meaning="nobody can", **unseen, explained="nothing calls it"),
            mutation(meaning="gone", old="return 7"),
            mutation(meaning="no test", tests=("tests/test_limits.py::test_gone",)),
        ],
        unchanged=False,
    )
    states = [outcome.state for outcome in tried]
    assert states == ["caught", "survived", "explained", "stale", "broken"]
    assert tried[0].by == "tests/test_limits.py::test_limit"
    # stale and broken ones count as survived: nothing has caught them
    assert table(tried).splitlines()[-1].startswith("| **all** | 5 | 1 | 1 | 3 |")
    assert '"meaning": "the limit is 6"' in as_json(tried)
    assert (workshop.root / "src/tacit/risk/limits.py").read_text() == SOURCE


def test_tests_that_fail_anyway_catch_nothing(workshop: Workshop) -> None:
    (workshop.root / "tests/test_limits.py").write_text(
        "def test_limit():\n    assert 0\n"
    )
    with pytest.raises(SystemExit, match="fail without a mutation"):
        try_all(workshop, [mutation()])


@pytest.mark.slow
def test_a_change_without_end_is_ended(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "MOST_CPU", 2)
    endless = mutation(new="\n    while True:\n        pass")
    assert trial.try_one(workshop, endless).state == "timed out"
    monkeypatch.setattr(trial, "PATIENCE", 1.0)
    asleep = mutation(new="__import__('time').sleep(60)")
    assert trial.try_one(workshop, asleep).state == "timed out"


def test_a_crash_is_noticed(workshop: Workshop) -> None:
    crash = mutation(new="__import__('os').abort()")
    assert trial.try_one(workshop, crash).state == "caught"


def test_the_old_text_is_there_exactly_once() -> None:
    assert mutation().of("return 5") == "return 6"
    for text in ("return 4", "return 5\nreturn 5"):
        with pytest.raises(StaleError, match="the limit is 6"):
            mutation().of(text)


def test_two_versions_of_a_file_never_have_the_same_time(workshop: Workshop) -> None:
    """Compiled Python and compiled kernels are taken for fresh by the time of their source."""
    file = workshop.root / "src/tacit/risk/limits.py"
    times = [int(file.stat().st_mtime)]
    for new in ("return 6", "return 7"):
        with workshop.holding(mutation(new=new)):
            times.append(int(file.stat().st_mtime))
    assert len(set(times)) == 3
    assert int(file.stat().st_mtime) == times[0]


def test_kernels_that_use_a_changed_one_are_compiled_anew(workshop: Workshop) -> None:
    folder = workshop.root / "src/tacit/kernels"
    (folder / "__pycache__").mkdir()
    texts = {
        "low": "x = 1\n",
        "middle": "from tacit.kernels.low import x\n",
        "high": "from tacit.kernels import middle\n",
        "other": "y = 2\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
        (folder / "__pycache__" / f"{name}.f-1.py311.nbi").write_text("compiled")
    changed = Path("src/tacit/kernels/low.py")
    names = [path.stem for path in reached(workshop.root, changed)]
    assert names == ["high", "low", "middle"]
    held = mutation(file="kernels/low.py", old="x = 1", new="x = 2")
    with workshop.holding(held):
        left = [name for name in texts if compiled_forms(folder / f"{name}.py")]
        assert left == ["other"]
        (folder / "__pycache__" / "low.f-1.py311.nbi").write_text("of the mutation")
    for name in texts:
        (kept,) = compiled_forms(folder / f"{name}.py")
        assert kept.read_text() == "compiled"
    # another room changes no kernel
    assert reached(workshop.root, Path("src/tacit/risk/limits.py")) == []


def test_rooms_of_files() -> None:
    assert room_of(Path("src/tacit/risk/pld.py")) == "risk"
    assert room_of(Path("tests/risk/test_pld.py")) == "risk"
    assert room_of(Path("tools/mutants/risk.toml")) == "risk"
    assert room_of(Path("tools/mutants/trial.py")) == "trial"
    assert room_of(Path("README.md")) == ""


def test_a_list_is_read(tmp_path: Path) -> None:
    (tmp_path / "risk.toml").write_text(
        '[[mutation]]\nfile = "risk/limits.py"\nold = "return 5"\nnew = "return 6"\n'
        'meaning = "the limit is 6"\ntests = ["tests/test_limits.py"]\n'
    )
    assert load("risk", tmp_path) == [mutation()]


def test_the_page_holds_the_newest_outcome_of_every_mutation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page_file = tmp_path / "page.md"
    page_file.write_text(f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n")
    monkeypatch.setattr(page, "PAGE", page_file)
    monkeypatch.setattr(page, "rooms", lambda: ["risk"])
    monkeypatch.setattr(page, "load", lambda room: [mutation()])
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file, state in zip(files, ("survived", "caught"), strict=True):
        file.write_text(as_json([trial.Outcome(mutation(), state, "", 1.0)]))
    page.write(page.read(files))
    text = page_file.read_text()
    assert "| risk | 1 | 1 | 0 | 0 | 1 |" in text
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "old" not in text
    monkeypatch.setattr(page, "load", lambda room: [mutation(new="return 8")])
    with pytest.raises(SystemExit, match="were not tried"):
        page.read(files)
