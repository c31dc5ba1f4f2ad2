"""Shared fixtures; and how a test says what it needs from outside Python."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from programs import find, offer_java
from tacit.base import seeds
from tacit.scale import memory

if TYPE_CHECKING:
    import pandas as pd

# Progress of what takes more than a second would stand between the lines that tests read.
os.environ.setdefault("TACIT_PROGRESS", "off")


# Chromium in a container: no sandbox or graphics there, and no request of its own to anywhere.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def _have(name: str) -> bool:
    if name == "data":
        return (
            "TACIT_DATA" in os.environ
            and Path(os.environ["TACIT_DATA"], "census.csv").is_file()
        )
    return find(name) is not None


def _need(name: str) -> None:
    """Skip, or fail under TACIT_REQUIRE, if something from outside is not there."""
    if _have(name):
        return
    what = (
        "the directory TACIT_DATA with the reference files"
        if name == "data"
        else f"the program {name}"
    )
    if name in os.environ.get("TACIT_REQUIRE", "").split(","):
        pytest.fail(f"{what} is required here (TACIT_REQUIRE) and is not there")
    pytest.skip(f"needs {what}")


class KeysOfTheTest:
    """Keys that look drawn and depend on the test alone, so that a run can be repeated.

    A release without a seed is drawn from the system, and a bound on its risk then holds with
    some probability only: one such test in three thousand failed the whole run of version 0.2.
    `TACIT_FRESH_SEEDS=1` gives the system's keys back, and so does the mark `system_keys`.
    """

    def __init__(self) -> None:
        self.test = ""
        self.drawn = 0

    def __call__(self) -> int:
        self.drawn += 1
        key = hashlib.sha256(f"{self.test}#{self.drawn}".encode()).digest()
        return seeds.DRAWN | int.from_bytes(key[: seeds.BITS // 8], "little")


# Examples of laws depend on the test alone, too; TACIT_FRESH_SEEDS=1 looks for new ones.
# no deadline: a busy machine is no defect
FIXED = not os.environ.get("TACIT_FRESH_SEEDS")
settings.register_profile("every", derandomize=FIXED, deadline=None)
settings.register_profile(
    "few", derandomize=FIXED, deadline=None, max_examples=12, database=None
)
KEYS = KeysOfTheTest()
FROM_SYSTEM = seeds.draw


def pytest_configure(config: pytest.Config) -> None:
    offer_java()
    # what `make test` leaves to `make test-all`, it leaves of the examples of a law, too
    settings.load_profile("few" if config.option.markexpr == "not slow" else "every")
    # A memory limit counts what the process holds already, and one that has run two thousand
    # tests holds more than any user's: 1 GB was refused there, in some orders of the tests.
    memory.resident = lambda: memory.PROGRAM


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs reference files is slow; and of the cases of few(n) all but n, spread evenly."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        # a stranger has no reference files, and `make test` is theirs
        if "reference_data" in getattr(item, "fixturenames", ()) or any(
            "data" in mark.args for mark in item.iter_markers("needs")
        ):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("few") and not item.get_closest_marker("slow"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for same in cases.values():
        mark = same[0].get_closest_marker("few")
        assert mark is not None
        kept = {i * len(same) // mark.args[0] for i in range(mark.args[0])}
        for place, item in enumerate(same):
            if place not in kept:
                item.add_marker(pytest.mark.slow)


def pytest_runtest_setup(item: pytest.Item) -> None:
    KEYS.test, KEYS.drawn = item.nodeid, 0
    marked = item.get_closest_marker("system_keys")
    fresh = marked or os.environ.get("TACIT_FRESH_SEEDS")
    seeds.draw = FROM_SYSTEM if fresh else KEYS
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            _need(name)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Under TACIT_MOST_SKIPS (set by .ci/run) more skips than that fail the run."""
    most = os.environ.get("TACIT_MOST_SKIPS")
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if most and reporter and len(reporter.stats.get("skipped", [])) > int(most):
        reporter.write_line(
            f"more than {most} tests were skipped (TACIT_MOST_SKIPS)", red=True
        )
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """The directory of reference files; a test that asks for it needs it."""
    _need("data")
    return Path(os.environ["TACIT_DATA"])


@pytest.fixture(scope="session")
def census_like() -> pd.DataFrame:
    """Census where it is, else its generated stand-in: 1,080 records, 13 columns of rank 12. For
    properties.
    """
    from tacit.data.datasets import load

    return load("census")[0].to_pandas()


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """One browser for all tests, since a process can have one only; each has its own profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=find("chromium"), args=FLAGS)
        yield made
        made.close()
