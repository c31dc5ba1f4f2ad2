"""Undo, redo, and jobs in a process of their own: cancel, a crash, the newest preview wins."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tacit.app.pages.compare import without_code
from tacit.app.project import Project
from tacit.app.worker import Cancelled, Job, Worker


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project whose file has been read."""
    made = Project("a.csv", tmp_path / "a.csv", Job("load", {}))
    made.begin(
        {
            "columns": [{"name": "x", "role": "quasi", "kind": "continuous"}],
            "records": 3,
        }
    )
    return made


def test_undo_and_redo(project: Project) -> None:
    """A change after undo drops what could be redone."""
    assert not project.can_undo
    project.change("roles", roles={"x": "other"})
    project.change("roles", roles={"x": "weight"})
    first = project.version
    project.undo()
    assert project.setup.roles == {"x": "other"}
    assert project.version != first
    project.undo()
    project.undo()
    assert project.setup.roles == {"x": "quasi"}
    project.redo()
    project.change("roles", roles={"x": "household"})
    assert not project.can_redo
    project.undo()
    assert project.setup.roles == {"x": "other"}


def test_typing_counts_as_one_change(project: Project) -> None:
    """Undo takes back a number, not a digit."""
    for k in (1, 12, 123):
        project.change(
            "step values",
            steps=({"method": "noise", "parameters": {"percent": k}, "seed": 1},),
        )
    project.undo()
    assert project.setup.steps == ()


def test_no_change_is_no_step(project: Project) -> None:
    """Saving what is there already needs no undo."""
    assert not project.change("roles", roles=dict(project.setup.roles))
    assert not project.can_undo


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """One worker for all tests: its start takes seconds."""
    made = Worker("test")
    yield made
    made.close()


def test_a_mistake_is_one_sentence_and_the_worker_goes_on(worker: Worker) -> None:
    """The sentence names the file as the user knows it."""
    job = worker.submit(
        Job(
            "load",
            {"path": "/nowhere/secret.csv", "name": "mine.csv", "limit_mb": 100},
        )
    )
    with pytest.raises(RuntimeError, match=r"mine\.csv") as caught:
        job.wait(120)
    assert "/nowhere" not in str(caught.value)
    assert (
        worker.submit(Job("catalogue", {})).wait(120)["protect"]["noise"]["title"]
        == "Noise"
    )


@pytest.mark.slow
def test_cancel_ends_a_running_job_and_the_next_one_runs(worker: Worker) -> None:
    """Another process takes the place of the one that was ended."""
    arguments = {
        "filter": "noise",
        "parameters": {},
        "source": "rbf",
        "path": "",
        "count": 10**6,
        "pace": 100.0,
        "limit_mb": 100,
    }
    ticks: list[object] = []
    job = worker.submit(Job("stream", arguments, on_tick=ticks.append))
    waited = time.monotonic()
    while not ticks and time.monotonic() - waited < 120:
        time.sleep(0.02)
    assert ticks
    assert job.state == "running"
    worker.cancel(job)
    with pytest.raises(Cancelled):
        job.wait(10)
    assert "noise" in worker.submit(Job("catalogue", {})).wait(120)["protect"]


@pytest.mark.slow
def test_a_process_that_dies_fails_its_job_only(worker: Worker) -> None:
    """The next job gets a new process."""
    job = worker.submit(
        Job(
            "stream",
            {
                "filter": "noise",
                "parameters": {},
                "source": "rbf",
                "path": "",
                "count": 10**6,
                "pace": 100.0,
                "limit_mb": 100,
            },
        )
    )
    while job.state == "waiting":
        time.sleep(0.01)
    # as the system does to a process that takes too much memory
    worker._process.kill()
    with pytest.raises(RuntimeError, match="unexpectedly"):
        job.wait(60)
    assert worker.submit(Job("catalogue", {})).wait(120)


def test_the_newest_preview_wins(worker: Worker) -> None:
    """Previews that have not begun are dropped for a newer one."""
    first = worker.submit(Job("catalogue", {}))
    old = worker.submit(Job("preview", {}), latest_only=True)
    new = worker.submit(Job("preview", {}), latest_only=True)
    assert old.state == "cancelled"
    first.wait(120)
    with pytest.raises(RuntimeError, match="TypeError"):
        new.wait(120)


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        (
            "Laplace needs the bounds of 'a', from what is known and not from the file: "
            "bounds={'a': (low, high)}, or categories={'a': [...]}",
            "Laplace needs the bounds of 'a', from what is known and not from the file",
        ),
        (
            "'a' is nominal; leave it out (quasi=[...], confidential=[...])",
            "'a' is nominal; leave it out",
        ),
        (
            "leave it out (columns=[...]), or correct its kind",
            "leave it out, or correct its kind",
        ),
        ("k=1 must be 2 or more (not 1): see above", None),
    ],
)
def test_a_reason_on_the_page_holds_no_python(reason: str, shown: str | None) -> None:
    """Whoever reads the page does not write Python; a reason without it stays as it is."""
    assert without_code(reason) == (reason if shown is None else shown)
