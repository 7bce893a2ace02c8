"""The pages give the files: each program, its output, and the Module as of each chapter."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_site import OUTPUT, SNIPPET, extract, files, literate, snippet, write

from literate.reading.files import replace_files
from literate.reading.sections import module_so_far

ROOT = Path(__file__).parents[1]
MODULE = "import x\n\nclass Module:\n    # --8<-- [start:a]\n    a = 1\n    # --8<-- [end:a]\n    b = 2\n"


def test_each_snippet_becomes_a_program_and_its_output(tmp_path):
    pages = write(tmp_path, tree=SNIPPET + OUTPUT + snippet("no-output", "x = 1\n"), modes="# Modes\n")
    extract(pages, tmp_path)
    got = files(tmp_path / "snippets")
    assert got == {"tree/one-is-one.py": b"print(1)\n", "tree/one-is-one.out": b"1\n", "tree/no-output.py": b"x = 1\n"}


def test_windows_line_ends_of_a_page_do_not_reach_the_files(tmp_path):
    extract(write(tmp_path, tree=(SNIPPET + OUTPUT).replace("\n", "\r\n")), tmp_path)
    assert files(tmp_path / "snippets") == {"tree/one-is-one.py": b"print(1)\n", "tree/one-is-one.out": b"1\n"}


def test_extracting_again_changes_nothing(tmp_path):
    pages = write(tmp_path, tree=SNIPPET + OUTPUT)
    assert len(extract(pages, tmp_path)) == 3
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "snippets").rglob("*")}
    assert extract(pages, tmp_path) == []
    assert stamps == {path: path.stat().st_mtime_ns for path in (tmp_path / "snippets").rglob("*")}


def test_files_that_no_page_gives_go_with_their_folder_and_others_stay(tmp_path):
    extract(write(tmp_path, tree=SNIPPET + OUTPUT, modes=snippet("a-b", "1\n", "")), tmp_path)
    (tmp_path / "snippets" / "record.json").write_text("[]")
    (tmp_path / "docs/en/modes.md").unlink()
    extract(write(tmp_path, tree=SNIPPET), tmp_path)
    assert sorted(files(tmp_path / "snippets")) == ["record.json", "tree/one-is-one.py"]
    assert not (tmp_path / "snippets" / "modes").exists()


def test_one_page_is_extracted_without_the_others(tmp_path):
    write(tmp_path, tree=SNIPPET + OUTPUT, modes=snippet("a-b", "1\n"), bad="```py\n```\n")
    assert literate(tmp_path, "extract", "tree")[0] == 0
    assert sorted(files(tmp_path / "snippets")) == ["tree/one-is-one.out", "tree/one-is-one.py"]
    write(tmp_path, tree=SNIPPET)
    assert literate(tmp_path, "extract", "docs/en/tree.md")[0] == 0
    assert sorted(files(tmp_path / "snippets")) == ["tree/one-is-one.py"]


def test_a_bad_page_leaves_every_file_as_it_was(tmp_path):
    write(tmp_path, tree=SNIPPET + OUTPUT)
    assert literate(tmp_path, "extract")[0] == 0
    before = files(tmp_path / "snippets")
    write(tmp_path, tree=SNIPPET.replace("print(1)", "print(2)"), modes="Text.\n\n~~~python\nx\n~~~\n")
    status, said = literate(tmp_path, "extract")
    assert status == 1
    assert "docs/en/modes.md:3: an unknown fence" in said
    assert files(tmp_path / "snippets") == before


def test_the_module_so_far_ends_with_its_section_and_has_no_markers():
    assert module_so_far(MODULE, "a") == "import x\n\nclass Module:\n    a = 1\n"
    with pytest.raises(ValueError, match=r"no line `# --8<-- \[end:b\]`"):
        module_so_far(MODULE, "b")


def test_a_page_that_offers_the_module_so_far_gets_it(tmp_path):
    pages = write(tmp_path, tree="<!-- literate: module-so-far a -->\n", modes="# Modes\n")
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "module.py").write_text(MODULE)
    extract(pages, tmp_path)
    assert sorted(files(tmp_path / "docs/en/downloads")) == ["module-tree.py"]
    extract(write(tmp_path, tree="# Tree\n"), tmp_path)
    assert not (tmp_path / "docs/en/downloads").exists()


def test_a_program_can_be_imported_as_far_as_its_comment_says(tmp_path):
    cont = "<!--pytest-codeblocks:cont-->\n```python\n"
    page = SNIPPET + f"Text.\n\n{cont}x = 2\n```\n\n<!-- literate: importable two -->\n\n{cont}print(x)\n```\n"
    pages = write(tmp_path, tree=page)
    assert not pages[0].errors
    extract(pages, tmp_path)
    assert {path: data.decode() for path, data in files(tmp_path / "snippets").items()} == {
        "tree/one-is-one.py": "print(1)\nx = 2\nprint(x)\n",
        "tree/two.py": "print(1)\nx = 2\n",
    }
    assert not write(tmp_path, modes='```python title="x"\n--8<-- "snippets/tree/two.py"\n```\n')[0].errors
    extract(write(tmp_path, tree=SNIPPET), tmp_path)
    assert sorted(files(tmp_path / "snippets")) == ["tree/one-is-one.py"]


def test_an_offer_of_a_module_that_is_not_there_is_an_error_of_the_page(tmp_path):
    write(tmp_path, tree="# Tree\n\n<!-- literate: module-so-far tree -->\n")
    status, said = literate(tmp_path, "extract")
    assert status == 1 and re.search(r"docs/en/tree.md:3: no Module so far: .*module.py", said)


@pytest.mark.parametrize("section", ["registration", "tree", "loading", "calling", "representation"])
def test_the_real_module_can_be_cut_where_the_chapters_cut_it(section):
    cut = module_so_far((ROOT / "scratch/module.py").read_text(encoding="utf-8"), section)
    assert "--8<--" not in cut
    assert cut.endswith("\n")
    assert "class Module" in cut
    compile(cut, section, "exec")


def test_a_failure_while_files_are_staged_touches_none(tmp_path, monkeypatch):
    replace_files(tmp_path, {Path("a/x.py"): b"old", Path("a/y.py"): b"old"})
    with pytest.raises(TypeError):
        replace_files(tmp_path, {Path("a/x.py"): b"new", Path("a/y.py"): object()})
    assert files(tmp_path) == {"a/x.py": b"old", "a/y.py": b"old"}
    assert list((tmp_path / ".cache").iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_an_extract_killed_at_any_moment_leaves_every_file_whole(tmp_path):
    old, new = "print('old')\n" * 2000, "print('new')\n" * 2000
    names = [f"snippet-{number}" for number in range(60)]
    pages = ["".join(snippet(name, code) for name in names) for code in (old, new)]
    write(tmp_path, tree=pages[0])
    extract(write(tmp_path, tree=pages[0]), tmp_path)
    mixed = 0
    for attempt in range(5):
        write(tmp_path, tree=pages[(attempt + 1) % 2])
        process = subprocess.Popen(
            [sys.executable, "-m", "literate", "extract"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
        )
        first = tmp_path / "snippets/tree/snippet-0.py"
        stamp = first.stat().st_mtime_ns
        while process.poll() is None and first.stat().st_mtime_ns == stamp:
            time.sleep(0.0005)
        time.sleep(0.0005 * attempt)
        process.send_signal(signal.SIGKILL)
        process.wait()
        contents = set(files(tmp_path / "snippets").values())
        assert contents <= {old.encode(), new.encode()}
        assert len(files(tmp_path / "snippets")) == len(names)
        mixed += len(contents) == 2
    extract(write(tmp_path, tree=pages[1]), tmp_path)
    assert set(files(tmp_path / "snippets").values()) == {new.encode()}
    print(f"{mixed} of 5 were caught between two files")
