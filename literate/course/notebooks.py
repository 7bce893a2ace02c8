"""Write the programs of each page, and each lab, as a notebook to download or to open on Colab."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from literate.reading.cells import Cell, read_lab
from literate.reading.headings import headings
from literate.reading.pages import Page, Snippet
from literate.reading.repository import language_of, site_address
from literate.reading.words import say

HEADING_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
LINK = re.compile(r"\]\(\.\./\.\./(?P<path>[^)\s]*)\)")  # from the page of a lab to another page of the site


def notebook_path(page: Path) -> Path:
    """Return where the programs of a page are offered as a notebook: in the site of its language."""
    docs, language, *rest = page.with_suffix("").parts
    return Path(docs, language, "downloads", f"programs-{'-'.join(rest)}.ipynb")


def of_pages(pages: Iterable[Page], root: Path) -> dict[Path, bytes]:
    """Return a notebook for each page that has programs, by path from the root."""
    return {notebook_path(page.path): of_page(page, root) for page in pages if page.snippets}


def of_page(page: Page, root: Path) -> bytes:
    """Return the programs of a page as a notebook: its headings, and one cell for each program."""
    language = language_of(page.path)
    name = Path(*page.path.with_suffix("").parts[2:]).as_posix().removesuffix("index")
    address = site_address(root, language) + (f"{name.rstrip('/')}/" if name else "")
    above = headings(page)
    title = plain(above[0][2]) if above else page.path.stem
    cells = [text(f"# {title}\n\n{say(language, 'notebook.head', title=title, address=address)}")]
    last = 0  # the line of the heading that was written last
    for snippet in page.snippets:
        line, words, anchor = next(
            ((line, plain(words), anchor) for line, level, words, anchor, _ in reversed(above) if line < snippet.line),
            (0, "", ""),
        )
        said = [f"## [{words}]({address}#{anchor})"] if line > last and words != title else []
        last = max(last, line)
        said.append(f"[{snippet.name.replace('-', ' ')}]({address}#snippet-{snippet.name})")
        cells += [text("\n\n".join(said)), program(snippet)]
    return notebook([{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells, 1)])


def plain(heading: str) -> str:
    """Return the text of a heading without its links."""
    return HEADING_LINK.sub(r"\1", heading)


def text(words: str) -> dict[str, Any]:
    """Return a cell of text."""
    return {"cell_type": "markdown", "metadata": {}, "source": words.splitlines(keepends=True)}


def program(snippet: Snippet) -> dict[str, Any]:
    """Return a program with its output as a cell."""
    shown: list[dict[str, Any]] = []
    if snippet.output:
        shown = [{"name": "stdout", "output_type": "stream", "text": snippet.output.splitlines(keepends=True)}]
    source = snippet.code.rstrip("\n").splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": shown, "source": source}


TRANSLATION = re.compile(r"\n\n<!-- translation_of: [0-9a-f]{40} -->")


def of_labs(root: Path) -> dict[Path, bytes]:
    """Return each lab as a notebook, by path from the root; its links lead to the site that mkdocs.yml names."""
    found = {}
    for path in sorted(path.relative_to(root) for path in root.glob("docs/*/labs/*.py")):
        home = site_address(root, language_of(path))
        cells = [_notebook_cell(cell, home) for cell in read_lab(path, root)]
        found[path.parents[1] / "downloads" / f"{path.stem}.ipynb"] = notebook(cells)
    return found


def notebook(cells: list[dict[str, Any]]) -> bytes:
    """Return cells as the file of a notebook."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode()


def _notebook_cell(cell: Cell, address: str) -> dict[str, Any]:
    text = cell.text
    if cell.kind == "markdown":
        text = LINK.sub(lambda link: f"]({address}{link['path']})", TRANSLATION.sub("", text))
    made: dict[str, Any] = {"cell_type": cell.kind, "id": f"cell-{cell.number}", "metadata": {}}
    if cell.kind == "code":
        made |= {"execution_count": None, "outputs": []}
    return made | {"source": text.splitlines(keepends=True)}
