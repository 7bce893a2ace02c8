"""Write the files that the pages give: a program and its output for each snippet, what can be imported of it, the
programs of a page as a notebook, and the Module as of each chapter.
"""

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from literate.course import notebooks
from literate.course.labs import running as labs
from literate.reading.pages import LAST_SECTION, Page, PageError, snippet_folder

PAGES = Path("docs", "en")
MODULE = Path("scratch", "module.py")
RECORD = Path("snippets", "record.json")


@dataclass(frozen=True)
class Drift:
    """Hold one generated file that isn't as the pages give it; None stands for a file that isn't there."""

    path: Path
    found: bytes | None
    wanted: bytes | None


def wanted_files(pages: Iterable[Page], root: Path) -> dict[Path, bytes]:
    """Return what the pages give, by path from the root.

    Raises:
        PageError: if a page offers the Module as of its chapter and scratch/module.py can't be cut there.
    """
    pages = list(pages)
    files: dict[Path, bytes] = notebooks.of_pages(pages, root)
    for page in pages:
        for snippet in page.snippets:
            files[snippet.path()] = snippet.code.encode()
            if snippet.output is not None:
                files[snippet.path().with_suffix(".out")] = snippet.output.encode()
            files |= {path: code.encode() for path, code in snippet.modules().items()}
        if page.so_far_line:
            try:
                text = (root / MODULE).read_text(encoding="utf-8")
                files[download_path(page.path)] = module_so_far(text, LAST_SECTION[page.path.stem]).encode()
            except (OSError, ValueError) as error:
                raise PageError(page.path, page.so_far_line, f"no Module so far: {error}") from error
    return files


def download_path(page: Path) -> Path:
    """Return where the Module as of a page's chapter is offered: in the site of its language."""
    return page.parent / "downloads" / f"module-{page.stem}.py"


def module_so_far(text: str, section: str) -> str:
    """Return module.py up to the end of a section, without the section markers.

    Raises:
        ValueError: if there is no such section.
    """
    end = re.search(rf"^[ \t]*# --8<-- \[end:{re.escape(section)}\]$", text, re.MULTILINE)
    if end is None:
        raise ValueError(f"{MODULE.as_posix()} has no line `# --8<-- [end:{section}]`")
    return re.sub(r"^[ \t]*# --8<-- \[(?:start|end):[\w-]+\]\n", "", text[: end.start()], flags=re.MULTILINE)


def drift(pages: Iterable[Page], root: Path, whole: bool = True) -> list[Drift]:
    """Return every generated file that is missing, different or no longer given.

    Args:
        whole: the pages are all there are, so that a file that none of them gives is one too many.
    """
    pages = list(pages)
    wanted = wanted_files(pages, root)
    there: list[Path] = []
    folders = [root / "snippets"] if whole else [root / snippet_folder(page.path) for page in pages]
    for folder in folders:
        there += (path for path in folder.rglob("*") if path.suffix in (".py", ".out"))
    if whole:
        wanted |= labs.notebooks(root)
        for pattern in ("module-*.py", "*.ipynb"):
            there += (root / "docs").glob(f"*/downloads/{pattern}")
    found = {path.relative_to(root): path.read_bytes() for path in there if path.is_file()}
    found |= {path: (root / path).read_bytes() for path in wanted if (root / path).is_file()}
    paths = sorted(wanted.keys() | found.keys())
    return [Drift(path, found.get(path), wanted.get(path)) for path in paths if found.get(path) != wanted.get(path)]


def extract(pages: Iterable[Page], root: Path, whole: bool = True) -> list[Drift]:
    """Bring the generated files in line with the pages, and return what was changed."""
    changes = drift(pages, root, whole)
    replace_files(root, {change.path: change.wanted for change in changes})
    return changes


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
