"""A release and its manifest: on the disk before either has its name, and both are new or old.

Every call that brings a file to the disk or gives it its name fails once, and at each of them the
process might die. ``python -m tools.kills faults`` does the same with the system's own calls.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tacit as tc
from tacit.data.io import final_names
from tacit.protect import Rounding

CALLS = ("replace", "link", "fsync", "chmod")
DATA = {"debt": [3.5 * i for i in range(40)], "income": [100.25 + i for i in range(40)]}


def release(out: Path, base: int, *, force: bool = True) -> None:
    plan = Rounding(base=base, random_state=1)
    tc.release(plan, pa.table(DATA), out, quasi=["debt", "income"], force=force)


def pair(out: Path) -> tuple[bytes | None, bytes | None]:
    both = (out, Path(f"{out}.manifest.json"))
    return tuple(one.read_bytes() if one.exists() else None for one in both)  # type: ignore[return-value]


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls of ``CALLS``, in order; the one with the number ``fails`` does."""

    class Watch:
        seen: list[tuple[str, str]] = []
        fails = -1
        look: Callable[[], None] = staticmethod(lambda: None)

    watch = Watch()

    def wrap(name: str, usual: Callable[..., Any]) -> Callable[..., Any]:
        def call(what: Any, *more: Any, **how: Any) -> Any:
            path = f"/proc/self/fd/{what}" if isinstance(what, int) else what
            path = os.path.realpath(path)
            watch.seen.append((name, path))
            watch.look()
            if len(watch.seen) - 1 == watch.fails:
                raise OSError(errno.EIO, "Input/output error")
            result = usual(what, *more, **how)
            watch.look()
            return result

        return call

    for name in CALLS:
        monkeypatch.setattr(os, name, wrap(name, getattr(os, name)))
    return watch


@pytest.mark.parametrize("has_old", [True, False])
@pytest.mark.parametrize("links", [True, False])
def test_whatever_fails_both_are_old_or_both_are_new(
    tmp_path: Path,
    watched: Any,
    has_old: bool,
    links: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "out.csv"
    if not links:

        def refused(*_: object, **__: object) -> None:
            raise PermissionError(errno.EPERM, "not here")

        monkeypatch.setattr(os, "link", refused)
    failed = 0
    while True:
        for file in tmp_path.iterdir():
            file.unlink()
        watched.fails, watched.look = -1, lambda: None
        if has_old:
            release(out, 5)
        old = pair(out)
        watched.seen.clear()
        watched.fails = failed
        moments: list[tuple[bytes | None, bytes | None]] = []
        watched.look = lambda seen=moments: seen.append(pair(out))
        with contextlib.suppress(OSError):
            release(out, 10, force=has_old)
        if len(watched.seen) <= failed:
            break
        now = pair(out)
        is_new = None not in now and now[0] != old[0] and now[1] != old[1]
        assert now == old or is_new
        # whoever is killed leaves no new release without its manifest or beside the old one
        for data, manifest in moments:
            assert data == old[0] or manifest not in (None, old[1])
        assert sorted(tmp_path.iterdir()) == sorted(
            path for path in (out, Path(f"{out}.manifest.json")) if path.exists()
        )
        failed += 1
    assert failed >= 5


def test_both_are_on_the_disk_before_either_has_its_name(
    tmp_path: Path, watched: Any
) -> None:
    out = tmp_path / "out.csv"
    release(out, 5)
    watched.seen.clear()
    release(out, 10)
    names = [name for name, _ in watched.seen]
    first = names.index("replace")
    brought = [path for name, path in watched.seen[:first] if name == "fsync"]
    renamed = [path for name, path in watched.seen if name == "replace"]
    assert set(renamed) <= set(brought)
    assert renamed[0].endswith(".json")
    assert renamed[1].endswith(".csv")
    # the folder, which holds the names, after each of them
    assert watched.seen[names.index("replace") + 1] == ("fsync", str(tmp_path))
    assert watched.seen[-1] == ("fsync", str(tmp_path))


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o027])
def test_nobody_else_can_write_a_release_or_read_its_manifest(
    tmp_path: Path, mask: int
) -> None:
    out = tmp_path / "out.csv"
    before = os.umask(mask)
    try:
        release(out, 5)
    finally:
        os.umask(before)
    modes = [
        stat.S_IMODE(os.stat(path).st_mode) for path in (out, f"{out}.manifest.json")
    ]
    assert modes == [0o666 & ~mask, 0o600]


def test_a_file_that_cannot_be_closed_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems say only at the end that there is no room."""
    closed = os.close

    def full(handle: int) -> None:
        closed(handle)
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(final_names.os, "close", full)
    with pytest.raises(OSError, match="input/output"), final_names.together() as files:
        files.add(tmp_path / "out.csv")
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []
