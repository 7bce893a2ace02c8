"""`python -m literate serve`: what is saved is on the page, with its output or error, and nothing is left behind."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from sites import ROOT
from small_site import extract

from literate.reading.pages import read_pages

pytest.importorskip("mkdocs")
SERVE = [sys.executable, "-m", "literate", "serve", "--port"]
PAGE = """\
---
title: A page
---

# A page

Some prose.

<!-- snippet: one-and-one-are-two -->
```python
import torch

print(torch.tensor(1) + 1)
```
<!--pytest-codeblocks:expected-output-->
```text
tensor(2)
```
"""
CONFIG = """\
site_name: A site
docs_dir: docs/en
theme: {name: material, font: false, custom_dir: overrides}
markdown_extensions:
  - pymdownx.superfences
  - pymdownx.snippets: {base_path: ["."], check_paths: true}
  - literate.markdown
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Served:
    """A small site of one page, served by the command."""

    def __init__(self, root: Path) -> None:
        self.root, self.port = root, free_port()
        self.page = root / "docs" / "en" / "index.md"
        self.page.parent.mkdir(parents=True)
        self.page.write_text(PAGE, encoding="utf-8")
        (root / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
        (root / "overrides").mkdir()
        extract(read_pages(root / "docs" / "en"), root)
        for name in ("scratch", "literate"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        self.log = root / "log.txt"
        own = {**os.environ, "PYTHONPATH": str(root), "PYTHONUNBUFFERED": "1", "TMPDIR": str(root / "temporary")}
        (root / "temporary").mkdir()
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen([*SERVE, str(self.port)], cwd=root, env=own, stdout=log, stderr=log)
        self.wait_for("Some prose.", 120)

    def html(self) -> str:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=60) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def wait_for(self, text: str, patience: float = 60) -> str:
        """Wait until the page shows a text."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline and self.process.poll() is None:
            page = re.sub(r"<[^>]+>", "", self.html())
            if text in page:
                return page
            time.sleep(0.05)
        raise AssertionError(f"the page never showed {text!r}; the terminal:\n{self.said()}")

    def wait_for_words(self, words: str, patience: float = 60) -> str:
        """Wait until the terminal says something, and return what it says from there on."""
        deadline = time.monotonic() + patience
        while words not in self.said():
            assert time.monotonic() < deadline and self.process.poll() is None, self.said()
            time.sleep(0.05)
        return words + self.said().rpartition(words)[2]

    def save(self, old: str, new: str) -> None:
        assert old in PAGE
        self.page.write_text(PAGE.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("served"))
    yield served
    if served.process.poll() is None:
        served.process.kill()


@pytest.fixture(autouse=True)
def whole_page(served):
    """Begin each test with the page as it was."""
    served.page.write_text(PAGE, encoding="utf-8")
    if served.process.poll() is None:
        served.wait_for("Some prose.")


def test_it_says_its_address(served):
    assert f"Serving on http://127.0.0.1:{served.port}/" in served.said()


def test_changed_prose_is_on_the_page(served):
    served.save("Some prose.", "Some other prose.")
    served.wait_for("Some other prose.")


def test_a_changed_program_shows_its_new_output_and_leaves_the_page_file_alone(served):
    served.save("torch.tensor(1) + 1", "torch.tensor(1) + 41")
    served.wait_for("tensor(42)")
    assert "tensor(2)" in served.page.read_text(encoding="utf-8")
    assert "docs/en/index.md:10: one-and-one-are-two prints something new" in served.said()


def test_a_failing_program_shows_its_error_with_page_and_line(served):
    served.save("print(torch.tensor(1) + 1)", "print(never_defined)")
    page = served.wait_for("never_defined&#x27; is not defined")
    assert "docs/en/index.md:13: one-and-one-are-two fails on torch (cpu) and scratch (cpu)" in page
    assert "docs/en/index.md:13: one-and-one-are-two fails on torch (cpu) and scratch (cpu)" in served.said()


@pytest.mark.parametrize(
    ("addition", "rule"),
    [
        ("\n```python\nprint(1)\n```\n", "docs/en/index.md:20: a snippet without a name"),
        ("\n```text\nno end\n", "docs/en/index.md:20: a fence that is never closed"),
        ('\n--8<-- "docs/en/none.svg"\n', "docs/en/index.md:20: the included file docs/en/none.svg doesn&#x27;t exist"),
    ],
)
def test_a_broken_page_says_so_and_the_server_goes_on(served, addition, rule):
    served.page.write_text(PAGE + addition, encoding="utf-8")
    served.wait_for(rule)
    assert rule.replace("&#x27;", "'") in served.said()
    served.save("Some prose.", "It goes on.")
    served.wait_for("It goes on.")


def test_front_matter_that_cannot_be_read_is_said_and_its_page_still_has_its_programs(served):
    served.save("title: A page", 'title: "A": [page')
    page = served.wait_for("docs/en/index.md:1: the front matter isn&#x27;t YAML")
    assert "one and one are two" in page
    assert "docs/en/index.md:1: the front matter isn't YAML" in served.said()


def test_a_page_that_is_not_utf8_is_named_with_its_line_and_the_server_goes_on(served):
    served.page.write_bytes(PAGE.encode() + b"\nna\xefve\n")
    served.wait_for_words("docs/en/index.md:20: a byte that isn't UTF-8")
    served.save("Some prose.", "It is UTF-8 again.")
    served.wait_for("It is UTF-8 again.")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("snippets/record.json", "[{", "is not a record of runs"),
        ("mkdocs.yml", CONFIG + "nav: [", "error parsing the configuration"),
        ("overrides/main.html", "{% if", "The site could not be built (TemplateSyntaxError)"),
    ],
)
def test_whatever_ends_a_build_is_said_and_the_server_goes_on(served, name, content, words):
    path = served.root / name
    before = path.read_text(encoding="utf-8") if path.exists() else None
    path.parent.mkdir(exist_ok=True)
    path.write_text(content, encoding="utf-8")
    served.wait_for_words(words)
    if before is None:
        path.unlink()
    else:
        path.write_text(before, encoding="utf-8")
    served.save("Some prose.", f"Without {name}.")
    served.wait_for(f"Without {name}.")


def test_a_module_that_cannot_be_imported_is_said_on_the_page_and_in_the_terminal(served):
    module = served.root / "scratch" / "module.py"
    whole = module.read_text(encoding="utf-8")
    module.write_text(f"never_defined\n{whole}", encoding="utf-8")
    page = served.wait_for("one-and-one-are-two can&#x27;t be run on scratch")
    assert "module.py&quot;, line 1, in &lt;module&gt;" in page and "NameError: name" in page
    said = served.wait_for_words("No program can be run on scratch: the server for scratch died")
    assert f'  File "{module}", line 1, in <module>' in said and "importlib" not in said
    module.write_text(whole, encoding="utf-8")
    served.save("print(torch.tensor(1) + 1)", "print(torch.tensor(1) + 7)")
    assert "can&#x27;t be run" not in served.wait_for("tensor(8)")


def test_a_changed_module_is_the_one_that_programs_run_on(served):
    module = served.root / "scratch" / "module.py"
    whole = module.read_text(encoding="utf-8")
    module.write_text(whole + '\nprint("from the changed module")\n', encoding="utf-8")
    served.save("print(torch.tensor(1) + 1)", "print(hasattr(torch.nn.modules.module, 'added'))")
    served.wait_for("False")
    module.write_text(whole + "\nadded = True\n", encoding="utf-8")
    served.wait_for("torch and scratch differ on cpu")
    module.write_text(whole, encoding="utf-8")


def test_a_port_in_use_is_named(served):
    done = subprocess.run(
        [*SERVE, str(served.port)], cwd=served.root, capture_output=True, encoding="utf-8", timeout=120
    )
    assert done.returncode == 1
    assert f"Port {served.port} of 127.0.0.1 is in use" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("port", ["0", "70000", "-1"])
def test_a_port_that_cannot_be_is_refused(served, port):
    done = subprocess.run([*SERVE, port], cwd=served.root, capture_output=True, encoding="utf-8", timeout=120)
    assert (done.returncode, "a port is a number from 1 to 65535" in done.stderr) == (2, True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for another process")
def test_ctrl_c_does_not_wait_for_torch(served, tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("import time\ntime.sleep(300)\n", encoding="utf-8")
    own = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(served.root)]), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [*SERVE, str(free_port())], cwd=served.root, env=own, stdout=subprocess.PIPE, encoding="utf-8"
    )
    assert process.stdout.readline() == "Building the site ...\n"
    while not list(tmp_path.glob("literate-*")):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0].endswith("Stopped.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["torch"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for another process")
def test_ctrl_c_ends_it_and_all_that_it_started(served):
    children = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, encoding="utf-8").stdout
    started = {pid for pid, parent in map(str.split, children.splitlines()) if parent == str(served.process.pid)}
    assert started
    before = len(served.said())
    served.process.send_signal(signal.SIGINT)
    assert served.process.wait(30) == 0
    alive = subprocess.run(["ps", "-e", "-o", "pid="], capture_output=True, encoding="utf-8").stdout.split()
    assert started.isdisjoint(alive)
    assert served.said()[before:].strip() == "Stopped."
    assert list((served.root / "temporary").iterdir()) == []
