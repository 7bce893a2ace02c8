"""A short fixed part of the fuzzer finds no difference, and on Modules that do differ it finds one."""

import shutil
import subprocess
import sys
from pathlib import Path

import fuzz
import pytest

PROGRAMS, SEED = 45, 1
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


class Remembering(fuzz.Pair):
    """Run each program once on PyTorch's Module, and once on ours and on each mutant of it."""

    def __init__(self):
        super().__init__()
        self.programs_seen, self.theirs = [], []

    def answers(self, steps, show=None):
        if self.mutant is None or show is not None or steps not in self.programs_seen:
            theirs, ours = super().answers(steps, show)
            if show is None:
                self.programs_seen.append(steps)
                self.theirs.append(theirs)
            return theirs, ours
        self.workers[1].send(steps, show, self.mutant)
        return self.theirs[self.programs_seen.index(steps)], self.workers[1].receive_all()


@pytest.fixture(scope="module")
def pair():
    workers = Remembering()
    yield workers
    workers.close()


@pytest.fixture(scope="module")
def found(pair):
    """Run the fixed part of the fuzzer."""
    return fuzz.search(pair, PROGRAMS, SEED)


def test_random_programs_do_the_same_on_both_modules(pair, found):
    assert found is None, found
    assert Path(pair.origins[0]).parts[-4:] == ("torch", "nn", "modules", "module.py")
    assert Path(pair.origins[1]) == fuzz.ROOT / "scratch" / "module.py"
    assert pair.steps > 10 * PROGRAMS and len(pair.kinds) > 20 and pair.slow == 0
    assert "NameError" not in pair.raised, "statements use a name that the opening does not define"


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_module_that_is_not_the_same_is_found_out(mutant, pair, found, monkeypatch):
    monkeypatch.setattr(pair, "mutant", MUTANTS[mutant])
    programs = list(pair.programs_seen)
    assert any(pair.compare(steps) for steps in programs), f"{len(programs)} programs and no difference"


def test_a_program_that_ends_its_process_is_no_end_of_the_run(pair):
    steps = [fuzz.Step("test", code) for code in ("m0 = Net()", "import os; os.kill(os.getpid(), 9)", "m1 = Net()")]
    cut = pair.cut
    assert pair.compare(steps) is None and pair.cut == cut + 1
    theirs, ours = pair.answers(steps)
    assert theirs == ours and len(ours) == 2 and ours[1] == {"died": 9}


def test_endless_recursion_is_no_difference_however_it_ends(pair, monkeypatch):
    monkeypatch.setattr(pair, "answers", lambda steps: ([{"died": 11}], [{"over": "RecursionError"}]))
    assert pair.compare([fuzz.Step("test", "m0.a = m0")]) is None


def test_what_is_found_is_a_program_that_shows_it(pair, tmp_path, monkeypatch):
    text, other = MUTANTS["every Module has the same version"]
    monkeypatch.setattr(pair, "mutant", (text, other))
    codes = ["m0 = Net()", "setattr(m0, 'a', 3)", "setattr(m0, '', fail('no'))", "m1 = nn.BatchNorm1d(2)"]
    found = fuzz.without_idle_steps(pair, pair.compare([fuzz.Step("test", code) for code in codes]))
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
    assert program.read_text(encoding="utf-8").endswith('# torch.nn: "2"\n# scratch:  "1"\n')
