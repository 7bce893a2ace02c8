"""Find the pages and snippets that a command line means."""

import difflib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from literate.reading.pages import Page, Snippet, errors, snippets
from literate.reading.repository import LANGUAGES, PAGES, UsageError, language_of


def choose(
    pages: list[Page], what: Sequence[str], page_names: Sequence[str], names: Sequence[str]
) -> tuple[list[Page], list[Snippet]]:
    """Return the pages and snippets asked for; those on the command line may be either."""
    by_name: dict[str, list[Snippet]] = {}
    for snippet in snippets(pages):
        by_name.setdefault(snippet.name, []).append(snippet)
    if not (what or page_names or names):
        found = snippets(pages)
        if not found and not errors(pages):
            raise UsageError(f"no snippet on any page under {PAGES.as_posix()}")
        return pages, found
    chosen: list[Snippet] = []
    of_pages: list[Page] = []
    for item in dict.fromkeys([*what, *page_names, *names]):
        plain = Path(item).stem if item.endswith((".md", ".py", ".out")) else item
        meant = [page for page in pages if is_meant(item, page.path)]
        matching = [page for page in meant if page.path.stem == plain] if item not in names else []
        if matching:
            of_pages += matching
            chosen += snippets(matching)
        elif (found := [one for one in by_name.get(plain, []) if is_meant(item, one.page)]) and item not in page_names:
            of_pages += [page for page in pages if any(one in page.snippets for one in found)]
            chosen += found
        else:
            stems = [*dict.fromkeys(page.path.stem for page in meant)] * (item not in names)
            known = stems + [*by_name] * (item not in page_names)
            close = [name for name in known if plain in name] or difflib.get_close_matches(plain, known, 3)
            hint = f"did you mean {' or '.join(close[:3])}" if close else f"the pages are {', '.join(stems)}"
            raise UsageError(f"no page or snippet is called {item}: {hint}")
    if not chosen and not errors(of_pages):
        raise UsageError(f"no snippet on {' and '.join(page.path.as_posix() for page in of_pages)}")
    return [page for page in pages if page in of_pages], list({one.path(): one for one in chosen}.values())


def is_meant(item: str, page: Path) -> bool:
    """Return whether what was asked for can be this page, or on it: a path says which language, a name is of all."""
    parts = Path(item).parts
    language = next((name for name in LANGUAGES if name in parts), LANGUAGES[0])
    return len(parts) == 1 or language_of(page) == language


def refuse(pages: Iterable[Page]) -> bool:
    """Print the errors of pages, and return whether there are any."""
    found = errors(pages)
    for error in found:
        print(error, file=sys.stderr)
    if found:
        print(f"{count(len(found), 'error')} in the pages: nothing is done", file=sys.stderr)
    return bool(found)


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
