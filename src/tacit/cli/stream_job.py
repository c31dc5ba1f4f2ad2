"""What ``tacit stream`` was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tacit.stream.kinds import Plain


@dataclass(frozen=True)
class Job:
    """The options of the command line, by their names there."""

    filter: str
    settings: Plain
    source: Path | None
    target: Path | None
    form: str
    follow: bool
    columns: str | None
    nominal: str | None
    keep: list[str]
    drop: list[str]
    encoding: str | None
    dead: Path | None
    books: bool
    seed: int | None
    test_seed: bool
    state: Path | None
    every: int
    monitor: Path | None
    interval: float
    window: int
    alarm: list[str]
    dashboard: bool
    monitors: bool
    redis: str | None
    from_key: str | None
    to_key: str | None
    group: str
    consumer: str
    at_most_once: bool
    safe_formulas: bool
    force: bool
