"""Give the headings of a translated lab the anchors of the English one: a hook of MkDocs, which alone shows labs.

mkdocs-jupyter makes an anchor of the Latin letters of a heading. A Chinese one has none, so its anchor would be empty
in the text and a number in the table of contents.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from literate.reading.cells import read_lab
from literate.reading.pages import parse
from literate.reading.headings import headings
from literate.reading.repository import ENGLISH

HEADING = re.compile(r'(<h[1-6] id=")[^"]*(">(?:(?!</h[1-6]>).)*?<a class="anchor-link" href="#)[^"]*(")', re.DOTALL)


def on_page_content(html: str, *, page: Any, config: Any, files: Any) -> str:
    """Return the content of a page with the anchors of the English lab; its table of contents is given them as well."""
    if not page.file.src_uri.startswith("labs/"):
        return html
    anchors = english_anchors(Path(config.config_file_path).parent, Path(page.file.src_uri))
    for entry, anchor in zip(flat(page.toc), anchors, strict=True):
        entry.id = anchor
    following = iter(anchors)

    def replace(found: re.Match[str]) -> str:
        anchor = next(following)
        return f"{found[1]}{anchor}{found[2]}{anchor}{found[3]}"

    return HEADING.sub(replace, html)


def english_anchors(root: Path, lab: Path) -> list[str]:
    """Return the anchors of the headings of an English lab, in order."""
    path = Path("docs", ENGLISH) / lab
    text = "\n\n".join(cell.text for cell in read_lab(path, root) if cell.kind == "markdown")
    return [anchor for _, _, _, anchor, _ in headings(parse(text, path))]


def flat(entries: Iterable[Any]) -> list[Any]:
    """Return the entries of a table of contents in the order of the page."""
    return [one for entry in entries for one in (entry, *flat(entry.children))]
