"""Run the labs, docs/en/labs/*.py, on both Modules, cell by cell, and write them as notebooks.

A lab is a notebook as a Python file: `# %%` begins a cell of code, `# %% [markdown]` one of text, in comments. On the
site MkDocs runs it and shows what comes of it (the plugin mkdocs-jupyter). Here the same cells are run twice, in order,
on PyTorch's Module and on ours, and what they print has to be equal. It needs no Jupyter, so it can say file and line.
"""

import argparse
import ast
import contextlib
import copy
import html
import io
import json
import os
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from literate.reading.pages import LANGUAGES, PageError, language_of, parse, without_comments
from literate.running.run import PREFIX

LABS = Path("docs", "en", "labs")  # a translation has the same code, so these are run
MARKER = re.compile(r"# %%(?P<markdown> \[markdown\])?")
TRANSLATION = re.compile(r"\n\n<!-- translation_of: [0-9a-f]{40} -->")
LINK = re.compile(r"\]\(\.\./\.\./(?P<path>[^)\s]*)\)")  # from the page of a lab to another page of the site


@dataclass(frozen=True)
class Cell:
    """Hold one cell; `line` is that of its marker, and `number` counts all cells from 1, as a notebook does."""

    number: int
    line: int
    kind: str  # "code" or "markdown"
    text: str


@dataclass(frozen=True)
class Shown:
    """Hold what one cell of code has printed, and the error that it ended with."""

    number: int
    line: int
    text: str
    error: str | None = None


def read_lab(path: Path, root: Path = Path()) -> list[Cell]:
    """Return the cells of a lab, whose path starts at the root.

    Raises:
        PageError: if a line belongs to no cell, or the text of one breaks a rule of the pages.
    """
    cells: list[Cell] = []
    lines = (root / path).read_text(encoding="utf-8").split("\n")
    starts = [number for number, line in enumerate(lines, 1) if line.startswith("# %%")]
    if not starts or any(line.strip() for line in lines[: starts[0] - 1]):
        raise PageError(path, 1, "a lab begins with a cell: `# %% [markdown]` or `# %%`")
    for start, end in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        found = MARKER.fullmatch(lines[start - 1])
        if found is None:
            raise PageError(path, start, "a cell begins with `# %%` or `# %% [markdown]`, and nothing else")
        body = lines[start : end - 1]
        if found["markdown"]:
            cells.append(Cell(len(cells) + 1, start, "markdown", _prose(path, start, body)))
        else:
            cells.append(Cell(len(cells) + 1, start, "code", "\n".join(body).strip("\n")))
    return cells


def _prose(path: Path, start: int, body: list[str]) -> str:
    text = []
    for number, line in enumerate(body, start + 1):
        if line and line != "#" and not line.startswith("# "):
            raise PageError(path, number, "a line of text in a lab begins with `# `")
        text.append(line[2:])
    prose = "\n".join(text).strip("\n")
    page = parse(prose, path)
    first = next(iter(page.errors), None)
    if first is not None:
        raise PageError(path, start + first.line, first.rule)
    if page.snippets or page.includes:
        raise PageError(path, start, "code in a lab is a cell of its own: nothing runs a fence in the text")
    return prose


# The runs


def run_cells(path: Path) -> list[Shown]:
    """Run the cells of code of a lab in this process, one after the other, until one raises."""
    shown: list[Shown] = []
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in read_lab(path):
        if cell.kind == "markdown":
            continue
        printed, error = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            try:
                run_code(cell, path, names)
            except (Exception, SystemExit):  # a notebook ends at sys.exit() too
                error = traceback.format_exc()
        shown.append(Shown(cell.number, cell.line, printed.getvalue(), error))
        if error:
            break
    return shown


def run_code(cell: Cell, path: Path, names: dict[str, Any]) -> None:
    """Run one cell as a notebook does: where it ends in an expression, that is shown."""
    tree = ast.parse("\n" * cell.line + cell.text, str(path))  # so that errors count lines from the top of the file
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, str(path), "exec", dont_inherit=True), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), str(path), "eval", dont_inherit=True), names)
        if value is not None:
            print(repr(value))


