"""python -m scratch runs a program as python does, but on our Module; scratch.install() does so from code."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parent.parent
OURS = str(ROOT / "scratch" / "module.py")
WHOSE = "import torch\nprint(torch.nn.modules.module.__file__, torch.nn.Linear.__mro__[1].__module__)\n"


@pytest.fixture
def run(tmp_path):
    """Give a function that runs `python ARGUMENTS` in an empty folder, with our package to be found."""

    def run_python(*arguments, stdin="", **environment):
        path = os.pathsep.join([*environment.pop("path", []), str(ROOT)])
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", **environment},
        )

    return run_python


@pytest.fixture
def alike(run):
    """Give a function that runs a program by python and by our command, and expects no difference at all."""

    def run_both(*arguments, stdin="", status=0):
        plain, ours = (run(*way, *arguments, stdin=stdin) for way in ((), ("-m", "scratch")))
        assert (ours.stdout, ours.stderr, ours.returncode) == (plain.stdout, plain.stderr, plain.returncode)
        assert ours.returncode == status, ours.stderr
        return ours

    return run_both


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


SEEN = """\
import sys
print(__name__, sys.argv, sys.path)
print(sorted(globals()), sys.modules["__main__"].__dict__ is globals())
print(globals().get("__file__"), globals().get("__package__"), __doc__)
print(type(__loader__).__name__, __spec__ and __spec__.name)
"""

# --- as python does ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["program.py", "sub/program.py", "./program.py"])
def test_a_file_sees_the_arguments_path_and_names_that_python_gives_it(alike, tmp_path, name):
    write(tmp_path, name, '"""Say it."""\n' + SEEN)
    out = alike(name, "first", "--help", "-m", "-c")
    assert "['" + name + "', 'first', '--help', '-m', '-c']" in out.stdout and "__main__" in out.stdout


def test_a_file_may_be_named_by_its_whole_path(alike, tmp_path):
    alike(write(tmp_path, "program.py", SEEN))


def test_a_file_behind_a_link_imports_from_its_real_folder(alike, tmp_path):
    write(tmp_path, "real/program.py", "import beside\n" + SEEN)
    write(tmp_path, "real/beside.py", "print('beside')\n")
    try:
        (tmp_path / "link.py").symlink_to(tmp_path / "real" / "program.py")
    except OSError:
        pytest.skip("this system lets us make no links")
    assert alike("link.py").stdout.startswith("beside\n")


def test_a_module_sees_what_python_gives_it(alike, tmp_path):
    write(tmp_path, "program.py", SEEN)
    write(tmp_path, "package/__init__.py", "print('package')\n")
    write(tmp_path, "package/__main__.py", SEEN)
    write(tmp_path, "package/inner.py", "from . import __name__ as parent\nprint(parent)\n" + SEEN)
    assert repr([str(tmp_path / "program.py"), "a", "--b"]) in alike("-m", "program", "a", "--b").stdout
    alike("-m", "package", "a")
    alike("-m", "package.inner", "a")


def test_code_sees_what_python_gives_it(alike):
    assert "['-c', 'a', '-m']" in alike("-c", SEEN, "a", "-m").stdout


def test_standard_input_sees_what_python_gives_it(alike):
    assert "['-', 'a']" in alike("-", "a", stdin=SEEN).stdout


def test_a_folder_or_zip_file_with_a_main_file_runs(alike, tmp_path):
    write(tmp_path, "folder/__main__.py", "import beside\n" + SEEN)
    write(tmp_path, "folder/beside.py", "")
    alike("folder", "a")
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("__main__.py", SEEN)
    alike("archive.zip", "a")
    write(tmp_path, "__main__.py", "print(__file__, __import__('sys').path[0])")
    for here in (".", "", "./."):
        alike(here)


def test_a_program_reads_its_standard_input(alike, tmp_path):
    write(tmp_path, "program.py", "print(input()[::-1])\n")
    assert alike("program.py", stdin="abc\n").stdout == "cba\n"


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("sys.exit()", 0),
        ("sys.exit(3)", 3),
        ("sys.exit('said')", 1),
        ("raise SystemExit(4)", 4),
        ("os._exit(5)", 5),
    ],
)
@pytest.mark.parametrize("way", ["file", "-m", "-c", "-"])
def test_the_exit_status_and_what_is_said_are_those_of_python(alike, tmp_path, way, end, status):
    text = f"import os, sys\n{end}\n"
    write(tmp_path, "program.py", text)
    arguments = {"file": ["program.py"], "-m": ["-m", "program"], "-c": ["-c", text], "-": ["-"]}[way]
    alike(*arguments, stdin=text if way == "-" else "", status=status)


@pytest.mark.parametrize("error", ["raise LookupError('own')", "import nowhere"])
@pytest.mark.parametrize("way", ["file", "-c", "-"])
def test_what_is_said_of_an_error_is_what_python_says(alike, tmp_path, way, error):
    write(tmp_path, "program.py", f"{error}\n")
    arguments = {"file": ["program.py"], "-c": ["-c", error], "-": ["-"]}[way]
    alike(*arguments, stdin=f"{error}\n" if way == "-" else "", status=1)


FAILING = "def fail():\n    raise LookupError('own')\n\n\nfail()\n"


def test_a_traceback_begins_in_the_file_of_the_user(alike, tmp_path):
    write(tmp_path, "program.py", FAILING)
    said = alike("program.py", status=1).stderr
    assert said.startswith(
        f'Traceback (most recent call last):\n  File "{tmp_path / "program.py"}", line 5, in <module>'
    )
    assert "scratch" not in said.replace(str(tmp_path), "")


def test_a_traceback_of_a_module_shows_no_frame_of_ours(run, tmp_path):
    write(tmp_path, "program.py", FAILING)
    said = run("-m", "scratch", "-m", "program")
    assert said.returncode == 1 and "LookupError: own" in said.stderr
    assert f'File "{tmp_path / "program.py"}", line 5' in said.stderr
    assert str(ROOT) not in said.stderr


def test_a_chain_of_errors_is_shown_whole(alike, tmp_path):
    write(
        tmp_path, "program.py", "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise LookupError('own') from e\n"
    )
    assert "ZeroDivisionError" in alike("program.py", status=1).stderr


def test_a_file_that_is_no_python_is_refused_in_the_words_of_python(alike, tmp_path):
    write(tmp_path, "program.py", "x = = 1\n")
    assert "SyntaxError" in alike("program.py", status=1).stderr


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("program.py", b"x = 1\nprint('\0')\n", 'program.py", line 2'),
        ("program.py", b"print('caf\xe9')\n", 'program.py", line 1'),
        ("program.py", b"# coding: nonsense\n", "unknown encoding: nonsense"),
        ("program.pyc", b"no code", "program.pyc': bad magic number"),
    ],
    ids=["nul", "no utf-8", "unknown encoding", "pyc"],
)
def test_a_file_that_is_no_text_is_refused_by_name(run, tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    done = run("-m", "scratch", name)
    assert done.returncode == 1 and words in done.stderr and "scratch/" not in done.stderr, done.stderr


def test_a_folder_of_our_name_does_not_hide_us(run, tmp_path):
    write(tmp_path, "scratch/notes.txt", "")
    write(tmp_path, "program.py", WHOSE)
    assert OURS in run("-m", "scratch", "program.py").stdout


def test_a_program_may_set_its_own_excepthook(alike, tmp_path):
    text = "import sys\nsys.excepthook = lambda *error: print('hook', error[0].__name__)\nraise LookupError\n"
    write(tmp_path, "program.py", text)
    assert alike("program.py", status=1).stdout == "hook LookupError\n"


def test_exit_functions_run_and_classes_of_the_program_can_be_pickled(alike, tmp_path):
    text = (
        "import atexit, inspect, pickle\n\n\n"
        "class Own:\n    pass\n\n\n"
        "atexit.register(print, 'last')\n"
        "print(type(pickle.loads(pickle.dumps(Own()))) is Own, inspect.getsource(Own))\n"
    )
    write(tmp_path, "program.py", text)
    assert alike("program.py").stdout.startswith("True class Own:") and alike("program.py").stdout.endswith("last\n")


def test_options_of_python_go_before_ours(run):
    assert run("-O", "-m", "scratch", "-c", "assert False").returncode == 0
    assert run("-W", "error", "-m", "scratch", "-c", "import warnings; warnings.warn('w')").returncode == 1


# --- what is ours ------------------------------------------------------------------------------------------------


def test_every_way_runs_on_our_module(run, tmp_path):
    write(tmp_path, "program.py", WHOSE)
    ways = [["program.py"], ["-m", "program"], ["-c", WHOSE], ["-"]]
    for way in ways:
        out = run("-m", "scratch", *way, stdin=WHOSE if way == ["-"] else "")
        assert out.stdout == f"{OURS} torch.nn.modules.module\n", out.stderr


def test_a_program_of_torch_prints_the_same_on_both(alike, tmp_path):
    text = (
        "import torch\nfrom torch import nn\n\ntorch.manual_seed(0)\n"
        "net = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.LayerNorm(4), nn.Linear(4, 2))\n"
        "optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)\n"
        "for _ in range(3):\n"
        "    loss = nn.functional.cross_entropy(net(torch.eye(3)), torch.tensor([0, 1, 0]))\n"
        "    loss.backward()\n    optimizer.step()\n    optimizer.zero_grad()\n    print(loss.item())\n"
        "print(net, list(net.state_dict()))\n"
    )
    write(tmp_path, "train.py", text)
    assert "LayerNorm" in alike("train.py").stdout


def test_alone_it_says_which_torch_it_stands_in_for(run):
    out = run("-m", "scratch")
    assert out.returncode == 0 and out.stderr == ""
    first = out.stdout.splitlines()[0]
    assert torch.__version__ in first and "torch.nn.Module" in first and OURS in out.stdout
    assert "usage: python -m scratch" in out.stdout


def test_help_is_shown_on_request(run):
    for option in ("-h", "--help"):
        out = run("-m", "scratch", option)
        assert out.returncode == 0 and out.stdout.startswith("usage: python -m scratch") and out.stderr == ""


@pytest.mark.parametrize("arguments", [["-m"], ["-c"], ["--nope"], ["-x", "program.py"]])
def test_a_command_line_that_makes_no_sense_gets_the_usage_and_status_2(run, arguments):
    out = run("-m", "scratch", *arguments)
    assert out.returncode == 2 and out.stdout == "" and "usage: python -m scratch" in out.stderr
    assert arguments[0] in out.stderr.splitlines()[0]


def test_a_file_that_is_not_there_is_named_with_status_2(run, tmp_path):
    plain, ours = run("nope.py"), run("-m", "scratch", "nope.py")
    assert plain.returncode == ours.returncode == 2 and ours.stdout == ""
    assert ours.stderr.split(": ", 1)[1] == plain.stderr.split(": ", 1)[1]
    assert ours.stderr.startswith("python -m scratch: can't open file") and str(tmp_path / "nope.py") in ours.stderr


def test_a_module_that_is_not_there_is_named_with_status_1(run):
    plain, ours = run("-m", "nope"), run("-m", "scratch", "-m", "nope")
    assert plain.returncode == ours.returncode == 1
    assert ours.stderr.splitlines()[-1] == plain.stderr.splitlines()[-1] and "No module named nope" in ours.stderr


def test_a_torch_that_was_imported_before_is_refused(run, tmp_path):
    write(tmp_path, "early/sitecustomize.py", "import torch\n")
    out = run("-m", "scratch", "-c", "print('ran')", path=[str(tmp_path / "early")])
    assert out.returncode == 1 and out.stdout == "" and "Traceback" not in out.stderr
    assert out.stderr.startswith("python -m scratch: torch is already imported")


# --- scratch.install ---------------------------------------------------------------------------------------------


def test_install_puts_our_module_in_the_place_of_torchs(run):
    code = (
        "import scratch\n"
        "print(scratch.installed(), scratch.install(), scratch.installed())\n" + WHOSE + "scratch.install()\n"
        "import scratch.module\n"
        "from scratch.module import Module\n"
        "print(scratch.module is torch.nn.modules.module, Module is torch.nn.Module is torch.nn.Linear.__mro__[1])\n"
        "print(scratch.module.Module is Module, Module.__module__)\n"
    )
    out = run("-c", code)
    assert out.stdout.splitlines() == [
        "False None True",
        f"{OURS} torch.nn.modules.module",
        "True True",
        "True torch.nn.modules.module",
    ], out.stderr


def test_install_after_torch_is_refused(run):
    out = run("-c", "import torch, scratch\nprint(scratch.installed())\nscratch.install()")
    assert out.returncode == 1 and out.stdout == "False\n"
    assert out.stderr.splitlines()[-1].startswith("RuntimeError: torch is already imported, so its layers stand on")


def test_install_after_the_class_by_itself_is_refused(run):
    out = run(
        "-c",
        "import scratch.module, sys\nfor name in [n for n in sys.modules if n.split('.')[0] == 'torch']:\n"
        "    del sys.modules[name]\nimport scratch\nscratch.install()",
    )
    assert out.returncode == 1 and "RuntimeError: scratch.module is already imported" in out.stderr


def test_the_class_by_itself_works_with_nothing_installed(run):
    code = (
        "from scratch.module import Module\n"
        "import scratch, torch\n"
        "class Net(Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.w = torch.nn.Parameter(torch.ones(1))\n"
        "        self.inner = Module()\n"
        "        self.register_buffer('b', torch.ones(1))\n"
        "    def forward(self, x):\n"
        "        return x * self.w + self.b\n"
        "net = Net()\n"
        "net.register_forward_hook(lambda m, args, out: out * 10)\n"
        "net(torch.ones(1)).backward()\n"
        "print(net, list(net.state_dict()), net.w.grad.item(), net.double().w.dtype, Module.__module__)\n"
        "stock = torch.nn.Module\n"
        "print(scratch.installed(), issubclass(Module, stock), stock.__init__.__code__.co_filename)\n"
    )
    out = run("-c", code)
    lines = out.stdout.splitlines()
    assert lines[:3] == ["Net(", "  (inner): Module()", ") ['w', 'b'] 10.0 torch.float64 scratch.module"], out.stderr
    assert lines[3].startswith("False False ") and not lines[3].endswith(OURS)


def test_starting_a_program_imports_little_that_python_does_not(run):
    show = "import sys\nprint(*sorted(sys.modules))\n"
    plain, ours = (set(run(*way, "-c", show).stdout.split()) for way in ((), ("-m", "scratch")))
    needed = set(run("-c", f"import pkgutil, runpy, typing\n{show}").stdout.split())  # `-m`, and what is light
    assert ours - plain - needed == {"scratch", "scratch.companions", "scratch.finder"}
