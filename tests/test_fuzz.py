"""A short fixed part of the fuzzer finds no difference, and on Modules that do differ it finds one."""

import shutil
import subprocess
import sys
from pathlib import Path

import fuzz
import pytest

PROGRAMS = 100
MUTANTS = {
    "a child with two names is listed twice": (
        "                seen.add(child)\n                yield name, child",
        "                yield name, child",
    ),
    "a shared Parameter is listed twice": (
        "                if remove_duplicate:\n                    seen.add(member)\n",
        "",
    ),
    "a global hook runs after the Module's own": (
        "(*_global_forward_hooks.items(), *module._forward_hooks.items())",
        "(*module._forward_hooks.items(), *_global_forward_hooks.items())",
    ),
    "prepend is ignored": ("        hooks.move_to_end(handle.id, last=False)\n", "        pass\n"),
    "always_call is ignored": ("            _run_always_called_hooks(self, call)\n", ""),
    "a hook gets no kwargs": ("call.args, call.kwargs, call.result)", "call.args, {}, call.result)"),
    "an assigned buffer becomes persistent": ("else name not in module._non_persistent_buffers_set", "else True"),
    "strict=False is ignored": ("        if strict and missing:", "        if missing:"),
    "every Module has the same version": ('{"version": self._version}', '{"version": 1}'),
    "zero_grad makes new tensors": ("gradient.zero_()\n", "parameter.grad = torch.zeros_like(gradient)\n"),
}


@pytest.fixture(scope="module")
def pair():
    workers = fuzz.Pair()
    yield workers
    workers.close()


@pytest.fixture(scope="module")
def programs():
    """Write the fixed part of what the fuzzer runs."""
    return [fuzz.Writer(seed).program(fuzz.STEPS) for seed in range(PROGRAMS)]


@pytest.fixture(scope="module")
def answers(pair, programs):
    """Run it on both Modules."""
    return pair.answers(programs)


def test_random_programs_do_the_same_on_both_modules(pair, programs, answers):
    figures = fuzz.Figures()
    found = pair.compared(programs, *answers, figures)
    assert found is None, fuzz.as_program(fuzz.shortest(pair, found))
    assert Path(pair.told[0]["origin"]).parts[-4:] == ("torch", "nn", "modules", "module.py")
    assert Path(pair.told[1]["origin"]) == fuzz.ROOT / "scratch" / "module.py"
    assert figures.steps > 20 * PROGRAMS and len(figures.kinds) > 30 and figures.slow == 0
    assert "NameError" not in figures.raised, "statements use a name that the opening does not define"


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_module_that_is_not_the_same_is_found_out(mutant, pair, programs, answers):
    ours = pair.workers[1].ask(pair.request(programs) | {"mutant": MUTANTS[mutant]})
    assert ours != answers[0], f"{PROGRAMS} programs and no difference"


def test_a_program_leaves_nothing_behind_for_the_next(pair, programs, answers):
    alone = [pair.answers([steps])[1][0] for steps in programs[10:20]]  # each in a process of its own
    assert alone == answers[1][10:20]


def test_a_program_that_ends_its_process_is_no_end_of_the_batch(pair):
    codes = ("m0 = Net()", "import os; os.kill(os.getpid(), 9)", "m1 = Net()")
    deadly, harmless = [[fuzz.Step("test", code) for code in part] for part in (codes, codes[:1])]
    theirs, ours = pair.answers([deadly, harmless])
    figures = fuzz.Figures()
    assert pair.compared([deadly, harmless], theirs, ours, figures) is None and (figures.steps, figures.cut) == (2, 1)
    assert theirs == ours and [len(answers) for answers in ours] == [2, 1] and ours[0][1] == ["died", 9]


def test_endless_recursion_is_no_difference_however_it_ends(pair):
    steps = [fuzz.Step("test", code) for code in ("m0 = Net()", "m0.a = m0; repr(m0)")]
    assert pair.answers([steps])[0][0][1] == ["over"]
    assert pair.compared([steps[1:]], [[["died", 11]]], [[["over"]]], fuzz.Figures()) is None


def test_what_is_found_is_a_program_that_shows_it(pair, tmp_path, monkeypatch):
    text, other = MUTANTS["every Module has the same version"]
    monkeypatch.setattr(pair, "mutant", (text, other))
    codes = ["m0 = Net()", "setattr(m0, 'a', 3)", "setattr(m0, '', fail('no'))", "m1 = nn.BatchNorm1d(2, 1e-3)"]
    found = fuzz.shortest(pair, pair.first_difference([[fuzz.Step("test", code) for code in codes]]))
    assert [step.code for step in found.steps] == ["m1 = nn.BatchNorm1d(2)"]
    program = tmp_path / "program.py"
    program.write_text(fuzz.as_program(found), encoding="utf-8")
    mutated = tmp_path / "scratch"
    shutil.copytree(fuzz.ROOT / "scratch", mutated, ignore=shutil.ignore_patterns("__pycache__"))
    source = (mutated / "module.py").read_text(encoding="utf-8")
    (mutated / "module.py").write_text(source.replace(text, other), encoding="utf-8")
    way = [sys.executable, "-m", "scratch", program]
    said = subprocess.run(way, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said.startswith("OrderedDict") and said.endswith(("{'version': 1}})\n", "{'version': 1})])\n"))
    assert program.read_text(encoding="utf-8").endswith("# torch.nn: 2\n# scratch:  1\n")
