"""The exercises: PyTorch's prints are the answer, our solutions pass, and typical mistakes get a hint that fits."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from literate.course.practice import grading
from literate.course.practice.exercises import CHAPTERS, begin, blank, chapter, extend, solved, with_body
from literate.course.practice.graft import changed, definitions, is_blank
from literate.reading.pages import read_pages, snippets
from literate.reading.repository import PAGES
from literate.running import judge
from literate.running.run import FORKS, Run, Runner, ServerError

ROOT = Path(__file__).parents[1]
ALL = [one for name in CHAPTERS for one in chapter(name).exercises]
MISTAKES = [(one, wrong) for one in ALL for wrong in one.wrong]
pytestmark = pytest.mark.skipif(not FORKS, reason="without fork each program would import torch")


def from_hints():
    """Return the file of a reader who has solved all exercises by their tasks and hints."""
    text = solved()
    for name, body in tomllib.loads((ROOT / "tests" / "solved_from_hints.toml").read_text(encoding="utf-8")).items():
        text = with_body(text, name, body)
    return text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("practice")
    (place / "module.py").write_text(from_hints(), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def runner(folder):
    with grading.runner_on(ROOT, folder / "module.py", 20, many=True) as one:
        yield one


@pytest.fixture(scope="module")
def grades_of(folder, runner):
    """Return a function that grades exercises on the solved file with another body for some functions."""

    def grade(graded, bodies):
        text = (folder / "module.py").read_text(encoding="utf-8")
        for name, body in bodies.items():
            text = with_body(text, name, body)
        file = folder / f"{len(list(folder.iterdir()))}.py"
        file.write_text(text, encoding="utf-8")
        return grading.grade(graded, file, runner)

    return grade


def test_what_the_exercises_expect_is_what_pytorch_prints(tmp_path):
    expected = {f"{one.name}-{number}": (one.chapter, case) for one in ALL for number, case in enumerate(one.cases)}
    runs = [Run(grading.program(page, name, case.code), "torch", "cpu") for name, (page, case) in expected.items()]
    with Runner(ROOT, ("torch",), timeout=20, many=False) as runner:
        printed = {result.run.snippet.name: result for result in runner.run(runs)}
    assert {name: result.trouble for name, result in printed.items() if result.trouble} == {}
    assert {name: result.stdout for name, result in printed.items()} == {
        name: case.prints for name, (_, case) in expected.items()
    }


def test_every_exercise_has_a_task_three_hints_and_three_mistakes_in_both_languages():
    for one in ALL:
        assert {len(one.hints[language]) for language in ("en", "zh")} == {3}, one.name
        assert len(one.wrong) >= 3 and all(one.task.values()), one.name
        assert {case.hint for case in one.cases} <= {1, 2, 3}
    assert all(2 <= len(chapter(name).exercises) <= 5 for name in CHAPTERS)
    assert len({one.name for one in ALL}) == len(ALL)


def test_what_is_solved_from_the_hints_passes_and_so_do_our_solutions(grades_of, folder, runner):
    everyone = {one.name: "solved" for one in ALL}
    assert {one.exercise.name: one.mark for one in grades_of(ALL, {})} == everyone
    ours = folder / "ours.py"
    ours.write_text(solved(), encoding="utf-8")
    assert {one.exercise.name: one.mark for one in grading.grade(ALL, ours, runner)} == everyone
    theirs = tomllib.loads((ROOT / "tests" / "solved_from_hints.toml").read_text(encoding="utf-8"))
    assert list(theirs) == [one.name for one in ALL]


def test_all_programs_of_the_course_print_the_same_on_a_file_solved_from_the_hints(runner):
    same = {snippet.digest: snippet for snippet in snippets(read_pages(ROOT / PAGES, ROOT))}
    runner.timeout = 60
    results = list(runner.run(Run(snippet, grading.YOURS, "cpu") for snippet in same.values()))
    assert [found.text for result in results if (found := judge.failure([result]))] == []
    assert len(results) == len(same) > 200


def test_an_end_that_is_none_is_named(grades_of, runner, folder):
    (exercise,) = (one for one in ALL if one.name == "Module.apply")
    report = grading.Report(folder, "en", folder / "module.py")
    runner.timeout = 3
    for body, words in (
        ("while True:\n    pass", "no end: it is ended after 10 s"),
        ("import os\nos._exit(0)", "the program ends in the middle, without an error"),
        ("import ctypes\nctypes.string_at(0)", "the interpreter crashes, by signal 11"),
        ("raise ValueError('mine')", "ValueError: mine"),
    ):
        (grade,) = grades_of([exercise], {exercise.name: body})
        assert (grade.mark, report.ending(grade.result)) == ("wrong", words)
    runner.timeout = 20


def test_the_report_shows_task_program_answers_line_and_hint(grades_of, folder, capsys):
    (exercise,) = (one for one in ALL if one.name == "Module.train")
    (grade,) = grades_of([exercise], {"Module.train": "self.training = mode\nreturn None.child"})
    report = grading.Report(folder, "en", Path(grade.result.run.snippet.code.split("'")[1]))
    assert report.show([grade]) is False
    text = capsys.readouterr().out
    line = report.file.read_text(encoding="utf-8").split("\n").index("        return None.child") + 1
    for part in ("✗ Module.train", exercise.task["en"].split("\n")[0], "net.train(False)", "[False, False, False]"):
        assert part in text
    assert f"At practice/module.py:{line}: return None.child" in text
    assert "AttributeError: 'NoneType' object has no attribute 'child'" in text
    assert [hint for hint in exercise.hints["en"] if hint in text] == exercise.hints["en"][:1]
    shown = []
    for _ in range(3):
        report.show([grade], more=True)
        text = capsys.readouterr().out
        shown += [number for number, hint in enumerate(exercise.hints["en"], 1) if hint in text]
    assert shown == [2, 3, 1]
    (folder / "practice" / "hints.json").write_text("[7", encoding="utf-8")
    report.show([grade])
    assert exercise.hints["en"][0] in capsys.readouterr().out


def test_the_file_of_a_chapter_holds_the_chapters_before_and_its_blanks():
    text = begin("tree", "zh")
    found = definitions(text)
    blanks = {one.name for one in chapter("tree").exercises}
    assert {name for name, node in found.items() if is_blank(node)} == blanks
    assert "Module.__setattr__" in found and "Module.train" not in found and "Module.register_buffer" not in found
    assert chapter("tree").exercises[0].task["zh"].split("\n")[0] in text
    assert text.endswith("complete(globals())\n") and "--8<--" not in text


def test_nothing_of_the_reader_is_overwritten_from_chapter_to_chapter():
    text = with_body(begin(CHAPTERS[0], "en"), "Module.__getattr__", "return 'mine'  # and my comment")
    text = text.replace("import torch\n", "import torch  # mine as well\n")
    for name in CHAPTERS:
        before, (text, _added) = text, extend(text, name, "en")
        lines = iter(text.split("\n"))
        assert all(line in lines for line in before.split("\n")), name  # every line, in the same order
        blanks = {one.name for one in chapter(name).exercises}
        assert name == CHAPTERS[0] or blanks <= {one for one, node in definitions(text).items() if is_blank(node)}
    hidden = {name for one in ALL for name in one.helpers}
    assert {*definitions(text)} >= {*definitions(solved())} - hidden
    assert "return 'mine'  # and my comment" in text and extend(text, CHAPTERS[-1], "en") == (text, [])
    gone = text.replace("    def train(", "    def other(")
    assert extend(gone, "modes", "en")[1] == ["Module.train"]


def test_only_another_body_is_looked_at_without_importing_torch_again():
    text = begin("modes", "en")
    assert changed(text, with_body(text, "Module.train", "return self")) == ["Module.train"]
    assert changed(text, text.replace('T = TypeVar("T"', 'T = TypeVar("S"')) is None
    assert changed(text, text.replace("def train(", "def trains(")) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class Module:\n    def train(self:\n        pass\ncomplete(globals())\n", "practice/module.py:2: Python can"),
        ("class Module:\n    pass\n", "has lost its last line, complete(globals())"),
        (None, "there is no practice/module.py yet: python -m literate practise tree"),
    ],
)
def test_a_file_that_cannot_be_graded_says_why(tmp_path, text, words):
    (tmp_path / "docs" / "en").mkdir(parents=True)
    (tmp_path / "practice").mkdir()
    if text is not None:
        (tmp_path / "practice" / "module.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "literate", "practise", "tree", "--check"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path / "docs", env=environment, capture_output=True, text=True)
    assert done.returncode in (1, 2) and words in done.stdout + done.stderr


def test_torch_that_cannot_be_imported_on_the_file_names_its_line(tmp_path):
    file = tmp_path / "module.py"
    file.write_text(from_hints().replace("class Module:", "1 / 0\n\n\nclass Module:"), encoding="utf-8")
    with pytest.raises(ServerError) as raised, grading.runner_on(ROOT, file):
        pass
    line = file.read_text(encoding="utf-8").split("\n").index("1 / 0") + 1
    told = grading.explain(str(raised.value), grading.Report(tmp_path, "en", file))
    assert (
        told == f"practice/module.py:{line}: torch can't be imported on your file: ZeroDivisionError: division by zero"
    )


def test_each_blank_fails_alone_with_its_own_message(folder, runner):
    text = (folder / "module.py").read_text(encoding="utf-8")
    runs = []
    for one in ALL:
        file = folder / f"blank-{one.name}.py"
        file.write_text(with_body(text, one.name, blank(one, "en")), encoding="utf-8")
        code = grading.PROGRAM.format(str(file), one.name, [one.cases[0].code])
        runs.append(Run(grading.program(one.chapter, f"{one.name}-blank", code), grading.YOURS, "cpu"))
    for result in runner.run(runs):
        name = result.run.snippet.name.removesuffix("-blank")
        assert result.status == 1 and f"NotImplementedError: exercise: {name}" in result.stderr, name


def test_blanks_of_others_keep_no_exercise_from_passing(grades_of):
    for page in CHAPTERS:
        _, *others = chapter(page).exercises
        grades = grades_of(chapter(page).exercises, {one.name: blank(one, "zh") for one in others})
        assert [one.mark for one in grades] == ["solved", *["blank"] * len(others)]


@pytest.mark.parametrize(
    ("exercise", "wrong"), MISTAKES, ids=[f"{one.name}: {wrong['mistake']}" for one, wrong in MISTAKES]
)
def test_a_typical_mistake_fails_with_a_hint_that_fits(exercise, wrong, grades_of):
    (grade,) = grades_of([exercise], {exercise.name: wrong["body"]})
    assert grade.mark == "wrong"
    assert grade.case.hint == wrong["hint"], (grade.result.stdout, grade.result.stderr)
