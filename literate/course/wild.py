"""Show which libraries run on our Module: <!-- literate: wild -->, from what `make wild` has recorded."""

import json
from pathlib import Path
from typing import Any

from literate.reading.words import say

RECORD = Path("snippets", "wild.json")  # written by tests/wild.py --record


def check(root: Path, argument: str) -> str | None:
    """Say what keeps the table from being shown."""
    if argument:
        return f"nothing follows this word: not {argument!r}"
    try:
        table(root, "en")
    except (OSError, ValueError, LookupError) as error:
        return f"{RECORD.as_posix()} can't be shown, run `make wild`: {type(error).__name__}: {error}"
    return None


def table(root: Path, language: str) -> list[str]:
    """Return a sentence with the totals and a table of the libraries, as Markdown."""
    record = json.loads((root / RECORD).read_text(encoding="utf-8"))
    programs, tests = record["programs"], record["tests"]
    names = sorted({*programs, *tests}, key=str.lower)
    totals = {
        "programs": len(programs),
        "questions": sum(found["questions"] for found in programs.values()),
        "tests": f"{sum(found['tests'] for found in tests.values()):,}",
        "differences": sum(len(found["differences"]) for found in (*programs.values(), *tests.values())),
        **{key: record[key] for key in ("torch", "python", "date", "seconds")},
    }
    missing = [say(language, "wild.missing", names=say(language, "wild.between").join(record["missing"]))]
    head = [say(language, f"wild.{column}") for column in ("library", "version", "program", "tests", "differences")]
    rows = [_row(name, programs.get(name), tests.get(name)) for name in names]
    lines = [_line(head), _line(["---", "---", "---:", "---:", "---:"]), *map(_line, rows)]
    return ["", say(language, "wild.totals", **totals), "", *(missing if record["missing"] else []), "", *lines, ""]


def _row(name: str, program: dict[str, Any] | None, tests: dict[str, Any] | None) -> list[str]:
    found = [one for one in (program, tests) if one]
    questions, cases = program["questions"] if program else "—", tests["tests"] if tests else "—"
    return [name, found[0]["version"], str(questions), str(cases), str(sum(len(one["differences"]) for one in found))]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
