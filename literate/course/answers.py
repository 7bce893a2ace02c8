"""Find the answers to readers' questions, under docs/<language>/answers, and write the indexes that lead to them.

Under each question, a heading `##`, stands a comment that says which names of Module it concerns:

    <!-- answer: parameters __setattr__ -->

and below it `<!-- literate: decided-by CODE -->`, which becomes the line of scratch/module.py that is this code.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from literate.course.names import lines_of_module, names_of_module
from literate.reading.headings import headings, prose
from literate.reading.pages import Page, Snippet, parse
from literate.reading.repository import MODULE, settings_file
from literate.reading.words import say

ANSWER = re.compile(r"<!-- answer: (?P<names>\w+(?: \w+)*) -->")
DECIDED = re.compile(r"<!-- literate: decided-by (?P<code>.+) -->")
MESSAGE = re.compile(r"(?:[\w ]+: )?(?P<message>[A-Z]\w*(?:Error|Exception|Warning): .+)")


@dataclass(frozen=True)
class Answer:
    """Hold one question: where it is answered, the names of Module in it, and the messages that its programs print."""

    page: Path
    line: int
    question: str
    anchor: str
    names: tuple[str, ...]
    snippets: tuple[Snippet, ...]
    decided: tuple[str, ...]

    @property
    def messages(self) -> list[str]:
        """Return the first lines of the errors that its programs show."""
        lines = [line for snippet in self.snippets for line in (snippet.output or "").split("\n")]
        return list(dict.fromkeys(found["message"] for line in lines if (found := MESSAGE.fullmatch(line))))


def is_answers(page: Path) -> bool:
    """Say whether a page, by its path from the root, holds questions and answers."""
    return page.parent.name == "answers" and page.stem != "index"


def read_answers(page: Page) -> list[Answer]:
    """Return the questions of a page with their answers."""
    questions = [(line, text, anchor) for line, level, text, anchor, _ in headings(page) if level == 2]
    ends = [*(line for line, _, _ in questions[1:]), page.text.count("\n") + 2]
    found = []
    for (start, question, anchor), end in zip(questions, ends, strict=True):
        part = [line.strip() for number, line in prose(page) if start < number < end]
        names = next((match["names"].split() for line in part if (match := ANSWER.fullmatch(line))), [])
        decided = tuple(match["code"] for line in part if (match := DECIDED.fullmatch(line)))
        programs = tuple(snippet for snippet in page.snippets if start < snippet.line < end)
        found.append(Answer(page.path, start, question, anchor, tuple(names), programs, decided))
    return found


def check_decided(root: Path, code: str) -> str | None:
    """Return what is wrong with a line of scratch/module.py that a page names, or None."""
    file = root / MODULE
    count = len(lines_of_module(file.read_text(encoding="utf-8") if file.is_file() else "", code))
    how = f"has {count} lines" if count else "has no line"
    return None if count == 1 else f"{MODULE.as_posix()} {how} `{code}`: name one that is there once"


def check(pages: Iterable[Page], root: Path) -> None:
    """Note what is wrong with the comments on answers in the pages."""
    file = root / MODULE
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    for page in pages:
        for answer in read_answers(page) if is_answers(page.path) else ():
            unknown = [name for name in answer.names if name not in names_of_module(text)] if text else []
            if not answer.names:
                page.error(answer.line, "a question without `<!-- answer: NAMES -->`: say which names it concerns")
            elif unknown:
                page.error(answer.line, f"Module has no {' or '.join(unknown)}: mend the answer comment below")
            if not answer.decided:
                page.error(answer.line, "a question without `<!-- literate: decided-by CODE -->`: say what decides it")
            if len(answer.snippets) < 2:
                rule = "a question with fewer than two snippets: show the trap, and how to do it right"
                page.error(answer.line, rule)


@lru_cache(maxsize=200)
def parse_once(text: str, page: Path) -> Page:
    """Parse a page; a page with several indexes asks for all pages again and again."""
    return parse(text, page)


class Index:
    """Find and link the answers, for the pages of one language.

    Args:
        root: the repository.
        language: of the pages.
        address: of scratch/module.py in the repository, to which `#L` and a line are added; empty if there is none.
    """

    def __init__(self, root: Path, language: str, address: str) -> None:
        self.root, self.language, self.address = root, language, address
        self.folder = root / "docs" / language
        self.text = (root / MODULE).read_text(encoding="utf-8")

    def decided(self, code: str) -> list[str]:
        """Say which line of scratch/module.py it is that decides."""
        numbers = lines_of_module(self.text, code)
        if len(numbers) != 1:
            return []
        place = say(self.language, "answers.decided in", line=numbers[0])
        place = f"[{place}]({self.address}#L{numbers[0]})" if self.address else place
        return ["", f"{place} {as_code(code)}", "{: .literate-decided }", ""]

    def pages(self) -> list[Page]:
        """Return the pages of the language in the order of the navigation, the others after them."""
        config = self.root / settings_file(self.language)
        order = re.findall(r"[\w/-]+\.md", config.read_text(encoding="utf-8") if config.is_file() else "")
        paths = {path.relative_to(self.folder).as_posix(): path for path in sorted(self.folder.rglob("*.md"))}
        chosen = [paths[one] for one in dict.fromkeys([*order, *paths]) if one in paths]
        return [parse_once(path.read_text(encoding="utf-8"), path.relative_to(self.root)) for path in chosen]

    def answers(self) -> list[Answer]:
        """Return all answers in the order of the navigation."""
        return [answer for page in self.pages() if is_answers(page.path) for answer in read_answers(page)]

    def link(self, answer: Answer, page: Path, text: str = "") -> str:
        """Return a link from a page to an answer."""
        return f"[{text or answer.question}]({relative(answer.page, page)}#{answer.anchor})"

    def by_chapter(self, page: Path) -> list[str]:
        lines: list[str] = []
        known = self.answers()
        for one in dict.fromkeys(answer.page for answer in known):
            title = re.search(r"^# (.+?)(?: \{.*)?$", (self.root / one).read_text(encoding="utf-8"), re.MULTILINE)
            assert title is not None
            lines += ["", f"**[{title[1]}]({relative(one, page)})**", ""]
            lines += [f"- {self.link(answer, page)}" for answer in known if answer.page == one]
        return [*lines, ""]

    def by_error(self, page: Path) -> list[str]:
        found = [(message, answer) for answer in self.answers() for message in answer.messages]
        lines = [
            f"- {self.link(answer, page, as_code(message if len(message) < 160 else message[:150] + ' …'))}"
            for message, answer in sorted(found, key=lambda pair: pair[0].lower())
        ]
        return ["", *lines, ""]

    def by_name(self, page: Path) -> list[str]:
        known = self.answers()
        lines = []
        for name in sorted(names_of_module(self.text), key=lambda name: (name.strip("_").lower(), name)):
            if links := [self.link(answer, page) for answer in known if name in answer.names]:
                lines.append(f"- {as_code(name)}: {say(self.language, 'answers.between').join(links)}")
        return ["", *lines, ""]


def relative(target: Path, page: Path) -> str:
    """Return the way from one page to another; both are paths from the root, or both absolute."""
    return Path(os.path.relpath(target, page.parent)).as_posix()


def as_code(text: str) -> str:
    """Return text as code in a line of Markdown."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"
