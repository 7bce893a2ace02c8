"""Each snippet runs as a program of its own, on both Modules, and a failure says where."""

import io
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from small_site import SNIPPET, literate, snippet, write

from literate.reading.pages import snippets
from literate.running.judge import failure, report
from literate.running.matrix import Progress
from literate.running.run import FORKS, Run, Runner, Server

ROOT = Path(__file__).parents[1]
LIMIT = 6  # seconds: longer than any program here takes, were the machine busy

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    with Runner(tmp_path_factory.mktemp("root"), timeout=LIMIT, many=False) as one:
        yield one


@pytest.fixture
def run(runner, tmp_path):
    """Return a function that runs programs, given by their code, and returns their results in order."""

    def run_programs(*codes, modules=("torch",), runner=runner, device="cpu"):
        text = "".join(snippet(f"program-{number}", textwrap.dedent(code)) for number, code in enumerate(codes))
        (page,) = write(tmp_path, tree=text)
        assert not page.errors
        runs = [Run(one, module, device) for one in page.snippets for module in modules]
        results = list(runner.run(runs))
        assert len(results) == len(runs)
        results = sorted(results, key=lambda result: (result.run.snippet.line, result.run.module == "scratch"))
        return results if len(results) > 1 else results[0]

    return run_programs


def test_the_two_servers_run_on_two_modules(run):
    code = "import torch\nprint(torch.nn.Module.__init__.__code__.co_filename)\n"
    torch, scratch = run(code, modules=("torch", "scratch"))
    assert torch.stdout.strip().endswith(os.path.join("torch", "nn", "modules", "module.py"))
    assert scratch.stdout.strip() == str(ROOT / "scratch" / "module.py")


def test_a_program_is_main_as_under_python_itself(run):
    result = run(
        """\
        import copy, inspect, os, pickle, sys
        from torch import nn

        class Model(nn.Module):
            def forward(self, x):
                return x

        print(__name__, sys.argv == [__file__], os.path.isabs(__file__), sys.path[0] == os.path.dirname(__file__))
        print(sys.modules["__main__"].Model is Model, Model.__module__, __spec__, __doc__, __builtins__.__name__)
        print(type(pickle.loads(pickle.dumps(Model()))) is Model)
        print(inspect.getsource(Model.forward).splitlines()[0].strip())
        print(sys.stdin.read() == "", os.listdir())
        print("literate" in globals(), "scratch" in sys.modules)
        """
    )
    assert result.trouble is None, result.stderr
    assert result.stdout.splitlines() == [
        "__main__ True True True",
        "True __main__ None None builtins",
        "True",
        "def forward(self, x):",
        "True []",
        "False False",
    ]


def test_what_one_program_does_to_its_process_no_other_sees(run):
    leak = """\
        import os, random, tempfile, torch
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        torch.nn.modules.module.register_module_forward_hook(lambda *_: print("leaked"))
        torch.manual_seed(3)
        os.environ["LEAKED"] = "yes"
        open("leaked", "w").close()
        tempfile.mkstemp()
        torch.nn.Linear.forward = None
        os.umask(0o777)
        """
    look = """\
        import os, tempfile, torch
        print(torch.get_default_dtype(), torch.is_grad_enabled(), torch.initial_seed() == 3, "LEAKED" in os.environ)
        print(os.listdir(), os.listdir(tempfile.gettempdir()))
        print(torch.nn.Linear(2, 1)(torch.ones(2)).shape)
        """
    for result in run(leak, look, leak, look, leak, look, modules=("torch", "scratch"))[2::4]:
        assert result.trouble is None, result.stderr
        assert result.stdout == "torch.float32 True False False\n[] []\ntorch.Size([1])\n"


def test_every_way_to_print_comes_out_in_order(run):
    result = run(
        """\
        import ctypes, os, subprocess, sys
        print("one", end=" ")
        os.write(1, b"two ")
        ctypes.CDLL(None).printf(b"three ")
        sys.stdout.write("four ")
        subprocess.run([sys.executable, "-c", "print('five')"])
        print("six", file=sys.stderr)
        print("a\\u00e4\\u4e2d")
        os._exit(0)
        """
    )
    assert (result.stdout, result.trouble) == ("one two three four five\na\u00e4\u4e2d\n", None)
    assert result.stderr == "six\n"


