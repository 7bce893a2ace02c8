"""Write the programs of each page as one notebook, to download or to open on Colab, with what they print."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from literate.course.labs.running import notebook, site_address
from literate.reading.pages import Page, Snippet, language_of
from literate.translating.compare import headings

LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
WORDS = {
    "en": "The programs of [{title}]({address}), each whole, with what it prints. They need torch and nothing else. "
    "Run one cell or all, change a line, and run it again.",
    "zh": "《[{title}]({address})》一页的程序，每个都完整，并附上它打印的内容。只需要 torch。"
    "运行一格或全部，改一行，再运行一次。",
}


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
    cells = [text(f"# {title}\n\n{WORDS[language].format(title=title, address=address)}")]
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
    return LINK.sub(r"\1", heading)


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
