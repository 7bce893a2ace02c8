"""Read text: front matter, code spans, comments, and what a page cannot show to the letter."""

import io
import re
import tokenize
from collections.abc import Sequence

SPACES = " \u00a0\u2003\u3000"  # Python prints their repr as an escape, but a page shows them
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


def unshowable(line: str) -> str | None:
    """Return why a line can't stand in a page to the letter, or None."""
    for character in line:
        if character == "\t":
            return "holds a tab, which the site shows as spaces: use spaces"
        if not character.isprintable() and character not in SPACES:
            return f"holds the character {character!a}, which a page can't show: print its repr instead"
    if "-8<-" in line:
        return "holds an include marker, which the site would replace: print its repr instead"
    return None


def without_comments(code: str) -> list[tuple[int, str]]:
    """Return the lines of a program without comments and blank lines, with their numbers; the AST is that of these."""
    lines = code.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column]
    except (tokenize.TokenError, SyntaxError):  # the runner says what is wrong with it
        pass
    return [(number, line.rstrip()) for number, line in enumerate(lines, 1) if line.strip()]


def front_matter_lines(lines: Sequence[str]) -> int:
    """Return how many lines the front matter takes."""
    if lines and lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1:], 2):
            if line.rstrip() in ("---", "..."):
                return number
    return 0


def without_front_matter(text: str) -> str:
    """Return the text of a page as a site tool hands it to Markdown."""
    lines = text.split("\n")
    return "\n".join(lines[front_matter_lines(lines) :])


def metadata(text: str) -> dict[str, tuple[int, str]]:
    """Return the entries of a front matter, with their lines."""
    lines = text.split("\n")
    entries = {}
    for number, line in enumerate(lines[1 : front_matter_lines(lines) - 1], 2):
        key, colon, value = line.partition(":")
        if colon and not line.startswith(" "):
            entries[key] = (number, value.strip())
    return entries