def test_a_program_ends_as_the_interpreter_ends_it(run):
    result = run(
        """\
        import atexit, threading, time, weakref
        atexit.register(print, "atexit")
        class Last:
            def __del__(self):
                print("deleted", __name__)
        last = Last()
        said = threading.Event()
        def later():
            said.wait()
            time.sleep(0.3)
            print("thread")
        threading.Thread(target=later).start()
        threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
        print("main")
        said.set()
        """
    )
    assert (result.stdout, result.trouble) == ("main\nthread\natexit\ndeleted __main__\n", None)
    assert result.seconds < LIMIT


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        ("import sys\nsys.exit()\n", None),
        ("raise SystemExit(0)\n", None),
        ("import sys\nsys.exit(3)\n", "exit status 3"),
        ("import sys\nsys.exit('words')\n", "exit status 1"),
        ("import os\nos._exit(4)\n", "exit status 4"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n", "ended by SIGTERM"),
        ("import ctypes\nctypes.string_at(0)\n", "ended by SIGSEGV"),
        ("raise KeyboardInterrupt\n", "exit status 130"),
        ("import sys\nsys.stdout.close()\n", None),
    ],
)
def test_the_exit_status_is_honoured(run, code, trouble):
    assert run(code).trouble == trouble


def test_a_program_that_prints_much_is_read_and_one_without_end_is_ended(run):
    much, endless = run(
        "print('x' * 79 + '\\n', end='') or print('y' * 5_000_000)\n", "while True: print('x' * 9999)\n"
    )
    assert len(much.stdout) == 80 + 5_000_001
    assert endless.trouble == "prints without end: ended after 16 MiB"


def test_a_program_may_start_processes(run):
    result = run(
        """\
        import multiprocessing
        def double(x):
            return 2 * x
        if __name__ == "__main__":
            for method in ("fork", "spawn"):
                with multiprocessing.get_context(method).Pool(1) as pool:
                    print(method, pool.map(double, [1, 2]))
        """
    )
    assert result.stdout == "fork [2, 4]\nspawn [2, 4]\n", result.stderr


def process_is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="who leaves the process group is found on Linux only")
def test_a_program_leaves_no_process_and_no_folder_behind(run):
    result = run(
        """\
        import os, subprocess
        print(subprocess.Popen(["sleep", "100"]).pid)
        print(subprocess.Popen(["sleep", "100"], start_new_session=True).pid)
        print(os.path.dirname(os.getcwd()), flush=True)
        """
    )
    *pids, folder = result.stdout.split()
    assert [process_is_there(int(pid)) for pid in pids] == [False, False]
    assert not os.path.exists(folder)


def test_a_program_that_hangs_is_ended_and_named_with_its_line(tmp_path):
    code = """\
        import subprocess, time
        child = subprocess.Popen(["sleep", "100"], start_new_session=True)
        print(child.pid, flush=True)
        def wait():
            time.sleep(100)
        wait()
        """
    (page,) = write(tmp_path, tree="# Tree\n\n" + snippet("it-hangs", textwrap.dedent(code)))
    with Runner(tmp_path, ("torch",), timeout=1, many=False) as runner:
        (result,) = runner.run([Run(page.snippets[0], "torch", "cpu")])
    if sys.platform == "linux":
        assert not process_is_there(int(result.stdout))
    text = failure([result]).text
    assert "docs/en/tree.md:9: it-hangs fails on torch (cpu): hangs: ended after its time limit of 1 s" in text
    assert "snippets/tree/it-hangs.py:5" in text


def test_a_snippet_without_output_must_not_print(run):
    assert "prints, but the page shows no output" in failure([run("print(1)\n")]).text


# What a failure shows


def fail(run, *codes, **options):
    results = run(*codes, **options)
    return failure(results if isinstance(results, list) else [results]).text


