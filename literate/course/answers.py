"""The answers to readers' questions, under docs/<language>/answers, and the indexes that find one.

Under each question, a heading `##`, stands a comment that says which names of Module it concerns:

    <!-- answer: parameters __setattr__ -->

These lines, each on its own on any page, become text when the site is built:

    <!-- literate: decided-by self._modules[name] = value -->    which line of scratch/module.py this is
    <!-- literate: answers by chapter -->                        the questions, and so `by error` and `by name`
    <!-- literate: reference -->                                 every name of Module, and where it is explained
"""

import ast
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from literate.course.reference_words import WORDS
from literate.reading.pages import Page, Snippet, parse
from literate.site.building import settings_file
from literate.translating.compare import headings, prose
from literate.writing.extract import MODULE

ANSWER = re.compile(r"<!-- answer: (?P<names>\w+(?: \w+)*) -->")
DECIDED = re.compile(r"<!-- literate: decided-by (?P<code>.+) -->")
INDEX = re.compile(r"<!-- literate: (?P<what>answers by (?:chapter|error|name)|reference) -->")
MESSAGE = re.compile(r"(?:[\w ]+: )?(?P<message>[A-Z]\w*(?:Error|Exception|Warning): .+)")
MARKER = re.compile(r" *# --8<-- \[(?P<which>start|end):(?P<name>[\w-]+)\]")
CHAPTERS = {  # where each section of the class is taught
    "construction": "registration.md",
    "registration": "registration.md",
    "tree": "tree.md",
    "modes": "modes.md",
    "movement": "moving.md",
    "saving": "saving-and-loading.md",
    "loading": "saving-and-loading.md",
    "hooks": "calling-and-hooks.md",
    "calling": "calling-and-hooks.md",
    "representation": "instead-of-pytorch.md",
}
SHOWN = 4  # so many snippets are named in a row of the reference


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


@dataclass(frozen=True)
class Name:
    """Hold one name of Module: where scratch/module.py defines it, in which section, and what its docstring says."""

    name: str
    line: int
    section: str
    sentence: str


# What the pages and the file say


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


