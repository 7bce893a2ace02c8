"""Pair each page and lab with its translations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from literate.reading.repository import ENGLISH, OTHERS, UsageError

COMMAND = "python -m literate translations"
STAMP = re.compile(r"^translation_of: *(?P<hash>[0-9a-f]{40})$", re.MULTILINE)
LAB_STAMP = re.compile(r"^# <!-- translation_of: (?P<hash>[0-9a-f]{40}) -->$", re.MULTILINE)


@dataclass(frozen=True)
class Pair:
    """Hold a page and its translation, by their paths from the root."""

    root: Path
    source: Path
    target: Path

    @property
    def is_lab(self) -> bool:
        return self.target.suffix == ".py"

    @cached_property
    def texts(self) -> tuple[str, str]:
        """Return the English and the translated text."""
        return read(self.root / self.source), read(self.root / self.target)

    @cached_property
    def stamp(self) -> str | None:
        """Return the hash of the English text that was translated."""
        found = (LAB_STAMP if self.is_lab else STAMP).search(self.texts[1])
        return found["hash"] if found else None


def pairs(root: Path, languages: Sequence[str] | None = None) -> list[Pair]:
    """Return each page and lab with its place in each other language that the site has, whether it is there or not."""
    if languages is None:
        languages = [language for language in OTHERS if (root / "docs" / language).is_dir()]
    found = set()
    for language in (ENGLISH, *languages):
        folder = root / "docs" / language
        for path in (*folder.rglob("*.md"), *folder.glob("labs/*.py")):
            for other in languages if language == ENGLISH else [language]:
                relative = path.relative_to(folder)
                found.add((Path("docs", ENGLISH) / relative, Path("docs", other) / relative))
    return [Pair(root, *paths) for paths in sorted(found)]


def read(path: Path) -> str:
    """Return a file's text as git stores it."""
    return path.read_bytes().decode(errors="replace").replace("\r\n", "\n")


def english(path: Path) -> Path:
    """Return the page that a page is a translation of; of an English one, itself."""
    return Path("docs", ENGLISH, *path.parts[2:])


def choose(root: Path, names: Sequence[str]) -> list[Pair]:
    """Return the pairs asked for, each by its name or by the path of either side.

    Raises:
        UsageError: if there is none of a name.
    """
    known = pairs(root, OTHERS if names else None)
    chosen = []
    for name in names:
        matching = [
            pair for pair in known if name in (pair.target.stem, pair.target.as_posix(), pair.source.as_posix())
        ]
        if not matching:
            raise UsageError(
                f"no page {name}: there are {', '.join(dict.fromkeys(pair.target.stem for pair in known))}"
            )
        chosen += matching
    return chosen if names else known
