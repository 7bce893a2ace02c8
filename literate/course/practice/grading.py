"""Grade the reader's file: each exercise by what PyTorch prints, then the programs of the page, then the tests."""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from literate.course.practice.exercises import CHAPTERS, FILE, Case, Chapter, Exercise, begin, chapter, extend
from literate.course.practice.graft import SEPARATOR, changed, definitions, is_blank
from literate.reading.files import replace_files
from literate.reading.pages import Fence, Snippet, read_pages
from literate.reading.repository import PAGES, UsageError
from literate.reading.words import say
from literate.running import judge, run
from literate.running.run import Result, Run, Runner

YOURS = "yours"  # the third Module
LIMIT = 10.0  # seconds for each program of an exercise
MARKS = {"solved": "✓", "blank": "·", "gone": "?", "wrong": "✗"}
PROGRAM = "from literate.course.practice import graft\ngraft.renew({!r}, {!r})\ngraft.perform({!r})\n"
SAMPLE = ("construction", "registration", "tree", "modes", "movement", "saving", "loading", "hooks", "calling")


@dataclass(frozen=True)
class Grade:
    """Hold what became of an exercise, and the first of its programs that went wrong."""

    exercise: Exercise
    mark: str  # of MARKS
    case: Case | None = None
    result: Result | None = None


def program(page: str, name: str, code: str) -> Snippet:
    """Return a program that stands on no page."""
    return Snippet(Path("practice", page), name, 1, [Fence(1, code.count("\n") + 1, 0, "python", "python", code, code)])


def runner_on(root: Path, file: Path, limit: float = LIMIT, many: bool = False) -> Runner:
    """Import torch on a file, and keep it warm."""
    run.PREFIX[YOURS] = ["-m", "scratch", "--module", str(file)]
    return Runner(root, (YOURS,), timeout=limit, many=many)


def grade(exercises: Sequence[Exercise], file: Path, runner: Runner) -> list[Grade]:
    """Run the programs of exercises on what a file says now; other exercises that are not begun are done as by us."""
    found = definitions(file.read_text(encoding="utf-8"), str(file))
    marks = {one.name: "gone" if one.name not in found else "blank" if is_blank(found[one.name]) else "solved" for one in exercises}
    runs = []
    for one in exercises:
        code = PROGRAM.format(str(file), one.name, [case.code for case in one.cases])
        if marks[one.name] == "solved":
            runs.append(Run(program(one.chapter, one.name, code), YOURS, "cpu"))
    results = {result.run.snippet.name: result for result in runner.run(runs)}
    return [judged(one, marks[one.name], results.get(one.name)) for one in exercises]


def judged(exercise: Exercise, mark: str, result: Result | None) -> Grade:
    """Find the first program of an exercise that has not printed what PyTorch prints."""
    if result is None:
        return Grade(exercise, mark, exercise.cases[0])
    printed = result.stdout.split(SEPARATOR + "\n")[1:]  # one more than there are programs, if they have come to their end
    for number, case in enumerate(exercise.cases, 1):
        got = printed[number - 1] if number <= len(printed) else ""
        if got != case.prints or number >= len(printed):
            early = number >= len(printed) and not result.trouble
            return Grade(exercise, "wrong", case, replace(result, stdout=got, ended="early" if early else result.ended))
    return Grade(exercise, "solved")


def line_of(words: str, file: Path, first: bool = False) -> int | None:
    """Return the innermost line of the reader's file in an error; faulthandler names the innermost first."""
    lines = re.findall(rf'File "{re.escape(str(file))}", line (\d+)', words)
    return int(lines[0 if first else -1]) if lines else None


def error_of(words: str) -> str:
    """Return the last line of an error."""
    return next((line for line in reversed(words.rstrip().split("\n")) if line and line[0] not in " <"), "")