@cache
def names_of_module(text: str) -> dict[str, Name]:
    """Return every name that the class of scratch/module.py defines, in the order of the file."""
    sections: dict[int, str] = {}
    opened: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if found := MARKER.fullmatch(line):
            opened.append(found["name"]) if found["which"] == "start" else opened.remove(found["name"])
        sections[number] = opened[0] if opened else ""
    tree = ast.parse(text)
    (module,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Module")
    found_names: dict[str, Name] = {}
    for node in module.body:
        sentence = ""
        if isinstance(node, ast.FunctionDef):
            names = [node.name]
            sentence = (ast.get_docstring(node) or "").partition("\n")[0]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        else:
            continue
        for name in names:
            found_names[name] = Name(name, node.lineno, sections[node.lineno], sentence)
    return found_names


def lines_of_module(text: str, code: str) -> list[int]:
    """Return the lines of scratch/module.py that are this code."""
    return [number for number, line in enumerate(text.split("\n"), 1) if line.strip() == code]


def check(pages: Iterable[Page], root: Path) -> None:
    """Note what is wrong with the comments on answers in the pages."""
    file = root / MODULE
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    for page in pages:
        for number, line in enumerate(page.text.split("\n"), 1):
            if (found := DECIDED.fullmatch(line.strip())) and len(places := lines_of_module(text, found["code"])) != 1:
                how = "has no line" if not places else f"has {len(places)} lines"
                page.error(number, f"{MODULE.as_posix()} {how} `{found['code']}`: name one that is there once")
        for answer in read_answers(page) if is_answers(page.path) else ():
            unknown = [name for name in answer.names if name not in names_of_module(text)] if text else []
            if not answer.names:
                page.error(answer.line, "a question without `<!-- answer: NAMES -->`: say which names it concerns")
            elif unknown:
                page.error(answer.line, f"Module has no {' or '.join(unknown)}: mend the answer comment below")
            if not answer.decided:
                page.error(answer.line, "a question without `<!-- literate: decided-by CODE -->`: say what decides it")
            if len(answer.snippets) < 2:
                page.error(
                    answer.line, "a question with fewer than two snippets: show the trap, and how to do it right"
                )


# What becomes of the lines


class Indexes:
    """Write what the comments stand for, as Markdown, for the pages of one language.

    Args:
        root: the repository.
        language: of the pages.
        address: of scratch/module.py in the repository, to which `#L` and a line are added; empty if there is none.
        say: the words of the site, by what they say.
    """

    def __init__(self, root: Path, language: str, address: str, say: Callable[..., str]) -> None:
        self.root, self.language, self.address, self.say = root, language, address, say
        self.folder = root / "docs" / language
        self.text = (root / MODULE).read_text(encoding="utf-8")

    def lines(self, line: str, page: Path) -> list[str] | None:
        """Return the Markdown for one line of a page, or None where it is not such a comment."""
        if found := DECIDED.fullmatch(line.strip()):
            return self.decided(found["code"])
        if not (found := INDEX.fullmatch(line.strip())):
            return None
        if found["what"] == "reference":
            return self.reference(page)
        by = {"chapter": self.by_chapter, "error": self.by_error, "name": self.by_name}
        return by[found["what"].split()[-1]](page)

    def decided(self, code: str) -> list[str]:
        """Say which line of scratch/module.py it is that decides."""
        numbers = lines_of_module(self.text, code)
        if len(numbers) != 1:
            return []
        place = self.say("decided in", line=str(numbers[0]))
        place = f"[{place}]({self.address}#L{numbers[0]})" if self.address else place
        return ["", f"{place} {_code(code)}", "{: .literate-decided }", ""]

    def answers(self) -> list[Answer]:
        """Return all answers in the order of the navigation."""
        config = self.root / settings_file(self.language)
        order = re.findall(r"answers/[\w-]+\.md", config.read_text(encoding="utf-8") if config.is_file() else "")
        paths = {path.relative_to(self.folder).as_posix(): path for path in sorted(self.folder.glob("answers/*.md"))}
        chosen = [paths[one] for one in dict.fromkeys([*order, *paths]) if one in paths]
        pages = [parse(path.read_text(encoding="utf-8"), path.relative_to(self.root)) for path in chosen]
        return [answer for page in pages if is_answers(page.path) for answer in read_answers(page)]

    def link(self, answer: Answer, page: Path, text: str = "") -> str:
        """Return a link from a page to an answer."""
        return f"[{text or answer.question}]({_relative(answer.page, page)}#{answer.anchor})"

    def by_chapter(self, page: Path) -> list[str]:
        lines: list[str] = []
        known = self.answers()
        for one in dict.fromkeys(answer.page for answer in known):
            title = re.search(r"^# (.+?)(?: \{.*)?$", (self.root / one).read_text(encoding="utf-8"), re.MULTILINE)
            assert title is not None
            lines += ["", f"**[{title[1]}]({_relative(one, page)})**", ""]
            lines += [f"- {self.link(answer, page)}" for answer in known if answer.page == one]
        return [*lines, ""]

    def by_error(self, page: Path) -> list[str]:
        found = [(message, answer) for answer in self.answers() for message in answer.messages]
        lines = [
            f"- {self.link(answer, page, _code(message if len(message) < 160 else message[:150] + ' …'))}"
            for message, answer in sorted(found, key=lambda pair: pair[0].lower())
        ]
        return ["", *lines, ""]

    def by_name(self, page: Path) -> list[str]:
        known = self.answers()
        lines = []
        for name in sorted(names_of_module(self.text), key=lambda name: (name.strip("_").lower(), name)):
            if links := [self.link(answer, page) for answer in known if name in answer.names]:
                lines.append(f"- {_code(name)}: {self.say('between').join(links)}")
        return ["", *lines, ""]

    def reference(self, page: Path) -> list[str]:
        """Return a table for each section of scratch/module.py: its names, and where each is explained."""
        known = names_of_module(self.text)
        pages = [
            parse(path.read_text(encoding="utf-8"), path.relative_to(self.root))
            for path in sorted(self.folder.rglob("*.md"))
        ]
        uses = {name: _uses(pages, name) for name in known}
        answers, lines = self.answers(), []
        for section in dict.fromkeys(name.section for name in known.values()):
            heading = self.say("section", section=section)
            lines += ["", f"**[{heading}]({_relative(Path('docs', self.language, CHAPTERS[section]), page)})**", ""]
            names = [one for one in known.values() if one.section == section]
            lines += [f'<div class="literate-names" style="--lines: {10 * len(names)}" markdown="1">', ""]
            lines += [self.say("reference head"), "|---|---|---|---|"]
            for name in names:
                lines.append(self.row(name, uses[name.name], [a for a in answers if name.name in a.names], page))
            lines += ["", "</div>"]
        return [*lines, ""]

    def row(self, name: Name, uses: list[Snippet], answers: list[Answer], page: Path) -> str:
        link = f"[{_code(name.name)}]({self.address}#L{name.line})" if self.address else _code(name.name)
        what = WORDS[self.language].get(name.name) or name.sentence
        shown = [
            f"[{snippet.name.replace('-', ' ')}]({_relative(snippet.page, page)}#snippet-{snippet.name})"
            for snippet in uses[:SHOWN]
        ]
        if len(uses) > SHOWN:
            shown.append(self.say("more", count=str(len(uses) - SHOWN)))
        between = self.say("between")
        return f"| {link} | {what} | {between.join(shown)} | {between.join(self.link(a, page) for a in answers)} |"


def _relative(target: Path, page: Path) -> str:
    """Return the way from one page to another; both are paths from the root, or both absolute."""
    return Path(os.path.relpath(target, page.parent)).as_posix()


def _code(text: str) -> str:
    """Return text as code in a line of Markdown."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


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