def test_a_failure_shows_page_line_file_line_module_device_and_the_readers_frames(run):
    code = """\
        import torch
        from torch import nn


        def build():
            return nn.Linear(2, "wide")


        build()
        """
    assert fail(run, code, modules=("torch", "scratch")).splitlines()[:8] == [
        "docs/en/tree.md:8: program-0 fails on torch (cpu) and scratch (cpu): exit status 1",
        "  snippets/tree/program-0.py:6",
        "  Traceback (most recent call last):",
        '    File "snippets/tree/program-0.py", line 9, in <module>',
        "      build()",
        '    File "snippets/tree/program-0.py", line 6, in build',
        '      return nn.Linear(2, "wide")',
        "             ^^^^^^^^^^^^^^^^^^^^",
    ]


def test_a_syntax_error_is_shown_with_its_line_of_the_page(run):
    text = fail(run, "x = 1\nprint(x\n")
    assert text.startswith("docs/en/tree.md:4: program-0 fails")
    assert "SyntaxError: '(' was never closed" in text


def test_the_line_is_right_in_a_second_fence_and_in_an_indented_one(runner, tmp_path):
    first = "<!-- snippet: it-fails-late -->\n```python\nx = 1\n```\n\nText.\n\n"
    second = '<!--pytest-codeblocks:cont-->\n```python\ny = 2\nraise ValueError("late")\n```\n'
    folded = '<!-- snippet: it-fails-inside -->\n```python\n\nraise ValueError("inside")\n```\n'
    folded = '\n??? question "Why?"\n\n' + textwrap.indent(folded, "    ")
    (page,) = write(tmp_path, tree=first + second + folded)
    assert not page.errors
    results = list(runner.run(Run(one, "torch", "cpu") for one in page.snippets))
    failures = [failure([result]) for result in results]
    lines = page.text.split("\n")
    assert sorted(lines[found.line - 1].strip() for found in failures) == [
        'raise ValueError("inside")',
        'raise ValueError("late")',
    ]


def test_another_output_is_shown_as_a_diff_with_the_line_that_differs(runner, tmp_path):
    (page,) = write(tmp_path, tree=snippet("it-counts", "print(1)\nprint(2)\nprint(3)\n", "1\n2\n4\n"))
    text = failure(list(runner.run([Run(page.snippets[0], "torch", "cpu")]))).text
    assert text == textwrap.dedent("""\
        docs/en/tree.md:11: it-counts prints another output than the page shows, on torch (cpu)
          snippets/tree/it-counts.out:3
          --- shown
          +++ got
          @@ -1,3 +1,3 @@
           1
           2
          -4
          +3
          mend the page with: python -m literate update it-counts
    """)


ON_SCRATCH = "import sys\non_scratch = 'scratch' in sys.modules\n"


def test_where_torch_and_scratch_differ_it_says_so_first(run):
    results = run(ON_SCRATCH + "print('on scratch' if on_scratch else 'on torch')\n", modules=("torch", "scratch"))
    text = failure(results).text
    assert text.startswith("docs/en/tree.md:2: torch and scratch differ on cpu: program-0\n")
    assert "  --- torch\n  +++ scratch\n  @@ -1 +1 @@\n  -on torch\n  +on scratch\n" in text


def test_an_error_on_one_module_only_is_a_difference(run):
    results = run(ON_SCRATCH + "if on_scratch: raise ValueError('no')\n", modules=("torch", "scratch"))
    lines = failure(results).text.splitlines()
    assert lines[:3] == [
        "docs/en/tree.md:2: torch and scratch differ on cpu: program-0",
        "  torch: runs to its end",
        "  scratch: exit status 1",
    ]
    assert "docs/en/tree.md:5: program-0 fails on scratch (cpu): exit status 1" in lines


def test_differences_are_reported_before_other_failures(run):
    first = run("raise ValueError\n", modules=("torch", "scratch"))
    second = run(ON_SCRATCH + "print(on_scratch)\n", modules=("torch", "scratch"))
    assert report([failure(first), failure(second)]).startswith("docs/en/tree.md:2: torch and scratch differ")


def test_a_difference_that_cannot_be_seen_is_spelt_out(runner, tmp_path):
    (page,) = write(tmp_path, tree=snippet("it-ends", "print(1, end='')\n", "1\n"))
    text = failure(list(runner.run([Run(page.snippets[0], "torch", "cpu")]))).text
    assert "-1\n  +1\\ (no end of line)" in text


