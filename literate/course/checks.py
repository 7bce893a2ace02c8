"""Read all pages, and let each room of the course check what is its own."""

from collections.abc import Iterable
from pathlib import Path

from literate.course import answers, notebooks
from literate.course.directives import DIRECTIVES, download_path, so_far
from literate.reading.files import same_place
from literate.reading.pages import Directive, Page, read_site
from literate.reading.repository import OTHERS, snippet_folder
from literate.writing.extract import Others

# Names below snippets/ that are no page's, and those that Windows keeps for devices.
RESERVED = {*OTHERS, "pieces", "record.json", "con", "prn", "aux", "nul"}
RESERVED |= {f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)}


def read(root: Path) -> list[Page]:
    """Return the pages of all languages, with all their errors."""
    pages = read_site(root)
    check(pages, root)
    return pages


def check(pages: list[Page], root: Path) -> None:
    """Note what is wrong with the directives and the answers of pages."""
    for page in pages:
        for directive in page.directives:
            if directive.word not in DIRECTIVES:
                known = ", ".join(("importable", *DIRECTIVES))
                page.error(directive.line, f"an unknown literate comment, {directive.word}: there are only {known}")
            elif problem := DIRECTIVES[directive.word][0](root, directive.argument):
                page.error(directive.line, problem)
        for one in repeated(page, "piece"):
            page.error(one.line, f"a second piece {one.argument} on this page: show it once")
    answers.check(pages, root)
    check_places(pages)
    offered: dict[str, Page] = {}
    for page in (page for page in pages if page.snippets):
        notebook = notebooks.notebook_path(page.path)
        other = offered.setdefault(same_place(notebook), page)
        if other is not page:
            where = other.path.as_posix()
            page.error(1, f"{notebook.as_posix()} is the notebook of {where} too: name the page otherwise")
    for page in pages:
        page.errors.sort(key=lambda error: error.line)


def check_places(pages: Iterable[Page]) -> None:
    """Find pages whose files would come to lie where other files lie."""
    folders: dict[str, Page] = {}
    modules: dict[str, Page] = {}
    for page in pages:
        folder = snippet_folder(page.path)
        if page.path.stem.casefold() in RESERVED:
            page.error(1, f"the files of this page would lie in {folder.as_posix()}, which is taken: name it otherwise")
        other = folders.setdefault(same_place(folder), page)
        if snippet_folder(other.path) != folder:
            where = f"{snippet_folder(other.path).as_posix()} of {other.path.as_posix()}"
            page.error(1, f"{folder.as_posix()} is {where} where case does not count: name the page otherwise")
        for path in (path for snippet in page.snippets for path in snippet.modules()):
            other = modules.setdefault(same_place(path), page)
            if other is not page:
                line = next(one.line for one in page.snippets if path in one.modules())
                page.error(line, f"{path.as_posix()} is given by {other.path.as_posix()} too: rename the module")


def repeated(page: Page, word: str) -> list[Directive]:
    """Return the directives of a page that say again what one before has said."""
    known = [one for one in page.directives if one.word == word]
    return [one for number, one in enumerate(known) if one.argument in [other.argument for other in known[:number]]]


def others(pages: Iterable[Page], root: Path, whole: bool = True) -> Others:
    """Return what is made of the pages besides their programs: notebooks, and the Module as of each chapter.

    Args:
        whole: the pages are all there are.
    """
    pages = list(pages)
    wanted = notebooks.of_pages(pages, root)
    for page in pages:
        for directive in page.directives:
            if directive.word == "module-so-far":
                wanted[download_path(page.path)] = so_far(root, directive.argument).encode()
    if not whole:
        return Others(wanted)
    found = [path for pattern in ("module-*.py", "*.ipynb") for path in root.glob(f"docs/*/downloads/{pattern}")]
    return Others(wanted | notebooks.of_labs(root), [path.relative_to(root) for path in found])
