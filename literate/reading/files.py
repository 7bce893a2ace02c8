"""Replace files, all of them or none."""

import contextlib
import hashlib
import shutil
import sqlite3
import tempfile
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Drift:
    """Hold one generated file that isn't as the pages give it; None stands for a file that isn't there."""

    path: Path
    found: bytes | None
    wanted: bytes | None


def replace_files(root: Path, contents: Mapping[Path, bytes | None]) -> None:
    """Give files new contents, or remove those whose content is None: all of them, or none.

    Nothing is touched before all new contents, and what they replace, lie on the same disk; then each file is renamed
    into its place, and what is to go goes last. So an interruption leaves every file whole, as it was or as it is to
    be, and none missing; and where one can't be written, those before it become again what they were.

    Raises:
        OSError: if a file can't be written.
    """
    (root / ".cache").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root / ".cache", prefix="literate-") as folder:
        staged: list[tuple[Path, Path, Path]] = []  # what is new, what was there before, and the place of both
        for number, (path, content) in enumerate(contents.items()):
            new, old = Path(folder, f"{number}.new"), Path(folder, f"{number}.old")
            if content is not None:
                new.write_bytes(content)
            if (root / path).is_file():
                shutil.copy2(root / path, old)
                if content is not None:
                    shutil.copymode(old, new)
            staged.append((new, old, root / path))
        done: list[tuple[Path, Path]] = []
        try:
            for new, old, path in sorted(staged, key=lambda one: not one[0].exists()):
                if new.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    new.replace(path)
                else:
                    path.unlink(missing_ok=True)
                done.append((old, path))
        except OSError:
            for old, path in reversed(done):
                if old.exists():
                    old.replace(path)
                else:
                    path.unlink()
            raise
    for path in (root / path for path, content in contents.items() if content is None):
        if path.parent.is_dir() and not any(path.parent.iterdir()):
            path.parent.rmdir()


@contextlib.contextmanager
def locked(root: Path, name: str) -> Iterator[None]:
    """Let one process at a time do what follows; the others wait."""
    (root / ".cache").mkdir(exist_ok=True)
    with contextlib.closing(sqlite3.connect(root / ".cache" / f"{name}.lock", timeout=600)) as lock:
        lock.execute("BEGIN EXCLUSIVE")  # a lock on every system, which ends with its process
        yield


def same_place(path: Path) -> str:
    """Return the same for two paths that are one on a disk where case, or how a letter is composed, does not count."""
    return unicodedata.normalize("NFC", path.as_posix()).casefold()


def digest(data: bytes) -> str:
    """Return the digest of a file, the same for either kind of line end."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()
