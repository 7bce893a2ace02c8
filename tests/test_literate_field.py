"""What people do to docs that run loses no program: it works, or it is refused with page, line and the rule."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_site import OUTPUT, SNIPPET, files, literate, snippet, write

from literate.course import checks
from literate.reading.files import locked, replace_files
from literate.reading.pages import errors
from literate.running.run import environment

ROOT = Path(__file__).parents[1]
HELPER = SNIPPET + "\n<!-- literate: importable helper -->\n"


def put(root, name, text):
    """Write one page, by its path below docs/en, and return all that is wrong with the site then."""
    path = root / "docs" / "en" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return list(map(str, errors(checks.read(root))))


def link(path, target):
    try:
        path.symlink_to(target, target_is_directory=target.is_dir())
    except OSError:
        pytest.skip("no links can be made here")


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    put(tmp_path, "tree.md", "# Tree\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "more.md").write_text(SNIPPET)
    link(tmp_path / "docs" / "en" / "more", tmp_path / "elsewhere")
    (error,) = errors(checks.read(tmp_path))
    assert str(error).startswith("docs/en/more:1: a link")
    assert literate(tmp_path, "extract")[0] == 1


def test_the_folder_of_pages_may_not_be_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "tree.md").write_text(SNIPPET)
    (tmp_path / "docs").mkdir()
    link(tmp_path / "docs" / "en", tmp_path / "elsewhere")
    for command in ("extract", "check", "run"):
        status, said = literate(tmp_path, command)
        assert status == 1 and "docs/en:1: a link" in said, command


def test_a_page_that_is_a_link_is_refused_and_its_target_stays(tmp_path):
    put(tmp_path, "tree.md", "# Tree\n")
    target = tmp_path / "other.md"
    target.write_text(SNIPPET)
    link(tmp_path / "docs" / "en" / "page.md", target)
    status, said = literate(tmp_path, "update")
    assert status == 1 and "docs/en/page.md:1: a link" in said
    assert target.read_text() == SNIPPET and (tmp_path / "docs" / "en" / "page.md").is_symlink()


def test_two_pages_of_one_notebook_are_refused(tmp_path):
    put(tmp_path, "sub/a.md", SNIPPET)
    (error,) = put(tmp_path, "sub-a.md", snippet("two-is-two", "print(2)\n"))
    assert "docs/en/downloads/programs-sub-a.ipynb is the notebook of" in error


def test_two_pages_that_give_one_importable_file_are_refused(tmp_path):
    put(tmp_path, "a.md", HELPER)
    (error,) = put(tmp_path, "sub/a.md", HELPER.replace("one-is-one", "two-is-two"))
    assert error.startswith("docs/en/sub/a.md:2: snippets/a/helper.py is given by docs/en/a.md too")


def test_pages_whose_folders_differ_in_case_only_are_refused(tmp_path):
    put(tmp_path, "good.md", SNIPPET)
    (error,) = put(tmp_path, "more/Good.md", snippet("two-is-two", "print(2)\n"))
    assert "where case does not count: name the page otherwise" in error


@pytest.mark.parametrize("name", ["zh.md", "record.json.md", "pieces.md", "Nul.md"])
def test_a_page_whose_files_would_lie_on_others_is_refused(tmp_path, name):
    (error,) = put(tmp_path, name, SNIPPET)
    assert error.startswith(f"docs/en/{name}:1: ") and "is taken: name it otherwise" in error


def test_the_callers_environment_does_not_change_what_is_printed(monkeypatch):
    for name in (
        "PYTHONOPTIMIZE",
        "PYTHONWARNINGS",
        "PYTHONHASHSEED",
        "COLUMNS",
        "NO_COLOR",
        "TZ",
        "LC_ALL",
        "TORCH_LOGS",
    ):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    found = environment("folder")
    assert not {"PYTHONOPTIMIZE", "PYTHONWARNINGS", "PYTHONHASHSEED", "COLUMNS", "NO_COLOR", "TZ", "LC_ALL"} & set(
        found
    )
    assert found["CUDA_VISIBLE_DEVICES"] == "0" and found["PATH"] == os.environ["PATH"]


@pytest.mark.parametrize("line", ["# -*- coding: latin-1 -*-", "# vim: set fileencoding=utf-8 :"])
def test_a_program_that_names_its_encoding_is_refused(tmp_path, line):
    (error,) = put(tmp_path, "tree.md", snippet("one-is-one", f"{line}\nprint(1)\n"))
    assert error.startswith("docs/en/tree.md:3: a snippet that names its encoding")


@pytest.mark.parametrize("character", ["\x02", "\x03", "\x0c", "\x85", "\u2028"])
def test_a_character_that_site_tools_drop_is_refused(tmp_path, character):
    found = put(tmp_path, "tree.md", f"# Tree\n\n{character}Text.\n")
    assert [error.startswith(f"docs/en/tree.md:3: the character {character!a}") for error in found] == [True]


@pytest.mark.parametrize("head", ["Term\n:   What it means.", "[^1]: A note."])
def test_a_program_in_a_definition_or_a_note_is_a_program(tmp_path, head):
    body = "".join(f"    {line}\n" for line in SNIPPET.splitlines())
    assert put(tmp_path, "tree.md", f"# Tree\n\n{head}\n\n{body}") == []
    assert literate(tmp_path, "extract")[0] == 0
    assert (tmp_path / "snippets" / "tree" / "one-is-one.py").read_text() == "print(1)\n"


def test_a_file_that_cannot_be_written_leaves_all_others_as_they_were(tmp_path):
    for name in ("a/x.py", "a/z.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"old")
    (tmp_path / "a" / "y.py").mkdir()
    (tmp_path / "a" / "y.py" / "in-the-way").write_bytes(b"")
    before = files(tmp_path)
    with pytest.raises(OSError):
        replace_files(
            tmp_path, {Path("a/new.py"): b"1", Path("a/x.py"): b"2", Path("a/y.py"): b"3", Path("a/z.py"): None}
        )
    assert files(tmp_path) == before


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_ended_leaves_nothing_in_the_temporary_folder(tmp_path, number):
    write(tmp_path, tree=snippet("one-is-one", "import time\ntime.sleep(60)\n"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "literate", "run"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # under nohup it would be ignored, and is to be
    )
    patience = time.monotonic() + 60
    while not list(temporary.glob("literate-*")) and time.monotonic() < patience:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(number)
    assert process.wait(60) == 128 + number
    assert list(temporary.iterdir()) == []


def test_one_process_at_a_time_writes_the_record(tmp_path):
    program = (
        "import sys, time, pathlib\nfrom literate.reading.files import locked\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "with locked(root, 'record'):\n"
        "    count = int((root / 'count').read_text())\n"
        "    time.sleep(0.3)\n"
        "    (root / 'count').write_text(str(count + 1))\n"
    )
    (tmp_path / "count").write_text("0")
    own = {**os.environ, "PYTHONPATH": str(ROOT)}
    with locked(tmp_path, "record"):
        several = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], env=own) for _ in range(3)]
        time.sleep(0.5)
        assert (tmp_path / "count").read_text() == "0"
    assert [process.wait(60) for process in several] == [0, 0, 0]
    assert (tmp_path / "count").read_text() == "3"


@pytest.mark.skipif(sys.platform != "linux", reason="the locale is asked for elsewhere")
def test_a_page_of_any_name_is_read_where_the_locale_knows_ascii_only(tmp_path):
    write(tmp_path, **{"第一 页": SNIPPET + OUTPUT})
    own = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([sys.executable, "-m", "literate", "extract"], cwd=tmp_path, env=own, capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert (tmp_path / "snippets" / "第一 页" / "one-is-one.py").is_file()


def test_a_runner_closes_what_it_has_opened(tmp_path):
    write(tmp_path, tree=SNIPPET + OUTPUT)
    own = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDEVMODE": "1"}
    run = [sys.executable, "-m", "literate", "run", "--module", "torch"]
    done = subprocess.run(run, cwd=tmp_path, env=own, capture_output=True, text=True)
    assert done.returncode == 0 and "ResourceWarning" not in done.stderr, done.stderr
