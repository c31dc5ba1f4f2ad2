"""The scripted attack on the live page (`tools.page_attack`): its part that runs no plan."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.page_attack import LIMIT_MB, run, table, target_of

from app.conftest import start, stop, wait_until_up


@pytest.mark.slow
@pytest.mark.parametrize(
    "fast", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["fast", "whole"]
)
def test_every_attempt_gets_what_it_should(tmp_path: Path, fast: bool) -> None:
    """Some two hundred requests over plain sockets; the table says which was let through."""
    server = start(tmp_path, "--limit", str(LIMIT_MB))
    try:
        wait_until_up(server)
        attempts = run(target_of(server.address), tmp_path, fast=fast)
    finally:
        stop(server)
    broken = [one for one in attempts if not one.held]
    assert not broken, "\n" + table(broken)
    groups = {one.group for one in attempts}
    assert len(attempts) > 200
    assert {
        "token",
        "host",
        "origin",
        "path",
        "size",
        "name",
        "bomb",
        "files",
    } <= groups