class Report:
    """Print what became of the exercises, in a language."""

    def __init__(self, root: Path, language: str, file: Path) -> None:
        self.root, self.language, self.file = root, language, file
        self.hints = root / FILE.parent / "hints.json"

    def say(self, key: str, **values: object) -> None:
        print(say(self.language, f"practice.{key}", **values))

    def show(self, grades: Sequence[Grade], more: bool = False) -> bool:
        """Print the list and the first failure, and return whether all are solved."""
        for one in grades:
            what = say(self.language, f"practice.{one.mark}")
            print(f"  {MARKS[one.mark]} {one.exercise.name:<34} {what}".rstrip())
        first = next((one for one in grades if one.mark != "solved"), None)
        if first is None:
            return True
        print()
        text = self.file.read_text(encoding="utf-8")
        node = definitions(text).get(first.exercise.name)
        result = first.result
        line = (result and line_of(result.stderr, self.file, result.ended == "time" or result.status < 0)) or (
            node.lineno if node else None
        )
        where = f"{FILE.as_posix()}:{line}" if line else FILE.as_posix()
        print(f"{first.exercise.name}  ({where})")
        print(textwrap.indent(first.exercise.task[self.language], "    "))
        if first.mark == "gone":
            self.say("put back", name=first.exercise.name, chapter=first.exercise.chapter)
            return False
        case = first.case
        assert case is not None
        print()
        self.say("program")
        print(textwrap.indent(case.code.rstrip(), "    "))
        self.say("expected")
        print(textwrap.indent(case.prints.rstrip(), "    "))
        if result is not None:
            self.say("got")
            got = "\n".join(filter(None, (result.stdout.rstrip()[:2000], self.ending(result))))
            print(textwrap.indent(got or say(self.language, "practice.nothing"), "    "))
            self.say("line", where=where, code=text.split("\n")[(line or 1) - 1].strip())
        self.hint(first, more)
        return False

    def ending(self, result: Result) -> str:
        """Say how a program has ended, unless at its end."""
        if result.ended == "exit" and result.status >= 0:
            return error_of(result.stderr) if result.status else ""
        return say(self.language, f"practice.ended by {result.ended}", signal=-result.status)

    def hint(self, grade: Grade, more: bool) -> None:
        """Print the hint that fits, or the next one that has not been asked for."""
        hints = grade.exercise.hints[self.language]
        first = grade.case.hint if grade.case and grade.mark == "wrong" else 1
        try:
            asked = json.loads(self.hints.read_text(encoding="utf-8"))
            before, turn = asked.get(grade.exercise.name, (first, 0))
        except (OSError, ValueError, TypeError, AttributeError):  # none is asked for yet, or the file is broken
            asked, before, turn = {}, first, 0
        turn = turn + more if before == first else 0  # another mistake begins with its own hint
        asked[grade.exercise.name] = first, turn
        if more:
            replace_files(self.root, {self.hints.relative_to(self.root): json.dumps(asked).encode()})
        number = (first - 1 + turn) % len(hints) + 1
        self.say("hint", number=number, all=len(hints), hint=hints[number - 1])


def write(root: Path, name: str, report: Report) -> None:
    """Write the reader's file, or add to it what a chapter brings."""
    exists = report.file.is_file()
    if exists:
        before = report.file.read_text(encoding="utf-8")
        text, added = extend(before, name, report.language)
    else:
        text, added = begin(name, report.language), []
    names = [one.name for one in chapter(name).exercises]
    if not exists or added:
        replace_files(root, {FILE: text.encode()})
    if not exists:
        report.say("written", file=FILE.as_posix(), count=len(names), names=", ".join(names))
    elif added:
        report.say("kept", file=FILE.as_posix(), names=", ".join(added))
    else:
        report.say("unchanged", file=FILE.as_posix(), names=", ".join(names))
    report.say("then", chapter=name)


def check(root: Path, one: Chapter, report: Report, more: bool, runner: Runner | None = None) -> bool:
    """Grade a chapter, and print how it went."""
    began = time.monotonic()
    definitions(report.file.read_text(encoding="utf-8"), str(report.file))  # or a SyntaxError, before torch is imported
    with runner or runner_on(root, report.file) as warm:
        report.say("imported", torch=warm.torch[YOURS])
        if not report.show(grade(one.exercises, report.file, warm), more):
            return False
        good = programs_run(root, one.name, warm, report)
        run_tests(root, one.tests, warm, report)
    if good:
        report.say("done", chapter=one.name, seconds=f"{time.monotonic() - began:.1f}")
        after = CHAPTERS[CHAPTERS.index(one.name) + 1 :]
        report.say("next", command=f"python -m literate practise {after[0] if after else '--all'}")
    return good


def programs_run(root: Path, page: str, warm: Runner, report: Report) -> bool:
    """Run the programs of a page, whose shown outputs are PyTorch's, and say how many print the same."""
    pages = [one for one in read_pages(root / PAGES, root) if one.path.stem == page]
    snippets = [snippet for one in pages for snippet in one.snippets]
    warm.timeout = 60
    failures = [
        found
        for result in warm.run(Run(snippet, YOURS, "cpu") for snippet in snippets)
        if (found := judge.failure([result]))
    ]
    report.say("programs", page=page, good=len(snippets) - len(failures), all=len(snippets))
    if failures:
        print(min(failures, key=lambda one: one.line).text)
    return not failures


