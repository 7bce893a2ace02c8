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
theme: {name: material, font: false}
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
