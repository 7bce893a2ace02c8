"""The page on what differs says what the commands on it print, and names every difference that a comparison finds."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "en" / "differences.md").read_text(encoding="utf-8")


def commands():
    """Give each command of the page's console blocks that shows an output, as arguments, with that output."""
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for command in re.split(r"^\$ python ", block, flags=re.MULTILINE)[1:]:
            line, _, output = command.partition("\n")
            if output.strip():
                yield shlex.split(line), output.strip()


COMMANDS = list(commands())
ALONE = ("process", "f_back")  # commands about a whole process, or about what stands below a program
TOGETHER = [
    arguments[-1]
    for arguments, _ in COMMANDS
    if arguments[-2:-1] == ["-c"] and not any(word in arguments[-1] for word in ALONE)
]


def run(*arguments):
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


COMPARE = """
import inspect, json, torch
import torch.nn.modules.module as file
def parameters(function):
    return [(p.name, str(p.kind), repr(p.default)) for p in inspect.signature(function).parameters.values()]
functions = lambda place: {name: parameters(value) for name, value in vars(place).items() if inspect.isfunction(value)}
print(json.dumps({
    "file": [name for name in vars(file) if not name.startswith("__")],
    "class": list(vars(torch.nn.Module)),
    "methods": functions(torch.nn.Module),
    "functions": functions(file),
    "annotations": {name: str(value) for name, value in torch.nn.Module.__annotations__.items()},
    "fields": list(vars(torch.nn.Module())),
    "public": sorted(file.__all__),
    "base": [torch.nn.Module.__module__, torch.nn.Module.__qualname__, len(torch.nn.Module.__mro__)],
}))
"""


SEVERAL = """
import torch
graphs = []
def backend(graph, inputs):
    graphs.append(graph)
    return graph.forward
for index in range(10):
    names = {"nn": torch.nn}
    exec(f'''class Net(nn.Module):
    def forward(self, x):
        return x + {index}''', names)
    torch.compile(names["Net"](), backend=backend)(torch.ones(2))
inputs = [node.name for graph in graphs for node in graph.graph.nodes if node.op == "placeholder"]
print(len(graphs), sorted(set(inputs)))
"""


@pytest.fixture(scope="module")
def said():
    """Run all programs one after the other, once on each Module, and return what each printed."""
    programs = [*dict.fromkeys(TOGETHER), COMPARE, SEVERAL]
    one_by_one = (
        "import contextlib, io, json, sys\nprinted = []\n"
        "for program in json.loads(sys.argv[1]):\n"
        "    with contextlib.redirect_stdout(io.StringIO()) as stream: exec(program, {'__name__': '__main__'})\n"
        "    printed.append(stream.getvalue().strip())\n"
        "print(json.dumps(printed))"
    )
    texts = json.dumps(programs)
    stock, ours = run("-c", one_by_one, texts), run("-m", "scratch", "-c", one_by_one, texts)
    last = [json.loads(text.splitlines()[-1]) for text in (stock, ours)]
    return [dict(zip(programs, printed, strict=True)) for printed in last]


@pytest.fixture(scope="module")
def both(said):
    return [json.loads(printed[COMPARE]) for printed in said]


@pytest.mark.parametrize(("arguments", "output"), COMMANDS, ids=range(len(COMMANDS)))
def test_a_command_of_the_page_prints_what_stands_under_it(arguments, output, said):
    ours = arguments[:2] == ["-m", "scratch"]
    printed = said[ours][arguments[-1]] if arguments[-1] in TOGETHER else run(*arguments).strip()
    pattern = re.escape(output).replace("…", ".*")  # … stands for what differs from machine to machine
    assert re.fullmatch(pattern, printed.replace("\\", "/"), re.DOTALL), printed


def test_the_page_shows_what_both_modules_say():
    assert len(COMMANDS) > 12
    on_stock = [arguments for arguments, _ in COMMANDS if arguments[0] == "-c" and "scratch.finder" not in arguments[1]]
    for arguments in on_stock:
        assert ["-m", "scratch", *arguments] in [other for other, _ in COMMANDS]


def test_nothing_that_a_program_may_call_is_missing_or_called_otherwise(both):
    stock, ours = both
    assert {name: ours["methods"].get(name) for name in stock["methods"]} == stock["methods"]
    shared = {name: call for name, call in stock["functions"].items() if name != "overload"}
    assert {name: ours["functions"].get(name) for name in shared} == shared
    for part in ("annotations", "fields", "public", "base"):
        assert ours[part] == stock[part]


def test_the_names_that_differ_are_those_that_the_page_gives(both):
    stock, ours = both
    missing = set(stock["file"]) - set(ours["file"])
    section = PAGE.split("## Names that are no interface")[1].split("\n## ")[0]
    assert missing == {name for name in re.findall(r"`(\w+)`", section) if name in stock["file"]}
    surplus = [name for name in ours["class"] if name not in stock["class"]]
    assert len(surplus) <= 1 and all(name.startswith("_") for name in surplus)


def test_as_many_modules_are_compiled_from_the_same_inputs(said):
    assert said[0][SEVERAL].startswith("10 ")
    assert said[1][SEVERAL] == said[0][SEVERAL]


SCRIPT_EACH = """
import json, linecache, warnings, torch
from torch import nn
warnings.simplefilter("ignore")
arguments = {
    **dict.fromkeys(("add_module", "register_module", "register_buffer", "register_parameter"), "'a', None"),
    **{"get_submodule": "'fc'", "set_submodule": "'fc', self.fc", "get_parameter": "'w'", "get_buffer": "'b'"},
    **{"apply": "lambda m: None", "load_state_dict": "{}", "requires_grad_": "True", "set_extra_state": "1"},
    **{"to": "torch.float64", "type": "torch.float64", "to_empty": "device='cpu'", "train": "False"},
}
found = {}
for name in sorted(name for name, value in vars(nn.Module).items() if callable(value) and name[0] != "_"):
    if name in ("forward", "T_destination"):
        continue
    given = arguments.get(name, "None" if name.startswith("register_") else "")
    text = f'''
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1)
    def forward(self, x):
        return x
    @torch.jit.export
    def call(self):
        self.{name}({given})
        return 1
'''
    linecache.cache[f"<{name}>"] = (len(text), None, text.splitlines(True), f"<{name}>")
    names = {"nn": nn, "torch": torch}
    exec(compile(text, f"<{name}>", "exec"), names)
    try:
        scripted = torch.jit.script(names["M"]())
    except Exception as error:
        found[name] = ["refused", str(error).strip().split("\\n")[0]]
        continue
    try:
        scripted.call()
        found[name] = ["compiled", "ran"]
    except Exception as error:
        found[name] = ["compiled", str(error).strip().split("\\n")[-1]]
print(json.dumps(found))
"""


def test_what_torchscript_makes_of_each_public_method_is_the_same_but_for_the_words_that_the_page_names():
    stock, ours = (json.loads(run(*way, "-c", SCRIPT_EACH)) for way in ((), ("-m", "scratch")))
    assert len(stock) > 45 and stock.keys() == ours.keys()
    assert [name for name in stock if stock[name][0] != ours[name][0]] == []
    section = PAGE.split("## What TorchScript says of a method")[1].split("\n## ")[0]
    assert {name for name in stock if stock[name] != ours[name]} == set(re.findall(r"`(\w+)`", section)) & set(stock)
