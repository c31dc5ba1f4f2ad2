"""A folder that a cluster writes: it appears whole, and nobody else's folder is replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.base.errors import InputError
from tacit.scale.parquet_folder import put_in_place, refuse_folder


def written(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).write_text(name)
    return folder


def test_a_release_replaces_only_a_release(tmp_path: Path) -> None:
    ours = written(tmp_path / "ours", "part-0.parquet", "_SUCCESS", "._SUCCESS.crc")
    with pytest.raises(InputError, match="exists already"):
        refuse_folder(ours, force=False)
    refuse_folder(ours, force=True)
    refuse_folder(written(tmp_path / "empty"), force=False)
    refuse_folder(tmp_path / "new", force=False)
    letters = written(tmp_path / "letters", "part-0.parquet", "to-my-aunt.txt")
    for force in (False, True):
        with pytest.raises(InputError, match=r"to-my-aunt\.txt"):
            refuse_folder(letters, force=force)


def test_half_a_release_of_a_killed_driver_may_be_replaced(tmp_path: Path) -> None:
    half = written(tmp_path / "half", "part-0.parquet")
    (half / "_temporary").mkdir()
    refuse_folder(half, force=True)


def test_the_new_folder_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    out = written(tmp_path / "out", "part-old.parquet")
    new = written(tmp_path / "new", "part-new.parquet", "_SUCCESS")
    put_in_place(new, out, tmp_path / "old")
    assert sorted(file.name for file in out.iterdir()) == [
        "_SUCCESS",
        "part-new.parquet",
    ]
    assert [file.name for file in (tmp_path / "old").iterdir()] == ["part-old.parquet"]
    assert not new.exists()


def test_somebody_elses_folder_is_not_moved_away_at_the_end(tmp_path: Path) -> None:
    out = written(tmp_path / "out", "thesis.tex")
    new = written(tmp_path / "new", "part-new.parquet")
    with pytest.raises(InputError, match="no release"):
        put_in_place(new, out, tmp_path / "old")
    assert (out / "thesis.tex").read_text() == "thesis.tex"
