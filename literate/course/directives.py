"""What the course puts in the place of `<!-- literate: WORD ARGUMENT -->`: for each word a check and a renderer.

module-so-far SECTION       scratch/module.py up to the end of a section, to download
piece NAME                  an interactive piece
decided-by CODE             which line of scratch/module.py this is
answers by chapter          the questions, and so `by error` and `by name`
reference                   every name of Module, and where it is explained
figures                     what the programs were run on
wild                        whose programs and tests were run on both Modules
count module                how many lines of code scratch/module.py has, and what for
exercises CHAPTER           what the reader writes of the Module, with hints and our solution
"""

import re
from collections.abc import Callable
from pathlib import Path

from literate.course.answers import Index, check_decided, relative
from literate.course.figures import figures
from literate.course.lines import counted
from literate.course.notebooks import notebook_path
from literate.course.pieces import catalogue, recording
from literate.course.practice.exercises import CHAPTERS, chapter, solution
from literate.course.reference import reference
from literate.course.wild import check as check_wild
from literate.course.wild import table as wild
from literate.reading.pages import Page
from literate.reading.repository import MODULE
from literate.reading.sections import module_so_far
from literate.reading.words import say
from literate.showing.card import Site, log
from literate.showing.extension import Block, Renderer

GITHUB = "https://github.com/"
HAN = r"[\u3000-\u9fff\uff00-\uffef]"
JOINED = re.compile(rf"(?<={HAN}) *\n *(?={HAN})")  # a line end between Chinese characters would be a gap
BY = ("by chapter", "by error", "by name")


def download_path(page: Path) -> Path:
    """Return where the Module as of a page's chapter is offered: in the site of its language."""
    return page.parent / "downloads" / f"module-{page.stem}.py"


def so_far(root: Path, section: str) -> str:
    """Return scratch/module.py up to the end of a section.

    Raises:
        ValueError: if there is no such section.
    """
    file = root / MODULE
    return module_so_far(file.read_text(encoding="utf-8") if file.is_file() else "", section)


def _check_so_far(root: Path, argument: str) -> str | None:
    try:
        so_far(root, argument)
    except ValueError as error:
        return f"no Module so far: {error}"
    return None


def _check_piece(root: Path, argument: str) -> str | None:
    known = ", ".join(catalogue.PIECES)
    return None if argument in catalogue.PIECES else f"no piece is called {argument!r}: there are {known}"


def _check_answers(root: Path, argument: str) -> str | None:
    return None if argument in BY else f"answers are listed {', '.join(BY)}: not {argument!r}"


def _check_count(root: Path, argument: str) -> str | None:
    return None if argument == "module" else f"only the module is counted: not {argument!r}"


def _check_nothing(root: Path, argument: str) -> str | None:
    return f"nothing follows this word: not {argument!r}" if argument else None


def _show_so_far(site: Site, page: Page, argument: str) -> list[str | Block]:
    path = download_path(page.path)
    link = f"[{say(site.language, 'page.so far')}](downloads/{path.name}){{ download={path.name} }}"
    return ["", link, "{ .literate-so-far }", ""]


def _show_piece(site: Site, page: Page, argument: str) -> list[str | Block]:
    try:
        data = recording.read(argument, site.root)
        return [Block(catalogue.piece(argument, site.language, data), css_class="piece-holder")]
    except (OSError, ValueError, LookupError) as error:
        log.warning(f"the piece {argument} can't be shown, run `python -m literate update`: {error}")
        return []


def _check_exercises(root: Path, argument: str) -> str | None:
    return None if argument in CHAPTERS else f"exercises are there for {', '.join(CHAPTERS)}: not for {argument!r}"


def _show_exercises(site: Site, page: Page, argument: str) -> list[str | Block]:
    lines = ["", say(site.language, "practice.commands", chapter=argument), ""]
    for one in chapter(argument).exercises:
        task = JOINED.sub("", one.task[site.language])
        task = re.sub(r"(?<!\n)\n(?=- )", "\n\n", task, count=1)  # Markdown wants it before a list
        task = re.sub(r"(`[^`]*`)|__", lambda found: found[1] or r"\_\_", task)  # in quotes of an error, say
        inside = [*task.split("\n"), ""]
        for number, hint in enumerate((JOINED.sub("", hint) for hint in one.hints[site.language]), 1):
            inside += [f'??? tip "{say(site.language, "practice.hints", number=number)}"', "", f"    {hint}", ""]
        # Without colours, which weigh four times the code: the section above shows the same lines in colour.
        code = ["```text", *solution(one).split("\n"), "```"]
        inside += [f'??? success "{say(site.language, "practice.solution")}"', "", *(f"    {line}" for line in code)]
        lines += [f'!!! example "{say(site.language, "practice.task", name=one.name)}"', ""]
        lines += [f"    {line}" if line else "" for line in inside] + [""]
    return [*lines]


def _index(site: Site) -> Index:
    repository = site.repo_url.rstrip("/")
    address = f"{repository}/blob/{site.branch}/{MODULE.as_posix()}" if repository else ""
    return Index(site.root, site.language, address)


def _show_decided(site: Site, page: Page, argument: str) -> list[str | Block]:
    return [*_index(site).decided(argument)]


def _show_answers(site: Site, page: Page, argument: str) -> list[str | Block]:
    index = _index(site)
    by = dict(zip(BY, (index.by_chapter, index.by_error, index.by_name), strict=True))
    return [*by[argument](page.path)] if argument in by else []


def _show_reference(site: Site, page: Page, argument: str) -> list[str | Block]:
    return [*reference(_index(site), page.path)]


def _show_figures(site: Site, page: Page, argument: str) -> list[str | Block]:
    return ["", figures(site.root, site.language), ""]


def _show_count(site: Site, page: Page, argument: str) -> list[str | Block]:
    return [*counted(site.root, site.language)]


def _show_wild(site: Site, page: Page, argument: str) -> list[str | Block]:
    return [*wild(site.root, site.language)]


Check = Callable[[Path, str], str | None]
DIRECTIVES: dict[str, tuple[Check, Renderer]] = {
    "module-so-far": (_check_so_far, _show_so_far),
    "piece": (_check_piece, _show_piece),
    "decided-by": (check_decided, _show_decided),
    "answers": (_check_answers, _show_answers),
    "reference": (_check_nothing, _show_reference),
    "figures": (_check_nothing, _show_figures),
    "wild": (check_wild, _show_wild),
    "count": (_check_count, _show_count),
    "exercises": (_check_exercises, _show_exercises),
}
RENDERERS = {word: show for word, (_, show) in DIRECTIVES.items()}


def foot(site: Site, page: Page, argument: str) -> list[str | Block]:
    """Offer the programs of a page as one notebook, where `literate extract` wrote it."""
    file = notebook_path(page.path) if page.snippets else Path()
    if not (site.root / file).is_file():
        return []
    repository = site.repo_url.rstrip("/")
    line = say(site.language, "page.notebook", href=relative(file, page.path), name=file.name)
    if repository.startswith(GITHUB):
        there = f"{repository.removeprefix(GITHUB)}/blob/{site.branch}/{file.as_posix()}"
        line += say(site.language, "page.colab", href=f"https://colab.research.google.com/github/{there}")
    return ["", line + say(site.language, "page.end"), "{ .literate-notebook }"]
