"""A short fixed part of the fuzzer finds no difference, and on Modules that do differ it finds one."""

import shutil
import subprocess
import sys
from pathlib import Path

import fuzz
import pytest

PROGRAMS = 30
MUTANTS = {
    "a child with two names is listed twice": (
        "            if child is not None and child not in seen:\n                seen.add(child)\n",
        "            if child is not None:\n",
    ),
    "every Module has the same version": ('{"version": self._version}', '{"version": 1}'),
}


@pytest.fixture
def pair(request, tmp_path):
    """The two workers; ours on a copy of scratch/ in which the mutant of the test's name is put."""
    folder = fuzz.ROOT
    if hasattr(request, "param"):
        folder = mutated(tmp_path, *MUTANTS[request.param])
    workers = fuzz.Pair(folder=folder)
    assert Path(workers.origins[1]) == folder / "scratch" / "module.py"
    yield workers
    workers.close()


def mutated(folder, text, other):
    """Copy scratch/ with one text of module.py exchanged."""
    shutil.copytree(fuzz.ROOT / "scratch", folder / "scratch", ignore=shutil.ignore_patterns("__pycache__"))
    module = folder / "scratch" / "module.py"
    source = module.read_text(encoding="utf-8")
    assert source.count(text) == 1, "the mutant's place is not in module.py any more: choose another"
    module.write_text(source.replace(text, other), encoding="utf-8")
    return folder


def test_random_programs_do_the_same_on_both_modules(pair):
    found = fuzz.search(pair, PROGRAMS)
    assert found is None, found
    assert Path(pair.origins[0]).parts[-4:] == ("torch", "nn", "modules", "module.py")
    assert pair.steps > 10 * PROGRAMS and len(pair.kinds) > 20 and pair.slow == 0


@pytest.mark.parametrize("pair", MUTANTS, indirect=True)
def test_a_module_that_is_not_the_same_is_found_out(pair):
    found = fuzz.search(pair, 4 * PROGRAMS, shrink=False)
    assert found is not None, f"{pair.steps} steps and no difference"


def test_what_is_found_is_a_program_that_shows_it(tmp_path):
    folder = mutated(tmp_path, *MUTANTS["every Module has the same version"])
    pair = fuzz.Pair(folder=folder)
    codes = ["m0 = Net()", "setattr(m0, 'a', 3)", "setattr(m0, '', fail('no'))", "m1 = nn.BatchNorm1d(2)"]
    found = fuzz.without_idle_steps(pair, pair.compare([fuzz.Step("test", code) for code in codes]))
    pair.close()
    assert [step.code for step in found.steps] == ["m1 = nn.BatchNorm1d(2)"]
    program = tmp_path / "program.py"
    program.write_text(fuzz.as_program(found), encoding="utf-8")
    said = [
        subprocess.run([sys.executable, *way, program], cwd=folder, capture_output=True, text=True, check=True).stdout
        for way in ([], ["-m", "scratch"])
    ]
    assert said[0] != said[1] and said[0].startswith("OrderedDict")
