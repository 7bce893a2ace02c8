"""Find the headings of a page, with the anchors that the site gives them, and its prose."""

import re
from collections.abc import Iterator

from markdown.extensions.toc import slugify, unique

from literate.reading.pages import Page
from literate.reading.text import front_matter_lines

HEADING = re.compile(r"(?P<level>#{1,6}) +(?P<text>.*?)(?: +\{:? *#(?P<anchor>[^\s}]+) *\})?")


def prose(page: Page) -> Iterator[tuple[int, str]]:
    """Give the lines of a page outside of its front matter and fences, with their numbers."""
    lines = page.text.split("\n")
    inside = {number for fence in page.fences for number in range(fence.line, fence.end_line + 1)}
    first = front_matter_lines(lines) + 1
    for number, line in enumerate(lines, 1):
        if number >= first and number not in inside:
            yield number, line


def slug(heading: str) -> str:
    """Return the anchor that Python-Markdown gives a heading."""
    text = re.sub(r"`+|!?\[(?P<text>[^\]]*)\]\([^)]*\)", lambda found: found["text"] or "", heading)
    return slugify(text, "-")


def headings(page: Page) -> list[tuple[int, int, str, str, bool]]:
    """Return the headings of a page: line, level, text, anchor, and whether the anchor is written there."""
    found: list[tuple[int, int, str, str, bool]] = []
    used: set[str] = set()
    for number, line in prose(page):
        if match := HEADING.fullmatch(line.rstrip()):
            name = unique(match["anchor"] or slug(match["text"]), used)
            found.append((number, len(match["level"]), match["text"], name, bool(match["anchor"])))
    return found
