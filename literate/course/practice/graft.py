"""Put definitions of one text of the Module into another that is already imported.

The reader's file ends with `complete(globals())`, which fills in from scratch/module.py what they have not written yet.
So PyTorch can be imported on it from the first chapter on. This file is imported in the middle of the import of torch:
it needs the standard library alone.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterable
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

OURS = Path(__file__).resolve().parents[3] / "scratch" / "module.py"
EXERCISE = "exercise: "  # what the message of an unwritten function begins with
SEPARATOR = "\x1e"
imported: dict[str, str] = {}  # the text that the reader's file had when it was imported


def definitions(text: str, path: str = "") -> dict[str, ast.stmt]:
    """Return what a file defines, and its class Module, by names such as `_add_hook` and `Module.train`."""
    found: dict[str, ast.stmt] = {}
    for node in ast.parse(text, path).body:
        if isinstance(node, ast.ClassDef) and node.name == "Module":
            found |= {f"Module.{name}": member for member in node.body for name in names(member)}
        found |= dict.fromkeys(names(node), node)
    return found


def names(node: ast.stmt) -> list[str]:
    """Return the names that a statement defines with a value."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [one.id for one in targets if isinstance(one, ast.Name) and getattr(node, "value", None) is not None]


def is_blank(node: ast.stmt | None) -> bool:
    """Say whether a function is an exercise that nobody has begun: it does nothing but say so."""
    last = node.body[-1] if isinstance(node, ast.FunctionDef) else None
    return isinstance(last, ast.Raise) and len(node.body) < 3 and f"('{EXERCISE}" in ast.unparse(last)  # type: ignore


def graft(namespace: dict[str, Any], text: str, path: str, wanted: Iterable[str]) -> None:
    """Define some of a text's names in an imported file's namespace, and in its Module, as if they stood there."""
    found, wanted = read(text)[0], list(wanted)
    top = list(dict.fromkeys(found[name] for name in wanted if not name.startswith("Module.")))
    exec(compile(ast.Module(top, []), path, "exec", dont_inherit=True), namespace)
    body = list(dict.fromkeys(found[name] for name in wanted if name.startswith("Module.")))
    if not body:
        return
    module, shell = namespace["Module"], copy(found["Module"])
    assert isinstance(shell, ast.ClassDef)
    shell.body, shell.bases, shell.decorator_list = body, [], []
    exec(compile(ast.Module([shell], []), path, "exec", dont_inherit=True), namespace)
    made, namespace["Module"] = namespace["Module"], module
    for name in (name.removeprefix("Module.") for name in wanted if name.startswith("Module.")):
        value = vars(made)[name]
        for cell in getattr(value, "__closure__", None) or ():
            if cell.cell_contents is made:  # what super() asks for
                cell.cell_contents = module
        setattr(module, name, value)


def complete(namespace: dict[str, Any]) -> None:
    """Fill in what an imported file lacks, from scratch/module.py."""
    path = namespace["__file__"]
    if "Module" not in namespace:
        raise ImportError(f"{path} defines no class Module")
    imported[path] = Path(path).read_text(encoding="utf-8")
    read(imported[path])
    text, own = OURS.read_text(encoding="utf-8"), vars(namespace["Module"])
    missing = [
        name
        for name in read(text)[0]
        if name.removeprefix("Module.") not in (own if name.startswith("Module.") else namespace)
    ]
    graft(namespace, text, str(OURS), missing)


def changed(before: str, after: str) -> list[str] | None:
    """Return the functions that differ between two texts of a file, or None where anything else does."""
    (old, old_lines), (new, new_lines) = read(before), read(after)
    if list(old) != list(new):
        return None
    differ = []
    for name, node in new.items():
        was = old[name]
        if new_lines[node.lineno - 1 : node.end_lineno] != old_lines[was.lineno - 1 : was.end_lineno]:
            differ.append(name)
    differ = [name for name in differ if name != "Module"]
    return differ if all(isinstance(new[name], ast.FunctionDef) for name in differ) else None


@cache
def read(text: str) -> tuple[dict[str, ast.stmt], list[str]]:
    """Return the definitions of a text and its lines; a process that was forked has them from the one before."""
    return definitions(text), text.split("\n")


def renew(path: str, alone: str = "") -> None:
    """Bring the Module of this process to what the file now says; only the exercise named stays unwritten."""
    namespace = vars(sys.modules["torch.nn.modules.module"])
    before, text = imported[namespace["__file__"]], Path(path).read_text(encoding="utf-8")
    (old, _), (new, _) = read(before), read(text)
    wanted = set(changed(before, text) or ())
    if path == namespace["__file__"]:  # an error names the line: those of what stands below a change are others now
        wanted |= {name for name, node in new.items() if name in old and node.lineno != old[name].lineno}
    graft(namespace, text, path, [name for name in new if name in wanted and isinstance(new[name], ast.FunctionDef)])
    blanks = [name for name, node in new.items() if is_blank(node) and name != alone]
    if blanks:
        graft(namespace, OURS.read_text(encoding="utf-8"), str(OURS), blanks)


def perform(programs: list[str]) -> None:
    """Run programs one after the other, each announced by a line with a separator alone."""
    for number, code in enumerate(programs, 1):
        print(SEPARATOR, flush=True)
        with warnings.catch_warnings():
            exec(compile(code, f"<program {number}>", "exec", dont_inherit=True), {"__name__": "__main__"})
    print(SEPARATOR, flush=True)  # or the process has ended before its end, as by os._exit
