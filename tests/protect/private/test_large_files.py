"""Private methods on files of several blocks: the noise that was promised, and none of it twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.base.errors import ColumnError, InputError
from tacit.data.io.on_disk import OnDisk
from tacit.data.out_of_core import pieces
from tacit.protect import by_address
from tacit.protect.private.bounds import Grid
from tacit.protect.private.noisy_runs import NoisyRuns


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 1024)
    monkeypatch.setattr(by_address, "BLOCK", 512)


def on_disk(folder: Path, **columns: Any) -> OnDisk:
    pq.write_table(pa.table(columns), folder / "in.parquet", row_group_size=700)
    names = list(columns)
    return OnDisk.open(folder / "in.parquet", folder, quasi=names)


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("from_disk", [False, True])
def test_noise_on_values_has_the_scale_that_was_promised(
    from_disk: bool, seed: int | None, tmp_path: Path
) -> None:
    n, epsilon = 6000, 0.5
    values = np.full(n, 50.0)
    data: Any = values[:, None]
    name = "x0"
    if from_disk:
        name, data = "x", on_disk(tmp_path, x=values)
    method = tc.protect.Laplace(
        epsilon=epsilon, bounds={name: (0, 100)}, random_state=seed, test_seed=True
    )
    release = method.fit_transform(data)
    got = release.disk.load([name])[name].to_numpy() if from_disk else release[:, 0]
    noise = got - 50.0
    # E|x| = scale = 100 / epsilon, and so is the standard deviation of |x|: five standard errors
    assert abs(np.abs(noise).mean() - 200) < 5 * 200 / np.sqrt(n)
    assert len(np.unique(noise)) > 0.98 * n
    assert method.accountant_.spent == pytest.approx(epsilon)


def test_noise_on_runs_has_the_scale_that_was_promised() -> None:
    n, k = 40_000, 4
    grid = Grid(0.0, 1000.0, 1000)
    for draws in (None, by_address.Draws(1 << 130)):
        runs = NoisyRuns(n, k, grid, 8.0, draws)
        middle = np.full(n, 500)
        along = np.concatenate(
            [
                runs.values(middle[slice(*runs.span(*item))], *item)
                for item in runs.items()
            ]
        )
        noise = (along[::k] - 500) * k
        assert abs(np.abs(noise).mean() - 8.0) < 5 * 8.0 / np.sqrt(n / k)
        assert abs(noise.mean()) < 5 * 8.0 * np.sqrt(2) / np.sqrt(n / k)
        # blocks draw for themselves
        assert not np.array_equal(noise[:128], noise[128:256])
        # the mean of a run stands at all its places
        assert np.array_equal(
            along.reshape(-1, k), np.repeat(along[::k, None], k, axis=1)
        )


def test_the_last_run_takes_the_remainder() -> None:
    grid = Grid(0.0, 100.0, 100)
    runs = NoisyRuns(11, 4, grid, 1e-9, None)
    assert runs.items() == [(0, 2)]
    assert runs.span(0, 2) == (0, 11)
    assert runs.values(np.arange(11), 0, 2).tolist() == [1.5] * 4 + [7.0] * 7


def test_what_is_outside_the_domain_is_named_by_its_row_of_the_file(
    tmp_path: Path,
) -> None:
    words = np.array(["a", "b"] * 1500)
    words[2222] = "c"
    laplace = tc.protect.Laplace(categories={"w": ["a", "b"]})
    with pytest.raises(InputError, match="row 2223: the value 'c'"):
        laplace.fit_transform(on_disk(tmp_path, w=words))
    numbers = np.arange(3000.0)
    numbers[2100] = np.nan
    data = on_disk(tmp_path, x=pa.array(numbers, from_pandas=True))
    for method in (tc.protect.Laplace, tc.protect.DPMicroaggregation):
        with pytest.raises(InputError, match="'x' has missing values"):
            method(bounds={"x": (0, 3000)}).fit_transform(data)
    whole = tc.protect.DPGeneralisation(
        hierarchies={"w": {"groups": [{"g": ["a", "b"]}]}}
    )
    with pytest.raises(ColumnError, match="row 2223"):
        whole.fit_transform(on_disk(tmp_path, w=words))