# The machinery


def test_a_server_that_dies_is_reported_and_another_takes_the_rest(tmp_path):
    kill = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"
    (page,) = write(tmp_path, tree=snippet("it-kills", kill) + snippet("it-lives", "print(1)\n", "1\n"))
    with Runner(tmp_path, ("torch",), jobs=1, timeout=LIMIT, many=False) as runner:
        killer, alive = runner.run(Run(one, "torch", "cpu") for one in page.snippets)
    assert killer.ended == "lost"
    assert "the server for torch died" in failure([killer]).text
    assert failure([alive]) is None


@pytest.mark.skipif(not FORKS, reason="there are servers only where there is fork")
def test_a_server_that_is_still_importing_torch_is_ended_at_once(tmp_path, monkeypatch):
    (tmp_path / "slow_torch.py").write_text("import time\ntime.sleep(300)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    server = Server("torch", 1, str(tmp_path), "slow_torch")
    server.close()
    assert server.process.returncode == -signal.SIGKILL


def test_without_fork_each_program_is_an_interpreter_of_its_own(tmp_path):
    code = (
        "import sys, torch\nprint('scratch' in sys.modules, __name__, sys.argv == [__file__])\nraise ValueError('x')\n"
    )
    (page,) = write(tmp_path, tree=snippet("it-runs", code) + snippet("it-hangs", "while True: pass\n"))
    with Runner(tmp_path, timeout=60, fork=False) as runner:
        results = list(runner.run(Run(page.snippets[0], module, "cpu") for module in ("torch", "scratch")))
        runner.timeout = 1
        (hanging,) = runner.run([Run(page.snippets[1], "torch", "cpu")])
    assert hanging.ended == "time"
    for result in results:
        assert result.stdout == f"{result.run.module == 'scratch'} __main__ True\n"
        assert failure([result]).line == 5


def test_the_device_of_a_run_is_the_default_device_of_its_program(run):
    assert run("import torch\nprint(torch.ones(1).device)\n", device="meta").stdout == "meta\n"
    assert run("import torch\nprint(torch.ones(1).device)\n").stdout == "cpu\n"


def test_two_hundred_snippets_run_on_both_modules(runner, tmp_path):
    """How long that takes is in the benchmark: `python -m literate bench --only snippets`."""
    code = "from torch import nn\n\nprint(sum(p.numel() for p in nn.Linear(3, 2).parameters()))\n"
    (page,) = write(tmp_path, tree="".join(snippet(f"number-{n}", code, "8\n") for n in range(200)))
    results = list(runner.run(Run(one, module, "cpu") for one in page.snippets for module in ("torch", "scratch")))
    assert len(results) == 400
    assert [failure([result]) for result in results if failure([result])] == []


def test_a_bar_is_drawn_on_a_terminal_for_what_takes_over_a_second(monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    bar = Progress(2)
    bar.advance("too-soon")
    assert terminal.getvalue() == ""
    bar.began -= 2
    bar.advance("it-shows")
    assert terminal.getvalue() == f"\r[{'#' * 30}] 2/2 it-shows"
    bar.clear()
    assert terminal.getvalue().endswith(" \r")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to a process group is POSIX")
def test_ctrl_c_ends_everything_and_says_so(tmp_path):
    write(tmp_path, tree=snippet("it-hangs", "import os, time\nos.write(2, b'x')\ntime.sleep(100)\n"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "literate", "run", "--device", "cpu"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell ignores it in the background
    )
    deadline = time.monotonic() + 60
    while not list(temporary.rglob("snippet-*/work")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err, out) == (130, "interrupted\n", "")
    assert list(temporary.iterdir()) == []


# The command


def test_run_says_that_all_is_well_and_what_it_skipped(tmp_path):
    write(tmp_path, tree=SNIPPET + "<!--pytest-codeblocks:expected-output-->\n```text\n1\n```\n")
    status, said = literate(tmp_path, "run", "--module", "torch")
    assert status == 0
    assert "1 snippet run on torch, cpu" in said and "all is well" in said
    assert "skipped: cuda" in said or "cuda" in said


def test_run_fails_where_one_snippet_fails(tmp_path):
    write(tmp_path, tree=SNIPPET, modes=snippet("it-is-fine", "x = 1\n"))
    status, said = literate(tmp_path, "run", "--module", "torch", "--device", "cpu")
    assert status == 1
    assert "docs/en/tree.md:2: one-is-one prints, but the page shows no output" in said
    assert "1 of 2 snippets fail" in said


def test_a_bad_page_is_not_run_and_does_not_keep_others_from_running(tmp_path):
    write(tmp_path, tree=SNIPPET + "```py\n```\n", modes=snippet("it-is-fine", "x = 1\n"))
    status, said = literate(tmp_path, "run")
    assert (status, "docs/en/tree.md:5: an unknown fence 'py'" in said) == (1, True)
    assert literate(tmp_path, "run", "it-is-fine", "--module", "torch", "--device", "cpu")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "one-is-on"], "did you mean one-is-one"),
        (["run", "tre"], "did you mean tree"),
        (["run", "--page", "one-is-one"], "no page or snippet is called one-is-one"),
        (["run", "--name", "tree"], "no page or snippet is called tree"),
        (["run", "empty"], "no snippet on docs/en/empty.md"),
        (["update", "nothing-like-it"], "no page or snippet is called nothing-like-it"),
        (["extract", "docs/en/trees.md"], "did you mean tree"),
    ],
)
def test_what_is_not_there_is_an_error_with_a_hint(tmp_path, arguments, words):
    write(tmp_path, tree=SNIPPET, empty="# Empty\n")
    status, said = literate(tmp_path, *arguments)
    assert (status, words in said) == (2, True), said


