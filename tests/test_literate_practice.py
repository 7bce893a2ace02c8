"""The exercises: PyTorch's prints are the answer, our solutions pass, and typical mistakes get a hint that fits."""

from pathlib import Path

import pytest

from literate.course.practice import grading
from literate.course.practice.exercises import CHAPTERS, blank, chapter, solved, with_body
from literate.running.run import FORKS, Run, Runner

ROOT = Path(__file__).parents[1]
ALL = [one for name in CHAPTERS for one in chapter(name).exercises]
MISTAKES = [(one, wrong) for one in ALL for wrong in one.wrong]
pytestmark = pytest.mark.skipif(not FORKS, reason="without fork each program would import torch")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("practice")
    (place / "module.py").write_text(solved(), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def runner(folder):
    with grading.runner_on(ROOT, folder / "module.py", 20) as one:
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


def test_our_solutions_pass(grades_of):
    assert {one.exercise.name: one.mark for one in grades_of(ALL, {})} == {one.name: "solved" for one in ALL}


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
