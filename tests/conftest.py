"""Shared fixtures; and how a test says what it needs from outside Python."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest


def _have(name: str) -> bool:
    if name == "data":
        return "TACIT_DATA" in os.environ and Path(os.environ["TACIT_DATA"], "census.csv").is_file()
    program = {"redis": "redis-server", "chromium": "chromium", "java": "java"}[name]
    return shutil.which(program) is not None


def pytest_runtest_setup(item: pytest.Item) -> None:
    required = os.environ.get("TACIT_REQUIRE", "").split(",")
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            if not _have(name):
                what = "the directory TACIT_DATA with the reference files" if name == "data" else f"the program {name}"
                if name in required:
                    pytest.fail(f"{what} is required here (TACIT_REQUIRE) and is not there")
                pytest.skip(f"needs {what}")


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The directory of reference files; use with ``@pytest.mark.needs("data")``."""
    return Path(os.environ["TACIT_DATA"])