def run_on(module: str, path: Path, root: Path) -> subprocess.Popen[str]:
    """Start a process that runs a lab on one of the Modules, and prints what `run_cells` returns as JSON."""
    command = [sys.executable, *PREFIX[module], "-m", "literate.course.labs.running", "--cells", str(path)]
    settings = {"MPLBACKEND": "Agg", "PYTHONUTF8": "1", "PYTHONHASHSEED": "0"}
    return subprocess.Popen(
        command, cwd=root, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def compare(name: str, shown: dict[str, list[Shown]]) -> str | None:
    """Return what is wrong with a lab as it went on each Module, or None where all is well."""
    for module, cells in shown.items():
        if cells and (error := cells[-1].error):
            return f"{name}, cell {cells[-1].number} (line {cells[-1].line}), raises on {module}:\n{error}"
    (first, one), (second, other) = shown.items()
    for left, right in zip(one, other, strict=True):
        if left.text != right.text:
            where = f"{name}, cell {left.number} (line {left.line})"
            return f"{where}, prints something else on {second}:\n{first}: {left.text!r}\n{second}: {right.text!r}"
    return None


def run_lab(path: Path, root: Path) -> tuple[str | None, int]:
    """Run a lab on both Modules, and return what is wrong, and how many cells were compared."""
    processes = {module: run_on(module, path, root) for module in PREFIX}
    shown = {}
    for module, process in processes.items():
        out, errors = process.communicate()
        _, mark, cells = out.rpartition("\n\0")
        if process.returncode or not mark:
            return f"{path.as_posix()} could not be run on {module} to its end:\n{out}{errors}", 0
        shown[module] = [Shown(**cell) for cell in json.loads(cells)]
    return compare(path.as_posix(), shown), len(shown["torch"])


def main(arguments: Sequence[str]) -> int:
    """Run labs, report, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m literate labs", description=__doc__.partition("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="LAB", help="only these labs (train-it-twice, or its path)")
    parser.add_argument("--cells", metavar="PATH", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.cells:
        cells = json.dumps([asdict(cell) for cell in run_cells(Path(options.cells))])
        print(f"\n\0{cells}")  # after whatever a library may have written
        return 0
    root = Path.cwd()
    paths = {path.stem: path.relative_to(root) for path in sorted((root / LABS).glob("*.py"))}
    chosen = [Path(name).stem for name in options.names] or list(paths)
    if unknown := [name for name in chosen if name not in paths]:
        parser.error(f"no lab {', '.join(unknown)}: there are {', '.join(paths)}")
    failed = 0
    for name in chosen:
        began = time.monotonic()
        try:
            trouble, count = run_lab(paths[name], root)
        except PageError as error:
            trouble, count = str(error), 0
        failed += trouble is not None
        print(trouble or f"{name}: {count} cells, the same on both Modules, in {time.monotonic() - began:.1f} s")
    return 1 if failed else 0


@contextlib.contextmanager
def run_once() -> Iterator[None]:
    """Within it, MkDocs runs labs of the same code, comments aside, once: a translation takes the first outputs."""
    if "nbconvert" not in sys.modules:  # no settings that are loaded have the plugin for labs
        yield
        return
    from nbconvert.preprocessors import ExecutePreprocessor

    run, known = ExecutePreprocessor.preprocess, {}

    def preprocess(self: Any, notebook: Any, resources: Any = None, km: Any = None) -> tuple[Any, Any]:
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        code = str([[line for _, line in without_comments(cell.source)] for cell in cells])
        if code not in known:
            done = run(self, notebook, resources, km)
            known[code] = copy.deepcopy([(cell.execution_count, cell.outputs) for cell in cells])
            return done
        for cell, (number, outputs) in zip(cells, known[code], strict=True):
            cell.execution_count, cell.outputs = number, copy.deepcopy(outputs)
        return notebook, resources

    setattr(ExecutePreprocessor, "preprocess", preprocess)  # noqa: B010
    try:
        yield
    finally:
        setattr(ExecutePreprocessor, "preprocess", run)  # noqa: B010


# The notebooks


def notebooks(root: Path) -> dict[Path, bytes]:
    """Return each lab as a notebook, by path from the root; its links lead to the site that mkdocs.yml names."""
    found = {}
    for path in sorted(path.relative_to(root) for path in root.glob("docs/*/labs/*.py")):
        home = site_address(root, language_of(path))
        cells = [_notebook_cell(cell, home) for cell in read_lab(path, root)]
        found[path.parents[1] / "downloads" / f"{path.stem}.ipynb"] = notebook(cells)
    return found


def site_address(root: Path, language: str) -> str:
    """Return the address of the site of a language, as mkdocs.yml names it, or "" where it doesn't."""
    settings = root / "mkdocs.yml"
    text = settings.read_text(encoding="utf-8") if settings.is_file() else ""
    named = re.search(r"^site_url:.*?(https?://[^\"\s\]]+)", text, re.MULTILINE)
    address = named[1] if named else ""
    return address if language == LANGUAGES[0] else f"{address}{language}/"


def notebook(cells: list[dict[str, Any]]) -> bytes:
    """Return cells as the file of a notebook."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode()


def _notebook_cell(cell: Cell, address: str) -> dict[str, Any]:
    text = cell.text
    if cell.kind == "markdown":
        text = LINK.sub(lambda link: f"]({address}{link['path']})", TRANSLATION.sub("", text))
    made: dict[str, Any] = {"cell_type": cell.kind, "id": f"cell-{cell.number}", "metadata": {}}
    if cell.kind == "code":
        made |= {"execution_count": None, "outputs": []}
    return made | {"source": text.splitlines(keepends=True)}


# What the labs draw with


def show(figure: Any, description: str) -> None:
    """Show a figure of Matplotlib in a notebook, in the colours of the text around it, with words for who can't see it.

    Args:
        figure: the figure, which is closed.
        description: what is to be seen in it.
    """
    import matplotlib.pyplot as plt
    from IPython.display import HTML, display

    written = io.StringIO()
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": description}):
        figure.savefig(written, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    svg = written.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>| id=\"[A-Za-z0-9]+_\d+\"", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = svg.replace("#000000", "currentColor")
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL)  # it is for the whole page
    label = html.escape(description, quote=True)
    width = float(svg.split(' width="', 1)[1].partition("pt")[0])
    size = (
        f"width: {width:.0f}pt; max-width: 100%; min-width: {0.65 * width:.0f}pt; height: auto"  # letters stay legible
    )
    style = f"{size}; color: inherit; stroke-linejoin: round; stroke-linecap: butt"
    head = f'<svg role="img" aria-label="{label}" style="{style}" fill="currentColor"'
    display(HTML(svg.replace("<svg", head, 1)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
