"""Put definitions of one text of the Module into another that is already imported.

The reader's file ends with `complete(globals())`, which fills in from scratch/module.py what they have not written yet.
So PyTorch can be imported on it from the first chapter on. This file is imported in the middle of the import of torch:
it needs the standard library alone.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

OURS = Path(__file__).resolve().parents[3] / "scratch" / "module.py"
EXERCISE = "exercise: "  # what the message of an unwritten function begins with
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
    found, wanted = definitions(text, path), list(wanted)
    top = list(dict.fromkeys(found[name] for name in wanted if not name.startswith("Module.")))
    exec(compile(ast.Module(top, []), path, "exec", dont_inherit=True), namespace)
    body = list(dict.fromkeys(found[name] for name in wanted if name.startswith("Module.")))
    if not body:
        return
    module, shell = namespace["Module"], found["Module"]
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
    imported[path] = Path(path).read_text(encoding="utf-8")
    text, own = OURS.read_text(encoding="utf-8"), vars(namespace["Module"])
    missing = [
        name
        for name in definitions(text, str(OURS))
        if name.removeprefix("Module.") not in (own if name.startswith("Module.") else namespace)
    ]
    graft(namespace, text, str(OURS), missing)


def changed(before: str, after: str) -> list[str] | None:
    """Return the functions that differ between two texts of a file, or None where anything else does."""
    old, new = definitions(before), definitions(after)
    if list(old) != list(new):
        return None
    differ = [name for name in new if name != "Module" and ast.dump(old[name]) != ast.dump(new[name])]
    return differ if all(isinstance(new[name], ast.FunctionDef) for name in differ) else None


def renew(path: str, alone: str = "") -> None:
    """Bring the Module of this process to what the file now says; only the exercise named stays unwritten."""
    namespace = vars(sys.modules["torch.nn.modules.module"])
    file = namespace["__file__"]
    text, ours = Path(path).read_text(encoding="utf-8"), OURS.read_text(encoding="utf-8")
    found = definitions(text, path)
    # All functions after a changed one have other lines, which an error is to name.
    lines = {name: node.lineno for name, node in definitions(imported[file]).items()}
    moved = [
        name
        for name, node in found.items()
        if isinstance(node, ast.FunctionDef) and (path != file or node.lineno != lines.get(name))
    ]
    graft(namespace, text, path, {*moved, *(changed(imported[file], text) or ())})
    graft(namespace, ours, str(OURS), [name for name, node in found.items() if is_blank(node) and name != alone])
