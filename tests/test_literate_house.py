"""The house: what each room of literate/ may import, how large it may grow, and that each command has its handler."""

import ast
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from literate.__main__ import parser
from literate.course.lines import code_lines

ROOT = Path(__file__).resolve().parents[1]
HOUSE = ROOT / "literate"
FILES = sorted(path.relative_to(HOUSE) for path in HOUSE.rglob("*.py"))
# A room imports what stands on a lower floor, and nothing of another room on its own.
FLOORS = ("reading", "translating", "running writing", "showing", "course", "site markdown", "__main__")
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms.split()}
TOOL = ("reading", "running", "writing", "showing", "markdown", "__main__")
INSIDE = {  # what is imported within functions, and why
    "running/server.py": {"torch"},  # it is what the server is asked to import
    "course/pieces": {"torch"},  # a page shows what was recorded, without torch
    "course/labs/drawing.py": {"matplotlib", "IPython"},  # which a lab has
    "site": {"nbconvert", "jupytext"},  # which a site without labs has not
    "course/costs.py": {"torch", "resource"},  # the process that asks has no torch; Windows has no resource
}


def room(name):
    return name.removesuffix(".py").split("/")[0]


def imported(file):
    """Give each thing that a file imports, by its whole name, and whether within a function."""
    tree = ast.parse((HOUSE / file).read_text(encoding="utf-8"))
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [one.name for one in node.names]
            for name in [f"{node.module}.{one}" for one in names] if isinstance(node, ast.ImportFrom) else names:
                yield name, id(node) not in top


def of_the_house(name):
    """Return the file that holds what is imported by this name from literate."""
    parts = name.split(".")[1:]
    tries = (Path(*parts[:end]).with_suffix(".py") for end in range(len(parts), 0, -1))
    return next((path for path in tries if path in FILES), Path(*parts[:-1]))


def test_no_room_imports_what_stands_above_it_or_beside_it():
    wrong = []
    for file in FILES:
        for name in {name for name, _ in imported(file) if name.startswith("literate.")}:
            own, other = room(file.as_posix()), room(of_the_house(name).as_posix())
            if own != other and FLOOR[other] >= FLOOR[own]:
                wrong.append(f"literate/{file.as_posix()} imports literate/{of_the_house(name).as_posix()}")
    assert wrong == []


def test_no_import_within_a_function_but_of_what_not_everyone_needs():
    for file in FILES:
        allowed = {name for place, names in INSIDE.items() if file.as_posix().startswith(place) for name in names}
        inside = {name.split(".")[0] for name, within in imported(file) if within}
        assert inside <= allowed, f"literate/{file.as_posix()}"


def lines(*rooms):
    """Count lines of code, as those of scratch/module.py are counted: no blanks, comments, docstrings."""
    files = [path for path in FILES if not rooms or room(path.as_posix()) in rooms]
    return sum(len(code_lines((HOUSE / path).read_text(encoding="utf-8"))) for path in files)


def test_the_tool_is_to_be_read_in_one_sitting():
    assert lines(*TOOL) <= 2_050


def test_all_of_literate_stays_small():
    assert lines() <= 6_000


HANDLERS = {name: one.get_default("handler") for name, one in parser()._subparsers._group_actions[0].choices.items()}


@pytest.mark.parametrize("command", HANDLERS)
def test_each_command_has_its_handler(command):
    module, _, name = HANDLERS[command].partition(":")
    assert callable(getattr(import_module(f"literate.{module}"), name))


@pytest.mark.parametrize("command", HANDLERS)
def test_each_command_says_so_where_there_is_no_repository(command, tmp_path):
    arguments = ["slugs"] if command == "translations" else []
    run = [sys.executable, "-m", "literate", command, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "python -m literate: no folder docs/en here or above: run this in the repository\n"