@pytest.mark.parametrize(
    "arguments", ["--timeout 0", "--timeout -1", "--timeout nan", "--timeout x", "--jobs 0", "--jobs -1", "--jobs 9999"]
)
def test_a_number_that_makes_no_sense_is_refused(tmp_path, arguments):
    write(tmp_path, tree=SNIPPET)
    option, value = arguments.split()
    status, said = literate(tmp_path, "run", option, value)
    assert status == 2
    assert f"argument {option}: " in said and value in said.splitlines()[-1]


def test_a_file_that_may_not_be_read_is_named(tmp_path):
    write(tmp_path, tree=SNIPPET)
    (tmp_path / "snippets" / "record.json").mkdir(parents=True)
    status, said = literate(tmp_path, "run", "--record")
    assert (status, "record.json" in said, len(said.splitlines())) == (2, True, 1)


def test_no_pages_at_all_is_an_error(tmp_path):
    assert literate(tmp_path, "run") == (
        2,
        "python -m literate: no folder docs/en here or above: run this in the repository\n",
    )
    write(tmp_path, tree="# Tree\n")
    assert literate(tmp_path, "run")[0] == 2
    assert literate(tmp_path, "check")[0] == 2


def test_cuda_is_refused_where_there_is_none(tmp_path):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is one")
    write(tmp_path, tree=SNIPPET)
    status, said = literate(tmp_path, "run", "--device", "cuda", "--module", "torch")
    assert (status, "torch sees no CUDA device" in said) == (2, True)


COMMANDS = ("extract", "run", "update", "check", "labs", "translations", "draw", "bench", "site", "serve")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_command_explains_itself_in_the_same_form(tmp_path, command):
    status, said = literate(tmp_path, *command.split(), "--help")
    assert status == 0
    usage, text, *_ = said.split("\n\n")
    assert usage.startswith(f"usage: python -m literate {command}".rstrip()) and text[0].isupper() and text[-1] == "."


def test_run_needs_torch_and_the_standard_library_only():
    code = (
        "import sys, literate.__main__, literate.running.matrix\n"
        "own = {'literate', *sys.stdlib_module_names}\n"
        "print([n for n in sys.modules if n.split('.')[0] not in own and not n.startswith('__')])\n"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr


def test_the_snippets_of_this_repository_have_unique_files():
    from literate.reading.pages import read_pages

    paths = [one.path() for one in snippets(read_pages(ROOT / "docs" / "en"))]
    assert len({path.as_posix().lower() for path in paths}) == len(paths)


assert FORKS or sys.platform == "win32"
