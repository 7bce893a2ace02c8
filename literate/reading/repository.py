"""Say where things lie: the one notion of the root, the languages, the settings, the address of the site."""

import re
from pathlib import Path

LANGUAGES = ("en", "zh")  # of the site: docs/en and docs/zh; files of English pages have no folder of their language
ENGLISH, *OTHERS = LANGUAGES
PAGES = Path("docs", "en")
MODULE = Path("scratch", "module.py")
RECORD = Path("snippets", "record.json")
LABS = Path("docs", "en", "labs")  # a translation has the same code, so these are run


class UsageError(Exception):
    """Say what was asked for that isn't there."""


def find_root() -> Path:
    """Return the repository that the working folder is in."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / PAGES).is_dir():
            return folder
    raise UsageError(f"no folder {PAGES.as_posix()} here or above: run this in the repository")


def language_of(page: Path) -> str:
    """Return the language of a page, by its path from the root."""
    return next((name for name in LANGUAGES if page.parts[:2] == ("docs", name)), LANGUAGES[0])


def snippet_folder(page: Path) -> Path:
    """Return the folder of the files that a page gives."""
    language = language_of(page)
    return Path("snippets", *[language] * (language != LANGUAGES[0]), page.stem)


def settings_file(language: str) -> str:
    """Return the name of the settings of a language's site."""
    return "mkdocs.yml" if language == ENGLISH else f"mkdocs.{language}.yml"


def languages(root: Path) -> list[str]:
    """Return the languages that the site has."""
    return [language for language in LANGUAGES if (root / settings_file(language)).is_file()]


def part(language: str) -> str:
    """Return where a language's site lies within the whole, as an end of its address or folder."""
    return "" if language == ENGLISH else f"{language}/"


def site_address(root: Path, language: str) -> str:
    """Return the address of the site of a language, as mkdocs.yml names it, or "" where it doesn't."""
    settings = root / "mkdocs.yml"
    text = settings.read_text(encoding="utf-8") if settings.is_file() else ""
    named = re.search(r"^site_url:.*?(https?://[^\"\s\]]+)", text, re.MULTILINE)
    address = named[1] if named else ""
    return address if language == LANGUAGES[0] else f"{address}{language}/"
