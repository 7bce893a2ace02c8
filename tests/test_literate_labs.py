"""The labs are read, run on both Modules and compared cell by cell, and given as notebooks."""

import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from small_site import drift, extract, literate

from literate.course.labs import running as labs
from literate.course.labs.drawing import show
from literate.course.notebooks import of_labs
from literate.reading.cells import read_lab
from literate.reading.pages import PageError
from literate.reading.repository import LABS

ROOT = Path(__file__).parents[1]
LAB = """\
# %% [markdown]
# # A lab
#
# See [the tree](../../tree/#walk).

# %%
x = 1
print("one")

# %%
x + 1
"""


def write(root, text, name="a-lab"):
    path = LABS / f"{name}.py"
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")
    return path


def test_a_lab_is_cells_of_text_and_code_with_their_lines(tmp_path):
    cells = read_lab(write(tmp_path, LAB), tmp_path)
    assert [(cell.number, cell.line, cell.kind) for cell in cells] == [
        (1, 1, "markdown"),
        (2, 6, "code"),
        (3, 10, "code"),
    ]
    assert cells[0].text == "# A lab\n\nSee [the tree](../../tree/#walk)."
    assert cells[1].text == 'x = 1\nprint("one")'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "begins with a cell"),
        ("x = 1\n# %%\n", 1, "begins with a cell"),
        (LAB + "# %% [raw]\n", 12, "nothing else"),
        ("# %% [markdown]\n# Text.\nx = 1\n", 3, "begins with `# `"),
        ("# %% [markdown]\n# ```python\n# print(1)\n# ```\n", 2, "without a name"),
        ("# %% [markdown]\n# ```py\n# print(1)\n# ```\n", 2, "unknown fence"),
        ("# %% [markdown]\n# <!-- snippet: a-b -->\n# ```python\n# print(1)\n# ```\n", 1, "a cell of its own"),
    ],
)
def test_what_no_notebook_would_run_is_an_error_with_its_line(tmp_path, text, line, words):
    path = write(tmp_path, text)
    with pytest.raises(PageError, match=words) as error:
        read_lab(path, tmp_path)
    assert str(error.value).startswith(f"docs/en/labs/a-lab.py:{line}: ")


def test_cells_share_their_names_and_end_in_what_a_notebook_shows(tmp_path):
    shown = labs.run_cells(tmp_path / write(tmp_path, LAB))
    assert [(cell.number, cell.text, cell.error) for cell in shown] == [(2, "one\n", None), (3, "2\n", None)]


def test_a_cell_that_raises_ends_the_lab_and_is_named_with_its_line(tmp_path):
    path = write(tmp_path, LAB + "\n# %%\nprint('before')\n1 / 0\n\n# %%\nprint('never')\n")
    shown = labs.run_cells(tmp_path / path)
    assert [cell.number for cell in shown] == [2, 3, 4]
    assert 'a-lab.py", line 15' in shown[-1].error
    said = labs.compare("a-lab", {"torch": shown, "scratch": shown})
    assert said.startswith("a-lab, cell 4 (line 13), raises on torch:\n")
    assert "ZeroDivisionError" in said


@pytest.mark.parametrize("last", ["import sys\nsys.exit()", "raise SystemExit('no')", "%matplotlib inline", "x = ("])
def test_a_cell_that_ends_the_program_or_is_none_is_named_too(tmp_path, last):
    path = write(tmp_path, f"{LAB}\n# %%\n{last}\n\n# %%\nprint('never')\n")
    shown = labs.run_cells(tmp_path / path)
    assert [cell.number for cell in shown] == [2, 3, 4]
    assert labs.compare("a-lab", {"torch": shown, "scratch": shown}).startswith("a-lab, cell 4 (line 13), raises on")


def test_a_lab_that_ends_the_process_is_named(tmp_path):
    path = write(tmp_path, "# %%\nimport os\nos._exit(0)\n")
    said, count = labs.run_lab(path, tmp_path)
    assert said.startswith("docs/en/labs/a-lab.py could not be run on torch to its end")
    assert count == 0


def test_the_command_finds_a_cell_that_prints_something_else_on_one_module(tmp_path):
    write(tmp_path, LAB)
    look = "import torch\nprint(torch.nn.Module.__init__.__code__.co_filename)\n"
    write(tmp_path, LAB + f"\n# %%\n{look}", "another-lab")
    own = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "literate", "labs"]
    done = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert re.search(r"^a-lab: 2 cells, the same on both Modules, in [\d.]+ s$", done.stdout, re.MULTILINE)
    assert "docs/en/labs/another-lab.py, cell 4 (line 13), prints something else on scratch:\ntorch: " in done.stdout
    done = subprocess.run([*command, "no-lab"], cwd=tmp_path, env=own, capture_output=True, text=True)
    assert (done.returncode, "there are a-lab, another-lab" in done.stderr) == (2, True)


