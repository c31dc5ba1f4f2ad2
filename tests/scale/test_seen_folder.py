"""A worker of a cluster that does not see the folder says so; an address keeps its slashes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.test_bad_input import run
from tacit.base.errors import InputError
from tacit.data.out_of_core.pieces import Work, mapped, one_by_one
from tacit.scale import any_size
from tacit.scale.engine.local import Threads


class FarAway:
    """A cluster of which the second worker has another disk."""

    name, reach, number = "far", "cluster", 1

    def map(
        self, work: Work, items: Sequence[Any], **_: Any
    ) -> Iterator[tuple[int, Any]]:
        for place, item in enumerate(items):
            hidden = item.with_name("hidden")
            if place == 1:
                item.rename(hidden)
            result = work(item)
            if place == 1:
                hidden.rename(item)
            yield place, result


def test_a_worker_that_does_not_see_the_folder_is_told(tmp_path: Path) -> None:
    """Spark runs its task again elsewhere, and nobody learns why it takes so long."""
    with (
        pytest.raises(
            InputError, match=r"the worker on .* does not see .*every worker must"
        ),
        any_size._spilling(tmp_path / "out", FarAway(), None, None, None) as (
            _,
            folder,
        ),  # type: ignore[arg-type]
    ):
        mapped(str, [folder, folder, folder])


def test_where_all_see_it_nothing_is_asked(tmp_path: Path) -> None:
    with any_size._spilling(tmp_path / "out", Threads(2), None, None, None):
        assert mapped(str, [1, 2, 3]) == ["1", "2", "3"]
    looking = any_size.looked_for(tmp_path, one_by_one)
    assert list(looking(str, [1, 2])) == [(0, "1"), (1, "2")]


@pytest.mark.parametrize("more", [[], ["--engine", "local[1]"]])
def test_an_address_keeps_both_of_its_slashes(tmp_path: Path, more: list[str]) -> None:
    out = tmp_path / "out.parquet"
    done = run("protect", "s3a://survey/people", out, "--method", "noise", *more)
    assert done.returncode == 2
    assert "s3a://survey/people: is an address and no file" in done.stderr
