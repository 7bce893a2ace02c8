"""Write what the pages give: the programs, their outputs, and what else is made of the pages."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from literate.reading.files import Drift, replace_files
from literate.reading.pages import Page
from literate.reading.repository import snippet_folder


@dataclass(frozen=True)
class Others:
    """Hold what is made of the pages besides programs: what is wanted, and what of the kind lies there now."""

    wanted: Mapping[Path, bytes] = field(default_factory=dict)
    there: Iterable[Path] = ()


def wanted_files(pages: Iterable[Page]) -> dict[Path, bytes]:
    """Return the programs of the pages and their outputs, by path from the root."""
    files: dict[Path, bytes] = {}
    for page in pages:
        for snippet in page.snippets:
            files[snippet.path()] = snippet.code.encode()
            if snippet.output is not None:
                files[snippet.path().with_suffix(".out")] = snippet.output.encode()
            files |= {path: code.encode() for path, code in snippet.modules().items()}
    return files


def drift(pages: Iterable[Page], root: Path, others: Others, whole: bool = True) -> list[Drift]:
    """Return every generated file that is missing, different or no longer given.

    Args:
        others: what else is made of the pages.
        whole: the pages are all there are, so that a file that none of them gives is one too many.
    """
    pages = list(pages)
    wanted = {**wanted_files(pages), **others.wanted}
    there = [root / path for path in others.there]
    for folder in [root / "snippets"] if whole else [root / snippet_folder(page.path) for page in pages]:
        there += (path for path in folder.rglob("*") if path.suffix in (".py", ".out"))
    found = {path.relative_to(root): path.read_bytes() for path in there if path.is_file()}
    found |= {path: (root / path).read_bytes() for path in wanted if (root / path).is_file()}
    paths = sorted(wanted.keys() | found.keys())
    return [Drift(path, found.get(path), wanted.get(path)) for path in paths if found.get(path) != wanted.get(path)]


def extract(pages: Iterable[Page], root: Path, others: Others, whole: bool = True) -> list[Drift]:
    """Bring the generated files in line with the pages, and return what was changed."""
    changes = drift(pages, root, others, whole)
    replace_files(root, {change.path: change.wanted for change in changes})
    return changes
