"""The doors of the page, each tried by itself in this process: no server, no worker, no browser."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tacit.app.project import Attempt, Project, Setup
from tacit.app.server import create
from tacit.app.session import State
from tacit.app.settings import Settings
from tacit.app.worker import Job, Worker
from tacit.app.workspace import NEW, PREFIX, Workspace
from tacit.base import private_place
from tacit.plan.plan import Plan

BASE = "http://127.0.0.1:8765"
SETTINGS = Settings(limit_mb=1)
MEGABYTE = 1_000_000


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """What the workers were asked to do; nothing is done."""
    jobs: list[Job] = []

    def submit(self: Worker, job: Job, **_: object) -> Job:
        jobs.append(job)
        job.end("done", result={"columns": [], "records": 0})
        return job

    monkeypatch.setattr(Worker, "submit", submit)
    return jobs


@pytest.fixture
def state(submitted: list[Job]) -> Iterator[State]:
    app = create(SETTINGS)
    yield app.state.tacit
    app.state.tacit.close()


def visitor(state: State, **cookies: str) -> TestClient:
    app = create(SETTINGS)
    app.state.tacit.close()
    app.state.tacit = state
    return TestClient(app, base_url=BASE, follow_redirects=False, cookies=cookies)


@pytest.fixture
def owner(state: State) -> TestClient:
    """Somebody with the whole token."""
    return visitor(state, **{SETTINGS.cookie: SETTINGS.token})


def test_the_whole_token_opens_and_nothing_less(state: State) -> None:
    token = SETTINGS.token
    wrong = ["", token[:4], token[:-1], token + "x", token.swapcase(), "x" * len(token)]
    for given in wrong:
        assert visitor(state).get(f"/static/app.css?token={given}").status_code == 403
        cookie = {SETTINGS.cookie: given}
        assert visitor(state, **cookie).get("/static/app.css").status_code == 403
    assert visitor(state).get("/static/app.css").status_code == 403
    right = {SETTINGS.cookie: token}
    assert visitor(state, **right).get("/static/app.css").status_code == 200


def test_the_token_becomes_a_strict_cookie_and_leaves_the_address(state: State) -> None:
    answer = visitor(state).get(f"/?token={SETTINGS.token}&a=1")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?a=1"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_other_names_and_other_origins_are_refused(owner: TestClient) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "0.0.0.0"):
        assert owner.get("/static/app.css", headers={"host": host}).status_code == 403
    for origin in ("http://evil.example", "http://127.0.0.1:9999", "null"):
        answer = owner.post("/p/x/close", headers={"origin": origin})
        assert answer.status_code == 403
    assert owner.post("/p/x/close", headers={"origin": BASE}).status_code == 404


def test_a_page_for_the_network_is_not_one_for_this_machine() -> None:
    assert Settings(host="0.0.0.0").names == ()
    assert "127.0.0.1" in Settings().names


def test_headers_forbid_scripts_frames_and_guessing(owner: TestClient) -> None:
    headers = owner.get("/").headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "*" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


def test_only_listed_files_and_no_list_of_addresses(owner: TestClient) -> None:
    for path in (
        "/static/server.py",
        "/static/..%2fserver.py",
        "/docs",
        "/openapi.json",
    ):
        assert owner.get(path).status_code == 404


def test_an_upload_that_is_too_large_is_refused(
    owner: TestClient, state: State, submitted: list[Job]
) -> None:
    big = b"a\n" + b"1\n" * (MEGABYTE // 2 + 100_000)
    assert owner.post("/load", files={"file": ("a.csv", big)}).status_code == 413
    # whoever sends no length, or a wrong one, is stopped while it comes in
    head = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    )

    def portions() -> Iterator[bytes]:
        yield head
        yield big
        yield b"\r\n--x--\r\n"

    kind = {"content-type": "multipart/form-data; boundary=x"}
    answer = owner.post("/load", content=portions(), headers=kind)
    assert answer.status_code in (411, 413)
    lying = {**kind, "content-length": "100"}
    answer = owner.post("/load", content=portions(), headers=lying)
    assert answer.status_code in (400, 413)
    assert not submitted
    assert not [path for path in state.workspace.path.iterdir() if path.name != "lock"]


def test_the_name_of_an_upload_is_no_path(
    owner: TestClient, state: State, submitted: list[Job]
) -> None:
    for name in ("../../etc/x.csv", "..\\..\\x.csv", "/etc/x.csv", "x./../../csv"):
        answer = owner.post("/load", files={"file": (name, b"a\n1\n")})
        assert answer.status_code == 303, name
        path = Path(str(submitted[-1].arguments["path"])).resolve()
        assert path.parent == state.workspace.path.resolve()
        shown = str(submitted[-1].arguments["name"])
        assert "/" not in shown
        assert "\\" not in shown
    for suffix in (".c/../../x", "./x", ".csv\x00", ".."):
        made = state.workspace.new(suffix)
        assert made.parent == state.workspace.path
        assert made.resolve().parent == state.workspace.path.resolve()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_uploads_and_the_door_are_their_owners_and_go_with_the_page() -> None:
    before = os.umask(0)
    try:
        place = Workspace()
        door = place.door("http://127.0.0.1:1/?token=abc")
    finally:
        os.umask(before)
    assert mode(place.path) == 0o700
    assert mode(door) == 0o600
    place.close()
    assert not place.path.exists()


def test_only_what_a_dead_page_of_ours_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    living = Workspace()
    dead, link, target = (tmp_path / name for name in ("tacit-app-d", "l", "target"))
    for folder in (dead, target):
        folder.mkdir()
        (folder / "lock").touch()
    link = tmp_path / "tacit-app-link"
    link.symlink_to(target)
    owned = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owned + 1)
    private_place.remove_abandoned(tmp_path, PREFIX, NEW)
    assert dead.exists()
    monkeypatch.setattr(os, "getuid", lambda: owned)
    private_place.remove_abandoned(tmp_path, PREFIX, NEW)
    assert not dead.exists()
    assert (target / "lock").exists()
    assert living.path.exists()
    living.close()


def test_a_place_without_its_lock_goes_when_its_maker_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that was killed in its first milliseconds; one that is in them just now stays."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    gone, here = f"tacit-new-{ended.pid}-x", f"tacit-new-{os.getpid()}-x"
    others = [here, "tacit-new-notes", "tacit-new-my-notes", f"tacit-new-{10**30}-x"]
    for name in (gone, *others):
        (tmp_path / name).mkdir()
    private_place.remove_abandoned(tmp_path, PREFIX, NEW)
    assert {path.name for path in tmp_path.iterdir()} == set(others)


def test_whoever_is_killed_while_removing_leaves_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place without a lock would never be removed: somebody else may have made it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    place = Workspace()
    (place.path / "0.csv").write_text("originals")
    (place.path / "inner").mkdir()
    left: list[set[str]] = []

    def last(path: Path, **_: object) -> None:
        left.append({one.name for one in place.path.iterdir()})

    monkeypatch.setattr(private_place.shutil, "rmtree", last)
    place.close()
    assert left[-1] == {"lock", "inner"}
    assert len(left) == 2


@pytest.fixture
def project(state: State, tmp_path: Path) -> Project:
    """A file with a release that has a column which nobody has accepted."""
    masked = tmp_path / "masked.csv"
    masked.write_text("a,note\n1,x\n")
    made = Project("<b>survey</b>.csv", tmp_path / "in.csv", Job("load", {}))
    made.about = {"columns": [], "records": 1}
    leaving = [
        {"column": "note", "why": "free text", "refused": True, "reason": "text"}
    ]
    summary: Any = {"leaving": leaving, "release": "r.csv", "plan": Plan(())}
    attempt = Attempt(1, "one", (), Setup(), summary, {"masked": str(masked)})
    made.add(attempt)
    made.change("choose", release=1)
    state.projects[made.id] = made
    return made


def test_a_release_with_a_column_that_nobody_accepted_stays_here(
    owner: TestClient, project: Project
) -> None:
    address = f"/p/{project.id}/download/masked"
    held = owner.get(address)
    assert held.status_code == 409
    assert "note" in held.text
    # a name that is not among those shown cannot be accepted in advance
    ticked = {"as_is": ["other"]}
    assert owner.post(f"/p/{project.id}/accept", data=ticked).status_code == 303
    assert project.setup.as_is == ()
    assert owner.get(address).status_code == 409
    owner.post(f"/p/{project.id}/accept", data={"as_is": ["note"]})
    handed_out = owner.get(address)
    assert handed_out.status_code == 200
    assert handed_out.headers["content-disposition"].startswith("attachment")


def test_names_are_no_markup(owner: TestClient, project: Project) -> None:
    text = owner.get("/").text
    assert "<b>survey</b>" not in text
    assert "&lt;b&gt;survey" in text


def test_only_a_safe_attempt_is_the_release_by_itself(tmp_path: Path) -> None:
    """What is borderline or was not assessed is chosen by hand, or not at all."""
    made = Project("survey.csv", tmp_path / "in.csv", Job("load", {}))
    for number, state in enumerate(("bad", "warn", "good"), start=1):
        summary: Any = {"verdict": {"state": state}, "leaving": []}
        attempt = Attempt(number, state, (), Setup(), summary)
        assert attempt.safe == (state == "good")
        made.add(attempt)
        made.choose_first(attempt)
    assert made.setup.release == 3
