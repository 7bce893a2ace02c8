"""Find the names of Module in scratch/module.py, and the lines that are some code."""

import ast
from dataclasses import dataclass
from functools import cache

from literate.reading.sections import marks


@dataclass(frozen=True)
class Name:
    """Hold one name of Module: where scratch/module.py defines it, in which section, and what its docstring says."""

    name: str
    line: int
    section: str
    sentence: str


@cache
def names_of_module(text: str) -> dict[str, Name]:
    """Return every name that the class of scratch/module.py defines, in the order of the file."""
    starts = [(line, opened[0] if opened else "") for line, _, _, opened in marks(text)]
    tree = ast.parse(text)
    (module,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Module")
    found_names: dict[str, Name] = {}
    for node in module.body:
        sentence = ""
        if isinstance(node, ast.FunctionDef):
            names = [node.name]
            sentence = (ast.get_docstring(node) or "").partition("\n")[0]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        else:
            continue
        section = next((section for line, section in reversed(starts) if line < node.lineno), "")
        for name in names:
            found_names[name] = Name(name, node.lineno, section, sentence)
    return found_names


def lines_of_module(text: str, code: str) -> list[int]:
    """Return the lines of scratch/module.py that are this code."""
    return [number for number, line in enumerate(text.split("\n"), 1) if line.strip() == code]
