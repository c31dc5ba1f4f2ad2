"""The state of a stream as a file: whole, on the disk, its owner's, and nobody else's idea."""

from __future__ import annotations

import io
import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as tc
from stream.test_command import mistake, table
from tacit.base.errors import InputError
from tacit.stream import private_file, state
from tacit.stream.pipeline import Pipeline

S = tc.stream


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What is asked of the system, in order: what is synced, what gets its name."""
    seen: list[tuple[str, str]] = []
    sync, replace = os.fsync, os.replace

    def fsync(number: int) -> None:
        there = os.fstat(number)
        # with everything in it that was written
        what = "folder" if stat.S_ISDIR(there.st_mode) else f"{there.st_size} bytes"
        seen.append(("sync", what))
        sync(number)

    def renamed(old: Path, new: Path) -> None:
        seen.append(("name", Path(new).name))
        replace(old, new)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", renamed)
    return seen


def test_a_state_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, calls: list[tuple[str, str]]
) -> None:
    path = tmp_path / "s"
    state.save(S.Noise(), path)
    size = path.stat().st_size
    wanted = [("sync", f"{size} bytes"), ("name", "s"), ("sync", "folder")]
    assert calls == wanted


def test_a_state_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is never written in place: a disk that is full takes nothing away."""
    state.save(S.Noise(), tmp_path / "s")
    old = (tmp_path / "s").read_bytes()

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left"):
        state.save(S.Noise(), tmp_path / "s")
    assert (tmp_path / "s").read_bytes() == old
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_no_link_is_followed_and_no_name_is_known_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who may write to the folder puts links where the state could be written."""
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (tmp_path / "s.new").symlink_to(mine)
    (tmp_path / "s").symlink_to(mine)
    state.save(S.Noise(), tmp_path / "s")
    assert mine.read_text() == "mine"
    assert not (tmp_path / "s").is_symlink()
    # even one who guesses the name
    monkeypatch.setattr(private_file.secrets, "token_hex", lambda size: "guessed")
    (tmp_path / ".s.guessed.new").symlink_to(mine)
    with pytest.raises(InputError, match="cannot be written"):
        state.save(S.Noise(), tmp_path / "s")
    assert mine.read_text() == "mine"


def test_what_a_killed_process_left_beside_a_state_is_removed(tmp_path: Path) -> None:
    state.save(S.Noise(percent=10), tmp_path / "s", consumed=0)
    left = tmp_path / ".s.0123456789abcdef.new"
    left.write_bytes(b"originals and a key")
    other = tmp_path / ".other.0123456789abcdef.new"
    other.touch()
    Pipeline(S.Noise(percent=10), None, state=tmp_path / "s").resume()
    assert not left.exists()
    assert other.exists()


def test_the_last_state_is_that_of_the_end(tmp_path: Path) -> None:
    """Saved after the last releases: nothing is inside, and the output is as long as it says."""
    text, _ = table(30)
    source, out, saved = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "s"
    source.write_text(text)
    command("--in", source, "--out", out, "--state", saved)
    kept, also = state.read(saved)
    assert kept["arrived"] == kept["left"] == 30
    assert also["bytes"] == out.stat().st_size


# -- states that were changed ----------------------------------------------------------


def changed(content: bytes, how: int) -> bytes:
    """A state with one odd thing in it, half of them with a seal that fits."""
    known, also = state.unpacked(content, "s")
    odd: list[Any] = [None, "x", -1, 10**30, [], {}, 1e300]
    draw = np.random.default_rng(how)
    arrays = {k: v for k, v in known.items() if isinstance(v, np.ndarray)}
    rest = {k: v for k, v in known.items() if k not in arrays}
    value = odd[draw.integers(len(odd))]
    places: list[tuple[dict[str, Any], str]] = [
        (holder, name)
        for holder in (rest, also, rest["records"], also["gate"], also["intake"])
        for name in holder
    ]
    if how % 4 == 0:
        name = list(arrays)[draw.integers(len(arrays))]
        arrays[name] = arrays[name][:-1]
    else:
        holder, name = places[draw.integers(len(places))]
        holder[name] = value
    text = json.dumps({"state": rest, "also": also})
    arrays["text"] = np.frombuffer(text.encode(), dtype=np.uint8)
    seal = np.zeros(32, dtype=np.uint8) if how % 2 else state._seal(arrays)
    room = io.BytesIO()
    np.savez(room, **arrays, seal=seal)
    return room.getvalue()


def command(
    *options: object, filter: str = "microaggregation", **settings: Any
) -> None:
    from tacit.cli.stream_command import run
    from tacit.cli.stream_job import Job

    given = {str(options[i]): options[i + 1] for i in range(0, len(options), 2)}
    blank = dict.fromkeys(Job.__dataclass_fields__)
    usual = {
        "filter": filter,
        "settings": settings or {"k": 3, "window": 8},
        "form": "csv",
        "columns": None if settings else "a,b",
        "keep": [],
        "drop": ["note"],
        "every": 10,
        "interval": 1.0,
        "window": 100,
        "alarm": [],
        "safe_formulas": True,
        "source": given.get("--in"),
        "target": given.get("--out"),
        "state": given.get("--state"),
        "force": False,
    }
    run(Job(**(blank | usual)))


@pytest.fixture
def signals():
    import signal

    names = (signal.SIGTERM, signal.SIGINT)
    before = {name: signal.getsignal(name) for name in names}
    yield
    for name, handler in before.items():
        signal.signal(name, handler)


pytestmark = pytest.mark.usefixtures("signals")


def test_a_changed_state_is_one_sentence(tmp_path: Path) -> None:
    """No traceback, no defect of ours: 60 states with an odd value, in every part of them."""
    text, _ = table(30)
    source, out, saved = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "s"
    source.write_text(text)
    command("--in", source, "--out", out, "--state", saved)
    content, written = saved.read_bytes(), out.read_bytes()
    refused = 0
    for how in range(60):
        saved.write_bytes(changed(content, how))
        try:
            command("--in", source, "--out", out, "--state", saved)
        except tc.base.errors.TacitError as error:
            assert "\n" not in str(error)
            refused += 1
        out.write_bytes(written)
    # a number of records more or less is a state like any other
    assert refused >= 45


@pytest.mark.parametrize("cut", [0, 1, 100, -1])
def test_a_damaged_state_is_one_sentence(tmp_path: Path, cut: int) -> None:
    state.save(S.Noise(), tmp_path / "s")
    content = (tmp_path / "s").read_bytes()
    (tmp_path / "s").write_bytes(content[:cut])
    with pytest.raises(InputError, match="is not a saved state"):
        state.read(tmp_path / "s")
    middle = len(content) // 2
    flipped = bytes([content[middle] ^ 1])
    (tmp_path / "s").write_bytes(content[:middle] + flipped + content[middle + 1 :])
    with pytest.raises(InputError, match="saved"):
        state.read(tmp_path / "s")


def test_a_packed_state_is_refused_before_it_is_unpacked() -> None:
    room = io.BytesIO()
    np.savez_compressed(room, text=np.zeros(10_000_000, dtype=np.uint8))
    with pytest.raises(InputError, match="it is packed"):
        state.unpacked(room.getvalue(), "s")


# -- outputs and pipes -----------------------------------------------------------------


@pytest.mark.parametrize("left", [50, 0, None])
def test_an_output_that_became_shorter_is_refused(
    tmp_path: Path, left: int | None
) -> None:
    """What is missing cannot be made again, and is not filled with zeros."""
    text, _ = table(60)
    source, out, saved = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "s"
    source.write_text(text)
    command("--in", source, "--out", out, "--state", saved)
    if left is None:
        out.unlink()
    else:
        os.truncate(out, left)
    with pytest.raises(InputError, match="what is missing cannot be made again"):
        command("--in", source, "--out", out, "--state", saved)
    assert (out.stat().st_size if out.exists() else None) == left


@pytest.mark.parametrize("option", ["--out", "--state", "--dead-letter", "--monitor"])
def test_a_named_pipe_is_no_place_for_a_file(
    tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "p")
    (tmp_path / "in.csv").write_text(table(5)[0])
    words = ["--filter", "noise", "--in", str(tmp_path / "in.csv"), "--force"]
    assert "named pipe" in mistake([*words, option, str(tmp_path / "p")], capsys)


def test_a_named_pipe_is_read_as_a_pipe_and_does_not_hold_a_signal_up(
    tmp_path: Path,
) -> None:
    """Without a writer nothing comes, and whoever asks to stop is heard."""
    from tacit.stream.text_lines import Lines, open_source

    os.mkfifo(tmp_path / "p")
    asked = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > 3

    with open_source(tmp_path / "p") as source:
        assert list(Lines(source, stop=stop, wait=0.01)) == []
    with open_source(tmp_path / "p") as source:
        with (tmp_path / "p").open("w") as writer:
            writer.write("a\n1\n")
        assert list(Lines(source, wait=0.01)) == ["a", "1"]


# -- private streams -------------------------------------------------------------------

PRIVATE = {"filter": "dp_microaggregation", "window": 8, "bounds": {"a": (-3, 3)}}


def test_a_private_state_that_was_put_back_is_refused(tmp_path: Path) -> None:
    """What left is written down beside the output, which lies elsewhere than the state."""
    text, _ = table(60)
    lines = text.splitlines(keepends=True)
    source, out, saved = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "s"
    older = []
    for rows in (31, 61):
        source.write_text("".join(lines[:rows]))
        command("--in", source, "--out", out, "--state", saved, **PRIVATE)
        older.append(saved.read_bytes())
    before = out.read_bytes()
    assert stat.S_IMODE((tmp_path / "out.csv.spent").stat().st_mode) == 0o600
    saved.write_bytes(older[0])
    with pytest.raises(InputError, match="the state was put back"):
        command("--in", source, "--out", out, "--state", saved, **PRIVATE)
    assert out.read_bytes() == before


def test_what_left_a_private_pipe_stays_in_the_file(tmp_path: Path) -> None:
    """Its records do not come again: the file is cut back to its last whole line."""
    from tacit.cli.stream_files import _cut_back

    out = tmp_path / "out.csv"
    out.write_bytes(b"a\n1.0\n2.0\n3.0\n4.")
    _cut_back(out, 6, keep=True)
    assert out.read_bytes() == b"a\n1.0\n2.0\n3.0\n"
    _cut_back(out, 6, keep=False)
    assert out.read_bytes() == b"a\n1.0\n"


def test_a_private_stream_that_failed_at_once_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("b\n1\n")
    files = (
        "--in",
        tmp_path / "in.csv",
        "--out",
        tmp_path / "o",
        "--state",
        tmp_path / "s",
    )
    with pytest.raises(tc.base.errors.TacitError):
        command(*files, **PRIVATE)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]