def run_tests(root: Path, files: Sequence[str], warm: Runner, report: Report) -> None:
    """Run tests on the reader's Module, and name those that fail: they ask for more than the tasks and pages say."""
    paths = [str(root / "tests" / file) for file in files]
    options = ["-p", "no:cacheprovider", f"--rootdir={root}", "--tb=line", *paths]
    code = f"import sys\nsys.path.insert(0, {str(root / 'tests')!r})\nimport pytest\nsys.exit(pytest.main({options!r}))\n"
    warm.timeout = 300
    (result,) = warm.run([Run(program("tests", "-".join(files), code), YOURS, "cpu")])
    lines = result.stdout.split("\n")
    last = next((line for line in reversed(lines) if re.search(r"\d+ (passed|failed|error)", line)), report.ending(result))
    report.say("tests", files=" ".join(f"tests/{file}" for file in files), how=last.strip(" ="))
    for line in lines:
        if found := re.match(r"(?:FAILED|ERROR) .*::(\S+)", line):
            print(f"    {found[1]}")


def check_all(root: Path, report: Report) -> bool:
    """Show what runs on the reader's Module, and which pieces are still ours."""
    definitions(report.file.read_text(encoding="utf-8"), str(report.file))
    everything = [one for name in CHAPTERS for one in chapter(name).exercises]
    with runner_on(root, report.file, many=True) as warm:
        report.say("imported", torch=warm.torch[YOURS])
        grades = grade(everything, report.file, warm)
        for name in CHAPTERS:
            marks = [MARKS[one.mark] for one in grades if one.exercise.chapter == name]
            print(f"  {name:<24} {' '.join(marks)}")
        good = [programs_run(root, name, warm, report) for name in (*CHAPTERS, "a-gpt-on-it")]
        run_tests(root, [f"test_{name}.py" for name in SAMPLE], warm, report)
    left = [one.exercise.name for one in grades if one.mark != "solved"]
    report.say("ours", count=len(left), all=len(grades), names=", ".join(left) or "-")
    return all(good) and not left


def watch(root: Path, one: Chapter, report: Report) -> None:
    """Grade at each save; torch is imported anew only where more than the body of a function has changed."""
    warm, base, seen = None, "", None
    try:
        while True:
            if (now := report.file.stat().st_mtime_ns) == seen:
                time.sleep(0.1)
                continue
            seen, began = now, time.monotonic()
            print("\n" + "─" * 60)
            try:
                text = report.file.read_text(encoding="utf-8")
                if warm is None or changed(base, text) is None:
                    if warm:
                        warm.close()
                    warm, base = None, text
                    warm = runner_on(root, report.file)
                warm.timeout = LIMIT
                if report.show(grade(one.exercises, report.file, warm)):
                    check(root, one, report, False)
            except SyntaxError as error:
                report.say("syntax", where=f"{FILE.as_posix()}:{error.lineno}", error=error.msg)
            except UsageError as error:
                print(explain(str(error), report))
            report.say("watching", seconds=f"{time.monotonic() - began:.1f}")
            sys.stdout.flush()
    finally:
        if warm:
            warm.close()


def explain(words: str, report: Report) -> str:
    """Return why torch can't be imported on the reader's file: the error, and the line of theirs."""
    line = line_of(words, report.file)
    where = f"{FILE.as_posix()}:{line}" if line else FILE.as_posix()
    return say(report.language, "practice.no import", where=where, error=error_of(words))


def practise(options: argparse.Namespace, root: Path) -> int:
    """Write the reader's file for a chapter, or grade it."""
    name = Path(options.page or "").stem
    report = Report(root, options.language, root / FILE)
    grading = options.check or options.hint or options.watch or options.all
    if not options.all and name not in CHAPTERS:
        raise UsageError(f"exercises are there for {', '.join(CHAPTERS)}" + (f", not for {name}" if name else ""))
    if grading and report.file.is_file() and "complete(globals())" not in report.file.read_text(encoding="utf-8"):
        raise UsageError(say(report.language, "practice.no end", file=FILE.as_posix()))
    if grading and not report.file.is_file():
        raise UsageError(f"there is no {FILE.as_posix()} yet: python -m literate practise {name or CHAPTERS[0]}")
    run.PATIENCE = 60
    try:
        if not grading:
            write(root, name, report)
            return 0
        if options.all:
            return 0 if check_all(root, report) else 1
        if options.watch:
            watch(root, chapter(name), report)
        return 0 if check(root, chapter(name), report, options.hint) else 1
    except SyntaxError as error:
        report.say("syntax", where=f"{FILE.as_posix()}:{error.lineno}", error=error.msg)
    except run.ServerError as error:
        print(explain(str(error), report))
    return 1


