"""Read a lab: the cells of a notebook as a Python file."""

import re
from dataclasses import dataclass
from pathlib import Path

from literate.reading.pages import PageError, parse

MARKER = re.compile(r"# %%(?P<markdown> \[markdown\])?")


@dataclass(frozen=True)
class Cell:
    """Hold one cell; `line` is that of its marker, and `number` counts all cells from 1, as a notebook does."""

    number: int
    line: int
    kind: str  # "code" or "markdown"
    text: str


def read_lab(path: Path, root: Path = Path()) -> list[Cell]:
    """Return the cells of a lab, whose path starts at the root.

    Raises:
        PageError: if a line belongs to no cell, or the text of one breaks a rule of the pages.
    """
    cells: list[Cell] = []
    lines = (root / path).read_text(encoding="utf-8").split("\n")
    starts = [number for number, line in enumerate(lines, 1) if line.startswith("# %%")]
    if not starts or any(line.strip() for line in lines[: starts[0] - 1]):
        raise PageError(path, 1, "a lab begins with a cell: `# %% [markdown]` or `# %%`")
    for start, end in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        found = MARKER.fullmatch(lines[start - 1])
        if found is None:
            raise PageError(path, start, "a cell begins with `# %%` or `# %% [markdown]`, and nothing else")
        body = lines[start : end - 1]
        if found["markdown"]:
            cells.append(Cell(len(cells) + 1, start, "markdown", _prose(path, start, body)))
        else:
            cells.append(Cell(len(cells) + 1, start, "code", "\n".join(body).strip("\n")))
    return cells


def _prose(path: Path, start: int, body: list[str]) -> str:
    text = []
    for number, line in enumerate(body, start + 1):
        if line and line != "#" and not line.startswith("# "):
            raise PageError(path, number, "a line of text in a lab begins with `# `")
        text.append(line[2:])
    prose = "\n".join(text).strip("\n")
    page = parse(prose, path)
    first = next(iter(page.errors), None)
    if first is not None:
        raise PageError(path, start + first.line, first.rule)
    if page.snippets or page.includes:
        raise PageError(path, start, "code in a lab is a cell of its own: nothing runs a fence in the text")
    return prose
