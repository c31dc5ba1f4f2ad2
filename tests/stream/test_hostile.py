"""Generated hostile streams: nothing raw leaves, nothing is lost, nothing comes twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stream.hostile import KINDS, Case, attempt, make, show, table


@pytest.mark.few(4)
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_streams(kind: str, tmp_path: Path) -> None:
    read = withheld = 0
    for i in range(25):
        rng = np.random.default_rng([7, list(KINDS).index(kind), i])
        case, (build, keep) = KINDS[kind](rng), make(rng)
        stop_at = int(rng.integers(1, 40)) if i % 10 == 0 else None
        found = attempt(case, build, keep, tmp_path, stop_at)
        assert (found.raw, found.lost, found.twice) == (0, 0, 0), (i, found)
        read, withheld = read + found.read, withheld + found.withheld
    assert read > 0 or kind == "random bytes"


def test_the_harness_sees_what_is_raw() -> None:
    """A stream whose secret column is kept by name must be counted: the harness works."""
    import tempfile

    import tacit as tc

    lines = ["salary,town,ssn", *(f"{i}.125,Oslo,SECRET-{i}" for i in range(30))]
    with tempfile.TemporaryDirectory() as name:
        case = Case(lines, secrets={f"{i}.125" for i in range(30)})
        found = attempt(
            case, lambda: tc.stream.Noise(random_state=1), ["ssn"], Path(name)
        )
        assert found.raw == 30
        found = attempt(case, lambda: tc.stream.Rounding(base=0.125), [], Path(name))
        assert found.raw == 30


@pytest.mark.slow
def test_five_thousand_hostile_streams(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table(5200)
    with capsys.disabled():
        show(rows)
    assert sum(r[1] for r in rows) >= 5000
    assert [sum(r[j] for r in rows) for j in (5, 6, 7)] == [0, 0, 0]
