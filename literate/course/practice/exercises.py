"""Know the exercises (literate/course/practice/CHAPTER.toml), and write the file in which a reader solves them."""

from __future__ import annotations

import ast
import textwrap
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from literate.course.practice.graft import EXERCISE, OURS, definitions, read
from literate.reading.sections import MARKER, marks, places

FOLDER = Path(__file__).parent
FILE = Path("practice", "module.py")
CHAPTERS = (
    *("registration", "tree", "parameters-and-buffers", "saving-and-loading", "moving", "modes"),
    *("calling-and-hooks", "backward", "instead-of-pytorch"),
)
END = """

# What you have not written yet comes from scratch/module.py.
from literate.course.practice.graft import complete  # noqa: E402

complete(globals())
"""


@dataclass(frozen=True)
class Case:
    """Hold a small program, what PyTorch prints, and the number of the hint for who prints something else."""

    code: str
    prints: str
    hint: int


@dataclass(frozen=True)
class Exercise:
    """Hold a function that the reader writes, by its name in scratch/module.py."""

    name: str
    chapter: str
    task: dict[str, str]  # by language
    hints: dict[str, list[str]]
    cases: tuple[Case, ...]
    wrong: tuple[dict, ...]  # typical mistakes: `mistake`, `hint`, `body`
    helpers: tuple[str, ...]  # of the solution, where scratch/module.py has them


@dataclass(frozen=True)
class Chapter:
    """Hold the exercises of a page, the sections of scratch/module.py that come with it, and their tests."""

    name: str
    sections: tuple[str, ...]
    tests: tuple[str, ...]
    exercises: tuple[Exercise, ...]


@cache
def chapter(name: str) -> Chapter:
    """Read the exercises of a chapter."""
    data = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    exercises = []
    for one in data["exercise"]:
        task = {language: one[language].strip() for language in ("en", "zh")}
        cases = tuple(Case(case["code"], case["prints"], case["hint"]) for case in one["case"])
        helpers = tuple(one.get("helpers", ()))
        exercises.append(Exercise(one["name"], name, task, one["hints"], cases, tuple(one["wrong"]), helpers))
    return Chapter(name, tuple(data["sections"]), tuple(data["tests"]), tuple(exercises))


def section_of(text: str, line: int) -> str:
    """Return the section of the class that a line of scratch/module.py belongs to."""
    opened = next((opened for number, _, _, opened in reversed(marks(text)) if number < line), ())
    return places(text)[opened[-1]] if opened else ""


def first_line(lines: list[str], node: ast.stmt) -> int:
    """Return the line on which a definition begins, with its decorators and the comment above."""
    line = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
    while line > 1 and lines[line - 2].strip().startswith("#") and not MARKER.fullmatch(lines[line - 2]):
        line -= 1
    return line


def segment(text: str, name: str) -> str:
    """Return the text of a definition."""
    lines, node = text.split("\n"), read(text)[0][name]
    part = lines[first_line(lines, node) - 1 : node.end_lineno]
    return "\n".join(line for line in part if not MARKER.fullmatch(line))


def with_body(text: str, name: str, body: str) -> str:
    """Return a text in which a function has another body."""
    lines, node = text.split("\n"), read(text)[0][name]
    assert isinstance(node, ast.FunctionDef)
    head = [line for line in lines[node.lineno - 1 : node.body[0].lineno - 1] if not line.strip().startswith("#")]
    inner = textwrap.indent(body.strip("\n"), " " * (node.col_offset + 4))
    return "\n".join([*lines[: node.lineno - 1], *head, inner, *lines[node.end_lineno :]])


def blank(exercise: Exercise, language: str) -> str:
    """Return the body of a function that is to be written."""
    task = exercise.task[language].replace("\\", "\\\\")
    return f'"""{task}\n"""\nraise NotImplementedError("{EXERCISE}{exercise.name}")'


def solution(exercise: Exercise) -> str:
    """Return what scratch/module.py has for an exercise."""
    text = OURS.read_text(encoding="utf-8")
    own = [name for name in (*exercise.helpers, exercise.name) if name in read(text)[0]]
    return "\n\n\n".join(textwrap.dedent(segment(text, name)) for name in own)


def known_by(name: str, text: str) -> set[str]:
    """Return the names of scratch/module.py that a reader has from the start of a chapter on."""
    so_far = [chapter(one) for one in CHAPTERS[: CHAPTERS.index(name) + 1]]
    sections = {"header", "construction", *(section for one in so_far for section in one.sections)}
    here = {one.name for each in so_far for one in each.exercises}
    others = [one for each in CHAPTERS for one in chapter(each).exercises]
    hidden = {name for one in others for name in (one.name, *one.helpers)} - here
    return {
        name
        for name, node in read(text)[0].items()
        if name not in hidden and (name in here or section_of(text, node.lineno) in sections)
    }


def begin(name: str, language: str) -> str:
    """Return the reader's file: scratch/module.py as of the chapter before, and the functions that they are to write."""
    text = OURS.read_text(encoding="utf-8")
    known, lines, gone = known_by(name, text), text.split("\n"), set()
    for other, node in read(text)[0].items():
        if other not in known and other != "Module":
            gone |= set(range(first_line(lines, node), (node.end_lineno or 0) + 1))
    kept = [line for number, line in enumerate(lines, 1) if number not in gone and not MARKER.fullmatch(line)]
    text = "\n".join(kept)
    for one in chapter(name).exercises:
        text = with_body(text, one.name, blank(one, language))
    while "\n\n\n\n" in text:
        text = text.replace("\n\n\n\n", "\n\n\n")
    return text.rstrip("\n") + "\n" + END


def extend(text: str, name: str, language: str) -> tuple[str, list[str]]:
    """Add what a chapter brings to the reader's file, and say what; all that stands there stays as it is."""
    ours, own = OURS.read_text(encoding="utf-8"), definitions(text, FILE.as_posix())
    known, lines = known_by(name, ours), text.split("\n")
    added = [one for one in read(ours)[0] if one in known and one not in own]
    for one in chapter(name).exercises:
        if one.name in added:
            ours = with_body(ours, one.name, blank(one, language))
    module = own["Module"]
    members = [segment(ours, one) for one in added if one.startswith("Module.")]
    above = [segment(ours, one) for one in added if not one.startswith("Module.")]
    end, start = module.end_lineno or 0, first_line(lines, module) - 1
    if members:
        lines[end:end] = ["", *"\n\n".join(members).split("\n")]
    if above:
        lines[start:start] = [*"\n\n\n".join(above).split("\n"), "", ""]
    return "\n".join(lines), added


def solved(names: Iterable[str] = CHAPTERS) -> str:
    """Return the file of a reader who has solved all exercises as we have."""
    *_, last = names
    text, ours = begin(last, "en"), OURS.read_text(encoding="utf-8")
    for one in chapter(last).exercises:
        node = read(ours)[0][one.name]
        body = "\n".join(ours.split("\n")[node.body[0].lineno - 1 : node.end_lineno])  # type: ignore[attr-defined]
        text = with_body(text, one.name, textwrap.dedent(body))
    return text