def test_a_lab_is_extracted_as_a_notebook_whose_links_lead_to_the_site(tmp_path):
    write(tmp_path, LAB)
    (tmp_path / "mkdocs.yml").write_text('site_url: !ENV [SITE_URL, "https://example.org/course/"]\n')
    extract([], tmp_path)
    path = tmp_path / "docs/en/downloads/a-lab.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    text, code, last = notebook["cells"]
    assert "".join(text["source"]) == "# A lab\n\nSee [the tree](https://example.org/course/tree/#walk)."
    assert "".join(code["source"]) == 'x = 1\nprint("one")'
    assert (last["cell_type"], last["outputs"], last["execution_count"]) == ("code", [], None)
    write(tmp_path, LAB.replace("x + 1", "x + 2"))
    assert [str(one.path) for one in drift([], tmp_path)] == [str(Path("docs/en/downloads/a-lab.ipynb"))]
    (tmp_path / LABS / "a-lab.py").unlink()
    extract([], tmp_path)
    assert not path.exists()


def test_an_error_in_a_lab_stops_extract_and_check(tmp_path):
    (tmp_path / "docs/en").mkdir(parents=True)
    write(tmp_path, "# %%\n1\n# %% [x]\n")
    for command in ("extract", "check"):
        (tmp_path / "docs/en/tree.md").write_text("<!-- snippet: one-is-one -->\n```python\nprint(1)\n```\n")
        status, said = literate(tmp_path, command)
        assert status == 1
        assert "docs/en/labs/a-lab.py:3: a cell begins with" in said


def test_the_labs_of_this_repository_are_valid_notebooks():
    nbformat = pytest.importorskip("nbformat")
    found = of_labs(ROOT)
    assert {path.stem for path in found} == {
        "the-registries-fill",
        "a-microscope-made-of-hooks",
        "train-it-twice",
    }
    for path, content in found.items():
        nbformat.validate(json.loads(content))
        assert "](../" not in content.decode(), path


PATHS = sorted((ROOT / LABS).glob("*.py"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_away_from_the_course_the_first_cell_fetches_it_and_can_be_run_again(path, tmp_path):
    """As on Colab: in an empty folder; git is told to take the course from a folder instead of from GitHub."""
    course, empty = tmp_path / "course", tmp_path / "empty"
    for folder in (course / "snippets" / "a-gpt-on-it", empty):
        folder.mkdir(parents=True)
    (course / "snippets" / "a-gpt-on-it" / "gpt.py").write_text("here = 'fetched'\n", encoding="utf-8")
    for command in (
        ["init", "--quiet"],
        ["add", "."],
        ["-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *command], cwd=course, check=True)
    settings = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.{course.as_uri()}.insteadOf"}
    settings["GIT_CONFIG_VALUE_0"] = "https://github.com/nn-module-from-scratch/nn-module-from-scratch"
    first = next(cell for cell in read_lab(path.relative_to(ROOT), ROOT) if cell.kind == "code")
    code = f"{first.text}\n{first.text}\nimport gpt\nprint(gpt.here, root.name)\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=empty, env={**os.environ, **settings}, capture_output=True, encoding="utf-8"
    )
    assert done.stdout.split() == ["fetched", "nn-module-from-scratch"], done.stderr


@pytest.mark.parametrize("name", ["quick", "long", "gpu"])
def test_the_program_of_the_lab_runs_with_each_setting(name, tmp_path, monkeypatch):
    """Each shortened to four steps, and that for a GPU on the CPU."""
    import torch
    from gpt_files import training

    short = {"steps": 4, "eval_every": 2, "batch_size": 2, "device": "cpu"}
    sizes = {**training.SETTINGS[name].sizes, "block_size": 16, "n_embd": 24}
    monkeypatch.setitem(training.SETTINGS, name, replace(training.SETTINGS[name], sizes=sizes, **short))
    path = ROOT / LABS / "train-it-twice.py"
    (text,) = (cell.text for cell in read_lab(path.relative_to(ROOT), ROOT) if cell.text.startswith("PROGRAM = "))
    program = {"__name__": "train_it"}
    exec(ast.literal_eval(ast.parse(text).body[0].value), program)
    threads = torch.get_num_threads()
    try:
        program["run"](name, str(tmp_path / "whole"))
        program["run"](name, str(tmp_path / "resumed"), str(tmp_path / "whole.middle"))
    finally:
        torch.set_num_threads(threads)
    whole, resumed = (torch.load(tmp_path / one, weights_only=True) for one in ("whole", "resumed"))
    assert resumed["losses"] == whole["losses"][2:] and len(whole["losses"]) == 4
    assert list(whole["evaluations"]) == [0, 2]
    assert all(torch.equal(tensor, whole["weights"][key]) for key, tensor in resumed["weights"].items())
    assert len(resumed["sample"]) == 301 and resumed["sample"] == whole["sample"]


def test_a_figure_is_shown_in_the_colours_of_the_page_and_described(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    import IPython.display
    import matplotlib.pyplot as plt

    shown = []
    monkeypatch.setattr(IPython.display, "display", shown.append)
    figure, axes = plt.subplots()
    axes.plot([1, 2], label="<a>")
    axes.legend()
    show(figure, 'a "line"')
    svg = shown[0].data
    assert svg.startswith('<svg role="img" aria-label="a &quot;line&quot;"')
    assert "currentColor" in svg and "#000000" not in svg
    assert not plt.get_fignums()
    assert "http-equiv" not in svg and "metadata" not in svg
    assert "<style" not in svg  # its rules would be for the whole page
    width, least = (int(size) for size in re.findall(r"[ \"](?:min-)?width: (\d+)pt", svg))
    assert 0.6 < least / width < 0.7
