"""A consumer of Redis that is killed again and again: every record leaves once."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tacit
from stream.test_ecosystem import put, redis_url
from tacit.stream.sources.redis_server import connect

__all__ = ["redis_url"]

RECORDS = 4000
KILLS = 12


def consumer(url: str, filter: list[str], folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tacit", "stream", "--filter", *filter]
    keys = ["--redis", url, "--from", "in", "--to", filter[0], "--no-monitors"]
    environment = os.environ | {"PYTHONPATH": str(Path(tacit.__file__).parents[1])}
    return subprocess.Popen(
        [*command, *keys, "--group", filter[0]],
        env=environment,
        cwd=folder,
        stderr=subprocess.DEVNULL,
    )


@pytest.mark.slow
@pytest.mark.needs("redis")
@pytest.mark.parametrize(
    "filter",
    [
        ["microaggregation", "--set", "k=3", "--set", "window=50"],
        ["rank_swapping", "--set", "p=10", "--set", "window=50"],
        ["noise", "--set", "percent=20"],
    ],
    ids=lambda filter: filter[0],
)
def test_killed_at_random_moments(
    redis_url: str, tmp_path: Path, filter: list[str]
) -> None:
    draw = random.Random(filter[0])
    client = connect(redis_url)
    if not client.exists("in"):
        rows = [{"a": draw.gauss(0, 1), "b": draw.gauss(5, 2)} for _ in range(RECORDS)]
        put(redis_url, "in", rows)
    for _ in range(KILLS):
        process = consumer(redis_url, filter, tmp_path)
        # between the start of the work and its end, as a look at the output tells
        before = client.xlen(filter[0])
        while process.poll() is None and client.xlen(filter[0]) == before:
            time.sleep(0.001)
        time.sleep(draw.random() * 0.02)
        process.kill()
        process.wait()
    assert consumer(redis_url, filter, tmp_path).wait() == 0
    out = [fields for _, fields in client.xrange(filter[0])]
    assert [int(fields["_index"]) for fields in out] == list(range(RECORDS))
    originals = {fields["a"] for _, fields in client.xrange("in")}
    if filter[0] == "microaggregation":
        values = [json.loads(fields["a"]) for fields in out]
        counts = {value: values.count(value) for value in set(values)}
        assert min(counts.values()) >= 3
        assert not originals & {fields["a"] for fields in out}
