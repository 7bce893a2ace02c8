"""Make small repositories with pages, for the tests of the tool that reads them."""

import contextlib
import io

from literate.__main__ import main
from literate.course import checks
from literate.reading.pages import read_pages
from literate.writing import extract as writing

SNIPPET = "<!-- snippet: one-is-one -->\n```python\nprint(1)\n```\n"
OUTPUT = "<!--pytest-codeblocks:expected-output-->\n```text\n1\n```\n"


def write(root, **pages):
    """Write pages, given by stem, as they are to the last byte, and read them."""
    folder = root / "docs" / "en"
    folder.mkdir(parents=True, exist_ok=True)
    for stem, text in pages.items():
        (folder / f"{stem}.md").write_text(text, encoding="utf-8", newline="")
    pages = read_pages(folder)
    checks.check(pages, root)
    return pages


def extract(pages, root, whole=True):
    """Write what the pages give, as `literate extract` does."""
    return writing.extract(pages, root, checks.others(pages, root, whole), whole)


def drift(pages, root, whole=True):
    """Return what `literate check` finds changed."""
    return writing.drift(pages, root, checks.others(pages, root, whole), whole)


def snippet(name, code, output=None):
    """Return the lines of a page that hold a snippet and what it prints."""
    text = f"<!-- snippet: {name} -->\n```python\n{code}```\n"
    if output is not None:
        text += f"<!--pytest-codeblocks:expected-output-->\n```text\n{output}```\n"
    return text


def files(root):
    """Return every file under a folder with its content; the tool's own cache is nobody's business."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".cache" not in path.parts
    }


def literate(root, *arguments):
    """Run a command of the tool in a repository, and return its exit status and what it said."""
    said = io.StringIO()
    with contextlib.chdir(root), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            status = main(arguments)
        except SystemExit as end:
            status = end.code
    return status, said.getvalue()
