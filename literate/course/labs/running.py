"""Run the labs, docs/en/labs/*.py, on both Modules, cell by cell.

A lab is a notebook as a Python file: `# %%` begins a cell of code, `# %% [markdown]` one of text, in comments. On the
site MkDocs runs it and shows what comes of it (the plugin mkdocs-jupyter). Here the same cells are run twice, in order,
on PyTorch's Module and on ours, and what they print has to be equal. It needs no Jupyter, so it can say file and line.
"""

import argparse
import ast
import contextlib
import io
import json
import os
import subprocess
import sys
import time
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from literate.reading.cells import Cell, read_lab
from literate.reading.pages import PageError
from literate.reading.repository import LABS, UsageError
from literate.running.record import MODULES
from literate.running.run import PREFIX


@dataclass(frozen=True)
class Shown:
    """Hold what one cell of code has printed, and the error that it ended with."""

    number: int
    line: int
    text: str
    error: str | None = None


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
    command = [sys.executable, *PREFIX[module], "-m", "literate", "labs", "--cells", str(path)]
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
    processes = {module: run_on(module, path, root) for module in MODULES}
    shown = {}
    for module, process in processes.items():
        out, errors = process.communicate()
        _, mark, cells = out.rpartition("\n\0")
        if process.returncode or not mark:
            return f"{path.as_posix()} could not be run on {module} to its end:\n{out}{errors}", 0
        shown[module] = [Shown(**cell) for cell in json.loads(cells)]
    return compare(path.as_posix(), shown), len(shown["torch"])


def run_labs(options: argparse.Namespace, root: Path) -> int:
    """Run labs, report, and return the exit status."""
    if options.cells:
        cells = json.dumps([asdict(cell) for cell in run_cells(Path(options.cells))])
        print(f"\n\0{cells}")  # after whatever a library may have written
        return 0
    paths = {path.stem: path.relative_to(root) for path in sorted((root / LABS).glob("*.py"))}
    chosen = [Path(name).stem for name in options.names] or list(paths)
    if unknown := [name for name in chosen if name not in paths]:
        raise UsageError(f"no lab {', '.join(unknown)}: there are {', '.join(paths)}")
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
