"""scratch.install(): besides the Module, what makes the rest of a process take our file for one of PyTorch's."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from scratch import companions

ROOT = Path(__file__).resolve().parent.parent
MODULE_FILE = str(ROOT / "scratch" / "module.py")


def run(code, *arguments, before=("-m", "scratch"), folder=ROOT):
    """Run code in a fresh process, and give back what it printed as JSON."""
    command = [sys.executable, "-W", "ignore", *before, "-c", code, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_installing_imports_no_torch_and_puts_two_finders_first():
    code = """
import json, sys, scratch
scratch.install(); scratch.install()
finders = [type(finder).__name__ for finder in sys.meta_path[:3]]
print(json.dumps([finders, "torch" in sys.modules, "multiprocessing" in sys.modules]))
"""
    found, torch_is_there, multiprocessing_is_there = run(code, before=("-S",))
    assert found[:2] == ["Finder", "Companion"] and found[2] != "Companion"
    assert not torch_is_there and not multiprocessing_is_there


def test_the_rules_of_torch_compile_count_our_file_as_torch_and_are_not_imported_before():
    code = """
import json, sys, torch, scratch.module
from scratch import companions
early = [name for name in companions.AFTER_IMPORT if name in sys.modules and ("dynamo" in name or "fx" in name)]
import torch._dynamo.trace_rules as rules
file = torch.nn.Module.__init__.__code__.co_filename
def ask():
    files = file, torch.nn.Linear.forward.__code__.co_filename, "/elsewhere/program.py"
    return [[rules.check_file(name, inlined).skipped for inlined in (False, True)] for name in files]
before = ask()
rules.clear_lru_cache()  # as torch.distributed does when a group of processes ends
print(json.dumps([early, before, ask()]))
"""
    assert run(code) == [[], *[[[True, False], [True, False], [False, False]]] * 2]


def test_the_source_of_an_adapted_module_can_still_be_read():
    code = """
import inspect, json, multiprocessing.util as util
print(json.dumps([util.__spec__.loader.__class__.__name__, "def " in inspect.getsource(util), util.__file__]))
"""
    assert run(code) == run(code, before=())


def test_a_module_that_was_imported_before_is_adapted_at_once():
    code = """
import json, multiprocessing.util as util, scratch
before = util._args_from_interpreter_flags()
scratch.install()
print(json.dumps([before, util._args_from_interpreter_flags()]))
"""
    before, after = run(code, before=())
    assert after == [*before, os.path.dirname(MODULE_FILE)]


def test_a_torch_that_lacks_a_name_is_told_of_and_goes_on():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for name in companions.AFTER_IMPORT:
            companions.adapt(ModuleType(name))
    told = [str(warning.message) for warning in seen]
    optional = {"torch.utils._debug_mode", "torch.utils._debug_mode._utils"}  # one of them has the function
    names = [name for name in companions.AFTER_IMPORT if name not in optional]
    assert len(names) == 5
    for name, text in zip(names, told, strict=True):
        assert text.startswith(f"scratch could not adapt {name} to our Module: ")


def test_the_frames_of_our_file_are_left_out_of_a_graph_and_the_others_are_left_to_torch():
    class Translator:
        def __init__(self, file):
            self.f_code = SimpleNamespace(co_filename=file)

        def is_co_filename_from_nn_modules(self):
            return "torch" in self.f_code.co_filename

    companions.leave_our_frames_out_of_graphs(SimpleNamespace(InstructionTranslatorBase=Translator))
    asked = (MODULE_FILE, "torch/x.py", "program.py")
    assert [Translator(file).is_co_filename_from_nn_modules() for file in asked] == [True, True, False]


def test_the_child_of_a_child_stands_on_our_module_too(tmp_path):
    program = tmp_path / "family.py"
    program.write_text(
        """
import json, multiprocessing, os, sys

def tell(generation, queue):
    import torch
    if generation < 2:
        child = multiprocessing.get_context("spawn").Process(target=tell, args=(generation + 1, queue))
        child.start()
        child.join()
    queue.put([generation, torch.nn.Module.__init__.__code__.co_filename, sys.argv, __name__])

if __name__ == "__main__":
    os.chdir("/")
    queue = multiprocessing.get_context("spawn").SimpleQueue()
    tell(0, queue)
    print(json.dumps([queue.get() for _ in range(3)]))
"""
    )
    command = [sys.executable, str(ROOT / "scratch"), str(program), "one"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [generation for generation, *_ in told] == [2, 1, 0]
    assert {file for _, file, *_ in told} == {MODULE_FILE}
    assert [arguments for _, _, arguments, _ in told] == [[str(program), "one"]] * 3
    assert [name for *_, name in told] == ["__mp_main__", "__mp_main__", "__main__"]


@pytest.mark.parametrize("way", [["-m", "scratch"], [str(ROOT / "scratch")]], ids=["module", "folder"])
def test_a_program_does_not_see_which_way_it_was_started(way, tmp_path):
    code = """
import json, sys
print(json.dumps([sys.argv, sys.path[0], __name__, sorted(set(globals()) - {"__builtins__", "__annotations__"})]))
"""
    folder = ROOT if way[0] == "-m" else tmp_path
    argv, path, name, fields = run(code, "a", "-b", before=way, folder=folder)
    assert argv == ["-c", "a", "-b"] and path == "" and name == "__main__" and "json" in fields


def test_importing_the_package_alone_changes_nothing():
    code = """
import json, subprocess, sys
before = len(sys.meta_path)
import scratch.companions, multiprocessing.util as util
same = util._args_from_interpreter_flags is subprocess._args_from_interpreter_flags
print(json.dumps([len(sys.meta_path) - before, same]))
"""
    assert run(code, before=()) == [0, True]
