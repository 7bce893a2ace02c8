"""Replace files, all of them or none."""

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Drift:
    """Hold one generated file that isn't as the pages give it; None stands for a file that isn't there."""

    path: Path
    found: bytes | None
    wanted: bytes | None


def replace_files(root: Path, contents: Mapping[Path, bytes | None]) -> None:
    """Give files new contents, or remove those whose content is None.

    Nothing is touched before all new contents lie on the same disk; then each file is renamed into its place, and what
    is to go goes last. So an interruption leaves every file whole, as it was or as it is to be, and none missing.
    """
    (root / ".cache").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root / ".cache", prefix="literate-") as folder:
        staged: list[tuple[Path, Path]] = []
        for number, (path, content) in enumerate(contents.items()):
            if content is None:
                continue
            beside = Path(folder, str(number))
            beside.write_bytes(content)
            if (root / path).exists():
                shutil.copymode(root / path, beside)
            staged.append((beside, root / path))
        for beside, path in staged:
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.replace(path)
    for path in (root / path for path, content in contents.items() if content is None):
        path.unlink(missing_ok=True)
        if not any(path.parent.iterdir()):
            path.parent.rmdir()


def digest(data: bytes) -> str:
    """Return the digest of a file, the same for either kind of line end."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()
