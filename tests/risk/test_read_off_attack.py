"""The attack by hand, on what is written: suppressed cells read off relatives and other years.

Nothing of the package but files: whoever has the release and a spreadsheet can do this.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tacit as tc

PANEL = ["sex", "region", "schooling", "age"]
SURVEY = ["region", "urban", "sex", "age", "education"]


def _file(name: str) -> tuple[tc.Microdata, list[str], dict[str, str]]:
    """The file, the columns that a codebook says are the unit's, and the role of the unit."""
    if name == "panel":
        table = tc.datasets.make_panel(200, seed=1).select(["person", "year", *PANEL])
        roles = {"person": "person"}
        keys, shared = PANEL, ["sex", "region", "schooling", "born"]
    else:
        table = tc.datasets.make_households(500, seed=1).select(["household", *SURVEY])
        roles = {"household": "household"}
        keys, shared = SURVEY, ["region", "urban"]
    return tc.Microdata.of(table, quasi=keys, nominal=keys, **roles), shared, roles


def _read_off(
    original: pd.DataFrame, release: pd.DataFrame, unit: str, shared: list[str]
) -> tuple[int, int]:
    """Suppressed cells of the unit's columns, and how many another row of it tells rightly."""
    suppressed = told = 0
    original, release = original.copy(), release.copy()
    for frame in (original, release):
        if "age" in frame and "year" in frame:
            frame["born"] = frame["year"] - frame["age"]
    for name in shared:
        gaps = release[name].isna()
        shown = release.groupby(unit)[name].transform("first")
        suppressed += int(gaps.sum())
        told += int((shown[gaps] == original.loc[gaps, name]).sum())
    return suppressed, told


def _classes(release: pd.DataFrame, keys: list[str], unit: str, k: int) -> int:
    """Complete key classes with fewer than k units, other units with gaps that fit counted in."""
    codes = np.stack([pd.factorize(release[name])[0] for name in keys], axis=1)
    who = release[unit].to_numpy()
    complete = (codes >= 0).all(axis=1)
    few = 0
    for key in np.unique(codes[complete], axis=0):
        fits = ((codes == key) | (codes < 0)).all(axis=1)
        few += len(set(who[fits])) < k
    return few


@pytest.mark.parametrize("name", ["panel", "survey"])
def test_before_most_after_none(name: str, tmp_path: Path) -> None:
    data, shared, roles = _file(name)
    unit = next(iter(roles))
    keys = data.quasi
    blind = data.with_schema(data.schema.set(other=[unit]))
    original = data.table.to_pandas()
    found = {}
    for word, file in (("before", blind), ("after", data)):
        masked = tc.protect.LocalSuppression(k=5, random_state=1).fit_transform(file)
        path = tmp_path / f"{word}.csv"
        tc.write(tc.Microdata.of(masked), path)
        written = pd.read_csv(path)
        assert len(written) == len(original)
        found[word] = _read_off(original, written, unit, shared)
        # gaps fit everything, and relatives are different persons: only the panel has few
        if name == "panel":
            few = _classes(written, keys, unit, 5)
            assert (few > 50) if word == "before" else (few == 0)
    suppressed, told = found["before"]
    assert suppressed > 50
    assert told >= 0.8 * suppressed
    assert found["after"][1] == 0
    assert written[keys].isna().sum().sum() > 50
