"""Write the reference: every name of Module, what it does, and where it is shown and explained."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from literate.course.answers import Answer, Index, as_code, relative
from literate.course.names import Name, names_of_module
from literate.reading.pages import Page, Snippet
from literate.reading.repository import MODULE
from literate.reading.sections import places
from literate.reading.words import say, words

SHOWN = 4  # so many snippets are named in a row of the reference


def chapters(index: Index) -> dict[str, Path]:
    """Return the page that teaches each section of scratch/module.py: the first that shows a part of it."""
    within = places(index.text)
    found: dict[str, Path] = {}
    for page in index.pages():
        for include in page.includes:
            if include.path == MODULE.as_posix() and include.section in within:
                found.setdefault(within[include.section], page.path)
    return found


def reference(index: Index, page: Path) -> list[str]:
    """Return a table for each section of scratch/module.py: its names, and where each is explained."""
    known = names_of_module(index.text)
    pages = sorted(index.pages(), key=lambda page: page.path)
    taught = chapters(index)
    uses = {name: _uses(pages, name) for name in known}
    answers, lines = index.answers(), []
    for section in dict.fromkeys(name.section for name in known.values()):
        heading = say(index.language, "reference.section", section=section)
        if section in taught:  # a file in the making may have sections that no page shows yet
            heading = f"[{heading}]({relative(taught[section], page)})"
        lines += ["", f"**{heading}**", ""]
        names = [one for one in known.values() if one.section == section]
        lines += [f'<div class="literate-names" style="--lines: {10 * len(names)}" markdown="1">', ""]
        lines += [say(index.language, "reference.head"), "|---|---|---|---|"]
        for name in names:
            lines.append(row(index, name, uses[name.name], [a for a in answers if name.name in a.names], page))
        lines += ["", "</div>"]
    return [*lines, ""]


def row(index: Index, name: Name, uses: list[Snippet], answers: list[Answer], page: Path) -> str:
    link = f"[{as_code(name.name)}]({index.address}#L{name.line})" if index.address else as_code(name.name)
    what = words(index.language).get(f"reference.names.{name.name}") or name.sentence
    shown = [
        f"[{snippet.name.replace('-', ' ')}]({relative(snippet.page, page)}#snippet-{snippet.name})"
        for snippet in uses[:SHOWN]
    ]
    if len(uses) > SHOWN:
        shown.append(say(index.language, "reference.more", count=len(uses) - SHOWN))
    between = say(index.language, "answers.between")
    return f"| {link} | {what} | {between.join(shown)} | {between.join(index.link(a, page) for a in answers)} |"


def _uses(pages: Iterable[Page], name: str) -> list[Snippet]:
    """Return the snippets that use an attribute of this name, or define one."""
    return [snippet for page in pages for snippet in page.snippets if name in _attributes(snippet.code)]


@cache
def _attributes(code: str) -> frozenset[str]:
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return frozenset()
    found = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found |= {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    return frozenset(found)
