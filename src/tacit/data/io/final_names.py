"""Files that get their names together, when all of them are on the disk: the new ones, or the old.

Each is written beside its target under a name of its own, and brought to the disk. Then they take
their names in the order in which they were added, so that the last one, the release, never stands
without what belongs to it. If one cannot, those before it are given back what they had. Two
processes of tacit do not do so at the same time in one folder.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tacit.base.errors import InputError

try:
    import fcntl
except ImportError:  # Windows has none; there the last of two at once wins
    fcntl = None  # type: ignore[assignment]

# what a folder answers that cannot be brought to the disk, or locked, on its own
_NOT_HERE = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.ENOLCK}


@dataclass
class Together:
    """The files of one result; ``together`` makes and ends it."""

    force: bool
    _files: list[tuple[Path, Path, bool]] = field(default_factory=list)
    """(written here, to be named so, for its owner alone)"""

    def add(self, path: str | Path, *, private: bool = False) -> Path:
        """A file to be written, which will be named ``path``.

        ``private``: mode 0600.
        """
        path = Path(path)
        refuse_overwrite(path, force=self.force)
        temporary = _beside(path)
        self._files.append((temporary, path, private))
        return temporary

    def name(self) -> None:
        """Everything is written: all get their names, or none does."""
        for temporary, _, private in self._files:
            if not private:
                _as_usual(temporary)
            _to_disk(temporary)
        with contextlib.ExitStack() as folders:
            # in one order, so that no two processes wait for each other
            for folder in sorted({path.parent for _, path, _ in self._files}):
                folders.enter_context(_alone(folder))
            self._take_names()

    def _take_names(self) -> None:
        # what each name stood for; the last one has none after it that could fail
        before: list[tuple[Path, Path | None]] = []
        named = 0
        try:
            for temporary, path, _ in self._files:
                is_last = path == self._files[-1][1]
                kept = None if is_last or not path.exists() else _kept(path)
                before.append((path, kept))
                self._take(temporary, path)
                named += 1
                # before the next: a power cut must not keep the later name alone
                _to_disk(path.parent)
        except BaseException:
            if named < len(self._files):
                for path, kept in reversed(before[:named]):
                    _give_back(path, kept)
                before = before[named:]
            raise
        finally:
            for _, kept in before:
                _remove(kept)

    def _take(self, temporary: Path, path: Path) -> None:
        if self.force:
            os.replace(temporary, path)
            return
        try:
            # a second name is only given where there is none; the first one is removed later
            os.link(temporary, path)
        except FileExistsError:
            refuse_overwrite(path)
        except OSError:
            # a file system that knows no second names: as before, the last one wins
            os.replace(temporary, path)

    def remove(self) -> None:
        """What has no name is of no use."""
        for temporary, _, _ in self._files:
            _remove(temporary)


@contextlib.contextmanager
def together(*, force: bool = False) -> Iterator[Together]:
    """Files that get their names together when the block ends well.

    Parameters
    ----------
    force : bool
        Replace files that exist already.
    """
    files = Together(force)
    try:
        yield files
        files.name()
    finally:
        files.remove()


@contextlib.contextmanager
def replacing(
    path: str | Path,
    *,
    force: bool = False,
    private: bool = False,
) -> Iterator[Path]:
    """A temporary file beside ``path`` that takes its name when the block ends well.

    ``private``: mode 0600.
    """
    with together(force=force) as files:
        yield files.add(path, private=private)


def refuse_overwrite(
    path: str | Path,
    *,
    force: bool = False,
) -> None:
    """Say now, before any work, that an output cannot be written."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no directory {path.parent}")
    if path.is_dir():
        raise InputError(f"{path}: is a directory; name a file")
    if path.exists() and not force:
        raise InputError(
            f"{path}: exists already; choose another name, or overwrite it with --force"
        )


def _beside(path: Path) -> Path:
    """A new file in the same folder: a name can only be taken over within one file system."""
    handle, name = tempfile.mkstemp(
        prefix=".tacit-", suffix=path.suffix, dir=path.parent
    )
    try:
        os.close(handle)
    except OSError:
        # nobody else knows this name yet
        os.unlink(name)
        raise
    return Path(name)


def _as_usual(file: Path) -> None:
    """The mode of any new file of this user; mkstemp makes files that only their owner can read."""
    # the mask can only be read by setting it
    umask = os.umask(0)
    os.umask(umask)
    file.chmod(0o666 & ~umask)


def _to_disk(path: Path) -> None:
    """What was written into a file, or the names in a folder, is on the disk."""
    is_folder = path.is_dir()
    if is_folder and os.name == "nt":
        return  # Windows opens no folders
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if not is_folder or error.errno not in _NOT_HERE:
            raise
    finally:
        os.close(handle)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other process of tacit gives names in this folder meanwhile."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        # a file system without locks is as before
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _kept(path: Path) -> Path:
    """The file under another name, too."""
    other = _beside(path)
    other.unlink()
    try:
        os.link(path, other, follow_symlinks=False)
    except OSError:
        try:
            shutil.copy2(path, other, follow_symlinks=False)
        except BaseException:
            _remove(other)
            raise
    return other


def _give_back(path: Path, old: Path | None) -> None:
    """What the name stood for before; if even that fails, it stays beside it."""
    with contextlib.suppress(OSError):
        if old is None:
            path.unlink()
        else:
            os.replace(old, path)


def _remove(file: Path | None) -> None:
    if file is not None:
        file.unlink(missing_ok=True)
