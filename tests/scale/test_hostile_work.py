"""A folder OUT.work that somebody else made: what it holds is read as data, and never run."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from tacit.base.data_only import to_bytes
from tacit.base.errors import InputError
from tacit.scale.kept_parts import KeptParts
from tacit.scale.kept_pieces import Kept


class Runs:
    """Runs when it is unpickled."""

    def __reduce__(self) -> Any:
        return Path("run").touch, ()


HOSTILE = {
    "pickle": pickle.dumps(Runs()),
    "another kind": to_bytes(["not", "a", "result"]),
    "half": to_bytes(None)[:50],
}


def work(item: object) -> object:
    return item


@pytest.fixture(params=list(HOSTILE))
def kept(
    request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Kept, bytes]:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "out.json.work"
    folder.mkdir(mode=0o700)
    return Kept(folder, {}, goes_on=True), HOSTILE[request.param]


def test_a_part_of_an_assessment_is_never_run(kept: tuple[Kept, bytes]) -> None:
    folder, content = kept
    (folder.folder / "part-attack-nearest.done").write_bytes(content)
    with pytest.raises(InputError, match="remove its folder to start afresh"):
        KeptParts(folder).take("attack-nearest")
    assert not Path("run").exists()


def test_a_piece_of_a_pass_is_never_run(kept: tuple[Kept, bytes]) -> None:
    folder, content = kept
    (folder.folder / "pass-00000-000000.done").write_bytes(content)
    mapped = folder.mapper(lambda work, items: enumerate(map(work, items)))
    with pytest.raises(InputError, match="remove its folder to start afresh"):
        list(mapped(work, [1]))
    assert not Path("run").exists()


def test_what_cannot_be_kept_as_data_is_done_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path, {}, goes_on=True)
    mapped = kept.mapper(lambda work, items: enumerate(map(work, items)))
    assert list(mapped(lambda item: print, [1])) == [(0, print)]
    KeptParts(kept).keep("a", print)
    assert list(tmp_path.glob("*.done")) == []
