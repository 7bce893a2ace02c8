"""Say how many lines of code scratch/module.py has, and what for: `<!-- literate: count module -->`."""

import ast
import importlib.metadata
import importlib.util
import io
import tokenize
from pathlib import Path

from literate.reading.repository import MODULE
from literate.reading.sections import marks, places
from literate.reading.words import say

ASIDE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def code_lines(text: str) -> set[int]:
    """Return the numbers of the lines that are code: neither blank, nor comment, nor docstring."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in ASIDE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            lines -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return lines


def of_sections(text: str) -> dict[str, int]:
    """Return how many lines of code each section has, with its helpers above the class."""
    code, within = code_lines(text), places(text)
    counts = {part: 0 for part, section in within.items() if part == section}
    ends = [line for line, *_ in marks(text)][1:]
    for (start, _, _, opened), end in zip(marks(text), ends, strict=False):
        if opened:
            place = next((within[name] for name in opened if name.endswith("-helpers")), within[opened[0]])
            counts[place] += len(code & set(range(start + 1, end)))
    return counts


def of_kinds(text: str) -> dict[str, int]:
    """Return how many lines say what went wrong, begin a function, and annotate a field of the class."""
    kinds: dict[str, set[int]] = {"texts": set(), "heads": set(), "annotations": set()}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            kinds["heads"] |= set(range(node.lineno, node.body[0].lineno))
        elif isinstance(node, ast.ClassDef) and node.name == "Module":
            kinds["annotations"] |= {field.lineno for field in node.body if isinstance(field, ast.AnnAssign)}
        elif isinstance(node, ast.Raise) or (
            isinstance(node, ast.Expr) and ast.unparse(node).startswith("warnings.warn(")
        ):
            kinds["texts"] |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    return {kind: len(lines & code_lines(text)) for kind, lines in kinds.items()}


def counted(root: Path, language: str) -> list[str]:
    """Return the counts as Markdown: a sentence, a table of the sections, and what else the lines are for."""
    text = (root / MODULE).read_text(encoding="utf-8")
    torch = importlib.util.find_spec("torch")
    theirs = Path((torch and torch.origin) or "").parent / "nn" / "modules" / "module.py"
    said = {"ours": len(code_lines(text))}
    lines = ["", say(language, "count.ours", **said)]
    if theirs.is_file():
        version = importlib.metadata.version("torch").partition("+")[0]
        of_torch = len(code_lines(theirs.read_text(encoding="utf-8")))
        lines[1] = say(language, "count.both", **said, theirs=f"{of_torch:,}", version=version)
    lines += ["", say(language, "count.head"), "|---|---|---|"]
    for section, count in of_sections(text).items():
        lines.append(f"| {section} | {count} | {say(language, f'count.sections.{section}')} |")
    return [*lines, "", say(language, "count.kinds", **of_kinds(text)), ""]
